/**
 * COSEM date and time and ISO 8601 text, both ways (IEC 62056-6-2, 4.1.6.1).
 *
 * | byte | what |
 * |---|---|
 * | 0, 1 | year; FFFF any |
 * | 2 | month; FF any, FE and FD begin and end of summer time |
 * | 3 | day; FF any, FE and FD last and last but one |
 * | 4 | day of the week, 1 Monday; FF any |
 * | 5 to 8 | hour, minute, second, hundredths; FF each: not told |
 * | 9, 10 | deviation: minutes from local time to UTC, so -60 is UTC+1; 8000: not told |
 * | 11 | status: 01 invalid, 02 doubtful, 04 other time base, 08 status invalid, 80 summer time; FF not told |
 *
 * Text: `2026-03-01T17:45:30+01:00`, hundredths after a dot where there are any, no zone where no deviation is told, no
 * seconds or no time where they are not. What has no such text (any year, last day of a month) is no date for us.
 * Many meters give the deviation with the sign of ISO 8601; `swapped` is for those.
 */

export const DATE_TIME_LENGTH = 12;
export const DATE_LENGTH = 5;
export const TIME_LENGTH = 4;
/** The longest text: `2026-03-01T17:45:30.25+01:00`. */
export const DATE_TIME_TEXT_LIMIT = 28;

/** Where the status stands, and its bits. */
export const DATE_TIME_STATUS = 11;
export const STATUS_INVALID = 0x01;
export const STATUS_DOUBTFUL = 0x02;
export const STATUS_SUMMER = 0x80;
export const STATUS_NOT_TOLD = 0xff;

const NOT_TOLD = 0xff;
const DEVIATION_NOT_TOLD = -0x8000;
/** Largest deviation either way, minutes: UTC+14. */
const DEVIATION_LIMIT = 840;

const PLUS = 0x2b;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** Writes the text of the 12 bytes at `bytes[start]` at `into[at]`; returns the position after it, `at` if it has none. */
export function putDateTime(
	source: { bytes: Uint8Array; start: number; swapped: boolean },
	into: Uint8Array,
	at: number,
): number {
	const { bytes, start, swapped } = source;
	const date = putDate(bytes, start, into, at);
	if (date === at || bytes[start + 5] === NOT_TOLD) return date;
	into[date] = LETTER_T;
	const time = putTime(bytes, start + 5, into, date + 1);
	if (time === date + 1) return at;
	return putZone(signed16(bytes, start + 9) * (swapped ? -1 : 1), into, time, at);
}

/** Writes the text of the 5 bytes at `bytes[start]`, `2026-03-01`; returns the position after it, `at` if it has none. */
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

/** Writes the text of the 4 bytes at `bytes[start]`, `17:45:30`; returns the position after it, `at` if it has none. */
export function putTime(bytes: Uint8Array, start: number, into: Uint8Array, at: number): number {
	const hour = bytes[start];
	const minute = bytes[start + 1] === NOT_TOLD ? 0 : bytes[start + 1];
	const second = bytes[start + 2];
	const hundredths = bytes[start + 3];
	if (hour > 23 || minute > 59) return at;
	put2(into, at, hour);
	into[at + 2] = COLON;
	put2(into, at + 3, minute);
	if (second === NOT_TOLD) return at + 5;
	if (second > 59 || (hundredths > 99 && hundredths !== NOT_TOLD)) return at;
	into[at + 5] = COLON;
	put2(into, at + 6, second);
	if (hundredths === 0 || hundredths === NOT_TOLD) return at + 8;
	into[at + 8] = DOT;
	put2(into, at + 9, hundredths);
	return at + 11;
}

/**
 * Writes the 12 bytes that the text `text[start..end)` stands for at `into[at]`; false, and nothing written, if it is
 * not a date and time with seconds as above, also with `Z` for +00:00.
 */
