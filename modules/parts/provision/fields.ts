/** Settings of the provisioning by signed files, and the result of the last file that was applied. */

import { blobReferenceLimit } from "../../config/blob.js";
import { ENTRY_PROVISION } from "../../config/entries.js";
import { BYTES, entry, field, INTEGER, TEXT } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";

/** Printable characters except the blank. */
const GRAPHIC = "!~";

/** Length of the addressee in a file. It is also the maximum length of a group's name. */
export const GROUP_LIMIT = 32;

/** Name of the gateway's group, to which a file may be addressed; empty: the gateway is in no group. */
export const PROVISION_GROUP = field<string>({
	entry: ENTRY_PROVISION,
	id: 1,
	name: "group",
	kind: TEXT,
	maximum: GROUP_LIMIT,
	characters: GRAPHIC,
	initial: "",
});
/** Counter of the last file that was applied. The next file must have a higher counter. */
export const PROVISION_COUNTER = field<number>({
	entry: ENTRY_PROVISION,
	id: 2,
	name: "counter",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Time at which the last file was applied, Unix seconds; 0 if the clock was not set at that time. */
export const PROVISION_APPLIED = field<number>({
	entry: ENTRY_PROVISION,
	id: 3,
	name: "applied",
	kind: INTEGER,
	maximum: 0xffff_ffff,
	initial: 0,
});
/** Address from which a file is fetched once a day; empty: no file is fetched. */
export const PROVISION_URL = field<string>({
	entry: ENTRY_PROVISION,
	id: 4,
	name: "url",
	kind: TEXT,
	maximum: 128,
	characters: GRAPHIC,
	initial: "",
});
/** Reference to the trusted certificate of the server that has this file (config/blob.ts); empty if there is none. */
export const PROVISION_CERTIFICATE = field<Uint8Array>({
	entry: ENTRY_PROVISION,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_LIMIT),
});
/** Settings that the owner can change, and that the API shows. */
export const PROVISION_OWN = Object.freeze([PROVISION_GROUP, PROVISION_URL]);
/** Fields that the gateway sets when it applies a file. */
export const PROVISION_RESULT = Object.freeze([PROVISION_COUNTER, PROVISION_APPLIED]);
export const PROVISION = entry("provision", 1, [...PROVISION_OWN, ...PROVISION_RESULT, PROVISION_CERTIFICATE]);
