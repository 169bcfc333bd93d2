/** Functions that parse the fields in heads (RFC 9110, 5.6). */
import { isDigit } from "../bytes/ascii.js";

/** Maximum number of digits with which every Content-Length is an exact double. */
export const LENGTH_DIGITS_LIMIT = 15;

const TAB = 0x09;
const SPACE = 0x20;
const COMMA = 0x2c;

export function indexOrEnd(bytes: Uint8Array, byte: number, start: number, end: number): number {
	for (let i = start; i < end; i++) if (bytes[i] === byte) return i;
	return end;
}

export function trimStart(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && isBlank(bytes[at])) at++;
	return at;
}

export function trimEnd(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start && isBlank(bytes[at - 1])) at--;
	return at;
}

export function matches(bytes: Uint8Array, start: number, end: number, word: string): boolean {
	const { length } = word;
	if (end - start !== length) return false;
	for (let i = 0; i < length; i++) {
		const byte = bytes[start + i];
		const wanted = word.charCodeAt(i);
		if (byte !== wanted && (byte < 0x41 || byte > 0x5a || (byte | 0x20) !== wanted)) return false;
	}
	return true;
}

/** Returns whether a comma-separated list contains the word. The case of letters is ignored. */
export function hasWord(bytes: Uint8Array, start: number, end: number, word: string): boolean {
	for (let at = start; at < end; ) {
		const comma = indexOrEnd(bytes, COMMA, at, end);
		const from = trimStart(bytes, at, comma);
		if (matches(bytes, from, trimEnd(bytes, from, comma), word)) return true;
		at = comma + 1;
	}
	return false;
}

/**
 * Returns the value of a decimal number, or -1 if the text is not a decimal number. With more than LENGTH_DIGITS_LIMIT
 * digits, the value may be inexact.
 */
export function decimalIn(bytes: Uint8Array, start: number, end: number): number {
	if (start >= end) return -1;
	let number = 0;
	for (let i = start; i < end; i++) {
		if (!isDigit(bytes[i])) return -1;
		number = number * 10 + bytes[i] - 0x30;
	}
	return number;
}

function isBlank(byte: number): boolean {
	return byte === SPACE || byte === TAB;
}
