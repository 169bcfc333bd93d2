/** Replaces part.ts in a firmware without the roll-out by hawkBit. */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "hawkbit";
const ACTION = "hawkbit_act";

export const HAWKBIT = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("hawkbit", 28)]),
		open: (core) => new Absent(NAME, core, "hawk_cert", ACTION),
	},
	[NAME],
);
