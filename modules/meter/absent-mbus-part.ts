/** Replaces mbus-part.ts in a firmware without M-Bus as master. */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "mbus";

export const MBUS = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry("mbus", 27)]), open: (core) => new Absent(NAME, core) },
	["mbus/config", "mbus/search"],
);
