/** Settings entry of the device as a whole. */
import { entry, field, TEXT } from "../config/schema.js";

/** Unique ids of the entries among all parts; never reused. */
const IN_SYSTEM = 7;

/** IANA name of the time zone; empty for UTC. time/zone.ts checks that it exists. */
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
