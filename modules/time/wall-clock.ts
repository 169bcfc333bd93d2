/**
 * When a zone's wall clock shows a time: from local time to UTC, through the hours that happen twice or never. For the
 * schedule and the history, which go by local boundaries.
 *
 *   the wall clock …        local time L is at
 *   runs on                 L - offset
 *   is put forward over L   the moment at which it is put forward
 *   is put back over L      the first of the two
 *
 * Local times are counted in minutes from 1970-01-01 00:00 of the wall clock. Limit: a zone changes at most once in two
 * days, at a whole minute of UTC.
 */

/** The zone (time/zone.ts). */
export interface Offsets {
	/** Minutes that its clocks are ahead of UTC at this Unix time. */
	offsetMinutes(utcMs: number): number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

/** What the wall clock shows at Unix time `utcMs`, whole minutes. */
export function localMinutesAt(zone: Offsets, utcMs: number): number {
	return Math.floor(utcMs / MINUTE_MS) + zone.offsetMinutes(utcMs);
}

/** Unix time in ms of the first moment at which the wall clock shows `localMinutes` or has been put forward over it. */
export function firstMomentOf(zone: Offsets, localMinutes: number): number {
	const before = zone.offsetMinutes((localMinutes - DAY_MINUTES) * MINUTE_MS);
	const after = zone.offsetMinutes((localMinutes + DAY_MINUTES) * MINUTE_MS);
	if (before === after) return (localMinutes - before) * MINUTE_MS;
	// The first minute by UTC that has the offset of later.
	let low = localMinutes - DAY_MINUTES;
	let high = localMinutes + DAY_MINUTES;
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		if (zone.offsetMinutes(middle * MINUTE_MS) === before) low = middle;
		else high = middle;
	}
	if (localMinutes < high + before) return (localMinutes - before) * MINUTE_MS;
	return Math.max(high, localMinutes - after) * MINUTE_MS;
}
