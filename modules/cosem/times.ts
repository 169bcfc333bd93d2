/** Converts COSEM date-times (dlms/date-time.ts) to local seconds since 1970, and back. */
import { putUint16BE, uint16BE } from "../bytes/integers.js";
import { DATE_TIME_LENGTH, putDateTime } from "../dlms/date-time.js";
import { dateOf, daysOf } from "../time/date.js";

const DAY_S = 86_400;
const UNSPECIFIED = 0xff;
const TAG_OCTET_STRING = 9;
const DIGITS_LIMIT = 10;
const DIGIT_0 = 0x30;

/** Returns the local seconds of a date-time, or NaN if it is invalid. `work` is a buffer for its text. */
export function localSeconds(
	{ bytes, start, end }: { readonly bytes: Uint8Array; readonly start: number; readonly end: number },
	work: Uint8Array,
): number {
	if (end - start !== DATE_TIME_LENGTH || bytes[start + 5] === UNSPECIFIED) return Number.NaN;
	if (putDateTime({ bytes, start, swapped: false }, work, 0) === 0) return Number.NaN;
	const months = uint16BE(bytes, start) * 12 + bytes[start + 2] - 1;
	const minute = bytes[start + 6] === UNSPECIFIED ? 0 : bytes[start + 6];
	const second = bytes[start + 7] === UNSPECIFIED ? 0 : bytes[start + 7];
	return daysOf(months, bytes[start + 3]) * DAY_S + bytes[start + 5] * 3600 + minute * 60 + second;
}

/** Writes a date-time. `zone` has its deviation and status. */
export function putTime(into: Uint8Array, at: number, seconds: number, zone: Uint8Array): number {
	const days = Math.floor(seconds / DAY_S);
	const rest = seconds - days * DAY_S;
	const date = dateOf(days);
	const months = Math.floor(date / 32);
	const year = Math.floor(months / 12);
	into[at] = TAG_OCTET_STRING;
	into[at + 1] = DATE_TIME_LENGTH;
	putUint16BE(into, at + 2, year);
	into[at + 4] = (months % 12) + 1;
	into[at + 5] = date % 32;
	into[at + 6] = UNSPECIFIED;
	into[at + 7] = Math.floor(rest / 3600);
	into[at + 8] = Math.floor(rest / 60) % 60;
	into[at + 9] = rest % 60;
	into[at + 10] = 0;
	into.set(zone, at + 11);
	return at + 2 + DATE_TIME_LENGTH;
}

/** Writes an integer below 10^10 as decimal digits. */
export function putNumber(into: Uint8Array, at: number, value: number): number {
	let rest = value;
	let from = at + DIGITS_LIMIT;
	do {
		into[--from] = DIGIT_0 + (rest % 10);
		rest = Math.floor(rest / 10);
	} while (rest > 0 && from > at);
	into.copyWithin(at, from, at + DIGITS_LIMIT);
	return 2 * at + DIGITS_LIMIT - from;
}
