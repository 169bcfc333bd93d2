/**
 * Rows of the statistics, made from the history, oldest first and ROWS at a time. A row is an hour of UTC at whose end
 * there is a reading, with the sum of each register at that time. Where the history keeps days or months only, it is
 * the last hour of the day or month.
 *
 * The sum is the counter of the present meter plus an offset, which is 0 until the meter is exchanged or a register
 * overflows. The sum then goes on from where it was, and the offset stays. Before the exchange, rows have no counter.
 *
 * The history has rises, so a first pass over all entries finds the counters at its beginning; the second one makes the
 * rows. Each call of `work` takes at most as long as a request for the history.
 */
import { KEEP_S } from "../history/compaction.js";
import { FLAG_CHANGED, FLAG_PARTIAL, FLAG_WRAPPED, IMPORT, REGISTER_COUNT, TARIFF_2 } from "../history/entry.js";
import { EntryCursor } from "../history/entry-cursor.js";
import type { History } from "../history/history.js";
import type { Journal } from "../history/journal.js";
import { KNOWN, READINGS } from "../history/meter-state.js";
import { PeriodCursor } from "../history/periods.js";
import { HOUR_S, HOURS, LocalCalendar, MONTHS } from "../time/calendar.js";
import type { Offsets } from "../time/wall-clock.js";
import { ANCHOR_S, ASKED, COUNTERS, SUMS, UPTO_S } from "./statistic-progress.js";

/** Maximum number of rows at a time. */
export const ROWS = 24;
/** Series besides those of the registers: the import that is not tariff 2. */
export const TARIFF_1 = REGISTER_COUNT;
export const SERIES_COUNT = REGISTER_COUNT + 1;

const BOTH_TARIFFS = (1 << IMPORT) | (1 << TARIFF_2);
/** Number of periods for one call of `work`. */
const SLICE = 8;
const UTC: Offsets = Object.freeze({ offsetMinutes: () => 0 });

export class StatisticRows {
	count = 0;
	/** Start of each row's hour, Unix seconds. */
	readonly startsS = new Float64Array(ROWS);
	/** True if no further rows follow now. */
	isLast = false;
	readonly #history: History;
	readonly #zone: Offsets;
	readonly #progress: Float64Array;
	/** Registers known in each row, as bits; sums by row and register. */
	readonly #known = new Uint8Array(ROWS);
	readonly #sums = new Float64Array(ROWS * REGISTER_COUNT);
	/** Counters after the last row, and before the first row. */
	readonly #counters = new Float64Array(REGISTER_COUNT);
	readonly #before = new Float64Array(REGISTER_COUNT);
	readonly #offsets = new Float64Array(REGISTER_COUNT);
	#journal: Journal | undefined;
	#cursor: PeriodCursor | undefined;
	#level = HOURS;
	/** Earliest start of a period, and end of the starts of those that become rows. */
	#fromS = 0;
	#toS = 0;
	#isSecondPass = false;
	/** Sums of rises of all periods, and of those after the latest accepted hour. */
	readonly #all = new Float64Array(REGISTER_COUNT);
	readonly #later = new Float64Array(REGISTER_COUNT);
	/** True if a counter fell after the latest accepted hour; end of the last period in which one fell. */
	#isChanged = false;
	#changedS = 0;
	/** End of the last row. */
	#endS = 0;

	/** `zone` determines the days and months of the history. `progress` is changed. */
	constructor(history: History, zone: Offsets, progress: Float64Array) {
		this.#history = history;
		this.#zone = zone;
		this.#progress = progress;
	}

	/** Continues. Returns false once the next rows are complete; `count` is 0 if there are none. Throws as the history. */
	work(): boolean {
		const cursor = this.#cursor ?? this.begin();
		for (let i = 0; i < SLICE; i++) {
			const isNext = cursor.next();
			if (!this.#isSecondPass) {
				if (isNext) this.sum(cursor);
				else {
					this.turn();
					return true;
				}
			} else if (!isNext || !this.add(cursor)) {
				this.#cursor = undefined;
				this.isLast = this.#level === HOURS;
				if (this.isLast || this.count > 0) return false;
				// Nothing is left of this level; the next one follows.
				this.#progress[UPTO_S] = this.#toS;
				return true;
			} else if (this.count === ROWS) return false;
		}
		return true;
	}

	/** Records that the hub has accepted the rows, and makes room for the next. */
	accept(): void {
		const progress = this.#progress;
		const known = this.#journal?.state.numbers[KNOWN] ?? 0;
		// A whole level is accepted when its last row is.
		progress[UPTO_S] = this.#cursor === undefined && !this.isLast ? Math.max(this.#endS, this.#toS) : this.#endS;
		this.count = 0;
		this.#before.set(this.#counters);
		if (this.#endS < progress[ANCHOR_S] && progress[ANCHOR_S] <= (this.#journal?.lastS ?? 0)) return;
		progress[ANCHOR_S] = this.#endS;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			if ((known & (1 << i)) === 0) continue;
			progress[SUMS + i] = this.#counters[i] + this.#offsets[i];
			progress[COUNTERS + i] = this.#counters[i];
		}
	}

