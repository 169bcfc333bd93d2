/**
 * Starts of quarter hours, hours, days and months in local time. Times are Unix seconds and multiples of QUARTER_S.
 * Limits: those of wall-clock.ts; also, the offset must not change twice within BLOCK_MS.
 */
import { daysOf, monthOf } from "./date.js";
import { firstMomentOf, type Offsets } from "./wall-clock.js";

export const QUARTERS = 0;
export const HOURS = 1;
export const DAYS = 2;
export const MONTHS = 3;

export const QUARTER_S = 900;
export const HOUR_S = 3600;
export const DAY_S = 86_400;
/** Length of a block, ms. An offset that is the same at both ends of a block applies to all of it. */
const BLOCK_MS = 4 * DAY_S * 1000;

/** Length of the period of each level, seconds. For months, it is the length of the longest month. */
export const PERIOD_S: readonly number[] = Object.freeze([QUARTER_S, HOUR_S, DAY_S, 31 * DAY_S]);

export class LocalCalendar implements Offsets {
	readonly #zone: Offsets;
	#blockMs = -1;
	#offset = 0;

	/** Create an object for each use, because the time zone may change. */
	constructor(zone: Offsets) {
		this.#zone = zone;
	}

	/** Returns the last boundary at or before `timeS` or, if `next` is 1, the first boundary after it. */
	boundary(level: number, timeS: number, next: 0 | 1 = 0): number {
		if (level === QUARTERS) return timeS - (timeS % QUARTER_S) + next * QUARTER_S;
		const localS = this.localS(timeS);
		if (level === HOURS) {
			// If the offset changes by half an hour, an hour can have ninety minutes.
			let at = timeS - (localS % HOUR_S) + next * HOUR_S;
			while (this.localS(at) % HOUR_S !== 0) at += next ? QUARTER_S : -QUARTER_S;
			return at;
		}
		let midnightS = localS - (localS % DAY_S) + next * DAY_S;
		if (level === MONTHS) {
			midnightS = daysOf(monthOf(Math.floor(localS / DAY_S)) + next, 1) * DAY_S;
		}
		return firstMomentOf(this, midnightS / 60) / 1000;
	}

	offsetMinutes(utcMs: number): number {
		const blockMs = utcMs - (utcMs % BLOCK_MS);
		if (blockMs === this.#blockMs) return this.#offset;
		const zone = this.#zone;
		const offset = zone.offsetMinutes(blockMs);
		if (offset !== zone.offsetMinutes(blockMs + BLOCK_MS)) return zone.offsetMinutes(utcMs);
		this.#blockMs = blockMs;
		this.#offset = offset;
		return offset;
	}

	/** Returns seconds since 1970-01-01 00:00 local time. */
	private localS(timeS: number): number {
		return timeS + this.offsetMinutes(timeS * 1000) * 60;
	}
}
