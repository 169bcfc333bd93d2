/**
 * Converts the time formats of meters to ISO 8601 without an offset (`2026-11-21T22:32`, `2026-11-21`, `22:32:05`). A Z
 * is added if the meter means UTC. Otherwise times are by the meter's own clock, in an unknown time zone.
 */

/**
 * YYMMDDhhmm or YYMMDDhhmmss. A digit before it may state the season (0, 1) or UTC (2), as in VDEW, ZSTs11 and ZSTs13.
 * A letter after it may state the season (W or S), as in DSMR.
 */
const PACKED = /^([0-2])?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?[WS]?$/;
/** ISO 8601. The year may have two digits, and the separators that meters use between day and time are permitted. */
const SPELT = /^(\d\d)?(\d\d)-(\d\d)-(\d\d)(?:[T &,](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/;
/** YYMMDD or hhmmss, with an optional digit for the season before it. */
const HALF = /^([0-2])?(\d\d)(\d\d)(\d\d)$/;
const UTC = "2";

/** Returns undefined if the text is not a time, or not a day of the calendar (`00-00-00,00:00`). */
export function stampOf(text: string): string | undefined {
	const packed = PACKED.exec(text);
	if (packed !== null) {
		const [, season, year, month, day, hour, minute, second] = packed;
		return joined(dayOf("20", year, month, day), timeOf(hour, minute, second), season === UTC ? "Z" : "");
	}
	const spelt = SPELT.exec(text);
	if (spelt === null) return undefined;
	const [, century = "20", year, month, day, hour, minute, second, zone] = spelt;
	const found = dayOf(century, year, month, day);
	return hour === undefined ? found : joined(found, timeOf(hour, minute, second), zone === "Z" ? "Z" : "");
}

/**
 * Returns the result of `stampOf` if the code means a time: 0.9.1 is the time of day, 0.9.2 the day, others are both
 * (IEC 62056-61).
 */
export function stampOfCode(obis: string, text: string): string | undefined {
	const half = HALF.exec(text);
	if (obis === "0.9.1" && half !== null) return timeOf(half[2], half[3], half[4]);
	if (obis === "0.9.2" && half !== null) return dayOf("20", half[2], half[3], half[4]);
	// A value that has only digits, such as a meter number, may look like a time by chance.
	return STAMPS.includes(obis) || !/^\d+$/.test(text) ? stampOf(text) : undefined;
}

/** Codes that mean a time: end of a billing period, clock, last change of parameters, and a code of Iskra meters. */
const STAMPS = ["0.1.2", "0.9.4", "C.2.1", "C.51.2"];

function joined(day: string | undefined, time: string | undefined, zone: string): string | undefined {
	return day === undefined || time === undefined ? undefined : `${day}T${time}${zone}`;
}

function dayOf(century: string, year: string, month: string, day: string): string | undefined {
	const text = `${century}${year}-${month}-${day}`;
	const moment = Date.parse(text);
	// If a month has 30 days, some JavaScript engines turn its day 31 into the first day of the next month.
	return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text) ? text : undefined;
}

function timeOf(hour: string, minute: string, second: string | undefined): string | undefined {
	if (hour > "23" || minute > "59" || (second ?? "") > "59") return undefined;
	return second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
}

/** `stamp` is a result of `stampOf`; `language` is a BCP 47 tag. */
export function formatStamp(stamp: string, language: string): string {
	const [first, second] = stamp.replace("Z", "").split("T");
	const isTime = first.includes(":");
	const time = isTime ? first : second;
	const day = isTime ? "1970-01-01" : first;
	const format = new Intl.DateTimeFormat(language, {
		...(isTime ? {} : { dateStyle: "medium" }),
		...(time === undefined ? {} : { timeStyle: time.length > 5 ? "medium" : "short" }),
		timeZone: "UTC",
	});
	return `${format.format(Date.parse(`${day}T${time ?? "00:00"}Z`))}${stamp.endsWith("Z") ? " UTC" : ""}`;
}
