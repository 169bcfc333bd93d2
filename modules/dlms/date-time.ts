/**
 * Writes COSEM dates and times as ISO 8601 text (IEC 62056-6-2, 4.1.6.1).
 *
 * | byte | meaning |
 * |---|---|
 * | 0, 1 | year; FFFF any |
 * | 2 | month; FF any, FE and FD begin and end of summer time |
 * | 3 | day; FF any, FE and FD last and last but one |
 * | 4 | day of the week, 1 Monday; FF any |
 * | 5 to 8 | hour, minute, second, hundredths; FF each: unspecified |
 * | 9, 10 | deviation: minutes from local time to UTC, so -60 is UTC+1; 8000: unspecified |
 * | 11 | status: 01 invalid, 02 doubtful, 04 other time base, 08 status invalid, 80 summer time; FF unspecified |
 *
 * The text is `2026-03-01T17:45:30+01:00`, with hundredths after a dot unless they are 0. A zone, seconds or a time
 * that are unspecified are omitted. A date with a wildcard (any year, last day of a month) has no text. Many meters
 * send the deviation with the sign of ISO 8601 (`swapped`).
 */
import { uint16BE } from "../bytes/integers.js";

export const DATE_TIME_LENGTH = 12;
export const TIME_LENGTH = 4;

const UNSPECIFIED = 0xff;
/** Maximum deviation in either direction, minutes. It corresponds to UTC+14. */
const DEVIATION_LIMIT = 840;

const PLUS = 0x2b;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const COLON = 0x3a;
const LETTER_T = 0x54;

/** Writes a date-time of 12 bytes as text. Returns the end, or `at` if the date-time has no text. */
export function putDateTime(
	source: { bytes: Uint8Array; start: number; swapped: boolean },
	into: Uint8Array,
	at: number,
): number {
	const { bytes, start, swapped } = source;
	const date = putDate(bytes, start, into, at);
	if (date === at || bytes[start + 5] === UNSPECIFIED) return date;
	into[date] = LETTER_T;
	const time = putTime(bytes, start + 5, into, date + 1);
	if (time === date + 1) return at;
	return putZone(signed16(bytes, start + 9) * (swapped ? -1 : 1), into, time, at);
}

/** Writes a date of 5 bytes in the form `2026-03-01`. */
export function putDate(bytes: Uint8Array, start: number, into: Uint8Array, at: number): number {
	const year = bytes[start] * 0x100 + bytes[start + 1];
	const month = bytes[start + 2];
	const day = bytes[start + 3];
	if (year > 9999 || !isDate(year, month, day)) return at;
	put2(into, at, Math.floor(year / 100));
	put2(into, at + 2, year % 100);
	into[at + 4] = HYPHEN;
	put2(into, at + 5, month);
	into[at + 7] = HYPHEN;
	put2(into, at + 8, day);
	return at + 10;
}

/** Writes a time of 4 bytes in the form `17:45:30`. */
export function putTime(bytes: Uint8Array, start: number, into: Uint8Array, at: number): number {
	const hour = bytes[start];
	const minute = bytes[start + 1] === UNSPECIFIED ? 0 : bytes[start + 1];
	const second = bytes[start + 2];
	const hundredths = bytes[start + 3];
	if (hour > 23 || minute > 59) return at;
	put2(into, at, hour);
	into[at + 2] = COLON;
	put2(into, at + 3, minute);
	if (second === UNSPECIFIED) return at + 5;
	if (second > 59 || (hundredths > 99 && hundredths !== UNSPECIFIED)) return at;
	into[at + 5] = COLON;
	put2(into, at + 6, second);
	if (hundredths === 0 || hundredths === UNSPECIFIED) return at + 8;
	into[at + 8] = DOT;
	put2(into, at + 9, hundredths);
	return at + 11;
}

/** Writes the zone, or nothing if the deviation is unspecified or out of range. */
function putZone(deviation: number, into: Uint8Array, at: number, start: number): number {
	if (Math.abs(deviation) > DEVIATION_LIMIT || at === start) return at;
	const size = Math.abs(deviation);
	into[at] = deviation > 0 ? HYPHEN : PLUS;
	put2(into, at + 1, Math.floor(size / 60));
	into[at + 3] = COLON;
	put2(into, at + 4, size % 60);
	return at + 6;
}

function isDate(year: number, month: number, day: number): boolean {
	if (!(month >= 1 && month <= 12)) return false;
	const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
	// Until July the odd months have 31 days; from August on the even months do.
	const days = month === 2 ? (leap ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
	return day >= 1 && day <= days;
}

function signed16(bytes: Uint8Array, at: number): number {
	return (uint16BE(bytes, at) << 16) >> 16;
}

function put2(into: Uint8Array, at: number, value: number): void {
	into[at] = DIGIT_0 + Math.floor(value / 10);
	into[at + 1] = DIGIT_0 + (value % 10);
}
