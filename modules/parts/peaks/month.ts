/**
 * Intervals with the highest mean power of a month, at most one a day. They are the first STORED numbers of the
 * caller's array, all of which are 0 at first. The caller keeps these numbers in flash.
 */
import { DAY_S, DAYS, type LocalCalendar } from "../../time/calendar.js";
import { monthOf } from "../../time/date.js";

export const RANKS = 3;
/** Index of the month's number, as `monthOf` returns it. */
export const MONTH = 0;
/** Index of a number that identifies the settings. */
export const SHAPE = 1;
/** Index of the start of the earliest interval that was not yet examined, Unix seconds. */
export const FROM = 2;
/** First index of the start times, beginning with the highest interval, Unix seconds. */
export const STARTS = 3;
export const WATTS = STARTS + RANKS;
export const STORED = WATTS + RANKS;

/** Returns `monthOf` for a time, in local time. */
export function localMonthAt(calendar: LocalCalendar, timeS: number): number {
	return monthOf(Math.floor((timeS + calendar.offsetMinutes(timeS * 1000) * 60) / DAY_S));
}

/**
 * Adds an interval. Returns true if it is one of the highest intervals of the month; false also for an interval of a
 * past month.
 */
export function addInterval(numbers: Float64Array, calendar: LocalCalendar, startS: number, watts: number): boolean {
	const month = localMonthAt(calendar, startS);
	if (month < numbers[MONTH]) return false;
	if (month > numbers[MONTH]) numbers.fill(0, STARTS, STORED);
	numbers[MONTH] = month;
	const dayS = calendar.boundary(DAYS, startS);
	// The new interval replaces the stored interval of the same day. If there is none, it takes the last place, which is
	// free or has the lowest interval.
	let place = STARTS;
	while (place < STARTS + RANKS - 1 && calendar.boundary(DAYS, numbers[place]) !== dayS) place++;
	if (numbers[place] !== 0 && watts <= numbers[place + RANKS]) return false;
	for (; place > STARTS && (numbers[place - 1] === 0 || watts > numbers[place - 1 + RANKS]); place--) {
		numbers[place] = numbers[place - 1];
		numbers[place + RANKS] = numbers[place - 1 + RANKS];
	}
	numbers[place] = startS;
	numbers[place + RANKS] = watts;
	return true;
}

/** Returns the mean of the `count` highest intervals, or of all if there are fewer; NaN if there is none. */
export function peakOf(numbers: Float64Array, count: number): number {
	let sum = 0;
	let rank = 0;
	for (; rank < count && numbers[STARTS + rank] !== 0; rank++) sum += numbers[WATTS + rank];
	return sum / rank;
}
