/** The gateway's parts. A board may lack some of a part's functions (part/part.ts, Extra). */

import type { Entry } from "../config/schema.js";
import type { Part } from "../part/part.js";
import { AUTH } from "../parts/auth/part.js";
import { BACKFILL } from "../parts/backfill/part.js";
import { CERTIFICATE } from "../parts/certificate/part.js";
import { HAWKBIT } from "../parts/hawkbit/part.js";
import { HISTORY } from "../parts/history/part.js";
import { HUB } from "../parts/hub/part.js";
import { LIVE_METER } from "../parts/live-meter/part.js";
import { MBUS } from "../parts/mbus/part.js";
import { METER } from "../parts/meter/part.js";
import { MQTT } from "../parts/mqtt/part.js";
import { NETWORK } from "../parts/network/part.js";
import { PEAKS } from "../parts/peaks/part.js";
import { POWER } from "../parts/power/part.js";
import { PRICES } from "../parts/prices/part.js";
import { PROVISION } from "../parts/provision/part.js";
import { PUBLISH } from "../parts/publish/part.js";
import { SYSTEM } from "../parts/system/part.js";
import { TIME } from "../parts/time/part.js";
import { UPDATE } from "../parts/update/part.js";
import { ZIGBEE } from "../parts/zigbee/part.js";

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
