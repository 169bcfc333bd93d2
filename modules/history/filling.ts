/**
 * Fills a gap in the history with rows from the meter's own load profile. A gap is the time between two entries that
 * are further apart than the history keeps entries of this age, or all time before the first entry.
 *
 * The entries around a gap keep their times. Only the rises of the entry after the gap change: they are divided among
 * this entry and the rows, according to the counter readings in the rows. The history stores no counter readings. At
 * the end of a gap, they are the readings of the last entry minus all rises after the gap. If the meter was exchanged,
 * or a register decreased or overflowed, the readings before this event are unknown. So earlier gaps are not filled.
 *
 * The rows are written to a sector of their own (sectors.ts), which takes the place of the gap as soon as its record is
 * written.
 */
import { ERASE_SIZE } from "../io/flash.js";
import { DAY_S, DAYS, HOUR_S, QUARTER_S } from "../time/calendar.js";
import { KEEP_S } from "./compaction.js";
import { Entry, EXPORT, FLAG_CHANGED, FLAG_METER, FLAG_START, FLAG_WRAPPED, IMPORT, REGISTER_COUNT } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { EntryWriter } from "./entry-writer.js";
import type { Journal } from "./journal.js";
import { IDENT, KNOWN, READINGS } from "./meter-state.js";
import { DATA_END, KIND_DENSE, RECORD_SIZE } from "./sectors.js";

export const FILLED: readonly number[] = Object.freeze([IMPORT, EXPORT]);
/** Length of a row in `#numbers`: its time, and the reading of each register in FILLED. A missing reading is NaN. */
const ROW = 3;

/** Length of the shortest gap that is filled, within the last two weeks (SHORT_GAP_S) and before them (LONG_GAP_S). */
const SHORT_GAP_S = 2 * HOUR_S;
const LONG_GAP_S = 1.5 * DAY_S;
const RECENT_S = 14 * DAY_S;
/**
 * If an older row has higher counter readings than newer rows, up to this many newer rows are dropped. If more newer
 * rows contradict the older row, the older row is dropped instead.
 */
const WRONG_LIMIT = 3;
/**
 * If this many of the oldest rows all contradict the row or the reading after them, these rows come from another meter.
 */
const OTHER_ROWS = 4;
/** The highest plausible rise between two rows is RISE_FREE_WH plus the energy at this mean power, W. */
const POWER_LIMIT_W = 2_000_000;
const RISE_FREE_WH = 1000;
/**
 * Results of filling that are not a number of rows. FILL_LATER: the gap can be filled only after the next reading.
 * FILL_OTHER: the rows come from another meter than the history.
 */
export const FILL_LATER = -1;
export const FILL_OTHER = -2;

/** Rows of the meter's load profile, in order of time. */
export class MeterRows {
	count = 0;
	/** Bit mask of the registers that the profile has. */
	known = 0;
	/** Identification of the meter, as in MeterState; 0 if unknown. */
	ident = 0;
	readonly #numbers: Float64Array;

	constructor(limit: number) {
		this.#numbers = new Float64Array(limit * ROW);
	}

	/**
	 * Adds a row with the readings of the registers FILLED. Does nothing if there is no room or if there is already a
	 * row with this time.
	 */
	add(timeS: number, readings: Float64Array): void {
		const numbers = this.#numbers;
		let row = this.count;
		while (row > 0 && this.timeS(row - 1) >= timeS) row--;
		if (this.count * ROW === numbers.length || (row < this.count && this.timeS(row) === timeS)) return;
		numbers.copyWithin((row + 1) * ROW, row * ROW, this.count * ROW);
		numbers[row * ROW] = timeS;
		numbers.set(readings, row * ROW + 1);
		this.count++;
	}

	moveBy(seconds: number): void {
		for (let row = 0; row < this.count; row++) this.#numbers[row * ROW] += seconds;
	}

	timeS(row: number): number {
		return this.#numbers[row * ROW];
	}

	reading(row: number, index: number): number {
		return this.#numbers[row * ROW + 1 + index];
	}
}

export class Gap {
	/**
	 * Start and end of the gap (`toS`), Unix seconds. `fromS` is 0 if the gap is before the first entry. `toS` is 0 if
	 * there is no gap.
	 */
	fromS = 0;
	toS = 0;
	/** Counter readings of the registers FILLED at `toS`. */
	readonly readings = new Float64Array(FILLED.length);
	/** Bit mask of the registers whose counter reading is known on both sides of the gap. */
	known = 0;
	/** Time of the last reading in the history, Unix seconds; 0 if there is none. */
	readonly lastS: number;
	/**
	 * True if an earlier gap can't be filled because the meter was exchanged, or a register decreased or overflowed.
	 */
	isLimited = false;
	isOther = false;
	readonly end = new Entry();
	/** Number of rows that were stored, or FILL_…; and time of the first of them (`oldestS`), Unix seconds. */
	filled = 0;
	oldestS = 0;

