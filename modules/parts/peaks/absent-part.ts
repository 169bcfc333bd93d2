/** Replaces part.ts in a firmware without peaks. */
import { ENTRY_PEAKS } from "../../config/entries.js";
import type { Core } from "../../core/core.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "peaks";
const MONTH = "peaks_month";
const NONE: readonly number[] = Object.freeze([]);

class NoPeaks extends Absent {
	readonly values = NONE;

	constructor(core: Core) {
		super(NAME, core, "", MONTH);
	}
}

export const PEAKS = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry("peaks", ENTRY_PEAKS)]), open: (core) => new NoPeaks(core) },
	["peaks", "peaks/status"],
);
