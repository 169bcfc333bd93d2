/**
 * Times of ISO 8601 for API and log, such as `2026-11-20T05:39:38Z` and `2026-11-20T06:39:38+01:00`. Limits: Unix time
 * from 0 to 2^32 - 1 s (2106-02-07); offsets of whole minutes that are shorter than a day.
 */
import type { TextCodec } from "../io/host.js";
import { dateOf } from "./date.js";

export const UTC_LENGTH = 20;
export const LOCAL_LENGTH = 25;
/** First Unix ms beyond the range. */
export const TIME_END_MS = 2 ** 32 * 1000;

const OFFSET_END_MINUTES = 24 * 60;
const DAY_S = 86400;

const HYPHEN = 0x2d;
const COLON = 0x3a;
const PLUS = 0x2b;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** Writes a time, truncated to seconds. Throws a RangeError outside 1970 to 2106. */
export function writeUTC(into: Uint8Array, at: number, utcMs: number): number {
	const end = writeDateTime(into, at, secondsInRange(utcMs));
	into[end] = LETTER_Z;
	return end + 1;
}

/**
 * Writes a local time. `offsetMinutes` is positive east of UTC. Throws a RangeError if the time in UTC is outside 1970
 * to 2106, or if the offset is not a whole number of minutes below a day.
 */
export function writeLocal(into: Uint8Array, at: number, utcMs: number, offsetMinutes: number): number {
	const size = Math.abs(offsetMinutes);
	if (!Number.isInteger(size) || size >= OFFSET_END_MINUTES) throw new RangeError("time: offset");
	const end = writeDateTime(into, at, secondsInRange(utcMs) + offsetMinutes * 60);
	into[end] = offsetMinutes < 0 ? HYPHEN : PLUS;
	write2(into, end + 1, Math.floor(size / 60));
	into[end + 3] = COLON;
	write2(into, end + 4, size % 60);
	return end + 6;
}

export function utcText(utcMs: number, text: TextCodec): string {
	const bytes = new Uint8Array(UTC_LENGTH);
	writeUTC(bytes, 0, utcMs);
	return text.decode(bytes);
}

/** Returns a time between 1600-03-01 and 9999 as text. Certificates need this range. */
export function longUTCText(utcMs: number, text: TextCodec): string {
	const bytes = new Uint8Array(UTC_LENGTH);
	writeDateTime(bytes, 0, Math.floor(utcMs / 1000));
	bytes[UTC_LENGTH - 1] = LETTER_Z;
	return text.decode(bytes);
}

export function localText(utcMs: number, offsetMinutes: number, text: TextCodec): string {
	const bytes = new Uint8Array(LOCAL_LENGTH);
	writeLocal(bytes, 0, utcMs, offsetMinutes);
	return text.decode(bytes);
}

function secondsInRange(utcMs: number): number {
	if (!(utcMs >= 0 && utcMs < TIME_END_MS)) throw new RangeError("time: not within 1970 to 2106");
	return Math.floor(utcMs / 1000);
}

function writeDateTime(into: Uint8Array, at: number, seconds: number): number {
	const days = Math.floor(seconds / DAY_S);
	const secondOfDay = seconds - days * DAY_S;
	const date = dateOf(days);
	const months = Math.floor(date / 32);
	const year = Math.floor(months / 12);
	write2(into, at, Math.floor(year / 100));
	write2(into, at + 2, year % 100);
	into[at + 4] = HYPHEN;
	write2(into, at + 5, (months % 12) + 1);
	into[at + 7] = HYPHEN;
	write2(into, at + 8, date % 32);
	into[at + 10] = LETTER_T;
	write2(into, at + 11, Math.floor(secondOfDay / 3600));
	into[at + 13] = COLON;
	write2(into, at + 14, Math.floor(secondOfDay / 60) % 60);
	into[at + 16] = COLON;
	write2(into, at + 17, secondOfDay % 60);
	return at + 19;
}

function write2(into: Uint8Array, at: number, number: number): void {
	into[at] = 0x30 + Math.floor(number / 10);
	into[at + 1] = 0x30 + (number % 10);
}
