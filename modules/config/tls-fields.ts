/** The certificate that the owner has installed (decision 42). The file itself is a blob (certificates.ts). */
import { CERTIFICATE_FILE_LIMIT } from "../io/host.js";
import { blobReferenceLimit } from "./blob.js";
import { BYTES, entry, field, IN_TLS, PRINTABLE, TEXT } from "./schema.js";

/** Refers to the chain and its key, as one PEM text; empty: the device serves its own. */
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
});
export const TLS = entry("tls", 1, [TLS_FILE, TLS_LAST_ERROR]);
