/**
 * When something that recurs by the wall clock is due next (API decision 30). For the schedule of readouts.
 *
 *   up to an hour   each time that the wall clock shows it: an hour that happens twice has it twice
 *   longer          once, the first time; where the wall clock is put forward over it, at the moment of that
 */
import { daysOf, monthOf } from "./date.js";
import { firstMomentOf, localMinutesAt, type Offsets } from "./wall-clock.js";

/** Every `minutes`, counted from `originMinutes` of the wall clock since 1970; or, where `months` is not 0, by those. */
export interface Recurrence {
	/** 1 to 28 days; ignored where `months` is not 0. Up to an hour it divides an hour. */
	readonly minutes: number;
	/** Within a day or, for whole days, within `minutes`; of months the minute of the day. */
	readonly originMinutes: number;
	/** 0, or 1 to 12, which divides 12: counted from January. */
	readonly months: number;
	/** 1 to 28, of months. */
	readonly day: number;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

/** Unix time in ms of the first moment after `utcMs` at which it is due. */
export function nextMoment(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes, months } = recurrence;
	if (months === 0 && minutes <= HOUR_MINUTES) return nextWithinHour(recurrence, zone, utcMs);
	const localMinutes = localMinutesAt(zone, utcMs);
	// One step back: the wall clock may have been put back since it was due.
	for (let step = -1; ; step++) {
		const label = months === 0 ? stepped(recurrence, localMinutes, step) : monthStepped(recurrence, localMinutes, step);
		const moment = firstMomentOf(zone, label);
		if (moment > utcMs) return moment;
	}
}

/** As it is due where the wall clock runs on from `utcMs`; else by the wall clock of then. */
function nextWithinHour(recurrence: Recurrence, zone: Offsets, utcMs: number): number {
	const { minutes } = recurrence;
	const utcMinutes = Math.floor(utcMs / MINUTE_MS);
	const until = (offset: number) =>
		utcMinutes + minutes - modulo(utcMinutes + offset - recurrence.originMinutes, minutes);
	const offset = zone.offsetMinutes(utcMs);
	const moment = until(offset) * MINUTE_MS;
	const offsetThen = zone.offsetMinutes(moment);
	if (offsetThen === offset) return moment;
	// A clock that is put on or back by half an hour.
	const other = until(offsetThen) * MINUTE_MS;
	return zone.offsetMinutes(other) === offsetThen ? other : other + minutes * MINUTE_MS;
}

/** `step` periods after the one that `localMinutes` lies in. */
function stepped({ minutes, originMinutes }: Recurrence, localMinutes: number, step: number): number {
	return (Math.floor((localMinutes - originMinutes) / minutes) + step) * minutes + originMinutes;
}

function monthStepped({ months, day, originMinutes }: Recurrence, localMinutes: number, step: number): number {
	const now = monthOf(Math.floor(localMinutes / DAY_MINUTES));
	// `months` is a part of a year, so that they can be counted from the year 0 on.
	return daysOf((Math.floor(now / months) + step) * months, day) * DAY_MINUTES + originMinutes;
}

function modulo(value: number, by: number): number {
	return ((value % by) + by) % by;
}
