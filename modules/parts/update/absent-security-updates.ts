/** Replaces security-updates.ts in a firmware without automatic security updates. */
export class SecurityUpdates {
	static open(): undefined {}

	stop(): void {}
}
