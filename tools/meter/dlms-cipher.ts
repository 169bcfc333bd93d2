/**
 * Security suites 0 and 1 of a DLMS/COSEM server (IEC 62056-5-3, 5.7: AES-128-GCM, tag of 96 bits).
 *
 *   ciphered = security control (1), invocation counter (4), text, tag (12, if authenticated)
 */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const TAG_BYTES = 12;
const HEAD_BYTES = 5;

export interface Keys {
	encryption: Uint8Array;
	authentication: Uint8Array;
}

export interface Origin {
	/** System title of the sender, 8 bytes. */
	title: Uint8Array;
	counter: number;
}

function vector({ title, counter }: Origin): Buffer {
	const bytes = Buffer.alloc(12);
	bytes.set(title.subarray(0, 8));
	bytes.writeUInt32BE(counter >>> 0, 8);
	return bytes;
}

function gcm(keys: Keys, origin: Origin, aad: Uint8Array, text: Uint8Array): { text: Buffer; tag: Buffer } {
	const cipher = createCipheriv("aes-128-gcm", keys.encryption, vector(origin), { authTagLength: TAG_BYTES });
	cipher.setAAD(aad);
	const ciphered = Buffer.concat([cipher.update(text), cipher.final()]);
	return { text: ciphered, tag: cipher.getAuthTag() };
}

export function protect(keys: Keys, origin: Origin, control: number, plain: Uint8Array): Buffer {
	const head = Buffer.alloc(HEAD_BYTES);
	head[0] = control;
	head.writeUInt32BE(origin.counter >>> 0, 1);
	const aad = Buffer.concat([Buffer.of(control), keys.authentication]);
	if ((control & ENCRYPTED) === 0) {
		const { tag } = gcm(keys, origin, Buffer.concat([aad, plain]), Buffer.alloc(0));
		return Buffer.concat([head, plain, tag]);
	}
	const { text, tag } = gcm(keys, origin, aad, plain);
	return Buffer.concat((control & AUTHENTICATED) === 0 ? [head, text] : [head, text, tag]);
}

export function protectionOverhead(control: number): number {
	return HEAD_BYTES + (control & AUTHENTICATED ? TAG_BYTES : 0);
}

export interface Opened {
	control: number;
	counter: number;
	plain: Buffer;
}

/** Returns undefined if the message is too short, is not protected, or has a wrong tag. */
export function open(keys: Keys, title: Uint8Array, ciphered: Uint8Array): Opened | undefined {
	const bytes = Buffer.from(ciphered);
	const control = bytes[0];
	const hasTag = (control & AUTHENTICATED) !== 0;
	const end = bytes.length - (hasTag ? TAG_BYTES : 0);
	if (end < HEAD_BYTES || (control & (AUTHENTICATED | ENCRYPTED)) === 0 || (control & 0x0f) > 1) return undefined;
	const counter = bytes.readUInt32BE(1);
	const origin = { title, counter };
	const text = bytes.subarray(HEAD_BYTES, end);
	// In counter mode, encrypting the ciphertext again gives the plain text.
	if (!hasTag) return { control, counter, plain: gcm(keys, origin, Buffer.alloc(0), text).text };
	const decipher = createDecipheriv("aes-128-gcm", keys.encryption, vector(origin), { authTagLength: TAG_BYTES });
	const aad = Buffer.concat([Buffer.of(control), keys.authentication]);
	const isEncrypted = (control & ENCRYPTED) !== 0;
	decipher.setAAD(isEncrypted ? aad : Buffer.concat([aad, text]));
	decipher.setAuthTag(bytes.subarray(end));
	try {
		const plain = Buffer.concat([decipher.update(isEncrypted ? text : Buffer.alloc(0)), decipher.final()]);
		return { control, counter, plain: isEncrypted ? plain : Buffer.from(text) };
	} catch {
		return undefined;
	}
}

/**
 * Returns the proof for HLS with SHA-256. `titles` begins with the prover's title, `challenges` with the challenge that
 * the prover received.
 */
export function digestOf(
	secret: Uint8Array,
	titles: readonly [Uint8Array, Uint8Array],
	challenges: readonly [Uint8Array, Uint8Array],
): Buffer {
	const hash = createHash("sha256").update(secret);
	for (const part of [...titles, ...challenges]) hash.update(part);
	return hash.digest();
}

/** Returns f(challenge) for HLS with GMAC. It has security control 10 plus the suite, invocation counter, and tag. */
export function answerChallenge(keys: Keys, origin: Origin, challenge: Uint8Array, suite = 0): Buffer {
	const bytes = protect(keys, origin, AUTHENTICATED | suite, challenge);
	return Buffer.concat([bytes.subarray(0, HEAD_BYTES), bytes.subarray(-TAG_BYTES)]);
}
