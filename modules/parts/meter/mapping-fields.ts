/**
 * The owner's map from OBIS codes to quantities, which readings show and Zigbee reports. Its route is `zigbee/map`, and the
 * part for Zigbee stores it.
 */
import { ENTRY_ZIGBEE_MAP } from "../../config/entries.js";
import { BYTES, entry, field } from "../../config/schema.js";

/** Packed map (obis/mapping.ts); empty for the default map. */
export const MAPPING = field<Uint8Array>({
	entry: ENTRY_ZIGBEE_MAP,
	id: 1,
	name: "mapping",
	kind: BYTES,
	maximum: 97,
	isPublic: true,
});
export const MAPPING_ENTRY = entry("zigbee_map", 1, [MAPPING]);
