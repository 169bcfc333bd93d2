/**
 * Makes the next rows of the statistics from the history. A row stands for an hour of UTC at whose end the history has
 * a reading. It contains the sum of each series at that time. Where the history only has days or months, the row is the
 * last hour of the day or month.
 *
 * A sum is the counter reading of the meter plus an offset. The offset is 0 until the meter is exchanged or a register
 * overflows. Then it changes, so that the sum continues without a jump.
 *
 * The history stores rises and not counter readings. The counter readings at the first row are the latest readings
 * minus all rises after the first row. For this, the whole later history must be read. Each call of `work` reads a part
 * of it.
 */
import { FLAG_CHANGED, FLAG_WRAPPED, IMPORT, TARIFF_2 } from "../history/entry.js";
import { EntryCursor } from "../history/entry-cursor.js";
import type { Journal } from "../history/journal.js";
import { KNOWN, READINGS } from "../history/meter-state.js";
import { PeriodCursor } from "../history/periods.js";
import { HOUR_S, HOURS, LocalCalendar } from "../time/calendar.js";
import type { Offsets } from "../time/wall-clock.js";
import { LATEST_S, OFFSETS, SERIES_COUNT, SUMS, TARIFF_1, UPTO_S } from "./statistic-progress.js";

export const ROWS = 24;
/** End of the hour of row 0, which is in the year 2000. */
const ROW_0_END_S = 946_684_800 + HOUR_S;

const BOTH_TARIFFS = (1 << IMPORT) | (1 << TARIFF_2);
/** Number of periods that one call of `work` reads. */
const SLICE = 16;
const UTC: Offsets = Object.freeze({ offsetMinutes: () => 0 });

export class StatisticRows {
	/**
	 * Number of rows, which are numbered from 1. Row 0 is an hour long before them, with the sums before the first row.
	 */
	count = 0;
	hasMore = false;
	/** End of the hour of each row, Unix seconds. */
	readonly endsS = new Float64Array(ROWS + 1);
	/** Sums of each row in Wh or litres, SERIES_COUNT numbers per row. */
	readonly sums = new Float64Array((ROWS + 1) * SERIES_COUNT);
	readonly #journal: Journal;
	/** Progress (statistic-progress.ts). The caller must store it after `accept`. */
	readonly progress: Float64Array;
	readonly #source: EntryCursor;
	readonly #cursor: PeriodCursor;
	/** Bit masks of the series that are known in each row, and of those that are known in any row (`#knownInAny`). */
	readonly #known = new Uint8Array(ROWS + 1);
	#knownInAny = 0;
	/**
	 * Rises of each series in all periods that were read so far, and in those after the latest accepted hour
	 * (`#later`).
	 */
	readonly #all = new Float64Array(SERIES_COUNT);
	readonly #later = new Float64Array(SERIES_COUNT);
	/** True if the meter was exchanged or a register overflowed after the latest accepted hour. */
	#isChanged = false;

	/** Takes `progress` and updates it. Throws what the journal throws. */
	constructor(journal: Journal, progress: Float64Array) {
		const { lastS, sectors } = journal;
		this.#journal = journal;
		this.progress = progress;
		// If accepted hours are later than the history, the clock was set back or the history was erased. Everything is
		// sent again then.
		if (progress[UPTO_S] > lastS) progress[UPTO_S] = 0;
		const fromS = progress[UPTO_S];
		const source = new EntryCursor(sectors, sectors.walk(fromS));
		this.endsS[0] = ROW_0_END_S;
		this.#known[0] = 0xff;
		this.#source = source;
		this.#cursor = new PeriodCursor(source, new LocalCalendar(UTC), { level: HOURS, fromS, toS: lastS + 1 });
	}

	/**
	 * True if an entry was added while the history was read, so its rises are in the sums, but the latest readings are
	 * from before it. Read the rows again then.
	 */
	get isOutdated(): boolean {
		return this.#source.timeS > this.#journal.lastS;
	}

	/** Reads the next part of the history. Returns false when the rows are complete. Throws what the history throws. */
	work(): boolean {
		const cursor = this.#cursor;
		for (let i = 0; i < SLICE; i++) {
			if (!cursor.next()) {
				this.complete();
				return false;
			}
			this.add(cursor);
		}
		return true;
	}

	has(series: number): boolean {
		return (this.#knownInAny & (1 << series)) !== 0;
	}

	isKnown(row: number, series: number): boolean {
		return (this.#known[row] & (1 << series)) !== 0;
	}

	/** Call when the hub has accepted the rows. Updates `progress`. */
	accept(): void {
		const progress = this.progress;
		const { count } = this;
		const endS = this.endsS[count];
		progress[UPTO_S] = endS;
		if (endS < progress[LATEST_S] && progress[LATEST_S] <= this.#journal.lastS) return;
		progress[LATEST_S] = endS;
		progress.set(this.sums.subarray(count * SERIES_COUNT, (count + 1) * SERIES_COUNT), SUMS);
	}

	private add({ amounts, startS }: PeriodCursor): void {
		const { flags, rises, timeS } = amounts;
		const latestS = this.progress[LATEST_S];
		const isLater = startS >= latestS;
		if (isLater && latestS > 0 && flags & (FLAG_CHANGED | FLAG_WRAPPED)) this.#isChanged = true;
		for (let series = 0; series < SERIES_COUNT; series++) {
			const rise = amountOf(rises, series);
			this.#all[series] += rise;
			if (isLater) this.#later[series] += rise;
		}
		let known = amounts.known & this.#journal.state.numbers[KNOWN];
		if ((known & BOTH_TARIFFS) === BOTH_TARIFFS) known |= 1 << TARIFF_1;
		// A period that does not end at a full hour ends with the last reading, so it is not complete.
		if (known === 0 || timeS % HOUR_S !== 0) return;
		if (this.count === ROWS) {
			this.hasMore = true;
			return;
		}
		const row = ++this.count;
		this.endsS[row] = timeS;
		this.#known[row] = known;
		this.#knownInAny |= known;
		this.sums.set(this.#all, row * SERIES_COUNT);
	}

	private complete(): void {
		const progress = this.progress;
		const readings = this.#journal.state.numbers.subarray(READINGS);
		for (let series = 0; series < SERIES_COUNT; series++) {
			const now = amountOf(readings, series);
			if (this.#isChanged) progress[OFFSETS + series] = progress[SUMS + series] - (now - this.#later[series]);
			const first = now - this.#all[series] + progress[OFFSETS + series];
			for (let row = 0; row <= this.count; row++) this.sums[row * SERIES_COUNT + series] += first;
		}
	}
}

/** Returns the amount of a series. `registers` has an amount for each register. */
function amountOf(registers: Float64Array, series: number): number {
	return series === TARIFF_1 ? registers[IMPORT] - registers[TARIFF_2] : registers[series];
}
