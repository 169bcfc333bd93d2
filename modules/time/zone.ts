/**
 * Local time by the zones of the IANA time zone database, for the clock, readouts and the schedule.
 *
 * The table is a resource (timezones.bin, made by tools/timezone-table.ts). It has every name of the database, with the
 * offsets from 2024 on, the first year that the gateway's clock can show. Numbers are big-endian; an offset is in
 * quarters of an hour east of UTC, plus 128:
 *
 *   0        4  "TZN1"
 *   4        5  release of the database, `2025b`
 *   9        1  R, number of rules
 *   10   2 x R  offsets of the rules
 *   then        rules:
 *     0      1  standard offset
 *     1      1  offset of daylight-saving time; the standard one: there is none
 *     2      5  when it begins, by standard time } only if
 *     7      5  when it ends, by its own time    } there is one
 *     then   2  E, number of exceptions
 *     5 x E     exceptions, ascending: until this Unix time in seconds (4) this offset (1) holds, whatever the rule says
 *   then        names to the end of the table, ascending: number of characters shared with the name before (1), of those
 *               that follow (1), rule (1), those characters
 *
 * When daylight-saving time begins and ends is said as in a TZ string (POSIX.1-2024, 8.3): month (1), week 1 to 5 (1),
 * day of the week (1), quarters of an hour from 0:00 of that day, plus 1024 (2): also before that day or after it. Week 0:
 * the number after it is a day of the month. It may begin after it ends (the south), and be behind standard time (Dublin).
 * Limits: offsets of whole quarters; a table of 64 KB; no leap seconds.
 */
import { daysOf, monthOf } from "./date.js";

/** "TZN1". */
export const TABLE_MAGIC = 0x545a4e31;
export const OFFSET_ZERO = 128;
export const TIME_ZERO = 1024;
export const HEADER_LENGTH = 10;
const CHANGE_LENGTH = 5;
const EXCEPTION_LENGTH = 5;
/** Bytes before a name's own characters. */
export const NAME_HEADER_LENGTH = 3;

const RULE_COUNT = 9;
const QUARTER_S = 900;
const QUARTER_MINUTES = 15;
const DAY_S = 86_400;
/** Beginning of a rule that is none. */
const UTC_RULE = -1;
const UNKNOWN = -2;

export class TimeZone {
	/** Empty where the firmware has no table. */
	readonly #table: Uint8Array;
	/** Where the rule of the zone begins. */
	#rule = UTC_RULE;

	/** `table` is the resource; it is read in place. Without it, or with one of another version, there is only UTC. */
	constructor(table: Uint8Array | undefined) {
		const isTable = table !== undefined && table.length >= HEADER_LENGTH && number32(table, 0) === TABLE_MAGIC;
		this.#table = isTable ? table : new Uint8Array(0);
	}

	/** Whether there is a zone of this name, letter by letter; `""` is UTC. */
	has(name: string): boolean {
		return this.find(name) !== UNKNOWN;
	}

	/** Goes by the zone of this name from now on, by UTC when it is not known. */
	select(name: string): void {
		this.#rule = Math.max(this.find(name), UTC_RULE);
	}

	/** Minutes that the zone's clocks are ahead of UTC at this Unix time. */
	offsetMinutes(utcMs: number): number {
		if (this.#rule === UTC_RULE) return 0;
		return this.offsetAt(Math.floor(utcMs / 1000)) * QUARTER_MINUTES;
	}

	/** Offset in quarters of an hour. */
	private offsetAt(utcS: number): number {
		const table = this.#table;
		const rule = this.#rule;
		const standard = table[rule] - OFFSET_ZERO;
		const saving = table[rule + 1] - OFFSET_ZERO;
		let at = exceptionsOf(table, rule);
		const end = at + 2 + number16(table, at) * EXCEPTION_LENGTH;
		for (at += 2; at < end; at += EXCEPTION_LENGTH) {
			if (utcS < number32(table, at)) return table[at + 4] - OFFSET_ZERO;
		}
		if (saving === standard) return standard;
		const year = Math.floor(monthOf(Math.floor((utcS + standard * QUARTER_S) / DAY_S)) / 12);
		const start = this.changeAt(rule + 2, year) - standard * QUARTER_S;
		const stop = this.changeAt(rule + 2 + CHANGE_LENGTH, year) - saving * QUARTER_S;
		const isSaving = start < stop ? utcS >= start && utcS < stop : utcS >= start || utcS < stop;
		return isSaving ? saving : standard;
	}

	/** When the change at `at` of the table is due, in seconds of the clocks that hold until then. */
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
			// Week 5 is the last one, be it the fourth.
			if (date >= daysOf(month + 1, 1)) date -= 7;
		}
		return date * DAY_S + (number16(table, at + 3) - TIME_ZERO) * QUARTER_S;
	}

	/** Where the rule of that name begins, UTC_RULE or UNKNOWN. */
	private find(name: string): number {
		if (name === "") return UTC_RULE;
		const table = this.#table;
		if (table.length === 0) return UNKNOWN;
		let at = namesStart(table);
		/** Characters of `name` that the entry before begins with. */
		let matched = 0;
		while (at < table.length) {
			const shared = table[at];
			// It parts from the one before where that one still agreed with `name`, and so stands behind `name`.
			if (shared < matched) return UNKNOWN;
			const rule = table[at + 2];
			const end = at + NAME_HEADER_LENGTH + table[at + 1];
			if (shared === matched) {
				let from = at + NAME_HEADER_LENGTH;
				while (from < end && table[from] === name.charCodeAt(matched)) {
					from++;
					matched++;
				}
				if (from === end && matched === name.length) return number16(table, HEADER_LENGTH + rule * 2);
			}
			at = end;
		}
		return UNKNOWN;
	}
}

/** Where the names of a table begin: behind its last rule. */
export function namesStart(table: Uint8Array): number {
	const last = number16(table, HEADER_LENGTH + (table[RULE_COUNT] - 1) * 2);
	const exceptions = exceptionsOf(table, last);
	return exceptions + 2 + number16(table, exceptions) * EXCEPTION_LENGTH;
}

/** Where the number of exceptions of a rule stands. */
function exceptionsOf(table: Uint8Array, rule: number): number {
	return rule + 2 + (table[rule] === table[rule + 1] ? 0 : 2 * CHANGE_LENGTH);
}

function number16(bytes: Uint8Array, at: number): number {
	return bytes[at] * 256 + bytes[at + 1];
}

function number32(bytes: Uint8Array, at: number): number {
	return number16(bytes, at) * 65_536 + number16(bytes, at + 2);
}