	constructor(journal: Journal, beforeS: number) {
		const { sectors, state, lastS } = journal;
		this.lastS = lastS;
		const cursor = new EntryCursor(sectors);
		const { entry } = cursor;
		const since = new Float64Array(REGISTER_COUNT);
		let previousS = 0;
		let isNext = false;
		while (cursor.next()) {
			const { flags, known, rises, timeS } = entry;
			if (isNext && this.end.flags & FLAG_START) this.known = known;
			isNext = false;
			const isBreak = (flags & (FLAG_CHANGED | FLAG_WRAPPED)) !== 0;
			const isRecent = lastS - timeS < RECENT_S;
			const isGap = timeS - previousS >= (isRecent ? SHORT_GAP_S : LONG_GAP_S) && previousS < beforeS;
			if (isBreak || isGap) {
				if (isBreak) this.isLimited = true;
				this.fromS = previousS;
				this.toS = isBreak ? 0 : timeS;
				this.end.clear();
				this.end.timeS = timeS;
				this.end.flags = flags;
				this.end.known = known;
				this.end.rises.set(rises);
				this.known = flags & FLAG_START ? state.numbers[KNOWN] : known;
				since.fill(0);
				isNext = true;
			} else for (let i = 0; i < REGISTER_COUNT; i++) since[i] += rises[i];
			previousS = timeS;
		}
		for (let i = 0; i < FILLED.length; i++) {
			const register = FILLED[i];
			this.readings[i] = state.numbers[READINGS + register] - since[register];
		}
		// The gap ends in the sector with the newest readings (the head). Another sector must become the head first,
		// because compaction reads only sectors before the head.
		if (this.toS > 0 && this.toS > sectors.baseOf(sectors.head)) this.filled = FILL_LATER;
	}
}

/**
 * Stores those rows whose counter readings agree with the readings around the gap. Returns their number, or FILL_OTHER.
 * Throws if the flash fails.
 */
export function fill({ sectors, state }: Journal, gap: Gap, rows: MeterRows): number {
	const ident = state.numbers[IDENT];
	if (ident * rows.ident > 0 && ident !== rows.ident) return FILL_OTHER;
	gap.known &= rows.known;
	const chosen = choose(gap, rows);
	if (chosen.length === 0) return 0;
	gap.oldestS = rows.timeS(chosen[0]);
	const { end, readings } = gap;
	const sector = sectors.allocate();
	const writer = new EntryWriter(sectors.partition, sector * ERASE_SIZE, gap.fromS);
	const before = new Float64Array(FILLED.length);
	for (let j = 0; j < FILLED.length; j++) before[j] = readings[j] - end.rises[FILLED[j]];
	const entry = new Entry();
	const isStart = (end.flags & FLAG_START) !== 0;
	for (let i = 0; i < chosen.length; i++) {
		const row = chosen[i];
		entry.clear();
		entry.timeS = rows.timeS(row);
		entry.flags = i === 0 && isStart ? FLAG_METER | FLAG_START : FLAG_METER;
		if (i > 0 || !isStart) entry.known = gap.known;
		for (let j = 0; j < FILLED.length; j++) {
			if ((gap.known & (1 << FILLED[j])) === 0) continue;
			const reading = rows.reading(row, j);
			if (entry.known !== 0) entry.rises[FILLED[j]] = reading - before[j];
			before[j] = reading;
		}
		writer.put(entry);
	}
	// The entry after the gap keeps the rest of its rises.
	end.flags &= ~FLAG_START;
	end.known |= gap.known;
	for (let j = 0; j < FILLED.length; j++) {
		if (gap.known & (1 << FILLED[j])) end.rises[FILLED[j]] = readings[j] - before[j];
	}
	writer.put(end);
	writer.flush();
	const record = new Uint8Array(RECORD_SIZE);
	sectors.makeRecord(record, KIND_DENSE, gap.fromS, gap.toS);
	sectors.partition.write(sector * ERASE_SIZE + DATA_END, record);
	sectors.load();
	return chosen.length;
}

/**
 * Returns the indices of the rows to store, at most one for each quarter hour in which the history has no reading.
 * Their counter readings never decrease, from the reading before the gap to the reading after it. Sets `isOther` if the
 * oldest rows contradict all later rows.
 */
function choose(gap: Gap, rows: MeterRows): number[] {
	const { end, fromS, known, readings, toS } = gap;
	const chosen: number[] = [];
	const lowest = (j: number) => (fromS === 0 ? 0 : readings[j] - end.rises[FILLED[j]]);
	const fits = (row: number, count: number): boolean => {
		for (let j = 0; j < FILLED.length; j++) {
			if ((known & (1 << FILLED[j])) === 0) continue;
			const reading = rows.reading(row, j);
			const highest = count === 0 ? readings[j] : rows.reading(chosen[count - 1], j);
			const hours = ((count === 0 ? toS : rows.timeS(chosen[count - 1])) - rows.timeS(row)) / HOUR_S;
			const least = Math.max(lowest(j), highest - RISE_FREE_WH - hours * POWER_LIMIT_W);
			if (!(reading >= least && reading <= highest)) return false;
		}
		return known !== 0;
	};
	let wrong = 0;
	for (let row = rows.count - 1; row >= 0; row--) {
		const quarter = quarterOf(rows.timeS(row));
		if (quarter >= quarterOf(toS) || quarter <= quarterOf(fromS)) continue;
		let count = chosen.length;
		// If a quarter hour has several rows, the earliest one is used.
		if (count > 0 && quarterOf(rows.timeS(chosen[count - 1])) === quarter) count--;
		const least = Math.max(0, count - WRONG_LIMIT);
		while (count > least && !fits(row, count)) count--;
		if (fits(row, count)) {
			chosen.length = count;
			chosen.push(row);
			wrong = 0;
		} else wrong++;
	}
	if (wrong >= OTHER_ROWS && fromS === 0 && known !== 0) gap.isOther = true;
	return chosen.reverse();
}

function quarterOf(timeS: number): number {
	return Math.floor(timeS / QUARTER_S);
}

/** Number of days for which the history has room. */
export const FILL_DAYS = KEEP_S[DAYS] / DAY_S;
