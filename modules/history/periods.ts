/**
 * Divides the entries of the history into periods of local time, from quarter hours to months, and returns one period
 * at a time.
 *
 * A period has the consumption between two boundaries. The reading at a boundary is the nearest reading in time, if it
 * is near enough (`toleranceOf`). If it is not, and the readings before and after the boundary are at most one and a
 * half periods apart, the reading at the boundary is interpolated, and the periods on both sides have the flag
 * INTERPOLATED. If these readings are further apart, the reading at the boundary is unknown, and the periods on both
 * sides become one period with the flag GAP. The first period may begin at a reading instead of a boundary, and the
 * last one may end at a reading. Such a period has the flag PARTIAL.
 *
 * The rise of a register that some entries lack is in the first entry that has it again, so it may have begun before
 * the period. Such a period has the flag PARTIAL, too. It has no TARIFF_2 if that began earlier than its import,
 * because the two would not belong together.
 */
import { type LocalCalendar, PERIOD_S, QUARTER_S } from "../time/calendar.js";
import {
	Entry,
	FLAG_CHANGED,
	FLAG_METER,
	FLAG_PARTIAL,
	FLAG_START,
	IMPORT,
	REGISTER_COUNT,
	TARIFF_2,
} from "./entry.js";

/** Flags of periods, in addition to FLAG_PARTIAL, FLAG_CHANGED and FLAG_WRAPPED. */
export const FLAG_INTERPOLATED = 16;
export const FLAG_GAP = 32;

/** Longest distance in time between two readings for which a reading between them is interpolated, in periods. */
const DIVIDED = 1.5;

/** Registers before the first entry, which are not known. */
const ANY = -1;
const HAS_TARIFF_2 = 1 << TARIFF_2;
const HAS_BOTH = HAS_TARIFF_2 | (1 << IMPORT);

/**
 * Returns the maximum distance in time between a boundary and its reading, seconds: a fifteenth of the period, but at
 * most a quarter of an hour.
 */
export function toleranceOf(level: number): number {
	return Math.min(PERIOD_S[level] / 15, QUARTER_S);
}

export interface EntrySource {
	readonly entry: Entry;
	/**
	 * Time of the current entry. Before the first call of `next`, it is the time of the entry before the first one, or
	 * 0 if the history has none.
	 */
	readonly timeS: number;
	next(): boolean;
}

export interface PeriodRange {
	readonly level: number;
	/** Earliest start of a period, Unix seconds. */
	readonly fromS: number;
	/** All periods start before this time, Unix seconds. */
	readonly toS: number;
}

export class PeriodCursor {
	/** Rises and flags of the current period. Its `timeS` is the end of the period. */
	readonly amounts = new Entry();
	startS = 0;
	readonly #source: EntrySource;
	readonly #calendar: LocalCalendar;
	readonly #range: PeriodRange;
	readonly #sum = new Entry();
	/** Start of the period that is being added up; -1 before the first boundary. */
	#sumStartS = -1;
	#sumFlags = 0;
	#isBegun = false;
	#beforeS = -1;
	/**
	 * Share (0 to 1) of the current entry that has already been added to periods, and the amounts of this share
	 * (`#given`).
	 */
	#share = 0;
	readonly #given = new Float64Array(REGISTER_COUNT);
	/** Registers that the readings have had up to the last added entry, and those of them that this entry lacks. */
	#registers = ANY;
	#missing = 0;
	/** Registers that were missing at the start of the period that is being added up. */
	#missingAtStart = 0;
	/** True if this period has the rise of TARIFF_2 from before its start. */
	#isTariffEarly = false;
	/** Next boundary. If it is after the time of the current entry, the entry contains no further boundary. */
	#boundaryS = 0;
	#isDividing = false;
	#hasEnded = false;

	/** `source` must begin at the start of the range or earlier. */
	constructor(source: EntrySource, calendar: LocalCalendar, range: PeriodRange) {
		this.#source = source;
		this.#calendar = calendar;
		this.#range = range;
		if (source.timeS > 0) this.#beforeS = source.timeS;
	}

