/** Replaces statistics.ts in a firmware without statistics for the hub. */
export class Statistics {
	readonly uptoS = 0;
	readonly hasMore = false;
	readonly state = "absent";
	readonly deadlineMs = Number.POSITIVE_INFINITY;

	begin(): boolean {
		return false;
	}

	step(): boolean {
		return false;
	}

	advance(): void {}

	close(): void {}

	restart(): void {}
}
