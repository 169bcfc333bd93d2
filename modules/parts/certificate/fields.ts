/** State of the TLS certificates. The certificates themselves are stored as blobs (certificates.ts). */

import { blobReferenceLimit } from "../../config/blob.js";
import { ENTRY_TLS } from "../../config/entries.js";
import { BOOLEAN, BYTES, entry, field, INTEGER, INTERNAL, PRINTABLE, TEXT } from "../../config/schema.js";
import { CERTIFICATE_FILE_LIMIT } from "../../io/crypto.js";
import { HOSTNAME_LIMIT } from "../network/fields.js";

/** Maximum size of the device's own certificate and key in PEM, bytes. */
export const OWN_FILE_LIMIT = 2048;

/**
 * Reference to the installed certificate chain and key, which are one PEM text. If it is empty, the device uses its own
 * certificate.
 */
export const TLS_FILE = field<Uint8Array>({
	entry: ENTRY_TLS,
	id: 1,
	name: "file",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_FILE_LIMIT),
});
/** Reason why the server could not use the installed certificate; empty on success. */
export const TLS_LAST_ERROR = field<string>({
	entry: ENTRY_TLS,
	id: 2,
	name: "last_error",
	kind: TEXT,
	maximum: 128,
	characters: PRINTABLE,
	initial: "",
	isPublic: true,
});
/** True until the server has used `file` in a handshake. If this fails, `previous` is restored. */
export const TLS_ON_TRIAL = field<boolean>({
	entry: ENTRY_TLS,
	id: 3,
	name: "on_trial",
	kind: BOOLEAN,
	initial: false,
});
/**
 * Reference to the certificate that `file` replaced, kept during the trial. It is empty if `file` replaced the device's
 * own certificate.
 */
export const TLS_PREVIOUS = field<Uint8Array>({
	entry: ENTRY_TLS,
	id: 4,
	name: "previous",
	kind: BYTES,
	maximum: blobReferenceLimit(CERTIFICATE_FILE_LIMIT),
});
/** Reference to the device's own certificate and key; empty until they have been generated. */
export const TLS_OWN = field<Uint8Array>({
	entry: ENTRY_TLS,
	id: 5,
	name: "own",
	kind: BYTES,
	maximum: blobReferenceLimit(OWN_FILE_LIMIT),
});
export const TLS_OWN_HOSTNAME = field<string>({
	entry: ENTRY_TLS,
	id: 6,
	name: "own_hostname",
	kind: TEXT,
	maximum: HOSTNAME_LIMIT,
	characters: PRINTABLE,
	initial: "",
});
/** End of validity of the device's own certificate, Unix seconds. */
export const TLS_OWN_UNTIL = field<number>({
	entry: ENTRY_TLS,
	id: 7,
	name: "own_until",
	kind: INTEGER,
	maximum: 253_402_300_799,
	initial: 0,
});
/** Network address in the device's own certificate, in dotted decimal notation; empty if it has none. */
export const TLS_OWN_ADDRESS = field<string>({
	entry: ENTRY_TLS,
	id: 8,
	name: "own_address",
	kind: TEXT,
	maximum: 15,
	characters: PRINTABLE,
	initial: "",
});
/** Version of the contents of the device's own certificate (OWN_FORM in identity.ts). */
export const TLS_OWN_FORM = field<number>({
	entry: ENTRY_TLS,
	id: 9,
	name: "own_form",
	kind: INTEGER,
	maximum: 255,
	initial: 0,
});
export const TLS = entry(
	"tls",
	3,
	[
		TLS_FILE,
		TLS_LAST_ERROR,
		TLS_ON_TRIAL,
		TLS_PREVIOUS,
		TLS_OWN,
		TLS_OWN_HOSTNAME,
		TLS_OWN_UNTIL,
		TLS_OWN_ADDRESS,
		TLS_OWN_FORM,
	],
	INTERNAL,
);
