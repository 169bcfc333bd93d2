/**
 * Conversion between dates, from 1600-03-01 on, and days since 1970-01-01. It does not use `Date`, which costs 14 KB of
 * flash.
 */

/**
 * Days from 1600-03-01 to 1970-01-01. Years are counted from March on, so that the leap day is the last day of a year.
 * The pattern of leap years repeats every 400 years.
 */
const DAYS_BEFORE_1970 = 135080;
const DAYS_OF_400_YEARS = 146097;

/**
 * Returns the days since 1970-01-01. `months`: number of the month, where 0 is January of year 0. `day`: from 1 on.
 * Both are integers.
 */
export function daysOf(months: number, day: number): number {
	// From March on, the lengths of the months repeat every five months (153 days).
	const since = months - 1600 * 12 - 2;
	const year = Math.floor(since / 12);
	const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
	return 365 * year + leapDays + Math.floor((153 * (since - year * 12) + 2) / 5) + day - 1 - DAYS_BEFORE_1970;
}

/** Returns the number of the month, where 0 is January of year 0. */
export function monthOf(days: number): number {
	return Math.floor(dateOf(days) / 32);
}

/** Returns the date as a number yyyymmdd. */
export function digitsOf(days: number): number {
	const date = dateOf(days);
	const months = Math.floor(date / 32);
	return Math.floor(months / 12) * 10_000 + ((months % 12) + 1) * 100 + (date % 32);
}

/** Returns `monthOf` multiplied by 32, plus the day of the month (from 1 on). */
export function dateOf(days: number): number {
	const since = days + DAYS_BEFORE_1970;
	const dayOf400 = since - Math.floor(since / DAYS_OF_400_YEARS) * DAYS_OF_400_YEARS;
	const yearOf400 = Math.floor(
		(dayOf400 - Math.floor(dayOf400 / 1460) + Math.floor(dayOf400 / 36524) - Math.floor(dayOf400 / 146096)) / 365,
	);
	const dayOfYear = dayOf400 - (365 * yearOf400 + Math.floor(yearOf400 / 4) - Math.floor(yearOf400 / 100));
	const month = Math.floor((5 * dayOfYear + 2) / 153);
	const year = 1600 + Math.floor(since / DAYS_OF_400_YEARS) * 400 + yearOf400;
	return (year * 12 + month + 2) * 32 + dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
}
