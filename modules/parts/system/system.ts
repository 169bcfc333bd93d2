/** State that the routes of the system part share. */
import type { Running } from "../../core/core.js";
import type { Part } from "../../part/part.js";

export class System implements Running {
	readonly parts: readonly Part[];
	isReporting = false;

	constructor(parts: readonly Part[]) {
		this.parts = parts;
	}

	whenStopping(): void {}
}
