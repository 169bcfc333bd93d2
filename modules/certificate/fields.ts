/** What TLS is served with (decision 42). The files themselves are blobs (certificates.ts). */

import { blobReferenceLimit } from "../config/blob.js";
import { BOOLEAN, BYTES, entry, field, INTEGER, INTERNAL, PRINTABLE, TEXT } from "../config/schema.js";
import { CERTIFICATE_FILE_LIMIT } from "../io/crypto.js";
import { HOSTNAME_LIMIT } from "../wifi/fields.js";

/** Position of the entry among all (parts.ts): unique. */
const IN_TLS = 14;

/** Bytes of the device's own certificate and key, as PEM. */
export const OWN_FILE_LIMIT = 2048;

/** Refers to the chain that the owner has installed and its key, as one PEM text; empty: the device serves its own. */
export const TLS_FILE = field<Uint8Array>({
	entry: IN_TLS,
	id: 1,
	name: "file",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_FILE_LIMIT),
});
/** Why an installed certificate could not be served; empty: nothing was wrong. */
export const TLS_LAST_ERROR = field<string>({
	entry: IN_TLS,
	id: 2,
	name: "last_error",
	kind: TEXT,
	maximum: 128,
	characters: PRINTABLE,
	initial: "",
	isPublic: true,
});
/** `file` was never served: failing that, the previous one is taken again. */
export const TLS_ON_TRIAL = field<boolean>({ entry: IN_TLS, id: 3, name: "on_trial", kind: BOOLEAN, initial: false });
/** The file before `file`, while that is on trial; empty: it was the device's own. */
export const TLS_PREVIOUS = field<Uint8Array>({
	entry: IN_TLS,
	id: 4,
	name: "previous",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_FILE_LIMIT),
});
/** Refers to the device's own certificate and its key; empty: none was made yet. */
export const TLS_OWN = field<Uint8Array>({
	entry: IN_TLS,
	id: 5,
	name: "own",
	kind: BYTES,
	maximum: blobReferenceLimit(OWN_FILE_LIMIT),
});
/** Its subject, and the end of its validity, Unix time in seconds. */
export const TLS_OWN_HOSTNAME = field<string>({
	entry: IN_TLS,
	id: 6,
	name: "own_hostname",
	kind: TEXT,
	maximum: HOSTNAME_LIMIT,
	characters: PRINTABLE,
	initial: "",
});
export const TLS_OWN_UNTIL = field<number>({
	entry: IN_TLS,
	id: 7,
	name: "own_until",
	kind: INTEGER,
	maximum: 253_402_300_799,
	initial: 0,
});
/** The address in its network that it is for, dotted decimal; empty: none. */
export const TLS_OWN_ADDRESS = field<string>({
	entry: IN_TLS,
	id: 8,
	name: "own_address",
	kind: TEXT,
	maximum: 15,
	characters: PRINTABLE,
	initial: "",
});
export const TLS = entry(
	"tls",
	3,
	[TLS_FILE, TLS_LAST_ERROR, TLS_ON_TRIAL, TLS_PREVIOUS, TLS_OWN, TLS_OWN_HOSTNAME, TLS_OWN_UNTIL, TLS_OWN_ADDRESS],
	INTERNAL,
);
