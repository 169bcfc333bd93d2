/**
 * Conversion of local time to UTC, even in hours that happen twice or never:
 *
 *   local clock at L     UTC
 *   no change            L - offset
 *   L is skipped         the moment of the change
 *   L happens twice      the first of the two
 *
 * Local times are minutes since 1970-01-01 00:00 local time. Limits, met by the zones of zone.ts: offsets are whole
 * quarters of an hour and change at a quarter hour of UTC, at most once in two days.
 */

export interface Offsets {
	offsetMinutes(utcMs: number): number;
}

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
/** A third of a year: of three moments at this distance, one is in winter and one in summer. */
const THIRD_MS = 121 * 86_400_000;
const DAY_MINUTES = 1440;

export function localMinutesAt(zone: Offsets, utcMs: number): number {
	return Math.floor(utcMs / MINUTE_MS) + zone.offsetMinutes(utcMs);
}

/** First moment with this local time, or the moment at which it is skipped, Unix ms. */
export function firstMomentOf(zone: Offsets, localMinutes: number): number {
	const before = zone.offsetMinutes((localMinutes - DAY_MINUTES) * MINUTE_MS);
	const after = zone.offsetMinutes((localMinutes + DAY_MINUTES) * MINUTE_MS);
	for (let at = localMinutes - Math.max(before, after); ; at += QUARTER_MINUTES) {
		// Within a quarter hour the offset is constant. Local time reaches the target in this quarter hour if `moment` is
		// before its end; it may have reached it already at its start.
		const quarter = at - (at % QUARTER_MINUTES);
		const moment = Math.max(quarter, localMinutes - zone.offsetMinutes(quarter * MINUTE_MS));
		if (moment < quarter + QUARTER_MINUTES) return moment * MINUTE_MS;
	}
}

/** Offset in winter around that moment, minutes. */
export function winterOffset(zone: Offsets, utcMs: number): number {
	return Math.min(...offsetsOfYear(zone, utcMs));
}

/** Offset in summer around that moment, minutes; without seasons the same as in winter. */
export function summerOffset(zone: Offsets, utcMs: number): number {
	return Math.max(...offsetsOfYear(zone, utcMs));
}

function offsetsOfYear(zone: Offsets, utcMs: number): number[] {
	return [0, THIRD_MS, 2 * THIRD_MS].map((backMs) => zone.offsetMinutes(utcMs - backMs));
}
