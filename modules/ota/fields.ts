/** Where a newer firmware is looked for, and what was found there (decision 51). */
import { BOOLEAN, entry, field, INTERNAL, PRINTABLE, TEXT } from "../config/schema.js";

/** Positions of the entries among all (parts.ts): unique, and never used for something else. */
const IN_UPGRADE = 19;
const IN_UPGRADE_FOUND = 20;

/** Printable characters without the blank. */
const GRAPHIC = "!~";

/** Address of the release's file, with `{board}` where the board's name stands. Empty: the one that the build names. */
export const UPGRADE_URL = field<string>({
	entry: IN_UPGRADE,
	id: 1,
	name: "upgrade_url",
	kind: TEXT,
	maximum: 255,
	characters: GRAPHIC,
	initial: "",
});
/** Look there once a day. */
export const UPGRADE_CHECK_ENABLED = field<boolean>({
	entry: IN_UPGRADE,
	id: 2,
	name: "upgrade_check_enabled",
	kind: BOOLEAN,
	initial: true,
});
export const UPGRADE = entry("upgrade", 1, [UPGRADE_URL, UPGRADE_CHECK_ENABLED]);

/** Version of a newer firmware that was found, with a good signature; empty: none. */
export const UPGRADE_FOUND_VERSION = field<string>({
	entry: IN_UPGRADE_FOUND,
	id: 1,
	name: "version",
	kind: TEXT,
	maximum: 32,
	characters: PRINTABLE,
	initial: "",
	isPublic: true,
});
export const UPGRADE_FOUND = entry("upgrade_found", 1, [UPGRADE_FOUND_VERSION], INTERNAL);
