/** Replaces part.ts in a firmware without the backfill (part/absent.ts). */
import { ENTRY_BACKFILL } from "../../config/entries.js";
import type { Core } from "../../core/core.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "backfill";
/** Storage key of the state that backfill.ts stores. */
const STATE = "backfill_state";

class NoBackfill extends Absent {
	readonly #core: Core;

	constructor(core: Core) {
		super(NAME, core);
		this.#core = core;
	}

	override whenErasing(): void {
		this.#core.storage.delete(STATE);
	}
}

export const BACKFILL = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry(NAME, ENTRY_BACKFILL)]), open: (core) => new NoBackfill(core) },
	["meter/backfill", "meter/backfill/status"],
);
