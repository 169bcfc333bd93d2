/**
 * Writes values of the classes 1, 3, 4, 5 and 8 as text:
 *
 * | data | text |
 * |---|---|
 * | integers, floats | exact decimal number, shifted by the scaler |
 * | boolean, enum, BCD | `0` or `1`; number; two digits |
 * | bit string | `0b` and a `0` or `1` for each bit, to distinguish it from a number; empty if it has no bits |
 * | octet string | date and time if one is expected; otherwise like a string |
 * | strings | text if printable ASCII, without trailing blanks and 00; otherwise hex in capitals |
 * | date-time, date, time | ISO 8601; hex if it has no such text |
 * | null, NaN, infinite | none |
 *
 * A text has at most TEXT_LIMIT characters.
 */
import { putFloat, putInteger } from "../bytes/decimal.js";
import { putHexText, putOctets, TEXT_LIMIT, TEXT_TOO_LONG } from "../bytes/octets.js";
import {
	type DataWalker,
	TAG_BCD,
	TAG_BIT_STRING,
	TAG_BOOLEAN,
	TAG_COMPACT_ARRAY,
	TAG_DATE,
	TAG_DATE_TIME,
	TAG_DONT_CARE,
	TAG_ENUM,
	TAG_NULL,
	TAG_OCTET_STRING,
	TAG_TIME,
} from "./axdr.js";
import { DATE_TIME_LENGTH, putDate, putDateTime, putTime } from "./date-time.js";

/** Result of `render` instead of a length: the value is null, or a float that is not a number. */
export const NO_TEXT = -1;
/** Value of `octets`: an octet string is a text. */
export const AS_TEXT = 0;
/** Value of `octets`: an octet string of the right length is a date and time. */
export const AS_DATE_TIME = 1;
/** Value of `octets`: like AS_DATE_TIME, but the deviation has the sign of ISO 8601. */
export const AS_SWAPPED_DATE_TIME = 2;

const DIGIT_0 = 0x30;
const LETTER_B = 0x62;

/**
 * Type of number for each tag from 00 on: S is signed, U unsigned, F float. Values with the tags 0F and 11 have 8 bits;
 * 10 and 12 have 16 bits; 05, 06 and 17 have 32 bits; 14, 15 and 18 have 64 bits. The tags 1C to 21 occur in delta
 * arrays.
 */
const NUMBERS = ".....SU........SSUU.SU.FF...SSSUUU";
const SIGNED = 0x53;
const UNSIGNED = 0x55;
const FLOATING = 0x46;

/** Returns whether a value with this tag is a number. Only numbers have a scaler and a unit. */
export function isNumber(tag: number): boolean {
	return NUMBERS.charCodeAt(tag) >= FLOATING;
}

/**
 * Writes the value as text to `into` (TEXT_LIMIT bytes). `octets` (AS_…) is the meaning of an octet string. Returns the
 * length of the text, NO_TEXT or TEXT_TOO_LONG.
 */
export function render(walker: DataWalker, scaler: number, octets: number, into: Uint8Array): number {
	const { bytes, tag, start, end } = walker;
	const number = NUMBERS.charCodeAt(tag);
	if (number === SIGNED || number === UNSIGNED) return putInteger(walker, number === SIGNED, scaler, into);
	if (number === FLOATING) return putFloat(walker, scaler, into) || NO_TEXT;
	if (tag === TAG_NULL || tag === TAG_DONT_CARE) return NO_TEXT;
	if (tag === TAG_ENUM) return putInteger(walker, false, 0, into);
	if (tag === TAG_BOOLEAN) {
		into[0] = DIGIT_0 + (bytes[start] === 0 ? 0 : 1);
		return 1;
	}
	if (tag === TAG_BIT_STRING) return putBits(bytes, start, walker.bits, into);
	if (tag === TAG_BCD || tag === TAG_COMPACT_ARRAY) return putHexText(bytes, start, end, into);
	const dated = tag === TAG_OCTET_STRING && octets !== AS_TEXT && end - start === DATE_TIME_LENGTH;
	const length = dated || tag >= TAG_DATE_TIME ? putMoment(walker, dated ? TAG_DATE_TIME : tag, octets, into) : 0;
	if (length > 0) return length;
	return tag >= TAG_DATE_TIME ? putHexText(bytes, start, end, into) : putOctets(bytes, start, end, into);
}

function putMoment(walker: DataWalker, tag: number, octets: number, into: Uint8Array): number {
	const { bytes, start } = walker;
	if (tag === TAG_DATE) return putDate(bytes, start, into, 0);
	if (tag === TAG_TIME) return putTime(bytes, start, into, 0);
	return putDateTime({ bytes, start, swapped: octets === AS_SWAPPED_DATE_TIME }, into, 0);
}

function putBits(bytes: Uint8Array, start: number, count: number, into: Uint8Array): number {
	if (count === 0) return 0;
	if (count + 2 > TEXT_LIMIT) return TEXT_TOO_LONG;
	into[0] = DIGIT_0;
	into[1] = LETTER_B;
	for (let i = 0; i < count; i++) into[i + 2] = DIGIT_0 + ((bytes[start + (i >> 3)] >> (7 - (i & 7))) & 1);
	return count + 2;
}
