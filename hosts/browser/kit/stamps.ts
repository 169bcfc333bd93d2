/**
 * Times as meters write them, made into one form: ISO 8601 without an offset (`2026-11-21T22:32`, `2026-11-21`,
 * `22:32:05`), with Z where the meter means UTC. It is the meter's own clock, in whatever zone that is.
 */

/** YYMMDDhhmm or YYMMDDhhmmss; before it the season (0, 1) or UTC (2) (VDEW, ZSTs11 and ZSTs13), behind it W or S (DSMR). */
const PACKED = /^([0-2])?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?[WS]?$/;
/** ISO 8601, of two digits of the year as well, with what meters put between day and time. */
const SPELT = /^(\d\d)?(\d\d)-(\d\d)-(\d\d)(?:[T &,](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/;
/** YYMMDD or hhmmss, the season before it. */
const HALF = /^([0-2])?(\d\d)(\d\d)(\d\d)$/;
const UTC = "2";

/** Time in the text; undefined if it is no time or no day of the calendar (`00-00-00,00:00`). */
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

/** The value of a code that is a time by itself: 0.9.1 time of day, 0.9.2 day, the others both (IEC 62056-61). */
export function stampOfCode(obis: string, text: string): string | undefined {
	const half = HALF.exec(text);
	if (obis === "0.9.1" && half !== null) return timeOf(half[2], half[3], half[4]);
	if (obis === "0.9.2" && half !== null) return dayOf("20", half[2], half[3], half[4]);
	// In digits alone any other value may look like a time: numbers of meters do.
	return STAMPS.includes(obis) || !/^\d+$/.test(text) ? stampOf(text) : undefined;
}

/** End of a billing period, clock, last change of parameters; and of Iskra. */
const STAMPS = ["0.1.2", "0.9.4", "C.2.1", "C.51.2"];

function joined(day: string | undefined, time: string | undefined, zone: string): string | undefined {
	return day === undefined || time === undefined ? undefined : `${day}T${time}${zone}`;
}

function dayOf(century: string, year: string, month: string, day: string): string | undefined {
	const text = `${century}${year}-${month}-${day}`;
	const moment = Date.parse(text);
	// Some engines take the 31st of a month that has 30 for the day after.
	return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text) ? text : undefined;
}

function timeOf(hour: string, minute: string, second: string | undefined): string | undefined {
	if (hour > "23" || minute > "59" || (second ?? "") > "59") return undefined;
	return second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
}

/** A time of `stampOf` as the language (BCP 47) writes it. */
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
