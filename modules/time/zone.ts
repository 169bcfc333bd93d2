/**
 * Local time, calculated from the IANA time zone database.
 *
 * The table (timezones.bin, made by tools/timezone-table.ts) has every name, with offsets from 2024 on, because the
 * clock can't be set to earlier years. Numbers are big-endian. Offsets are in quarters of an hour east of UTC, plus
 * 128:
 *
 *   0        4  "TZN1"
 *   4        5  release of the database, `2025b`
 *   9        1  R, number of rules
 *   10   2 x R  positions of the rules
 *   then        rules:
 *     0      1  standard offset
 *     1      1  daylight-saving offset; equal to the standard one if there is no daylight-saving time
 *     2      5  when it begins, in standard time         } only with
 *     7      5  when it ends, in daylight-saving time    } daylight-saving time
 *     then   2  E, number of exceptions
 *     5 x E     exceptions, ascending: Unix time in seconds (4) until which this offset (1) overrides the rule
 *   then        names to the end of the table, ascending: number of characters shared with the previous name (1), number of
 *               characters that follow (1), rule (1), those characters
 *
 * The start and end of daylight-saving time are encoded like a TZ string (POSIX.1-2024, 8.3): month (1), week 1 to 5
 * (1), weekday (1), quarters of an hour from 0:00 of that day, plus 1024 (2), which may be before or after that day.
 * With week 0 the weekday is a day of the month instead. Daylight-saving time may begin later in the year than it ends
 * (southern hemisphere), and may be behind standard time (Dublin). Limits: offsets are whole quarters of an hour, the
 * table has at most 64 KB, and there are no leap seconds.
 */
import { uint16BE, uint32BE } from "../bytes/integers.js";
import { daysOf, monthOf } from "./date.js";

export const TABLE_MAGIC = 0x545a4e31;
export const OFFSET_ZERO = 128;
export const TIME_ZERO = 1024;
export const HEADER_LENGTH = 10;
const CHANGE_LENGTH = 5;
const EXCEPTION_LENGTH = 5;
export const NAME_HEADER_LENGTH = 3;

const RULE_COUNT = 9;
const QUARTER_S = 900;
const QUARTER_MINUTES = 15;
const DAY_S = 86_400;
const UTC_RULE = -1;
const UNKNOWN = -2;

export class TimeZone {
	readonly #table: Uint8Array;
	#rule = UTC_RULE;

	/** Uses the table where it is, without a copy. If `table` is undefined or has another version, only UTC exists. */
	constructor(table: Uint8Array | undefined) {
		const isTable = table !== undefined && table.length >= HEADER_LENGTH && uint32BE(table, 0) === TABLE_MAGIC;
		this.#table = isTable ? table : new Uint8Array(0);
	}

	/** Returns true if the zone exists. Names are case-sensitive; `""` is UTC. */
	has(name: string): boolean {
		return this.find(name) !== UNKNOWN;
	}

	select(name: string): void {
		this.#rule = Math.max(this.find(name), UTC_RULE);
	}

	offsetMinutes(utcMs: number): number {
		if (this.#rule === UTC_RULE) return 0;
		return this.offsetAt(Math.floor(utcMs / 1000)) * QUARTER_MINUTES;
	}

	private offsetAt(utcS: number): number {
		const table = this.#table;
		const rule = this.#rule;
		const standard = table[rule] - OFFSET_ZERO;
		const saving = table[rule + 1] - OFFSET_ZERO;
		let at = exceptionsOf(table, rule);
		const end = at + 2 + uint16BE(table, at) * EXCEPTION_LENGTH;
		for (at += 2; at < end; at += EXCEPTION_LENGTH) {
			if (utcS < uint32BE(table, at)) return table[at + 4] - OFFSET_ZERO;
		}
		if (saving === standard) return standard;
		const year = Math.floor(monthOf(Math.floor((utcS + standard * QUARTER_S) / DAY_S)) / 12);
		const start = this.changeAt(rule + 2, year) - standard * QUARTER_S;
		const stop = this.changeAt(rule + 2 + CHANGE_LENGTH, year) - saving * QUARTER_S;
		const isSaving = start < stop ? utcS >= start && utcS < stop : utcS >= start || utcS < stop;
		return isSaving ? saving : standard;
	}

	/** Returns the time of a change, as seconds since 1970 in the local time before the change. */
	private changeAt(at: number, year: number): number {
		const table = this.#table;
		const month = year * 12 + table[at] - 1;
		const week = table[at + 1];
		const day = table[at + 2];
		const first = daysOf(month, 1);
		let date: number;
		if (week === 0) date = first + day - 1;
		else {
			// 1970-01-01 was a Thursday.
			const weekdayOfFirst = (first + 4) % 7;
			date = first + ((day - weekdayOfFirst + 7) % 7) + (week - 1) * 7;
			// Week 5 means the last week, even if it is the fourth.
			if (date >= daysOf(month + 1, 1)) date -= 7;
		}
		return date * DAY_S + (uint16BE(table, at + 3) - TIME_ZERO) * QUARTER_S;
	}

	/** Returns the position of the zone's rule in the table, or UTC_RULE or UNKNOWN. */
	private find(name: string): number {
		if (name === "") return UTC_RULE;
		const table = this.#table;
		if (table.length === 0) return UNKNOWN;
		let at = namesStart(table);
		/** Number of leading characters that `name` shares with the previous entry. */
		let matched = 0;
		while (at < table.length) {
			const shared = table[at];
			// Entries are sorted, so an entry that shares fewer characters comes after `name`.
			if (shared < matched) return UNKNOWN;
			const rule = table[at + 2];
			const end = at + NAME_HEADER_LENGTH + table[at + 1];
			if (shared === matched) {
				let from = at + NAME_HEADER_LENGTH;
				while (from < end && table[from] === name.charCodeAt(matched)) {
					from++;
					matched++;
				}
				if (from === end && matched === name.length) return uint16BE(table, HEADER_LENGTH + rule * 2);
			}
			at = end;
		}
		return UNKNOWN;
	}
}

export function namesStart(table: Uint8Array): number {
	const last = uint16BE(table, HEADER_LENGTH + (table[RULE_COUNT] - 1) * 2);
	const exceptions = exceptionsOf(table, last);
	return exceptions + 2 + uint16BE(table, exceptions) * EXCEPTION_LENGTH;
}

function exceptionsOf(table: Uint8Array, rule: number): number {
	return rule + 2 + (table[rule] === table[rule + 1] ? 0 : 2 * CHANGE_LENGTH);
}
