/** All settings that outlive a restart. */
import { ACCESS, TOKENS } from "../auth/fields.js";
import { DLMS, DLMS_OBIS, DLMS_SECRETS } from "../meter/dlms-fields.js";
import { HUB } from "../hub/fields.js";
import { CONTROL, IEC_SPEED, IEC62056, METER } from "../meter/fields.js";
import { MQTT, MQTT_ANNOUNCED } from "../mqtt/fields.js";
import { ETHERNET, NETWORK, WIFI } from "../wifi/fields.js";
import { POWER } from "../power/fields.js";
import { SCHEDULE } from "../meter/schedule-fields.js";
import type { Entry, Field } from "./schema.js";
import { SYSTEM } from "../time/fields.js";
import { TLS } from "../certificate/fields.js";
import { UPGRADE, UPGRADE_FOUND } from "../ota/fields.js";
import { ZIGBEE, ZIGBEE_MAP } from "../zigbee/fields.js";

/** Each at the position that its fields name (schema.ts). */
export const ENTRIES: readonly Entry[] = Object.freeze([
	METER,
	IEC62056,
	CONTROL,
	ACCESS,
	IEC_SPEED,
	POWER,
	TOKENS,
	SYSTEM,
	SCHEDULE,
	DLMS,
	DLMS_SECRETS,
	DLMS_OBIS,
	ZIGBEE_MAP,
	HUB,
	TLS,
	WIFI,
	NETWORK,
	MQTT,
	MQTT_ANNOUNCED,
	UPGRADE,
	UPGRADE_FOUND,
	ZIGBEE,
	ETHERNET,
]);

/** Passwords, tokens, certificates, what was learned of the meter or said of it: nothing that the owner knows as settings. */
const NO_SETTINGS: readonly Entry[] = Object.freeze([ACCESS, TOKENS, TLS, IEC_SPEED, MQTT_ANNOUNCED, UPGRADE_FOUND]);

/** Names of the groups of settings that these fields are in, for the event log; empty where they are in none. */
export function groupsOf(fields: readonly Field[]): string {
	const groups = ENTRIES.filter(
		(entry) => !NO_SETTINGS.includes(entry) && entry.fields.some((one) => fields.includes(one)),
	);
	return groups.map(({ key }) => key).join(" ");
}
