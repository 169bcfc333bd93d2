/**
 * Record of a log event in memory and flash, little-endian:
 *
 *   offset  bytes  content
 *   0       1      number of the kind of event (events.ts)
 *   1       1      n: length of the detail in bytes, 0 to DETAIL_LIMIT
 *   2       2      number of occurrences; in flash 1, or for refused logins the number since the previous record (event-log.ts)
 *   4       4      Unix time in seconds of the last occurrence; 0: the clock was not set
 *   8       4      seconds from the program start to the last occurrence
 *   12      2      CRC-16/X.25 of the record, calculated with 0 in this field
 *   14      2      for a start: number of starts with this cause, including this one; otherwise 0
 *   16      n      the detail: ASCII without control characters
 *   then           zeros up to a multiple of UNIT
 */
import { crc16 } from "../bytes/crc16.js";
import { WRITE_SIZE } from "../io/flash.js";

export const UNIT = WRITE_SIZE;
export const DETAIL_LIMIT = 48;
export const RECORD_LIMIT = UNIT + DETAIL_LIMIT;

const DETAIL_LENGTH = 1;
const COUNT = 2;
const TIME = 4;
const UPTIME = 8;
const CHECK = 12;
const STARTS = 14;
const DETAIL = 16;
const COUNT_LIMIT = 0xffff;

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;
const QUESTION_MARK = 0x3f;

export interface EventMoment {
	/** Unix time, s; 0 if it is unknown. */
	readonly timeS: number;
	readonly uptimeS: number;
}

/**
 * Makes a record with the count 1. If the detail is too long, it is cut. Characters other than printable ASCII become
 * question marks.
 */
export function makeRecord(number: number, detail: string, moment: EventMoment): Uint8Array {
	const length = Math.min(detail.length, DETAIL_LIMIT);
	const record = new Uint8Array(UNIT + Math.ceil(length / UNIT) * UNIT);
	record[0] = number;
	record[DETAIL_LENGTH] = length;
	for (let i = 0; i < length; i++) {
		const code = detail.charCodeAt(i);
		record[DETAIL + i] = code < FIRST_PRINTABLE || code > LAST_PRINTABLE ? QUESTION_MARK : code;
	}
	put(record, COUNT, 2, 1);
	put(record, TIME, 4, moment.timeS);
	put(record, UPTIME, 4, moment.uptimeS);
	seal(record);
	return record;
}

/** Returns the length of a record, a multiple of UNIT; 0 if it is absent or damaged. */
export function recordLength(bytes: Uint8Array, at: number, end: number): number {
	const length = lengthAt(bytes, at);
	if (bytes[at + DETAIL_LENGTH] > DETAIL_LIMIT || at + length > end) return 0;
	const record = bytes.slice(at, at + length);
	put(record, CHECK, 2, 0);
	return crc16(record, 0, length) === get(bytes, at + CHECK, 2) ? length : 0;
}

export function lengthAt(bytes: Uint8Array, at: number): number {
	return UNIT + Math.ceil(bytes[at + DETAIL_LENGTH] / UNIT) * UNIT;
}

export function isSameEvent(bytes: Uint8Array, at: number, record: Uint8Array): boolean {
	if (bytes[at] !== record[0] || bytes[at + DETAIL_LENGTH] !== record[DETAIL_LENGTH]) return false;
	for (let i = DETAIL; i < record.length; i++) if (bytes[at + i] !== record[i]) return false;
	return true;
}

export function countAt(bytes: Uint8Array, at: number): number {
	return get(bytes, at + COUNT, 2);
}

export function timeAt(bytes: Uint8Array, at: number): number {
	return get(bytes, at + TIME, 4);
}

export function uptimeAt(bytes: Uint8Array, at: number): number {
	return get(bytes, at + UPTIME, 4);
}

/** Returns the end of the detail, which begins at `at + UNIT`. */
export function detailEnd(bytes: Uint8Array, at: number): number {
	return at + DETAIL + bytes[at + DETAIL_LENGTH];
}

/**
 * Returns the number of starts in a record. It is 0 if older firmware, which did not count starts, has written the
 * record.
 */
export function startsAt(bytes: Uint8Array, at: number): number {
	return get(bytes, at + STARTS, 2);
}

export function setStarts(record: Uint8Array, count: number): void {
	put(record, STARTS, 2, Math.min(count, COUNT_LIMIT));
	seal(record);
}

/** Sets the count of a record. The check value is not updated, because it is not used for records in memory. */
export function setCount(record: Uint8Array, count: number, at = 0): void {
	put(record, at + COUNT, 2, Math.min(count, COUNT_LIMIT));
}

export function seal(record: Uint8Array): void {
	put(record, CHECK, 2, 0);
	put(record, CHECK, 2, crc16(record, 0, record.length));
}

export function hasDetail(bytes: Uint8Array, at: number): boolean {
	return bytes[at + DETAIL_LENGTH] > 0;
}

/** Removes the detail of a record in memory. The check value is not updated. */
export function dropDetail(bytes: Uint8Array, at: number): void {
	bytes[at + DETAIL_LENGTH] = 0;
}

function put(bytes: Uint8Array, at: number, length: number, value: number): void {
	for (let i = 0, rest = value; i < length; i++, rest = Math.floor(rest / 256)) bytes[at + i] = rest;
}

function get(bytes: Uint8Array, at: number, length: number): number {
	let value = 0;
	for (let i = length - 1; i >= 0; i--) value = value * 256 + bytes[at + i];
	return value;
}
