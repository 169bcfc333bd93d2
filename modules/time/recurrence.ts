/**
 * Next time of an event that recurs in local time:
 *
 *   period up to an hour   due whenever the local clock shows the time, so twice in an hour that repeats
 *   longer period          due one time, at the first occurrence; if local time skips it, at the moment of the change
 */
import { daysOf, monthOf } from "./date.js";
import { firstMomentOf, localMinutesAt, type Offsets } from "./wall-clock.js";

/**
 * Recurrence every `minutes`, counted from `originMinutes` after 1970-01-01 00:00 local time. If `months` is not 0, it
 * is a recurrence every `months` months instead.
 */
export interface Recurrence {
	/** Period of 1 minute to 28 days. Periods of up to 60 minutes must divide 60. It is ignored unless `months` is 0. */
	readonly minutes: number;
	/**
	 * Offset of the periods: less than a day, or less than the period if that has several days. With `months`, it is the
	 * time of day.
	 */
	readonly originMinutes: number;
	/** Period in months, counted from January: a divisor of 12, or 0. */
	readonly months: number;
	/** Day of the month, 1 to 28. It is used only with `months`. */
	readonly day: number;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

/** Returns the first time after `utcMs` at which the event is due, Unix ms. */
export function nextMoment(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes, months } = recurrence;
	if (months === 0 && minutes <= HOUR_MINUTES) return nextWithinHour(recurrence, zone, utcMs);
	const localMinutes = localMinutesAt(zone, utcMs);
	// The search begins one period earlier, because the local clock may have been set back in the meantime.
	for (let step = -1; ; step++) {
		const label = months === 0 ? stepped(recurrence, localMinutes, step) : monthStepped(recurrence, localMinutes, step);
		const moment = firstMomentOf(zone, label);
		if (moment > utcMs) return moment;
	}
}

/** Uses the present offset or, if the offset changes before the event, the next offset. */
function nextWithinHour(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes } = recurrence;
	const utcMinutes = Math.floor(utcMs / MINUTE_MS);
	const until = (offset: number) =>
		utcMinutes + minutes - modulo(utcMinutes + offset - recurrence.originMinutes, minutes);
	const offset = zone.offsetMinutes(utcMs);
	const moment = until(offset) * MINUTE_MS;
	const offsetThen = zone.offsetMinutes(moment);
	if (offsetThen === offset) return moment;
	// If the offset changes by half an hour, the time `other` may have the old offset again.
	const other = until(offsetThen) * MINUTE_MS;
	return zone.offsetMinutes(other) === offsetThen ? other : other + minutes * MINUTE_MS;
}

/** Returns the start of the period that contains `localMinutes`, or of the period that is `step` periods later. */
function stepped({ minutes, originMinutes }: Recurrence, localMinutes: number, step: number): number {
	return (Math.floor((localMinutes - originMinutes) / minutes) + step) * minutes + originMinutes;
}

function monthStepped({ months, day, originMinutes }: Recurrence, localMinutes: number, step: number): number {
	const now = monthOf(Math.floor(localMinutes / DAY_MINUTES));
	// `months` divides a year, so counting from year 0 is the same as counting from January.
	return daysOf((Math.floor(now / months) + step) * months, day) * DAY_MINUTES + originMinutes;
}

function modulo(value: number, by: number): number {
	return ((value % by) + by) % by;
}
