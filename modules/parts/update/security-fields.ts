/** Setting and result of automatic security updates. They are in the entries of fields.ts. */
import { ENTRY_UPGRADE, ENTRY_UPGRADE_FOUND } from "../../config/entries.js";
import { BOOLEAN, field, INTEGER, type SettingField } from "../../config/schema.js";
import { SECURITY_UPDATES } from "../../product/product.js";

/** True to install security updates automatically. */
export const SECURITY_UPDATES_ENABLED = field<boolean>({
	entry: ENTRY_UPGRADE,
	id: 3,
	name: "security_updates",
	kind: BOOLEAN,
	initial: SECURITY_UPDATES,
});
/**
 * Time at which the first security update was found, Unix seconds; 0 unless the newest version that was found has a
 * higher security level than the running firmware.
 */
export const UPGRADE_FOUND_SECURITY = field<number>({
	entry: ENTRY_UPGRADE_FOUND,
	id: 2,
	name: "security",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});

export const SECURITY_FIELDS: readonly SettingField[] = Object.freeze([SECURITY_UPDATES_ENABLED]);
export const FOUND_SECURITY_FIELDS: readonly SettingField[] = Object.freeze([UPGRADE_FOUND_SECURITY]);
