/** Settings of the provisioning by signed files, and the last file that was applied. */
import { entry, field, INTEGER, TEXT } from "../config/schema.js";

/** Unique id of the entry among all parts; never reused. */
const IN_PROVISION = 29;

/** Printable characters except the blank. */
const GRAPHIC = "!~";

/** Length of the addressee in a file, and so of a group's name. */
export const GROUP_LIMIT = 32;

/** Group of gateways that a file may be for; empty: none. */
export const PROVISION_GROUP = field<string>({
	entry: IN_PROVISION,
	id: 1,
	name: "group",
	kind: TEXT,
	maximum: GROUP_LIMIT,
	characters: GRAPHIC,
	initial: "",
});
/** Counter of the last file that was applied; a file needs a higher one. */
export const PROVISION_COUNTER = field<number>({
	entry: IN_PROVISION,
	id: 2,
	name: "counter",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Time at which it was applied, Unix seconds; 0 if the clock was not set. */
export const PROVISION_APPLIED = field<number>({
	entry: IN_PROVISION,
	id: 3,
	name: "applied",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Fields that the owner sets. */
export const PROVISION_OWN = Object.freeze([PROVISION_GROUP]);
/** Fields that a file sets. */
export const PROVISION_RESULT = Object.freeze([PROVISION_COUNTER, PROVISION_APPLIED]);
export const PROVISION = entry("provision", 1, [...PROVISION_OWN, ...PROVISION_RESULT]);
