/** Replaces part.ts in a firmware without prices. */
import { ENTRY_PRICES } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "prices";

export const PRICES = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry(NAME, ENTRY_PRICES)]),
		open: (core) => new Absent(NAME, core),
	},
	["prices", "prices/dynamic"],
);
