/** Replaces part.ts in a firmware without prices. */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "prices";

export const PRICES = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry("prices", 23)]), open: (core) => new Absent(NAME, core) },
	["prices"],
);
