/** Replaces part.ts in a firmware without M-Bus as master. */
import { ENTRY_MBUS } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "mbus";

export const MBUS = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry("mbus", ENTRY_MBUS)]), open: (core) => new Absent(NAME, core) },
	["mbus/config", "mbus/search"],
);
