/** Zigbee settings: which OBIS code feeds which attribute (API text, "Zigbee mapping entry"; decision 47). */
import { BYTES, entry, field, IN_ZIGBEE_MAP } from "./schema.js";

/** Packed as obis/mapping.ts says; no bytes: the default table. */
export const ZIGBEE_MAPPING = field<Uint8Array>({
	entry: IN_ZIGBEE_MAP,
	id: 1,
	name: "mapping",
	kind: BYTES,
	maximum: 97,
});
export const ZIGBEE_MAP = entry("zigbee_map", 1, [ZIGBEE_MAPPING]);
