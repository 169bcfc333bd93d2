/**
 * The periods of the history (quarter hours, hours, days or months of the local clock), made of its entries one at a time.
 *
 * A period is what went through the meter from one boundary to the next. The reading at a boundary is the nearest one, if
 * it is near enough (`toleranceOf`). Where there is none, but the readings on both sides are no more than one and a half periods
 * apart, the rise is divided by time, and the periods on both sides are marked INTERPOLATED. Else nothing is known of that
 * boundary: the periods on both sides are told as one, marked GAP, which may go over many. The first may begin, and the
 * last ends, where the readings do: that is PARTIAL. So all periods together are always what the meter has counted.
 */
import { type LocalCalendar, PERIOD_S, QUARTER_S } from "../time/calendar.js";
import { Entry, FLAG_CHANGED, FLAG_PARTIAL, FLAG_START, REGISTER_COUNT } from "./entry.js";

/** Flags of a period beside FLAG_PARTIAL, FLAG_CHANGED and FLAG_WRAPPED. */
export const FLAG_INTERPOLATED = 16;
export const FLAG_GAP = 32;

/** Between readings that are more periods apart nothing is divided. */
const DIVIDED = 1.5;

/**
 * How far a reading may be from a boundary and still count as the one at it, seconds: a fifteenth of the period, at most a
 * quarter of an hour.
 */
export function toleranceOf(level: number): number {
	return Math.min(PERIOD_S[level] / 15, QUARTER_S);
}

/** The entries in the order of their times. */
export interface EntrySource {
	/** The current one. */
	readonly entry: Entry;
	/** Time of the current one, or of the one after which it begins; 0: at the beginning. */
	readonly timeS: number;
	/** Goes to the next; false: there is none. */
	next(): boolean;
}

export interface PeriodRange {
	/** QUARTERS to MONTHS. */
	readonly level: number;
	/** Periods that begin at or after this, seconds. */
	readonly fromS: number;
	/** And before this. */
	readonly toS: number;
}

export class PeriodCursor {
	/** The current period: how much of which registers; its `timeS` is the end. */
	readonly amounts = new Entry();
	startS = 0;
	readonly #source: EntrySource;
	readonly #calendar: LocalCalendar;
	readonly #range: PeriodRange;
	/** The one that is being summed up. */
	readonly #sum = new Entry();
	/** Where it began; -1: no boundary was met yet. */
	#sumStartS = -1;
	#sumFlags = 0;
	/** Something went into it. */
	#isBegun = false;
	/** Time of the reading before the current entry of the source; -1: there is none. */
	#beforeS = -1;
	/** What of the current entry was given to periods already: that share of it, and how much that is. */
	#share = 0;
	readonly #given = new Float64Array(REGISTER_COUNT);
	/** The next boundary in the time of the current entry; behind it: there is none. */
	#boundaryS = 0;
	/** An entry is being divided among periods. */
	#isDividing = false;
	#hasEnded = false;

	/** `source` begins at or before the range. */
	constructor(source: EntrySource, calendar: LocalCalendar, range: PeriodRange) {
		this.#source = source;
		this.#calendar = calendar;
		this.#range = range;
		if (source.timeS > 0) this.#beforeS = source.timeS;
	}

	/** Goes to the next period; false: there is none. Throws as the source does. */
	next(): boolean {
		const { fromS, toS } = this.#range;
		do {
			if (this.#hasEnded || !this.advance()) return false;
		} while (this.startS < fromS);
		return this.startS < toS;
	}

	/** To the next one of any time. */
	private advance(): boolean {
		for (;;) {
			if (this.#isDividing) {
				if (this.divide()) return true;
			} else if (!this.#source.next()) {
				// The readings end within this one.
				this.#hasEnded = true;
				this.#sumFlags |= FLAG_PARTIAL;
				return this.#sumStartS >= 0 && this.#isBegun && this.close(this.#beforeS, 0);
			} else this.begin();
		}
	}

	/** The source is at another entry. */
	private begin(): void {
		const { timeS, flags } = this.#source.entry;
		const { level } = this.#range;
		if (flags & FLAG_START || this.#beforeS < 0) {
			const floorS = this.#calendar.boundary(level, timeS);
			const isNear = timeS - floorS <= toleranceOf(level);
			this.open(isNear ? floorS : timeS, isNear ? 0 : FLAG_PARTIAL);
			this.#beforeS = timeS;
			return;
		}
		this.#share = 0;
		this.#given.fill(0);
		this.#boundaryS = this.#calendar.boundary(level, this.#beforeS, 1);
		this.#isDividing = true;
	}

	/** Goes to the next boundary within the entry; true: a period ends there. */
	private divide(): boolean {
		const { entry } = this.#source;
		const { level } = this.#range;
		const boundaryS = this.#boundaryS;
		if (boundaryS > entry.timeS) {
			this.give(1);
			this.#isDividing = false;
			this.#beforeS = entry.timeS;
			return false;
		}
		const isDivided = entry.timeS - this.#beforeS <= DIVIDED * PERIOD_S[level] && (entry.flags & FLAG_CHANGED) === 0;
		this.#boundaryS = this.#calendar.boundary(level, boundaryS, 1);
		// Among boundaries without any reading only the last may be near to a reading again.
		if (!isDivided && this.#boundaryS <= entry.timeS) this.#boundaryS = this.#calendar.boundary(level, entry.timeS);
		const gapS = boundaryS - this.#beforeS;
		const restS = entry.timeS - boundaryS;
		if (restS <= gapS && restS <= toleranceOf(level)) return this.meet(boundaryS, 1, 0);
		if (gapS <= toleranceOf(level)) return this.meet(boundaryS, 0, 0);
		if (isDivided) return this.meet(boundaryS, gapS / (gapS + restS), FLAG_INTERPOLATED);
		this.#sumFlags |= FLAG_GAP;
		return false;
	}

	/** A boundary: what came before it ends there with that share of the entry. True: that is a period. */
	private meet(boundaryS: number, share: number, flags: number): boolean {
		this.give(share);
		if (this.#sumStartS >= 0 && this.#isBegun) return this.close(boundaryS, flags);
		this.open(boundaryS, flags);
		return false;
	}

	/** Puts what the entry has up to that share of it, and was not given yet, into the sum. */
	private give(share: number): void {
		if (share <= this.#share) return;
		this.#share = share;
		const { entry } = this.#source;
		const sum = this.#sum;
		const given = this.#given;
		if (this.#isBegun && sum.known !== entry.known) sum.flags |= FLAG_PARTIAL;
		sum.flags |= entry.flags;
		sum.known |= entry.known;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			const upTo = Math.floor(entry.rises[i] * share);
			sum.rises[i] += upTo - given[i];
			given[i] = upTo;
		}
		this.#isBegun = true;
	}

	/** The sum is the current period, and another one begins. */
	private close(endS: number, flags: number): boolean {
		const { amounts } = this;
		const sum = this.#sum;
		amounts.known = sum.known;
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
	}
}
