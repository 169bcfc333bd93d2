/**
 * Conversion of local time to UTC, even in hours that occur twice or not at all:
 *
 *   local clock at L     UTC
 *   no change            L - offset
 *   L is skipped         the moment of the change
 *   L occurs twice       the first of the two times
 *
 * Local times are minutes since 1970-01-01 00:00 local time. Limits, which all zones of zone.ts respect: offsets are
 * whole quarters of an hour, and they change at a quarter hour of UTC, at most one time in two days.
 */

export interface Offsets {
	offsetMinutes(utcMs: number): number;
}

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
/** A third of a year. If three times are this far apart, one of them is in winter and one in summer. */
const THIRD_MS = 121 * 86_400_000;
const DAY_MINUTES = 1440;

export function localMinutesAt(zone: Offsets, utcMs: number): number {
	return Math.floor(utcMs / MINUTE_MS) + zone.offsetMinutes(utcMs);
}

/** Returns the first Unix ms that has this local time or, if local time skips it, the Unix ms of the change. */
export function firstMomentOf(zone: Offsets, localMinutes: number): number {
	const before = zone.offsetMinutes((localMinutes - DAY_MINUTES) * MINUTE_MS);
	const after = zone.offsetMinutes((localMinutes + DAY_MINUTES) * MINUTE_MS);
	for (let at = localMinutes - Math.max(before, after); ; at += QUARTER_MINUTES) {
		// Within a quarter hour, the offset is constant. Local time reaches the target in this quarter hour if `moment` is
		// before the end of the quarter hour. It may also have reached the target before the quarter hour.
		const quarter = at - (at % QUARTER_MINUTES);
		const moment = Math.max(quarter, localMinutes - zone.offsetMinutes(quarter * MINUTE_MS));
		if (moment < quarter + QUARTER_MINUTES) return moment * MINUTE_MS;
	}
}

/** Returns the winter offset that is valid around `utcMs`, minutes. */
export function winterOffset(zone: Offsets, utcMs: number): number {
	return Math.min(...offsetsOfYear(zone, utcMs));
}

/** Returns the summer offset that is valid around `utcMs`, minutes. Without seasons, it equals the winter offset. */
export function summerOffset(zone: Offsets, utcMs: number): number {
	return Math.max(...offsetsOfYear(zone, utcMs));
}

function offsetsOfYear(zone: Offsets, utcMs: number): number[] {
	return [0, THIRD_MS, 2 * THIRD_MS].map((backMs) => zone.offsetMinutes(utcMs - backMs));
}
