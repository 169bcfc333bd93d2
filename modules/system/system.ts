/** What the routes of the whole device share. */
import type { Running } from "../core/core.js";
import type { Part } from "../part.js";

export class System implements Running {
	readonly parts: readonly Part[];
	/** A diagnostic report is on its way. */
	isReporting = false;

	constructor(parts: readonly Part[]) {
		this.parts = parts;
	}

	stop(): void {}
}
