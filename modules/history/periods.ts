/**
 * Divides the history's entries into periods of local time (quarter hours to months), one at a time.
 *
 * A period is the consumption between two boundaries. The reading at a boundary is the nearest one, if it is near
 * enough (`toleranceOf`). Otherwise, if the readings around the boundary are at most one and a half periods apart, the
 * rise is interpolated, and both periods are INTERPOLATED. If they are further apart, the boundary's reading is
 * unknown, and the periods around it become one GAP. The first period may begin at a reading, and the last one may end
 * at one; it is PARTIAL then.
 */
import { type LocalCalendar, PERIOD_S, QUARTER_S } from "../time/calendar.js";
import { Entry, FLAG_CHANGED, FLAG_PARTIAL, FLAG_START, REGISTER_COUNT } from "./entry.js";

/** Flags besides FLAG_PARTIAL, FLAG_CHANGED and FLAG_WRAPPED. */
export const FLAG_INTERPOLATED = 16;
export const FLAG_GAP = 32;

/** Longest distance between two readings for interpolation, in periods. */
const DIVIDED = 1.5;

/** Returns how near to a boundary its reading must be, seconds: a fifteenth of the period, at most a quarter hour. */
export function toleranceOf(level: number): number {
	return Math.min(PERIOD_S[level] / 15, QUARTER_S);
}

export interface EntrySource {
	readonly entry: Entry;
	/**
	 * Time of the current entry. Before the first `next`, that of the entry before the first one, or 0 at the
	 * beginning.
	 */
	readonly timeS: number;
	next(): boolean;
}

export interface PeriodRange {
	readonly level: number;
	/** Earliest start, seconds. */
	readonly fromS: number;
	/** Latest start (exclusive), seconds. */
	readonly toS: number;
}

export class PeriodCursor {
	/** Rises and flags of the current period; `timeS` is its end. */
	readonly amounts = new Entry();
	startS = 0;
	readonly #source: EntrySource;
	readonly #calendar: LocalCalendar;
	readonly #range: PeriodRange;
	readonly #sum = new Entry();
	/** Start of the period in progress; -1 before the first boundary. */
	#sumStartS = -1;
	#sumFlags = 0;
	#isBegun = false;
	#beforeS = -1;
	/** Part of the current entry already in periods, and its amounts. */
	#share = 0;
	readonly #given = new Float64Array(REGISTER_COUNT);
	/** Next boundary. If it is after the entry's time, no further boundary is in the entry. */
	#boundaryS = 0;
	#isDividing = false;
	#hasEnded = false;

	/** `source` must begin at or before the range. */
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
		// Between distant readings only the last boundary may have a reading near it.
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
