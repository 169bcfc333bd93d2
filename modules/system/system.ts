/** State shared by the routes of the system part. */
import type { Running } from "../core/core.js";
import type { Part } from "../part.js";

export class System implements Running {
	readonly parts: readonly Part[];
	isReporting = false;

	constructor(parts: readonly Part[]) {
		this.parts = parts;
	}

	stop(): void {}
}
