/** Replaces security-updates.ts in a firmware that installs nothing by itself. */
export class SecurityUpdates {
	static open(): undefined {}

	stop(): void {}
}
