/** Zigbee setting of the API: whether the radio is on. */
import { ENTRY_ZIGBEE } from "../../config/entries.js";
import { BOOLEAN, entry, field } from "../../config/schema.js";

/** True if the radio is on. Boards without a radio have this setting too, so that a backup keeps it. */
export const ZIGBEE_ENABLED = field<boolean>({
	entry: ENTRY_ZIGBEE,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: true,
});
export const ZIGBEE = entry("zigbee", 1, [ZIGBEE_ENABLED]);
