/** Settings of the backfill. */
import { ENTRY_BACKFILL } from "../../config/entries.js";
import { BOOLEAN, entry, field, TEXT } from "../../config/schema.js";

/**
 * True to read the meter's load profile back to its beginning, and to fill gaps of the history with it. Each time the
 * setting is turned on, reading starts again at the newest gap.
 */
export const BACKFILL_ENABLED = field<boolean>({
	entry: ENTRY_BACKFILL,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
/**
 * Code of the load profile, which must contain counter readings. In most meters, 1-0:99.1.0 (P.01) contains the
 * readings of each quarter hour, and 1-0:99.2.0 the readings of each day.
 */
export const BACKFILL_OBIS = field<string>({
	entry: ENTRY_BACKFILL,
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