export function parseDateTime(
	source: { text: Uint8Array; start: number; end: number; swapped: boolean; status: number },
	into: Uint8Array,
	at: number,
): boolean {
	const { text, start, end } = source;
	if (end - start < 19 || text[start + 4] !== HYPHEN || text[start + 7] !== HYPHEN) return false;
	if (text[start + 10] !== LETTER_T || text[start + 13] !== COLON || text[start + 16] !== COLON) return false;
	const century = digits(text, start);
	const year = century * 100 + digits(text, start + 2);
	const month = digits(text, start + 5);
	const day = digits(text, start + 8);
	const hour = digits(text, start + 11);
	const minute = digits(text, start + 14);
	const second = digits(text, start + 17);
	const fraction = end > start + 19 && text[start + 19] === DOT;
	const hundredths = fraction && end >= start + 22 ? digits(text, start + 20) : fraction ? -1 : 0;
	const zone = start + (fraction ? 22 : 19);
	const deviation = zone === end ? DEVIATION_NOT_TOLD : parseZone(text, zone, end);
	const negative = century < 0 || year < century * 100 || hour < 0 || minute < 0 || second < 0 || hundredths < 0;
	if (negative || !isDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return false;
	if (Number.isNaN(deviation)) return false;
	const told = source.swapped && deviation !== DEVIATION_NOT_TOLD ? -deviation : deviation;
	into[at] = year >> 8;
	into[at + 1] = year & 0xff;
	into[at + 2] = month;
	into[at + 3] = day;
	into[at + 4] = weekday(year, month, day);
	into[at + 5] = hour;
	into[at + 6] = minute;
	into[at + 7] = second;
	into[at + 8] = hundredths;
	into[at + 9] = (told >> 8) & 0xff;
	into[at + 10] = told & 0xff;
	into[at + DATE_TIME_STATUS] = source.status;
	return true;
}

/** Writes the zone of a deviation at `into[at]`; what can't be one is not told, as none is. */
function putZone(deviation: number, into: Uint8Array, at: number, start: number): number {
	if (Math.abs(deviation) > DEVIATION_LIMIT || at === start) return at;
	const size = Math.abs(deviation);
	into[at] = deviation > 0 ? HYPHEN : PLUS;
	put2(into, at + 1, Math.floor(size / 60));
	into[at + 3] = COLON;
	put2(into, at + 4, size % 60);
	return at + 6;
}

/** Deviation of `Z`, `+hh:mm` or `-hh:mm`; NaN if it is none. */
function parseZone(text: Uint8Array, at: number, end: number): number {
	if (end - at === 1 && text[at] === LETTER_Z) return 0;
	if (end - at !== 6 || (text[at] !== PLUS && text[at] !== HYPHEN) || text[at + 3] !== COLON) return Number.NaN;
	const hours = digits(text, at + 1);
	const minutes = digits(text, at + 4);
	const size = hours * 60 + minutes;
	if (hours < 0 || minutes < 0 || minutes > 59 || size > DEVIATION_LIMIT) return Number.NaN;
	return text[at] === HYPHEN ? size : 0 - size;
}

function isDate(year: number, month: number, day: number): boolean {
	if (!(month >= 1 && month <= 12)) return false;
	const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
	// Odd months have 31 days until July, even ones from August on.
	const days = month === 2 ? (leap ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
	return day >= 1 && day <= days;
}

/** 1 Monday to 7 Sunday. */
function weekday(year: number, month: number, day: number): number {
	// Zeller's: the year begins in March. 400 years later the days are the same, and none of the terms is negative.
	const from = year + (month < 3 ? 399 : 400);
	const days = from + Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400);
	return (days + Math.floor((13 * (month < 3 ? month + 12 : month) + 43) / 5) + day) % 7 || 7;
}

function signed16(bytes: Uint8Array, at: number): number {
	return (((bytes[at] << 8) | bytes[at + 1]) << 16) >> 16;
}

function put2(into: Uint8Array, at: number, value: number): void {
	into[at] = DIGIT_0 + Math.floor(value / 10);
	into[at + 1] = DIGIT_0 + (value % 10);
}

/** The number that two digits are, or -1. */
function digits(text: Uint8Array, at: number): number {
	const ten = text[at] - DIGIT_0;
	const one = text[at + 1] - DIGIT_0;
	return ten >= 0 && ten <= 9 && one >= 0 && one <= 9 ? ten * 10 + one : -1;
}
