/**
 * When a zone's wall clock shows a time: from local time to UTC, through the hours that happen twice or never. For the
 * schedule and the history, which go by local boundaries.
 *
 *   the wall clock …        local time L is at
 *   runs on                 L - offset
 *   is put forward over L   the moment at which it is put forward
 *   is put back over L      the first of the two
 *
 * Local times are counted in minutes from 1970-01-01 00:00 of the wall clock. Limits, which the zones of zone.ts keep: offsets
 * are whole quarters of an hour and change at one of UTC, at most once in two days.
 */

/** The zone (zone.ts). */
export interface Offsets {
	/** Minutes that its clocks are ahead of UTC at this Unix time in milliseconds. */
	offsetMinutes(utcMs: number): number;
}

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
const DAY_MINUTES = 1440;

/** What the wall clock shows at Unix time `utcMs`, whole minutes. */
export function localMinutesAt(zone: Offsets, utcMs: number): number {
	return Math.floor(utcMs / MINUTE_MS) + zone.offsetMinutes(utcMs);
}

/** Unix time in ms of the first moment at which the wall clock shows `localMinutes` or has been put forward over it. */
export function firstMomentOf(zone: Offsets, localMinutes: number): number {
	const before = zone.offsetMinutes((localMinutes - DAY_MINUTES) * MINUTE_MS);
	const after = zone.offsetMinutes((localMinutes + DAY_MINUTES) * MINUTE_MS);
	for (let at = localMinutes - Math.max(before, after); ; at += QUARTER_MINUTES) {
		// Within a quarter of an hour the wall clock runs on; it shows that time in this one, or already did when it began.
		const quarter = at - (at % QUARTER_MINUTES);
		const moment = Math.max(quarter, localMinutes - zone.offsetMinutes(quarter * MINUTE_MS));
		if (moment < quarter + QUARTER_MINUTES) return moment * MINUTE_MS;
	}
}
