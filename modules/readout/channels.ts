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
import { amountFrom } from "./number.js";
import { RecordCursor } from "./record-cursor.js";

/** Values of group A (IEC 62056-6-1). */
export const MEDIUM_HEAT = 6;
export const MEDIUM_GAS = 7;
export const MEDIUM_WATER = 8;

export const GROUP_MBUS = 24;
const CHANNEL_LIMIT = 4;
/** Medium of each type of meter (EN 13757-3, table 3), one digit each: 2 is electricity. */
const MEDIA = "00176088000060000000088";
const MEDIUM_MASK = 15;
export const NEVER_READ = 16;
const STANDING = 32;
const READING = 64;
/** Set of the states in which a reading does not count. */
export const OUT = NEVER_READ | STANDING;

const STANDING_S = 3 * 3600;
const DAY_S = 86_400;
const DIGIT_0 = 0x30;
const TIME_LENGTH = 12;
/** Years of possible times, without the century. The oldest meters with P1 are from 2007. */
const FIRST_YEAR = 7;
const LAST_YEAR = 69;
const MONTHS_BEFORE_2000 = 24_000;
const LETTER_S = 0x53;
const CAPITAL = 0xdf;

/** Returns the state of each channel, to be used by `stateOf`. */
export function channelsOf(records: Uint8Array): Uint8Array {
	const channels = new Uint8Array(CHANNEL_LIMIT + 1);
	const timesS = new Float64Array(CHANNEL_LIMIT + 1);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	while (cursor.nextRecord()) {
		const { a, b, c, d } = code;
		const isOnMBus = c === GROUP_MBUS && a === 0 && b > 0 && b <= CHANNEL_LIMIT && d <= 3;
		if (!isOnMBus || cursor.attribute !== 0 || !cursor.nextValue()) continue;
		if (d === 1) channels[b] |= MEDIA.charCodeAt(amountFrom(cursor.text, cursor.length, 0)) & MEDIUM_MASK;
		else if (cursor.nextValue()) {
			const timeS = timeOf(cursor);
			if (timeS === 0) channels[b] |= NEVER_READ;
			else timesS[b] = timeS;
		}
	}
	for (let b = 1; b <= CHANNEL_LIMIT; b++) {
		const medium = channels[b] & MEDIUM_MASK;
		for (let other = 1; other <= CHANNEL_LIMIT && medium > 0 && timesS[b] > 0; other++) {
			if ((channels[other] & MEDIUM_MASK) === medium && timesS[other] - timesS[b] >= STANDING_S)
				channels[b] |= STANDING;
		}
	}
	return channels;
}

/** Returns the state of the channel with READING and its medium if the code is that of a reading; otherwise 0. */
export function stateOf(channels: Uint8Array, { a, b, c, d }: OBISCode): number {
	const isReading = c === GROUP_MBUS && a === 0 && b > 0 && b <= CHANNEL_LIMIT && (d === 2 || d === 3);
	return isReading ? channels[b] | READING : 0;
}

/** Returns the medium that a value measures: group A, or the medium of a reading with this state; 0 if it is unknown. */
export function mediumOf(state: number, { a }: OBISCode): number {
	return state > 0 ? state & MEDIUM_MASK : a;
}

/**
 * Returns the seconds from 1970-01-01 to the time that the current value has, `YYMMDDhhmmss` with or without `S` or
 * `W`, in the winter time of the meter. Returns 0 for an impossible time.
 */
export function timeOf({ text, length }: RecordCursor): number {
	const pair = (at: number) => (text[at] - DIGIT_0) * 10 + text[at + 1] - DIGIT_0;
	const year = pair(0);
	const month = pair(2);
	const day = pair(4);
	const hour = pair(6);
	if (length < TIME_LENGTH || year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12) return 0;
	if (day < 1 || day > 31 || hour > 24) return 0;
	const isSummer = length > TIME_LENGTH && (text[TIME_LENGTH] & CAPITAL) === LETTER_S;
	const minutes = (hour - (isSummer ? 1 : 0)) * 60 + pair(8);
	return daysOf(MONTHS_BEFORE_2000 + year * 12 + month - 1, day) * DAY_S + minutes * 60 + pair(10);
}
