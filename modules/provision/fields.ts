/** Settings of the provisioning by signed files, and the last file that was applied. */
import { entry, field, INTEGER, INTERNAL, TEXT } from "../config/schema.js";

/** Unique ids of the entries among all parts; never reused. */
const IN_PROVISION = 29;
const IN_PROVISIONED = 30;

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
	isPublic: true,
});
/** Address of a file, requested after the start and once a day. Empty: none is requested. */
export const PROVISION_URL = field<string>({
	entry: IN_PROVISION,
	id: 2,
	name: "url",
	kind: TEXT,
	maximum: 128,
	characters: GRAPHIC,
	initial: "",
});
export const PROVISION = entry("provision", 1, [PROVISION_GROUP, PROVISION_URL]);

/** Counter of the last file that was applied; a file needs a higher one. */
export const PROVISION_COUNTER = field<number>({
	entry: IN_PROVISIONED,
	id: 1,
	name: "counter",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Time at which it was applied, Unix seconds; 0 if the clock was not set. */
export const PROVISION_APPLIED = field<number>({
	entry: IN_PROVISIONED,
	id: 2,
	name: "applied",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
export const PROVISIONED = entry("provisioned", 1, [PROVISION_COUNTER, PROVISION_APPLIED], INTERNAL);
