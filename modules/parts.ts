/** The gateway's parts. A board may lack some of a part's functions (part.ts, Extra). */
import { AUTH } from "./auth/part.js";
import { BACKFILL } from "./backfill/part.js";
import { CERTIFICATE } from "./certificate/part.js";
import type { Entry } from "./config/schema.js";
import { HAWKBIT } from "./hawkbit/part.js";
import { HISTORY } from "./history/part.js";
import { HUB } from "./homeassistant/part.js";
import { LIVE_METER } from "./live-meter/part.js";
import { MBUS } from "./meter/mbus-part.js";
import { METER } from "./meter/part.js";
import { MQTT } from "./mqtt/part.js";
import { UPDATE } from "./ota/part.js";
import type { Part } from "./part.js";
import { PEAKS } from "./peaks/part.js";
import { POWER } from "./power/part.js";
import { PRICES } from "./prices/part.js";
import { PROVISION } from "./provision/part.js";
import { PUBLISH } from "./publish/part.js";
import { SYSTEM } from "./system/part.js";
import { TIME } from "./time/part.js";
import { NETWORK } from "./wifi/part.js";
import { ZIGBEE } from "./zigbee/part.js";

/** Parts in the order in which they are opened; they are stopped in reverse. A part may depend on earlier ones. */
export const PARTS: readonly Part[] = Object.freeze([
	POWER,
	TIME,
	AUTH,
	CERTIFICATE,
	NETWORK,
	HISTORY,
	METER,
	MBUS,
	BACKFILL,
	PRICES,
	PEAKS,
	LIVE_METER,
	UPDATE,
	PUBLISH,
	PROVISION,
	HUB,
	MQTT,
	HAWKBIT,
	ZIGBEE,
	SYSTEM,
]);

/** All persistent settings. A field's `entry` is the index of its entry in this list. */
export const ENTRIES: readonly Entry[] = Object.freeze(entriesOf(PARTS));

function entriesOf(parts: readonly Part[]): Entry[] {
	const entries: Entry[] = [];
	for (const part of parts) for (const entry of part.entries) entries[entry.fields[0].entry] = entry;
	return entries;
}
