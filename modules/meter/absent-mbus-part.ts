/** Replaces mbus-part.ts in a firmware without M-Bus as master. */
import { Absent, absentPart, keptEntry } from "../absent.js";
import type { Slaves } from "../mbus/session.js";

const NAME = "mbus";
const NO_SLAVES: Slaves = Object.freeze({ baud: 0, address: 0, count: 0 });

export const MBUS = absentPart(
	{ name: NAME, entries: Object.freeze([keptEntry("mbus", 27)]), open: (core) => new Absent(NAME, core) },
	["mbus/config"],
);

export function slavesOf(): Slaves {
	return NO_SLAVES;
}
