/**
 * Secondary addresses (EN 13757-3, 11.3): identification (4 bytes, BCD), maker (2), version and medium of a slave, as
 * in the header of its telegrams. A frame with an address selects the slaves with this address, and deselects all
 * others. In the identification, the digit F stands for any digit; elsewhere, FF stands for any byte.
 *
 * In text form, the identification is written as on the meter's label. The other bytes follow in the order in which
 * they are sent, for example 10000001A7320A04.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { decodeHex, encodeHex } from "../bytes/hex.js";
import { END, START } from "./link-frames.js";

/** Primary address of the slave that was selected by its secondary address. */
export const SELECTED = 253;
const SND_UD = 0x53;
const CI_SELECT = 0x52;
const CI_LONG = 0x72;
const CI_AT = 2;
const ADDRESS_AT = 3;
const ADDRESS_LENGTH = 8;
const IDENT_LENGTH = 4;
export const IDENT_DIGITS = 8;
const WILD = 0xff;
export const WILD_DIGIT = 0xf;

/** Returns an address that selects any slave. */
export function anyAddress(): Uint8Array {
	return new Uint8Array(ADDRESS_LENGTH).fill(WILD);
}

/**
 * Parses an address of 8 or 16 hex digits. With 8 digits, maker, version and medium may have any value. Returns
 * undefined if the text is invalid.
 */
export function parseAddress(text: string): Uint8Array | undefined {
	const { length } = text;
	if (length !== IDENT_DIGITS && length !== 2 * ADDRESS_LENGTH) return undefined;
	const given = decodeHex(asciiBytes(text), 0, length);
	if (given === undefined) return undefined;
	const address = anyAddress();
	address.set(given);
	address.subarray(0, IDENT_LENGTH).reverse();
	for (let i = 0; i < IDENT_DIGITS; i++) {
		const digit = digitOf(address, i);
		if (digit > 9 && digit < WILD_DIGIT) return undefined;
	}
	return address;
}

export function addressText(address: Uint8Array): Uint8Array {
	const bytes = address.slice();
	bytes.subarray(0, IDENT_LENGTH).reverse();
	return encodeHex(bytes);
}

export function selectFrame(address: Uint8Array): Uint8Array {
	const length = ADDRESS_AT + ADDRESS_LENGTH;
	let sum = SND_UD + SELECTED + CI_SELECT;
	for (let i = 0; i < ADDRESS_LENGTH; i++) sum += address[i];
	return Uint8Array.of(START, length, length, START, SND_UD, SELECTED, CI_SELECT, ...address, sum, END);
}

/** Returns the secondary address in a slave's frame; undefined if the frame has none. */
export function addressIn(frame: Uint8Array): Uint8Array | undefined {
	const end = ADDRESS_AT + ADDRESS_LENGTH;
	return frame[CI_AT] === CI_LONG && frame.length >= end ? frame.slice(ADDRESS_AT, end) : undefined;
}

/** Returns true if a selection by `wanted` selects `address`. */
export function isSelected(address: Uint8Array, wanted: Uint8Array): boolean {
	for (let i = 0; i < 2 * ADDRESS_LENGTH; i++) {
		const digit = digitOf(wanted, i);
		if (digit !== WILD_DIGIT && digit !== digitOf(address, i)) return false;
	}
	return true;
}

/**
 * Returns a digit of the address. The indexes begin with the last digit of the identification; the digits of maker,
 * version and medium follow.
 */
export function digitOf(address: Uint8Array, index: number): number {
	return (address[index >> 1] >> (index & 1 ? 4 : 0)) & 0xf;
}

export function setDigit(address: Uint8Array, index: number, digit: number): void {
	const shift = index & 1 ? 4 : 0;
	address[index >> 1] = (address[index >> 1] & ~(0xf << shift)) | (digit << shift);
}
