/**
 * Next time of an event that recurs by local time:
 *
 *   period up to an hour   due whenever the local clock shows the time, twice in an hour that repeats
 *   longer period          due once, at the first occurrence; at the moment of the change if local time skips it
 */
import { daysOf, monthOf } from "./date.js";
import { firstMomentOf, localMinutesAt, type Offsets } from "./wall-clock.js";

/**
 * Recurrence every `minutes`, counted from `originMinutes` after 1970-01-01 00:00 local time; every `months` months if
 * that is not 0.
 */
export interface Recurrence {
	/** 1 minute to 28 days; ignored unless `months` is 0. Up to 60 it must divide 60. */
	readonly minutes: number;
	/** Offset of the periods: less than a day, or than a period of several days; with `months`, the time of day. */
	readonly originMinutes: number;
	/** 0, or a divisor of 12, counted from January. */
	readonly months: number;
	/** Day of the month, 1 to 28; used with `months` only. */
	readonly day: number;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

/** First moment after `utcMs`, Unix ms. */
export function nextMoment(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes, months } = recurrence;
	if (months === 0 && minutes <= HOUR_MINUTES) return nextWithinHour(recurrence, zone, utcMs);
	const localMinutes = localMinutesAt(zone, utcMs);
	// The search begins one period back, because the local clock may have been set back since then.
	for (let step = -1; ; step++) {
		const label = months === 0 ? stepped(recurrence, localMinutes, step) : monthStepped(recurrence, localMinutes, step);
		const moment = firstMomentOf(zone, label);
		if (moment > utcMs) return moment;
	}
}

/** Uses the present offset, or the next one if it changes before that moment. */
function nextWithinHour(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes } = recurrence;
	const utcMinutes = Math.floor(utcMs / MINUTE_MS);
	const until = (offset: number) =>
		utcMinutes + minutes - modulo(utcMinutes + offset - recurrence.originMinutes, minutes);
	const offset = zone.offsetMinutes(utcMs);
	const moment = until(offset) * MINUTE_MS;
	const offsetThen = zone.offsetMinutes(moment);
	if (offsetThen === offset) return moment;
	// After a change of the offset by half an hour, `other` may again have the old offset.
	const other = until(offsetThen) * MINUTE_MS;
	return zone.offsetMinutes(other) === offsetThen ? other : other + minutes * MINUTE_MS;
}

/** Start of the period that contains `localMinutes`, or of the period `step` later. */
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
