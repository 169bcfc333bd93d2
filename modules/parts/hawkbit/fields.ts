/**
 * Settings of the roll-out by an Eclipse hawkBit server. Token, certificate and address are in one entry, so one write
 * stores all three, and the token is never used with another address.
 *
 * The fields have low length limits, because a restored backup writes all settings as one value (config/store.ts).
 */

import { blobReferenceLimit } from "../../config/blob.js";
import { ENTRY_HAWKBIT } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, TEXT } from "../../config/schema.js";
import { CERTIFICATE_LIMIT } from "../../config/trusted-certificates.js";

/** Printable characters except the space. */
const GRAPHIC = "!~";
/** Characters that need no escape in the path of a URL. */
const NAME = "09AZaz--..__~~";

/** Kinds of token: for this target only (target), or for all targets of the tenant (gateway). */
export const TOKEN_TARGET = "target";
export const TOKEN_GATEWAY = "gateway";

export const HAWKBIT_ENABLED = field<boolean>({
	entry: ENTRY_HAWKBIT,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
export const HAWKBIT_URL = field<string>({
	entry: ENTRY_HAWKBIT,
	id: 2,
	name: "url",
	kind: TEXT,
	maximum: 80,
	characters: GRAPHIC,
	initial: "",
});
export const HAWKBIT_TENANT = field<string>({
	entry: ENTRY_HAWKBIT,
	id: 3,
	name: "tenant",
	kind: TEXT,
	minimum: 1,
	maximum: 20,
	characters: NAME,
	initial: "DEFAULT",
});
/** Id of this gateway on the server. If it is empty, the serial number is used. */
export const HAWKBIT_CONTROLLER_ID = field<string>({
	entry: ENTRY_HAWKBIT,
	id: 4,
	name: "controller_id",
	kind: TEXT,
	maximum: 32,
	characters: NAME,
	initial: "",
});
/** Kind of the token: for this target only, or for all targets of the tenant. */
export const HAWKBIT_TOKEN_KIND = field<string>({
	entry: ENTRY_HAWKBIT,
	id: 5,
	name: "token_kind",
	kind: CHOICE,
	choices: Object.freeze([TOKEN_TARGET, TOKEN_GATEWAY]),
	initial: TOKEN_TARGET,
});
export const HAWKBIT_TOKEN = field<string>({
	entry: ENTRY_HAWKBIT,
	id: 6,
	name: "token",
	kind: TEXT,
	maximum: 64,
	characters: GRAPHIC,
	initial: "",
	secret: true,
});
/** Reference to the certificate (config/blob.ts); empty if there is none. */
export const HAWKBIT_CERTIFICATE = field<Uint8Array>({
	entry: ENTRY_HAWKBIT,
	id: 7,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_LIMIT),
});
export const HAWKBIT = entry("hawkbit", 1, [
	...[HAWKBIT_ENABLED, HAWKBIT_URL, HAWKBIT_TENANT, HAWKBIT_CONTROLLER_ID],
	...[HAWKBIT_TOKEN_KIND, HAWKBIT_TOKEN, HAWKBIT_CERTIFICATE],
]);
