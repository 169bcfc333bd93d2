/** Node's cryptography for the tests of DLMS: the module's primitive, and the test server's functions. */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";

/** AES-128-GCM: the ciphertext with the whole tag. */
export function gcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, text: Uint8Array): Uint8Array {
	const cipher = createCipheriv("aes-128-gcm", key, iv);
	cipher.setAAD(aad);
	return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]));
}

export function sha256(...parts: Uint8Array[]): Uint8Array {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return new Uint8Array(hash.digest());
}

/** Cipher options for security suite 0. */
export const SUITE_0 = Object.freeze({ gcm, sha256, suite: 0 });

/** Decrypts with a tag of 12 bytes at the end; undefined if the tag is wrong. */
export function openGCM(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
	const decipher = createDecipheriv("aes-128-gcm", key, iv, { authTagLength: 12 });
	decipher.setAAD(aad);
	decipher.setAuthTag(sealed.subarray(sealed.length - 12));
	try {
		return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(0, -12)), decipher.final()]));
	} catch {
		return undefined;
	}
}

/** Encrypts or decrypts without a tag. */
export function streamGCM(key: Uint8Array, iv: Uint8Array, text: Uint8Array): Uint8Array {
	return gcm(key, iv, new Uint8Array(0), text).subarray(0, text.length);
}

export function hex(text: string): Uint8Array {
	return new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "hex"));
}

export function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}

/** Keys and titles of the Green Book's examples. */
export const KEY = hex("000102030405060708090A0B0C0D0E0F");
export const AUTHENTICATION_KEY = hex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF");
export const CLIENT_TITLE = hex("4D4D4D0000000001");
export const METER_TITLE = hex("4D4D4D0000BC614E");