	/** True if any row has the series. */
	has(series: number): boolean {
		for (let row = 0; row < this.count; row++) if (this.isKnown(row, series)) return true;
		return false;
	}

	isKnown(row: number, series: number): boolean {
		const bits = series === TARIFF_1 ? BOTH_TARIFFS : 1 << series;
		return (this.#known[row] & bits) === bits;
	}

	/** Sum at the end of the row, Wh or litres; row -1: before the first one. */
	sumAt(row: number, series: number): number {
		if (series === TARIFF_1) return this.sumAt(row, IMPORT) - this.sumAt(row, TARIFF_2);
		return row < 0 ? this.#before[series] + this.#offsets[series] : this.#sums[row * REGISTER_COUNT + series];
	}

	/** Counter of the meter in the same unit; NaN before the meter was exchanged. */
	counterAt(row: number, series: number): number {
		if (this.startsS[row] + HOUR_S < this.#changedS) return Number.NaN;
		const offsets = this.#offsets;
		const offset = series === TARIFF_1 ? offsets[IMPORT] - offsets[TARIFF_2] : offsets[series];
		return this.sumAt(row, series) - offset;
	}

	/** Begins the first pass. */
	private begin(): PeriodCursor {
		const progress = this.#progress;
		const journal = this.#history.journal();
		const { lastS } = journal;
		this.#journal = journal;
		// The clock was set back, or the history was erased.
		if (progress[UPTO_S] > lastS) progress[UPTO_S] = progress[ASKED] = 0;
		let level = HOURS;
		while (level < MONTHS && progress[UPTO_S] < lastS - KEEP_S[level]) level++;
		this.#level = level;
		this.#fromS = Math.max(progress[UPTO_S], lastS - KEEP_S[level]);
		this.#toS = level === HOURS ? lastS : lastS - KEEP_S[level - 1];
		this.#isSecondPass = this.#isChanged = false;
		this.#changedS = 0;
		this.#all.fill(0);
		this.#later.fill(0);
		return this.open(journal);
	}

	private open({ sectors, lastS }: Journal): PeriodCursor {
		const level = this.#level;
		const fromS = this.#fromS;
		const calendar = new LocalCalendar(level === HOURS ? UTC : this.#zone);
		const source = new EntryCursor(sectors, sectors.walk(fromS));
		this.#cursor = new PeriodCursor(source, calendar, { level, fromS, toS: lastS + 1 });
		return this.#cursor;
	}

	private sum({ amounts, startS }: PeriodCursor): void {
		const { flags, rises, timeS } = amounts;
		const isLater = startS >= this.#progress[ANCHOR_S];
		for (let i = 0; i < REGISTER_COUNT; i++) {
			this.#all[i] += rises[i];
			if (isLater) this.#later[i] += rises[i];
		}
		if ((flags & (FLAG_CHANGED | FLAG_WRAPPED)) === 0) return;
		this.#changedS = timeS;
		if (isLater) this.#isChanged = true;
	}

	/** Begins the second pass. */
	private turn(): void {
		const journal = this.#journal!;
		const progress = this.#progress;
		const { numbers } = journal.state;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			const now = numbers[READINGS + i];
			this.#counters[i] = now - this.#all[i];
			const counter = this.#isChanged ? now - this.#later[i] : progress[COUNTERS + i];
			const offset = progress[SUMS + i] - counter;
			this.#offsets[i] = Number.isNaN(offset) ? 0 : offset;
		}
		this.#before.set(this.#counters);
		this.#isSecondPass = true;
		this.open(journal);
	}

	/** Adds a row. Returns false if the period is not complete, or belongs to the next level. */
	private add({ amounts, startS }: PeriodCursor): boolean {
		const { flags, known, rises, timeS } = amounts;
		const { lastS, state } = this.#journal!;
		// The last period ends with the last reading.
		if (startS >= this.#toS || timeS > lastS || (timeS === lastS && flags & FLAG_PARTIAL)) return false;
		const row = this.count++;
		this.startsS[row] = Math.ceil(timeS / HOUR_S) * HOUR_S - HOUR_S;
		this.#known[row] = known & state.numbers[KNOWN];
		this.#endS = timeS;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			this.#counters[i] += rises[i];
			this.#sums[row * REGISTER_COUNT + i] = this.#counters[i] + this.#offsets[i];
		}
		return true;
	}
}
