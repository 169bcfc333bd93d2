/** Settings of the provisioning by signed files, and the last file that was applied. */
import { blobReferenceLimit } from "../config/blob.js";
import { BYTES, entry, field, INTEGER, TEXT } from "../config/schema.js";
import { CERTIFICATE_LIMIT } from "../config/trusted-certificates.js";

/** Unique id of the entry among all parts; never reused. */
const IN_PROVISION = 29;

/** Printable characters except the blank. */
const GRAPHIC = "!~";

/** Length of the addressee in a file, and therefore maximum length of a group's name. */
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
/** Time at which the last file was applied, Unix seconds; 0 if the clock was not set. */
export const PROVISION_APPLIED = field<number>({
	entry: IN_PROVISION,
	id: 3,
	name: "applied",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Address of a file that is fetched once a day; empty: none. */
export const PROVISION_URL = field<string>({
	entry: IN_PROVISION,
	id: 4,
	name: "url",
	kind: TEXT,
	maximum: 128,
	characters: GRAPHIC,
	initial: "",
});
/** Reference to the certificate of that address's server (config/blob.ts); empty without one. */
export const PROVISION_CERTIFICATE = field<Uint8Array>({
	entry: IN_PROVISION,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_LIMIT),
});
/** Fields that the owner sets, and that the API shows. */
export const PROVISION_OWN = Object.freeze([PROVISION_GROUP, PROVISION_URL]);
/** Fields that a file sets. */
export const PROVISION_RESULT = Object.freeze([PROVISION_COUNTER, PROVISION_APPLIED]);
export const PROVISION = entry("provision", 1, [...PROVISION_OWN, ...PROVISION_RESULT, PROVISION_CERTIFICATE]);
