/** Zigbee settings of the API: whether the radio is on, and the map from OBIS codes to attributes. */
import { BOOLEAN, BYTES, entry, field } from "../config/schema.js";

/** Unique ids of the entries among all parts; never reused. */
const IN_ZIGBEE_MAP = 12;
const IN_ZIGBEE = 21;

/** True if the radio is on. Boards without a radio have this setting too, so that a backup keeps it. */
export const ZIGBEE_ENABLED = field<boolean>({
	entry: IN_ZIGBEE,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: true,
});
export const ZIGBEE = entry("zigbee", 1, [ZIGBEE_ENABLED]);

/** Packed map (obis/mapping.ts); empty for the default map. */
export const ZIGBEE_MAPPING = field<Uint8Array>({
	entry: IN_ZIGBEE_MAP,
	id: 1,
	name: "mapping",
	kind: BYTES,
	maximum: 97,
	isPublic: true,
});
export const ZIGBEE_MAP = entry("zigbee_map", 1, [ZIGBEE_MAPPING]);
