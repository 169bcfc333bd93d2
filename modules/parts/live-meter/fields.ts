/** Settings of the live values: dialects, clients, and corrections of the values. */
import { ENTRY_LIVE_METER } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER } from "../../config/schema.js";

export const CLIENT_LIMIT = 8;
export const ADDRESS_SIZE = 4;
export const CLIENT_SIZE = ADDRESS_SIZE + 1;
/** Maximum share of a client, and maximum sum of all shares, per cent. */
export const WHOLE = 100;

export const TOTAL_ON_L1 = "l1";
export const TOTAL_ON_ALL = "all";

/**
 * Returns the setting that turns a dialect on. It is initially off, because a dialect shows the power without a
 * password.
 */
function dialect(id: number, name: string) {
	return field<boolean>({ entry: ENTRY_LIVE_METER, id, name, kind: BOOLEAN, initial: false });
}

/** Reply as an everHome EcoTracker. */
export const LIVE_ECOTRACKER = dialect(1, "ecotracker");
/** Reply as a Shelly Pro 3EM. */
export const LIVE_SHELLY = dialect(2, "shelly");
/**
 * UDP port on which to reply as a Shelly; 0 for none. Most batteries from Marstek send to 1010, some to 2220. The port
 * stays closed while the gateway sends as an SMA energy meter or replies as a Marstek CT002.
 */
export const LIVE_SHELLY_UDP_PORT = field<number>({
	entry: ENTRY_LIVE_METER,
	id: 3,
	name: "shelly_udp_port",
	kind: CHOICE,
	choices: Object.freeze([0, 1010, 2220]),
	initial: 1010,
});
/** Reply as a HomeWizard P1 meter. */
export const LIVE_HOMEWIZARD = dialect(4, "homewizard");
/** Send as an SMA energy meter. */
export const LIVE_SMA = dialect(11, "sma");
/** Reply as a SunSpec meter by Modbus TCP. */
export const LIVE_SUNSPEC = dialect(12, "sunspec");
/** Send the telegrams of the meter by TCP. */
export const LIVE_TELEGRAMS = dialect(14, "telegrams");
/** Reply as a Carlo Gavazzi EM24 by Modbus TCP. */
export const LIVE_EM24 = dialect(15, "em24");
/** Reply as a Marstek CT002 or CT003. */
export const LIVE_CT002 = dialect(16, "ct002");
/** True if the meter is connected in reverse: import counts as export. */
export const LIVE_INVERTED = field<boolean>({
	entry: ENTRY_LIVE_METER,
	id: 5,
	name: "inverted",
	kind: BOOLEAN,
	initial: false,
});
/** Number of watts to add to the power that clients receive. */
export const LIVE_OFFSET_W = field<number>({
	entry: ENTRY_LIVE_METER,
	id: 6,
	name: "offset_w",
	kind: INTEGER,
	minimum: -10_000,
	maximum: 10_000,
	initial: 0,
});
/**
 * Phase that gets the total power of a meter that sends no power per phase: the first phase, or a third on each phase.
 */
export const LIVE_TOTAL_ON = field<string>({
	entry: ENTRY_LIVE_METER,
	id: 7,
	name: "total_on",
	kind: CHOICE,
	choices: Object.freeze([TOTAL_ON_L1, TOTAL_ON_ALL]),
	initial: TOTAL_ON_L1,
});
/** Minimum time between two replies to one client, milliseconds; 0 to reply to every request. */
export const LIVE_PAUSE_MS = field<number>({
	entry: ENTRY_LIVE_METER,
	id: 8,
	name: "pause_ms",
	kind: INTEGER,
	maximum: 60_000,
	initial: 0,
});
/** Maximum age of values that clients receive, seconds; 0 to use the limit of each dialect. */
export const LIVE_MAX_AGE_SECS = field<number>({
	entry: ENTRY_LIVE_METER,
	id: 9,
	name: "max_age_secs",
	kind: INTEGER,
	maximum: 3600,
	initial: 0,
});
/**
 * Addresses that get replies: their number, then 5 bytes for each: the address (4 bytes) and its share of the power,
 * per cent; 0 for all of the power. Id 10 was this list without shares.
 */
export const LIVE_CLIENTS = field<Uint8Array>({
	entry: ENTRY_LIVE_METER,
	id: 13,
	name: "clients",
	kind: BYTES,
	maximum: 1 + CLIENT_LIMIT * CLIENT_SIZE,
});
export const LIVE_METER = entry("live_meter", 1, [
	LIVE_ECOTRACKER,
	LIVE_SHELLY,
	LIVE_SHELLY_UDP_PORT,
	LIVE_HOMEWIZARD,
	LIVE_SMA,
	LIVE_SUNSPEC,
	LIVE_TELEGRAMS,
	LIVE_EM24,
	LIVE_CT002,
	LIVE_INVERTED,
	LIVE_OFFSET_W,
	LIVE_TOTAL_ON,
	LIVE_PAUSE_MS,
	LIVE_MAX_AGE_SECS,
	LIVE_CLIENTS,
]);
