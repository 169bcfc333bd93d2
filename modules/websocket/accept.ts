/**
 * The proof that a server has understood a WebSocket handshake (RFC 6455, 4.2.2): SHA-1 (FIPS 180-4) in Base64 (RFC
 * 4648, 4). Nothing secret depends on it, and a handshake needs two blocks of SHA-1, so the hosts do not offer it.
 */
import { asciiBytes } from "../bytes/ascii.js";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const BLOCK = 64;
const ROUNDS = 80;
/** Constants of 20 rounds each. */
const CONSTANTS = Object.freeze([0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6]);

/** Returns the value of Sec-WebSocket-Accept for that of Sec-WebSocket-Key. */
export function acceptOf(key: string): string {
	return base64(sha1(asciiBytes(key + GUID)));
}

export function base64(bytes: Uint8Array): string {
	const { length } = bytes;
	let text = "";
	for (let i = 0; i < length; i += 3) {
		// Bytes beyond the end count as 0.
		const three = (bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2];
		text += DIGITS[three >> 18] + DIGITS[(three >> 12) & 63];
		text += i + 1 < length ? DIGITS[(three >> 6) & 63] : "=";
		text += i + 2 < length ? DIGITS[three & 63] : "=";
	}
	return text;
}

export function sha1(message: Uint8Array): Uint8Array {
	const { length } = message;
	// The padding takes at least nine bytes.
	const bytes = new Uint8Array(length + 9 + ((BLOCK - ((length + 9) % BLOCK)) % BLOCK));
	bytes.set(message);
	bytes[length] = 0x80;
	const view = new DataView(bytes.buffer);
	view.setUint32(bytes.length - 4, length * 8);
	const digest = new DataView(new ArrayBuffer(20));
	const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
	const words: number[] = [];
	for (let at = 0; at < bytes.length; at += BLOCK) {
		let [a, b, c, d, e] = state;
		for (let i = 0; i < ROUNDS; i++) {
			words[i] =
				i < 16 ? view.getInt32(at + 4 * i) : rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
			const mixed = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
			const next = (rotate(a, 5) + mixed + e + CONSTANTS[Math.floor(i / 20)] + words[i]) | 0;
			e = d;
			d = c;
			c = rotate(b, 30);
			b = a;
			a = next;
		}
		[a, b, c, d, e].forEach((word, i) => {
			state[i] = (state[i] + word) | 0;
			digest.setInt32(4 * i, state[i]);
		});
	}
	return new Uint8Array(digest.buffer);
}

function rotate(word: number, bits: number): number {
	return (word << bits) | (word >>> (32 - bits));
}
