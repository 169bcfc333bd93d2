/** Settings of the device as a whole (decisions 39, 41). */
import { entry, field, TEXT } from "../config/schema.js";

/** Position of the entry among all (parts.ts): unique. */
const IN_SYSTEM = 7;

/** Name in the IANA time zone database; empty: UTC. Whether there is such a zone, time/zone.ts knows. */
export const SYSTEM_TIMEZONE = field<string>({
	entry: IN_SYSTEM,
	id: 1,
	name: "timezone",
	kind: TEXT,
	maximum: 64,
	characters: "AZaz09__++--//",
	initial: "",
	isPublic: true,
});
export const SYSTEM = entry("system", 1, [SYSTEM_TIMEZONE]);
