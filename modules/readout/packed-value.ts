/** Packed form of a value in a readout. record-writer.ts describes the layout. */

import { unitIndex } from "../obis/units.js";

/**
 * Bits of a value's header. The low four bits are the length of the text. If they are VALUE_LONG, the length is in the
 * next two bytes.
 */
export const VALUE_MORE = 128;
export const VALUE_UNIT = 16;
export const VALUE_LONG = 15;
export const PACKING_SHIFT = 5;
export const PACKING_RAW = 0;
export const PACKING_NUMERIC = 1;
export const PACKING_HEX = 2;
/** Number of a unit that is not in the list of known units. The text of the unit follows. */
export const UNIT_RAW = 255;

const BLANK = 0x20;
/** Minimum number of digits of a time, YYMMDDhhmm. A season digit may precede them, and seconds may follow. */
const TIME_LENGTH = 10;

/**
 * Returns the digits of a value as a number. `from` and `count` select some of the digits. Returns -1 if the value has
 * a unit, other characters, no digits, or more than VALUE_LONG - 1 digits.
 */
export function digitsAt(buffer: Uint8Array, at: number, from = 0, count = buffer[at] & 15): number {
	const header = buffer[at];
	const isPacked = ((header >> PACKING_SHIFT) & 3) !== PACKING_RAW && (header & VALUE_UNIT) === 0;
	if (!isPacked || count === 0 || count === VALUE_LONG) return -1;
	let number = 0;
	for (let i = from; i < from + count; i++) {
		const pair = buffer[at + 1 + (i >> 1)];
		const digit = i % 2 === 0 ? pair >> 4 : pair & 15;
		if (digit > 9) return -1;
		number = number * 10 + digit;
	}
	return number;
}

/** Returns true if the value is a time of a load profile: `[s]YYMMDDhhmm[ss]`. */
export function isTimeAt(buffer: Uint8Array, at: number): boolean {
	const length = buffer[at] & 15;
	if (length < TIME_LENGTH || digitsAt(buffer, at) <= 0) return false;
	const month = digitsAt(buffer, at, (length % 2) + 2, 2);
	return month >= 1 && month <= 12;
}

/** Returns the number of a unit, ignoring trailing blanks; -1 if the unit is unknown. */
export function knownUnit(bytes: Uint8Array, start: number, end: number): number {
	let to = end;
	while (to > start && bytes[to - 1] === BLANK) to--;
	return to > start ? unitIndex(bytes, start, to) : -1;
}

export function packingOf(bytes: Uint8Array, start: number, end: number): number {
	let numeric = true;
	let hex = true;
	for (let i = start; i < end && (numeric || hex); i++) {
		if (numeric && nibbleOf(bytes[i], PACKING_NUMERIC) < 0) numeric = false;
		if (hex && nibbleOf(bytes[i], PACKING_HEX) < 0) hex = false;
	}
	if (numeric) return PACKING_NUMERIC;
	return hex ? PACKING_HEX : PACKING_RAW;
}

/** Returns the four-bit code of a character in this packing; -1 if it has none. */
export function nibbleOf(character: number, packing: number): number {
	if (character >= 0x30 && character <= 0x39) return character - 0x30;
	if (packing === PACKING_HEX) return character >= 0x41 && character <= 0x46 ? character - 0x37 : -1;
	if (character === 0x2e) return 10;
	if (character === 0x2d) return 11;
	if (character === 0x3a) return 12;
	if (character === 0x2c) return 13;
	return character === 0x20 ? 14 : -1;
}
