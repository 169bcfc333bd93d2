/** Hashes of the login (API text, Authentication 3). Browsers have no `crypto.subtle` over plain HTTP. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** Stored by the gateway in place of the password; hex. */
export function hashOf(salt: string, password: string): string {
	return bytesToHex(sha256(utf8ToBytes(salt + password)));
}

export function proofOf(salt: string, password: string, nonce: string): string {
	return bytesToHex(sha256(concatBytes(sha256(utf8ToBytes(salt + password)), utf8ToBytes(nonce))));
}
