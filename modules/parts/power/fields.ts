/** Settings entry of the power-saving mode. */
import { ENTRY_POWER } from "../../config/entries.js";
import { entry, field, INTEGER } from "../../config/schema.js";

/** 0: sleep on battery, stay awake on USB; 1: always sleep between readings; 2: never. */
export const POWER_MODE = field<number>({
	entry: ENTRY_POWER,
	id: 1,
	name: "power_mode",
	kind: INTEGER,
	maximum: 2,
	initial: 0,
});
export const POWER = entry("power", 1, [POWER_MODE]);
