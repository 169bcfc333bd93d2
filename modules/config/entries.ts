/** All settings that outlive a restart. */
import { ACCESS, TOKENS } from "./access-fields.js";
import { DLMS, DLMS_OBIS, DLMS_SECRETS } from "./dlms-fields.js";
import { HUB } from "./hub-fields.js";
import { CONTROL, IEC_SPEED, IEC62056, METER } from "./meter-fields.js";
import { NETWORK, WIFI } from "./network-fields.js";
import { POWER } from "./power-fields.js";
import { SCHEDULE } from "./schedule-fields.js";
import type { Entry, Field } from "./schema.js";
import { SYSTEM } from "./system-fields.js";
import { TLS } from "./tls-fields.js";
import { ZIGBEE_MAP } from "./zigbee-fields.js";

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
]);

/** What the owner knows as settings; passwords, tokens and certificates, and what was learned of the meter, are not. */
const GROUPS = Object.freeze([
	METER,
	IEC62056,
	CONTROL,
	POWER,
	SYSTEM,
	SCHEDULE,
	DLMS,
	DLMS_SECRETS,
	DLMS_OBIS,
	ZIGBEE_MAP,
	HUB,
	WIFI,
	NETWORK,
]);

/** Names of the groups of settings that these fields are in, for the event log; empty where they are in none. */
export function groupsOf(fields: readonly Field[]): string {
	const keys: string[] = [];
	for (const { key, fields: own } of GROUPS) if (own.some((one) => fields.includes(one))) keys.push(key);
	return keys.join(" ");
}
