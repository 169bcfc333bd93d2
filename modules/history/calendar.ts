/**
 * Where quarter hours, hours, days and months begin by the local clock, for the history. Moments are Unix times in whole
 * seconds. Limits: offsets of whole quarters of an hour, as the zones of time/zone.ts have them, so that each boundary is a
 * multiple of QUARTER_S in UTC too; the offset doesn't change twice within BLOCK_S.
 */

export const QUARTERS = 0;
export const HOURS = 1;
export const DAYS = 2;
export const MONTHS = 3;

export const QUARTER_S = 900;
export const HOUR_S = 3600;
export const DAY_S = 86_400;
/** The zone is asked for the two ends of such a block, and not within it where they agree. */
const BLOCK_S = 4 * DAY_S;

/** The length of a period by level, seconds; of a month the longest. */
export const PERIOD_S: readonly number[] = Object.freeze([QUARTER_S, HOUR_S, DAY_S, 31 * DAY_S]);

/**
 * How far a reading may be from a boundary and still count as the one at it, seconds: a fifteenth of the period, at most a
 * quarter of an hour.
 */
export function toleranceOf(level: number): number {
	return Math.min(PERIOD_S[level] / 15, QUARTER_S);
}

/** What is asked of a time zone. */
export interface Offsets {
	/** Minutes that local clocks are ahead of UTC at this Unix time in milliseconds. */
	offsetMinutes(utcMs: number): number;
}

export class LocalCalendar {
	readonly #zone: Offsets;
	/** The block that is known to have one offset. */
	#blockS = -1;
	#offsetS = 0;

	/** A calendar is made anew for each use: the zone may change between two. */
	constructor(zone: Offsets) {
		this.#zone = zone;
	}

	/** The last boundary at or before `timeS`; with `next` 1 the first one after it. */
	boundary(level: number, timeS: number, next: 0 | 1 = 0): number {
		if (level === QUARTERS) return timeS - (timeS % QUARTER_S) + next * QUARTER_S;
		const localS = timeS + this.offsetS(timeS);
		if (level === HOURS) {
			// An offset that changes by half an hour makes an hour of ninety minutes.
			let at = timeS - (localS % HOUR_S) + next * HOUR_S;
			while ((at + this.offsetS(at)) % HOUR_S !== 0) at += next ? QUARTER_S : -QUARTER_S;
			return at;
		}
		if (level === DAYS) return this.beginOf(localS - (localS % DAY_S) + next * DAY_S);
		const date = new Date(localS * 1000);
		return this.beginOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + next, 1) / 1000);
	}

	/** Seconds that local clocks are ahead of UTC. */
	offsetS(timeS: number): number {
		const blockS = timeS - (timeS % BLOCK_S);
		if (blockS === this.#blockS) return this.#offsetS;
		const offsetS = this.ask(blockS);
		if (offsetS !== this.ask(blockS + BLOCK_S)) return this.ask(timeS);
		this.#blockS = blockS;
		this.#offsetS = offsetS;
		return offsetS;
	}

	private ask(timeS: number): number {
		return this.#zone.offsetMinutes(timeS * 1000) * 60;
	}

	/**
	 * The first moment at which local clocks show `localS` (seconds since 1970-01-01 of that clock; a midnight) or later:
	 * where midnight is skipped, a day begins at one.
	 */
	private beginOf(localS: number): number {
		const before = this.offsetS(localS - DAY_S);
		const behind = this.offsetS(localS + DAY_S);
		let at = localS - Math.max(before, behind);
		while (at + this.offsetS(at) < localS) at += QUARTER_S;
		return at;
	}
}
