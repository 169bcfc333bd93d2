/** Converts the octet strings of meters to text. */
import { hexDigit } from "./hex.js";

export const TEXT_LIMIT = 256;
export const TEXT_TOO_LONG = -2;

const BLANK = 0x20;
const LETTER_A = 0x41;
const DELETE = 0x7f;

/**
 * Writes an octet string to `into` (TEXT_LIMIT bytes): printable ASCII as text without trailing blanks and zeros,
 * anything else as upper-case hex. Returns the length, or TEXT_TOO_LONG.
 */
export function putOctets(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
	let to = end;
	while (to > start && (bytes[to - 1] === BLANK || bytes[to - 1] === 0)) to--;
	let i = start;
	while (i < to && bytes[i] >= BLANK && bytes[i] < DELETE) i++;
	if (i < to || (to === start && start < end)) return putHexText(bytes, start, end, into);
	if (to - start > TEXT_LIMIT) return TEXT_TOO_LONG;
	for (i = start; i < to; i++) into[i - start] = bytes[i];
	return to - start;
}

/** Writes bytes as upper-case hex. Readout records store such text in packed form. */
export function putHexText(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
	if ((end - start) * 2 > TEXT_LIMIT) return TEXT_TOO_LONG;
	for (let i = start; i < end; i++) {
		into[(i - start) * 2] = hexDigit(bytes[i] >> 4, LETTER_A);
		into[(i - start) * 2 + 1] = hexDigit(bytes[i] & 15, LETTER_A);
	}
	return (end - start) * 2;
}
