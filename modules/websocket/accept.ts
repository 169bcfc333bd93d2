/** The server's proof in the handshake of a WebSocket (RFC 6455, 4.2.2). It is an SHA-1 hash (FIPS 180-4) in base64. */
import { asciiBytes } from "../bytes/ascii.js";

export const KEY_LENGTH = 24;
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const BLOCK_SIZE = 64;
const ROUNDS = 80;
/** Initial value of the hash (5.3.1). */
const INITIAL = Object.freeze([0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0]);
const CONSTANTS = Object.freeze([0x5a827999, 0x6ed9eba1, 0x8f1bbcdc | 0, 0xca62c1d6 | 0]);

/** Returns the proof. `key` has KEY_LENGTH ASCII characters. */
export function acceptOf(key: string): string {
	// The text has 60 bytes. The bit that ends it fits into the first block, but the length of the text must be in the
	// second.
	const bytes = new Uint8Array(2 * BLOCK_SIZE);
	const view = new DataView(bytes.buffer);
	const message = asciiBytes(key + GUID);
	bytes.set(message);
	bytes[message.length] = 0x80;
	view.setUint32(2 * BLOCK_SIZE - 4, 8 * message.length);
	const hash = new Int32Array(INITIAL);
	for (let at = 0; at < bytes.length; at += BLOCK_SIZE) takeBlock(view, at, hash);
	const digest = new Uint8Array(4 * INITIAL.length);
	const into = new DataView(digest.buffer);
	for (let i = 0; i < INITIAL.length; i++) into.setInt32(4 * i, hash[i]);
	return base64Of(digest);
}

function takeBlock(view: DataView, at: number, hash: Int32Array): void {
	const words = new Int32Array(ROUNDS);
	let [a, b, c, d, e] = hash;
	for (let i = 0; i < ROUNDS; i++) {
		words[i] =
			i < 16 ? view.getInt32(at + 4 * i) : rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
		const part = Math.floor(i / 20);
		let mixed = b ^ c ^ d;
		if (part === 0) mixed = (b & c) | (~b & d);
		else if (part === 2) mixed = (b & c) | (b & d) | (c & d);
		const next = (rotate(a, 5) + mixed + e + CONSTANTS[part] + words[i]) | 0;
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	hash[0] += a;
	hash[1] += b;
	hash[2] += c;
	hash[3] += d;
	hash[4] += e;
}

function rotate(word: number, by: number): number {
	return (word << by) | (word >>> (32 - by));
}

function base64Of(bytes: Uint8Array): string {
	let text = "";
	for (let at = 0; at < bytes.length; at += 3) {
		const [first, second = 0, third = 0] = bytes.subarray(at, at + 3);
		const bits = first * 65536 + second * 256 + third;
		for (let i = 0; i < 4; i++) text += at + i > bytes.length ? "=" : LETTERS[(bits >> (18 - 6 * i)) & 63];
	}
	return text;
}
