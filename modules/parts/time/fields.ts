/** Settings entry of the device as a whole. */
import { ENTRY_SYSTEM } from "../../config/entries.js";
import { entry, field, TEXT } from "../../config/schema.js";

/** IANA name of the time zone; empty for UTC. time/zone.ts checks that it exists. */
export const SYSTEM_TIMEZONE = field<string>({
	entry: ENTRY_SYSTEM,
	id: 1,
	name: "timezone",
	kind: TEXT,
	maximum: 64,
	characters: "AZaz09__++--//",
	initial: "",
	isPublic: true,
});
export const SYSTEM = entry("system", 1, [SYSTEM_TIMEZONE]);
