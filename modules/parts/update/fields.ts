/** Settings of the check for newer firmware, and the result of this check. */
import { ENTRY_UPGRADE, ENTRY_UPGRADE_FOUND } from "../../config/entries.js";
import { BOOLEAN, entry, field, INTEGER, INTERNAL, PRINTABLE, TEXT } from "../../config/schema.js";
import { SECURITY_UPDATES } from "../../product/product.js";

/** Printable characters except the blank. */
const GRAPHIC = "!~";

/**
 * Address of the release file, in which `{board}` stands for the board's name. Empty: the address in the build is used.
 */
export const UPGRADE_URL = field<string>({
	entry: ENTRY_UPGRADE,
	id: 1,
	name: "upgrade_url",
	kind: TEXT,
	maximum: 255,
	characters: GRAPHIC,
	initial: "",
});
/** True to check for newer firmware once a day. */
export const UPGRADE_CHECK_ENABLED = field<boolean>({
	entry: ENTRY_UPGRADE,
	id: 2,
	name: "upgrade_check_enabled",
	kind: BOOLEAN,
	initial: true,
});
/** True to install security updates automatically. */
export const SECURITY_UPDATES_ENABLED = field<boolean>({
	entry: ENTRY_UPGRADE,
	id: 3,
	name: "security_updates",
	kind: BOOLEAN,
	initial: SECURITY_UPDATES,
});
export const UPGRADE = entry("upgrade", 1, [UPGRADE_URL, UPGRADE_CHECK_ENABLED, SECURITY_UPDATES_ENABLED]);

/** Newest version that the check has found in a file with a valid signature; empty if it has found none. */
export const UPGRADE_FOUND_VERSION = field<string>({
	entry: ENTRY_UPGRADE_FOUND,
	id: 1,
	name: "version",
	kind: TEXT,
	maximum: 32,
	characters: PRINTABLE,
	initial: "",
	isPublic: true,
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
export const UPGRADE_FOUND = entry("upgrade_found", 1, [UPGRADE_FOUND_VERSION, UPGRADE_FOUND_SECURITY], INTERNAL);
