/**
 * Meters behind an electricity meter, which it reports by M-Bus channel (DSMR P1 companion standard 5.0.2, 6.12; e-MUCS
 * P1 1.7). Only this file decides what they measure and which of their readings count.
 *
 *     0-n:24.1.0           type of the meter on channel n, 1 to 4
 *     0-n:24.2.e, 24.3.0   its reading, with the time of the reading
 *
 * A reading has no value if its time is impossible (`632525252525S`, not read yet) or before P1 (`700101010000W`, a
 * channel without a meter). If a channel is STANDING_S behind another one with the same medium, its meter was exchanged
 * or removed, and its reading does not count.
 */
import type { OBISCode } from "../obis/code.js";
import { daysOf } from "../time/date.js";
import { RecordCursor } from "./record-cursor.js";

/** Values of group A (IEC 62056-6-1). */
const MEDIUM_ABSTRACT = 0;
const MEDIUM_ELECTRICITY = 1;
export const MEDIUM_HEAT = 6;
export const MEDIUM_GAS = 7;
export const MEDIUM_WATER = 8;

const GROUP_MBUS = 24;
const CHANNEL_LIMIT = 4;
/** Medium of each type of meter (EN 13757-3, table 3). The rest of the 23 types has none. */
const MEDIA = Object.freeze([
	...[0, 0, MEDIUM_ELECTRICITY, MEDIUM_GAS, MEDIUM_HEAT, 0, MEDIUM_WATER, MEDIUM_WATER, 0, 0, 0, 0, MEDIUM_HEAT],
	...[0, 0, 0, 0, 0, 0, 0, 0, MEDIUM_WATER, MEDIUM_WATER],
]);
const MEDIUM_MASK = 15;
const NEVER_READ = 16;
const STANDING = 32;

const STANDING_S = 3 * 3600;
const DAY_S = 86_400;
const DIGIT_0 = 0x30;
const TIME_LENGTH = 12;
/** Years of possible times. The oldest meters with P1 are from 2007. */
const FIRST_YEAR = 2007;
const LAST_YEAR = 2069;
const LETTER_S = 0x53;
const CAPITAL = 0xdf;

/** Returns the state of each channel, to be used by the functions below. */
export function channelsOf(records: Uint8Array): Uint8Array {
	const channels = new Uint8Array(CHANNEL_LIMIT + 1);
	const timesS = new Float64Array(CHANNEL_LIMIT + 1);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	while (cursor.nextRecord()) {
		if (!isOnMBus(code) || cursor.attribute !== 0 || !cursor.nextValue()) continue;
		const { b } = code;
		if (code.d === 1) channels[b] |= MEDIA[typeOf(cursor)] ?? 0;
		else if (isReading(code) && cursor.nextValue()) {
			const timeS = timeOf(cursor);
			if (timeS === 0) channels[b] |= NEVER_READ;
			else timesS[b] = Math.max(timesS[b], timeS);
		}
	}
	for (let b = 1; b <= CHANNEL_LIMIT; b++) {
		for (let other = 1; other <= CHANNEL_LIMIT; other++) {
			const isSame = ((channels[b] ^ channels[other]) & MEDIUM_MASK) === 0 && (channels[b] & MEDIUM_MASK) !== 0;
			if (isSame && timesS[b] > 0 && timesS[other] - timesS[b] >= STANDING_S) channels[b] |= STANDING;
		}
	}
	return channels;
}

/** Returns the medium that a reading measures, 0 if it is unknown; for any other code, its group A. */
export function mediumOf(channels: Uint8Array, code: OBISCode): number {
	return isReading(code) ? channels[code.b] & MEDIUM_MASK : code.a;
}

/** False for the reading of a meter that was not read yet, or that does not exist. */
export function hasValue(channels: Uint8Array, code: OBISCode): boolean {
	return !isReading(code) || (channels[code.b] & NEVER_READ) === 0;
}

/** False for a reading without a value, and for one of a meter that was exchanged or removed. */
export function counts(channels: Uint8Array, code: OBISCode): boolean {
	return !isReading(code) || (channels[code.b] & (NEVER_READ | STANDING)) === 0;
}

export function isReading(code: OBISCode): boolean {
	return isOnMBus(code) && (code.d === 2 || code.d === 3);
}

/**
 * Returns the seconds from 1970-01-01 to the time that the current value has, `YYMMDDhhmmss` with or without `S` or
 * `W`. Both times are in the winter time of the meter. Returns 0 for an impossible time.
 */
export function timeOf({ text, length }: RecordCursor): number {
	const pair = (at: number) => (text[at] - DIGIT_0) * 10 + text[at + 1] - DIGIT_0;
	const year = 2000 + pair(0);
	const month = pair(2);
	const day = pair(4);
	const hour = pair(6);
	const isTime = length >= TIME_LENGTH && year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12;
	if (!isTime || day < 1 || day > 31 || hour > 24 || pair(8) > 59 || pair(10) > 59) return 0;
	const isSummer = length > TIME_LENGTH && (text[TIME_LENGTH] & CAPITAL) === LETTER_S;
	const seconds = ((hour - (isSummer ? 1 : 0)) * 60 + pair(8)) * 60 + pair(10);
	return daysOf(year * 12 + month - 1, day) * DAY_S + seconds;
}

function isOnMBus({ a, b, c }: OBISCode): boolean {
	return c === GROUP_MBUS && a === MEDIUM_ABSTRACT && b > 0 && b <= CHANNEL_LIMIT;
}

function typeOf({ text, length }: RecordCursor): number {
	let type = 0;
	for (let i = 0; i < length; i++) type = type * 10 + text[i] - DIGIT_0;
	return type;
}
