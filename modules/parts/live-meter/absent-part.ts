/** Replaces part.ts in a firmware that is built without live values for batteries. */
import { ENTRY_LIVE_METER } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "live-meter";

class NoPages extends Absent {
	answer(): boolean {
		return false;
	}
}

export const LIVE_METER = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("live_meter", ENTRY_LIVE_METER)]),
		open: (core) => new NoPages(NAME, core),
	},
	["live-meter", "live-meter/clients", "live-meter/status"],
);
