/**
 * DLMS/COSEM settings (API text, "DLMS/COSEM settings"). Secrets are in a separate entry, so that changes of other
 * settings do not rewrite them in flash.
 */

import { ENTRY_DLMS, ENTRY_DLMS_OBIS, ENTRY_DLMS_SECRETS } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, INTEGER, PRINTABLE, TEXT } from "../../config/schema.js";
import { BAUD_RATES, OPENINGS, PUSH_BAUD_RATES } from "./fields.js";

/** Maximum of a two-byte HDLC address (IEC 62056-46, 6.4.2.3). */
const ADDRESS_MAX = 16383;
const CLIENT_MAX = 127;

/** Choices, in the order of AUTH_… in cosem/settings.ts. */
const AUTHS = Object.freeze(["none", "low", "high_gmac", "high_sha256"]);
export const DLMS_AUTH = field<string>({
	entry: ENTRY_DLMS,
	id: 1,
	name: "auth",
	kind: CHOICE,
	choices: AUTHS,
	initial: "none",
});
export const DLMS_USE_ENCRYPTION = field<boolean>({
	entry: ENTRY_DLMS,
	id: 2,
	name: "use_encryption",
	kind: BOOLEAN,
	initial: false,
});
/** Client address: 16 for the public client, usually 32 with a password. */
export const DLMS_CLIENT_ADDRESS = field<number>({
	entry: ENTRY_DLMS,
	id: 3,
	name: "client_address",
	kind: INTEGER,
	maximum: CLIENT_MAX,
	initial: 16,
});
export const DLMS_SERVER_LOGICAL = field<number>({
	entry: ENTRY_DLMS,
	id: 4,
	name: "server_logical",
	kind: INTEGER,
	maximum: ADDRESS_MAX,
	initial: 1,
});
/** Lower part of the server's address; 0: the address has no lower part. */
export const DLMS_SERVER_PHYSICAL = field<number>({
	entry: ENTRY_DLMS,
	id: 5,
	name: "server_physical",
	kind: INTEGER,
	maximum: ADDRESS_MAX,
	initial: 0,
});
/** Longest time from the last bit of a frame to the first byte of its answer. */
export const DLMS_RECEIVE_TIMEOUT_MS = field<number>({
	entry: ENTRY_DLMS,
	id: 6,
	name: "receive_timeout_ms",
	kind: INTEGER,
	minimum: 100,
	maximum: 30000,
	initial: 1000,
});
/** Length of the server's address on the line, bytes; 0: as many as needed. */
export const DLMS_SERVER_ADDRESS_LENGTH = field<number>({
	entry: ENTRY_DLMS,
	id: 7,
	name: "server_address_length",
	kind: CHOICE,
	choices: Object.freeze([0, 1, 2, 4]),
	initial: 0,
});
export const DLMS_OPENING = field<string>({
	entry: ENTRY_DLMS,
	id: 8,
	name: "opening",
	kind: CHOICE,
	choices: OPENINGS,
	initial: OPENINGS[0],
});
/** Speed of HDLC without a sign-on, Bd. */
export const DLMS_BAUDRATE = field<number>({
	entry: ENTRY_DLMS,
	id: 9,
	name: "baudrate",
	kind: CHOICE,
	choices: BAUD_RATES,
	initial: 9600,
});
/** Speed of unsolicited telegrams, Bd; 0: the meter sends none, and the gateway requests data. */
export const DLMS_PUSH_BAUDRATE = field<number>({
	entry: ENTRY_DLMS,
	id: 10,
	name: "push_baudrate",
	kind: CHOICE,
	choices: Object.freeze([0, ...PUSH_BAUD_RATES]),
	initial: 0,
});
export const DLMS_SECURITY_SUITE = field<number>({
	entry: ENTRY_DLMS,
	id: 11,
	name: "security_suite",
	kind: CHOICE,
	choices: Object.freeze([0, 1]),
	initial: 0,
});
/** True to send RLRQ before disconnecting, because some meters otherwise keep the association. */
export const DLMS_RELEASE = field<boolean>({
	entry: ENTRY_DLMS,
	id: 12,
	name: "release",
	kind: BOOLEAN,
	initial: false,
});
export const DEVIATION_SWAPPED = "swapped";
/** Sign of the clock's deviation from UTC: as in the Blue Book, or as in ISO 8601. */
export const DLMS_DEVIATION = field<string>({
	entry: ENTRY_DLMS,
	id: 13,
	name: "deviation",
	kind: CHOICE,
	choices: Object.freeze(["standard", DEVIATION_SWAPPED]),
	initial: "standard",
});
export const DLMS = entry("dlms", 3, [
	DLMS_AUTH,
	DLMS_USE_ENCRYPTION,
	DLMS_CLIENT_ADDRESS,
	DLMS_SERVER_LOGICAL,
	DLMS_SERVER_PHYSICAL,
	DLMS_RECEIVE_TIMEOUT_MS,
	DLMS_SERVER_ADDRESS_LENGTH,
	DLMS_OPENING,
	DLMS_BAUDRATE,
	DLMS_PUSH_BAUDRATE,
	DLMS_SECURITY_SUITE,
	DLMS_RELEASE,
	DLMS_DEVIATION,
]);

/** Password of low level security, or secret of high level security with SHA-256; empty if not set. */
export const DLMS_PASSWORD = field<string>({
	entry: ENTRY_DLMS_SECRETS,
	id: 1,
	name: "password",
	kind: TEXT,
	maximum: 64,
	characters: PRINTABLE,
	initial: "",
	secret: true,
});
export const DLMS_KEY_LENGTH = 16;
/** Global unicast encryption key; empty if not set. */
export const DLMS_BLOCK_CIPHER_KEY = field<Uint8Array>({
	entry: ENTRY_DLMS_SECRETS,
	id: 2,
	name: "block_cipher_key",
	kind: BYTES,
	maximum: DLMS_KEY_LENGTH,
	secret: true,
});
/** Authentication key; empty if not set. */
export const DLMS_AUTH_KEY = field<Uint8Array>({
	entry: ENTRY_DLMS_SECRETS,
	id: 3,
	name: "auth_key",
	kind: BYTES,
	maximum: DLMS_KEY_LENGTH,
	secret: true,
});
export const DLMS_SECRETS = entry("dlms_secrets", 1, [DLMS_PASSWORD, DLMS_BLOCK_CIPHER_KEY, DLMS_AUTH_KEY]);

/** Objects to read, packed as in dlms/poll-list.ts; empty: the default list. */
export const DLMS_OBIS_ENTRIES = field<Uint8Array>({
	entry: ENTRY_DLMS_OBIS,
	id: 1,
	name: "entries",
	kind: BYTES,
	maximum: 257,
	isPublic: true,
});
/** OBIS codes for the rows of pushed lists that have no codes (dlms/lists.ts). */
export const DLMS_LIST_ROWS = field<string>({
	entry: ENTRY_DLMS_OBIS,
	id: 2,
	name: "list_rows",
	kind: TEXT,
	maximum: 240,
	characters: PRINTABLE,
	initial: "",
});
export const DLMS_OBIS = entry("dlms_obis", 2, [DLMS_OBIS_ENTRIES, DLMS_LIST_ROWS]);
