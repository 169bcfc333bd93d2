/**
 * Hashes for the login (API text, Authentication 3). They are computed here, because browsers have no `crypto.subtle`
 * over plain HTTP.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** Returns the hash that the gateway stores instead of the password, in hex. */
export function hashOf(salt: string, password: string): string {
	return bytesToHex(sha256(utf8ToBytes(salt + password)));
}

export function proofOf(salt: string, password: string, nonce: string): string {
	return bytesToHex(sha256(concatBytes(sha256(utf8ToBytes(salt + password)), utf8ToBytes(nonce))));
}
