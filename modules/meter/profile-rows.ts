/**
 * Rows of a load profile in a readout. In DLMS/COSEM, a profile is requested by its code (cosem/profile.ts). In other
 * protocols it is part of the readout (`P.01` of IEC 62056-21, VDEW 2.1.2): a header with the time of the first row,
 * the period in minutes, and the codes and units of the columns, then rows of values.
 */
import { BILLING_PERIOD_CURRENT, type OBISCode } from "../obis/code.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { HEAD_VALUES } from "../readout/record-writer.js";
import { DAY_S, HOUR_S } from "../time/calendar.js";
import { daysOf } from "../time/date.js";
import { firstMomentOf, type Offsets, summerOffset, winterOffset } from "../time/wall-clock.js";

/** Number of values before the columns in a row with its own time: the time and the status. */
const OWN_VALUES = 2;
/** Time range of the API, Unix seconds. The first two days are excluded, so that local time is never before 1970. */
export const TIME_FIRST_S = 2 * DAY_S;
export const TIME_LIMIT_S = 4_102_444_799;
const YEAR_2000 = 2000 * 12;

const DOT = 0x2e;
const COMMA = 0x2c;
const DASH = 0x2d;
/** Length of a time `YY-MM-DD,hh:mm`, and the index of its first dash. */
const STAMP_LENGTH = 14;
const STAMP_DASH = 2;
const DIGIT_0 = 0x30;
/**
 * Season digit before a time (VDEW 2.1.2): winter time, summer time, or UTC. A time without this digit is local time.
 */
export const SEASON_NONE = -1;
export const SEASON_WINTER = 0;
export const SEASON_SUMMER = 1;
export const SEASON_UTC = 2;

export class ProfileRows {
	readonly isThere: boolean;
	readonly cursor: RecordCursor;
	readonly #zone: Offsets;
	readonly #groups: ArrayLike<number>;
	#isOurs = false;
	periodS = 0;
	columns = 0;
	status: Uint8Array = new Uint8Array(0);
	hasOwnTimes = false;
	/** True if rows with a wrong number of values were omitted. */
	isCut = false;
	hasHead = true;
	/** Index of the row's first value in its record. The first row may share a record with the header. */
	before = 0;
	#isFirst = false;
	timeS = Number.NaN;
	season = SEASON_NONE;

	/** `groups`: groups A to E of the profile's OBIS code. */
	constructor(zone: Offsets, records: Uint8Array, groups: ArrayLike<number>) {
		this.#zone = zone;
		this.#groups = groups;
		this.cursor = new RecordCursor(records);
		this.isThere = this.findHead();
		this.toStart();
	}

	toStart(): void {
		this.cursor.toStart();
		this.#isOurs = false;
		this.timeS = Number.NaN;
	}

	toValues(): void {
		this.cursor.rewind();
		for (let i = 0; i < this.before; i++) this.cursor.nextValue();
	}

	findHead(): boolean {
		const { cursor } = this;
		cursor.toStart();
		while (cursor.nextRecord()) {
			if (cursor.isRow || !this.isHead()) continue;
			this.takeHead();
			return true;
		}
		return false;
	}

	/** Returns true if the record is the header of this profile. A group that the meter omits matches any group. */
	private isHead(): boolean {
		const { a, b, c, d, e } = this.cursor.code;
		const groups = this.#groups;
		const isGiven = (a < 0 || a === groups[0]) && (b < 0 || b === groups[1]) && (e < 0 || e === groups[4]);
		return isGiven && c === groups[2] && d === groups[3];
	}