	next(): boolean {
		const { fromS, toS } = this.#range;
		do {
			if (this.#hasEnded || !this.advance()) return false;
		} while (this.startS < fromS);
		return this.startS < toS;
	}

	private advance(): boolean {
		for (;;) {
			if (this.#isDividing) {
				if (this.divide()) return true;
			} else if (!this.#source.next()) {
				this.#hasEnded = true;
				this.#sumFlags |= FLAG_PARTIAL;
				return this.#sumStartS >= 0 && this.#isBegun && this.close(this.#beforeS, 0);
			} else this.begin();
		}
	}

	private begin(): void {
		const { timeS, flags } = this.#source.entry;
		const { level } = this.#range;
		if (flags & FLAG_START || this.#beforeS < 0) {
			const floorS = this.#calendar.boundary(level, timeS);
			const isNear = timeS - floorS <= toleranceOf(level);
			this.notePresent();
			this.open(isNear ? floorS : timeS, isNear ? 0 : FLAG_PARTIAL);
			this.#beforeS = timeS;
			return;
		}
		this.#share = 0;
		this.#given.fill(0);
		this.#boundaryS = this.#calendar.boundary(level, this.#beforeS, 1);
		this.#isDividing = true;
	}

	private divide(): boolean {
		const { entry } = this.#source;
		const { level } = this.#range;
		const boundaryS = this.#boundaryS;
		if (boundaryS > entry.timeS) {
			this.addUpTo(1);
			this.#isDividing = false;
			this.#beforeS = entry.timeS;
			return false;
		}
		const isDivided = entry.timeS - this.#beforeS <= DIVIDED * PERIOD_S[level] && (entry.flags & FLAG_CHANGED) === 0;
		this.#boundaryS = this.#calendar.boundary(level, boundaryS, 1);
		// If the readings are far apart, only the last boundary between them may have a reading near it, so the others
		// are skipped.
		if (!isDivided && this.#boundaryS <= entry.timeS) this.#boundaryS = this.#calendar.boundary(level, entry.timeS);
		const gapS = boundaryS - this.#beforeS;
		const restS = entry.timeS - boundaryS;
		if (restS <= gapS && restS <= toleranceOf(level)) return this.passBoundary(boundaryS, 1, 0);
		if (gapS <= toleranceOf(level)) return this.passBoundary(boundaryS, 0, 0);
		if (isDivided) return this.passBoundary(boundaryS, gapS / (gapS + restS), FLAG_INTERPOLATED);
		this.#sumFlags |= FLAG_GAP;
		return false;
	}

	private passBoundary(boundaryS: number, share: number, flags: number): boolean {
		this.addUpTo(share);
		if (this.#sumStartS >= 0 && this.#isBegun) return this.close(boundaryS, flags);
		this.open(boundaryS, flags);
		return false;
	}

	private addUpTo(share: number): void {
		if (share <= this.#share) return;
		this.#share = share;
		const { entry } = this.#source;
		const sum = this.#sum;
		const given = this.#given;
		const early = entry.known & this.#missing & this.#missingAtStart;
		if (early !== 0 || (this.#isBegun && sum.known !== entry.known)) sum.flags |= FLAG_PARTIAL;
		if ((early & HAS_BOTH) === HAS_TARIFF_2) this.#isTariffEarly = true;
		sum.flags |= entry.flags;
		sum.known |= entry.known;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			const upTo = Math.floor(entry.rises[i] * share);
			sum.rises[i] += upTo - given[i];
			given[i] = upTo;
		}
		this.#isBegun = true;
		if (share === 1) this.notePresent();
	}

	private notePresent(): void {
		const { flags, known } = this.#source.entry;
		const mayLack = (flags & (FLAG_PARTIAL | FLAG_METER)) !== 0;
		// An exchange begins all registers anew.
		if (flags & (FLAG_START | FLAG_CHANGED) || (this.#registers === ANY && !mayLack)) this.#registers = 0;
		this.#missing = this.#registers & ~known;
		this.#registers |= known;
	}

	private close(endS: number, flags: number): boolean {
		const { amounts } = this;
		const sum = this.#sum;
		amounts.known = this.#isTariffEarly ? sum.known & ~HAS_TARIFF_2 : sum.known;
		amounts.flags = sum.flags | this.#sumFlags | flags;
		amounts.rises.set(sum.rises);
		amounts.timeS = endS;
		this.startS = this.#sumStartS;
		this.open(endS, flags);
		return true;
	}

	private open(startS: number, flags: number): void {
		this.#sum.clear();
		this.#sumStartS = startS;
		this.#sumFlags = flags;
		this.#isBegun = false;
		this.#isTariffEarly = false;
		this.#missingAtStart = this.#missing;
	}
}
