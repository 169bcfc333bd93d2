/** Formats numbers and times in the page's language. `language` is a BCP 47 tag. */

/** Formats a number with at least `minimum` and at most `digits` decimals. */
export function formatNumber(value: number, language: string, digits = 3, minimum = 0): string {
	const format = new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: minimum });
	return withMinus(format.format(value));
}

/** Replaces the hyphen that `Intl` writes by a minus sign (U+2212). */
export function withMinus(number: string): string {
	return number.replace("-", "−");
}

/** Formats a meter's decimal text (`000123.450`) in the language, with all digits that the meter sent. */
export function formatDecimal(text: string, language: string): string {
	const match = /^([+-]?)0*(\d+)(?:\.(\d+))?$/.exec(text.trim());
	if (match === null) return text;
	const digits = match[3]?.length ?? 0;
	return formatNumber(Number(text), language, Math.min(digits, 20), Math.min(digits, 20));
}

/** Units of energy that meters display in thousands. */
const KILO_UNITS: Readonly<Record<string, string>> = { Wh: "kWh", varh: "kvarh", VAh: "kVAh" };
const KILO_ENERGY_FROM = 1000;

/** Returns the unit in thousands, or undefined if the meter would not show a value of this size in thousands. */
export function kiloUnit(unit: string, value: number): string | undefined {
	return Math.abs(value) >= KILO_ENERGY_FROM ? KILO_UNITS[unit] : undefined;
}

/**
 * Formats a reading as the meter's display would show it. Energy of 1000 Wh or more is in kWh, cut to whole Wh. All
 * other values keep the digits and the unit that the meter sent.
 */
export function formatReading(text: string, unit: string, language: string): readonly [value: string, unit: string] {
	const value = Number(text);
	const kilo = kiloUnit(unit, value);
	if (kilo === undefined) return [formatDecimal(text, language), unit];
	return [formatNumber(Math.trunc(value) / 1000, language, 3, 3), kilo];
}

/**
 * Formats a power in W, or in another `unit`; from 10 000 on in thousands of it. If several are shown side by side,
 * `largest` decides for all.
 */
export function formatPower(power: number, unit: string, language: string, largest = power): string {
	return Math.abs(largest) < 10_000
		? `${formatNumber(power, language, 0)} ${unit}`
		: `${formatNumber(power / 1000, language, 1)} k${unit}`;
}

/** Formats the gateway's `localtime` (ISO 8601 with offset) in the gateway's own time zone. */
export function formatLocalTime(localtime: string, language: string): string {
	// The offset is removed, because the page shows the gateway's wall clock, not the browser's.
	const moment = Date.parse(`${localtime.slice(0, 19)}Z`);
	if (Number.isNaN(moment)) return "";
	return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }).format(
		moment,
	);
}

/** Adds seconds to a `localtime`. The result has no offset. */
export function advanceLocalTime(localtime: string, seconds: number): string {
	const moment = Date.parse(`${localtime.slice(0, 19)}Z`);
	return Number.isNaN(moment) ? "" : new Date(moment + seconds * 1000).toISOString().slice(0, 19);
}

/** Formats a date. It is not converted to another time zone. */
export function formatDate(iso: string, language: string): string {
	const day = Date.parse(iso.slice(0, 10));
	return Number.isNaN(day) ? "" : new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(day);
}

/** Formats a moment. `Intl` must know the zone. */
export function formatMoment(seconds: number, language: string, timeZone: string): string {
	return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone }).format(
		seconds * 1000,
	);
}

/**
 * Formats an age, such as `12 seconds ago`. Returns `fresh` for less than half a second, and for a time in the future.
 */
export function formatAge(past: number, language: string, fresh: string): string {
	const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
	if (past < 0.5) return fresh;
	if (past < 60) return format.format(-Math.round(past), "second");
	if (past < 3600) return format.format(-Math.round(past / 60), "minute");
	if (past < 86_400 * 2) return format.format(-Math.round(past / 3600), "hour");
	return format.format(-Math.round(past / 86_400), "day");
}

/** Formats a period, such as `15 minutes`. `seconds` must be whole minutes, hours or days. */
export function formatPeriod(seconds: number, language: string): string {
	const of = (value: number, unit: string) =>
		new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
	if (seconds % 86_400 === 0) return of(seconds / 86_400, "day");
	return seconds % 3600 === 0 ? of(seconds / 3600, "hour") : of(seconds / 60, "minute");
}