	/**
	 * Goes to the next row. A row with a wrong number of values is omitted, and so are all rows up to the next header,
	 * because their columns and times are unknown.
	 */
	next(): boolean {
		const { cursor } = this;
		while (cursor.nextRecord()) {
			if (cursor.isRow) {
				if (!this.#isOurs) continue;
				this.before = this.hasOwnTimes ? OWN_VALUES : 0;
				// Without a period, only the time of the first row is known.
				if (!this.#isFirst) this.timeS += this.periodS || Number.NaN;
				if (this.hasOwnTimes && cursor.nextValue()) {
					const timeS = this.momentOf(cursor.text, cursor.length);
					if (!Number.isNaN(timeS)) this.timeS = timeS;
				}
			} else {
				this.#isOurs = this.isHead();
				if (!this.#isOurs) continue;
				if (this.isRowAlone()) this.before = 1;
				else {
					this.takeHead();
					if (this.hasOwnTimes || !cursor.nextValue()) continue;
					this.before = HEAD_VALUES + 2 * this.columns;
				}
			}
			this.#isFirst = false;
			this.#isOurs = this.isWhole();
			if (this.#isOurs) return true;
			this.isCut = true;
		}
		return false;
	}

	private isWhole(): boolean {
		const { cursor } = this;
		let values = -this.before;
		for (cursor.rewind(); cursor.nextValue(); values++);
		return values === this.columns;
	}

	/** Returns true for a row that has its own time and follows no header (Makel meters). */
	private isRowAlone(): boolean {
		const { cursor } = this;
		const isAlone = cursor.nextValue() && isStamp(cursor.text, cursor.length);
		if (isAlone) this.timeS = this.momentOf(cursor.text, cursor.length);
		cursor.rewind();
		return isAlone;
	}

	private takeHead(): void {
		const { cursor } = this;
		if (this.isRowAlone()) {
			// The first row only defines the number of columns.
			this.hasHead = false;
			for (this.columns = -1; cursor.nextValue(); this.columns++);
			return;
		}
		cursor.nextValue();
		this.hasOwnTimes = cursor.length === 0;
		this.timeS = this.momentOf(cursor.text, cursor.length);
		this.#isFirst = true;
		this.status = cursor.nextValue() ? cursor.text.slice(0, cursor.length) : new Uint8Array(0);
		// The period is in minutes, unless its unit is seconds.
		const period = cursor.nextValue() ? digitsOf(cursor.text, 0, cursor.length) : 0;
		this.periodS = period >= 0 ? period * (cursor.unit === "s" ? 1 : 60) : 0;
		this.columns = cursor.nextValue() ? Math.max(0, digitsOf(cursor.text, 0, cursor.length)) : 0;
		if (this.hasOwnTimes) return;
		for (let i = 0; i < 2 * this.columns && cursor.nextValue(); i++);
	}

	private momentOf(text: Uint8Array, length: number): number {
		if (text[0] === DOT) return digitsOf(text, 1, length);
		if (text[0] === COMMA) return this.utcOf(digitsOf(text, 1, length), SEASON_NONE);
		if (isStamp(text, length)) {
			const digits = text.slice(0, length).filter((byte) => byte >= DIGIT_0 && byte < DIGIT_0 + 10);
			return this.momentOf(digits, digits.length);
		}
		const first = length % 2;
		if (length < 10 || length > 13) return Number.NaN;
		const minute = digitsOf(text, first + 8, first + 10);
		const second = length - first > 10 ? digitsOf(text, first + 10, first + 12) : 0;
		const days = daysOf(
			YEAR_2000 + 12 * digitsOf(text, first, first + 2) + digitsOf(text, first + 2, first + 4) - 1,
			digitsOf(text, first + 4, first + 6),
		);
		const localS = days * DAY_S + digitsOf(text, first + 6, first + 8) * 3600 + minute * 60 + second;
		this.season = first === 0 ? SEASON_NONE : text[0] - DIGIT_0;
		return this.utcOf(localS, this.season);
	}

	/** Returns Unix s; NaN outside the API's range. */
	private utcOf(localS: number, season: number): number {
		if (!(localS >= TIME_FIRST_S && localS <= TIME_LIMIT_S)) return Number.NaN;
		const zone = this.#zone;
		if (season === SEASON_NONE) {
			const firstS = firstMomentOf(zone, Math.floor(localS / 60)) / 1000 + (localS % 60);
			// When summer time ends, an hour of local time occurs twice. A row is in the second hour if, in the first, it
			// would not be later than the row before.
			const isAgain = firstS <= this.timeS && this.timeS < firstS + HOUR_S;
			const offset = zone.offsetMinutes(firstS * 1000) - zone.offsetMinutes((firstS + HOUR_S) * 1000);
			return isAgain && offset === 60 ? firstS + HOUR_S : firstS;
		}
		if (season === SEASON_WINTER) return localS - winterOffset(zone, localS * 1000) * 60;
		return season === SEASON_SUMMER ? localS - summerOffset(zone, localS * 1000) * 60 : localS;
	}
}

function isStamp(text: Uint8Array, length: number): boolean {
	return length === STAMP_LENGTH && text[STAMP_DASH] === DASH;
}

function digitsOf(text: Uint8Array, from: number, to: number): number {
	let number = from < to ? 0 : Number.NaN;
	for (let i = from; i < to; i++) {
		const digit = text[i] - DIGIT_0;
		number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
	}
	return number;
}

/** Returns groups A to F. Groups that are not given get their usual values. */
export function profileGroups({ a, b, c, d, e, f }: OBISCode): Uint8Array {
	return Uint8Array.of(a < 0 ? 1 : a, Math.max(0, b), c, d, Math.max(0, e), f < 0 ? BILLING_PERIOD_CURRENT : f);
}
