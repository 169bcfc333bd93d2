/** Settings of filling the history from the meter. */
import { BOOLEAN, entry, field, TEXT } from "../config/schema.js";

const IN_BACKFILL = 26;

/** Reads the meter's load profile back to its beginning, and fills gaps of the history. Turning it on begins anew. */
export const BACKFILL_ENABLED = field<boolean>({
	entry: IN_BACKFILL,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
/** Code of the load profile, which must have counters: 1-0:99.1.0 has the quarter hours of most meters (P.01), 1-0:99.2.0 the days. */
export const BACKFILL_OBIS = field<string>({
	entry: IN_BACKFILL,
	id: 2,
	name: "obis",
	kind: TEXT,
	minimum: 4,
	maximum: 20,
	characters: "09..::--**",
	initial: "1-0:99.1.0",
	isPublic: true,
});
export const BACKFILL = entry("backfill", 1, [BACKFILL_ENABLED, BACKFILL_OBIS]);
