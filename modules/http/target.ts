/**
 * Percent-decoding of request targets (RFC 3986, 2.1). In queries, `+` is also decoded, as in
 * application/x-www-form-urlencoded.
 */
import { hexDigitValue } from "../bytes/hex.js";

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

export function hasGoodEscapes(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		if (bytes[i] !== PERCENT) continue;
		if (i + 2 >= end || hexDigitValue(bytes[i + 1]) < 0 || hexDigitValue(bytes[i + 2]) < 0) return false;
	}
	return true;
}

/**
 * Decodes percent escapes, which must be valid. `into` must be as long as the encoded bytes. Returns the number of
 * bytes written.
 */
export function decodePercent(
	bytes: Uint8Array,
	start: number,
	end: number,
	into: Uint8Array,
	isQuery: boolean,
): number {
	let at = 0;
	for (let i = start; i < end; i++) {
		let byte = bytes[i];
		if (byte === PERCENT) {
			byte = hexDigitValue(bytes[i + 1]) * 16 + hexDigitValue(bytes[i + 2]);
			i += 2;
		} else if (isQuery && byte === PLUS) {
			byte = SPACE;
		}
		into[at++] = byte;
	}
	return at;
}

/** True if the bytes are UTF-8 (RFC 3629, 4) without control characters. */
export function isCleanText(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; ) {
		const byte = bytes[i++];
		if (byte < 0x20 || byte === 0x7f) return false;
		if (byte < 0x80) continue;
		if (byte < 0xc2 || byte > 0xf4) return false;
		let low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
		let high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
		for (let tail = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3; tail > 0; tail--) {
			if (i === end || bytes[i] < low || bytes[i] > high) return false;
			low = 0x80;
			high = 0xbf;
			i++;
		}
	}
	return true;
}
