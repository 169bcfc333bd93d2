/** Replaces live-mode.ts in a firmware without live mode. */
export class LiveMode {
	periodMs = 0;
	readonly state = "unsupported";

	stop(): void {}
}
