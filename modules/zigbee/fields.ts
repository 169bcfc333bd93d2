/** Zigbee settings: whether the radio works, and which OBIS code feeds which attribute (API text, "Zigbee"; decisions 41, 47). */
import { BOOLEAN, BYTES, entry, field } from "../config/schema.js";

/** Positions of the entries among all (parts.ts): unique, and never used for something else. */
const IN_ZIGBEE_MAP = 12;
const IN_ZIGBEE = 21;

/** On a unit without a radio it is kept for a backup, and has no effect. */
export const ZIGBEE_ENABLED = field<boolean>({
	entry: IN_ZIGBEE,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: true,
});
export const ZIGBEE = entry("zigbee", 1, [ZIGBEE_ENABLED]);

/** Packed as obis/mapping.ts says; no bytes: the default table. */
export const ZIGBEE_MAPPING = field<Uint8Array>({
	entry: IN_ZIGBEE_MAP,
	id: 1,
	name: "mapping",
	kind: BYTES,
	maximum: 97,
	isPublic: true,
});
export const ZIGBEE_MAP = entry("zigbee_map", 1, [ZIGBEE_MAPPING]);
