/** Replaces part.ts in a firmware without the roll-out by hawkBit. */
import { ENTRY_HAWKBIT } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "hawkbit";
const ACTION = "hawkbit_act";

export const HAWKBIT = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("hawkbit", ENTRY_HAWKBIT)]),
		open: (core) => new Absent(NAME, core, "hawk_cert", ACTION),
	},
	[NAME],
);
