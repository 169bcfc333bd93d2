/** The values of a readout as text, for the screen, the clipboard and spreadsheets. */
import { decimalCell, textCell } from "../kit/csv.js";
import { formatDecimal } from "../kit/format.js";
import type { Readout } from "../kit/live.js";
import { isKnown } from "../kit/power.js";
import type { Reading } from "../kit/replies.js";
import { formatStamp, stampOf, stampOfCode } from "../kit/stamps.js";
import { language, t } from "../kit/text.js";
import type { TextKey } from "../text/all.js";

export interface Line {
	readonly reading: Reading;
	readonly name: string;
	/** The code. The number of the attribute is added if it is not the attribute "value". */
	readonly code: string;
	/** Unit of the value. A past value that has no unit gets the unit of the present value. */
	readonly unit: string;
	readonly value: string;
	/** Additional values, such as the time of a maximum. */
	readonly more: readonly string[];
	/** Text in which the filter searches, in lower case. */
	readonly haystack: string;
}

export function linesOf(readings: readonly Reading[]): readonly Line[] {
	const units = unitsNow(readings);
	return readings.map((reading) => {
		const { obis, obis_long, attribute, value1, value1_number, billing_period } = reading;
		const code = codeText(obis_long, attribute);
		const isPast = value1_number !== null && billing_period !== null && attribute === undefined;
		const unit = reading.value1_unit || (isPast ? (units.get(presentCode(reading)) ?? "") : "");
		const name = nameOf(reading);
		const stamp = unit === "" ? stampOfCode(obis, value1) : undefined;
		const text = unit === "" ? textOf(obis, value1) : value1;
		const shown = COUNT.test(obis) ? formatDecimal(text, language) : formatted(text, unit, stamp);
		const value = isKnown(reading) ? shown : "–";
		const more = secondsOf(reading).map(([text, own, stamp]) => formatted(text, own, stamp));
		return { reading, name, code, unit, value, more, haystack: `${name}\n${code}\n${value}`.toLowerCase() };
	});
}

/** Returns the code. The number of the attribute is added if it is not the attribute "value" (2). */
export function codeText(code: string, attribute = 2): string {
	return attribute === 2 ? code : `${code} · ${t("readings.attribute")} ${attribute}`;
}

export function nameOf(reading: Reading): string {
	return reading[language] ?? reading.en ?? t("readings.unknown");
}

/** Returns the code without the number of the billing period. */
function presentCode({ obis_long }: Reading): string {
	return obis_long.split("*")[0];
}

/** Returns the units of the present values, by code. Meters omit the units of past values (IEC 62056-21, 6.5). */
function unitsNow(readings: readonly Reading[]): ReadonlyMap<string, string> {
	const present = readings.filter(({ billing_period, value1_unit }) => billing_period === null && value1_unit !== "");
	return new Map(present.map((reading) => [presentCode(reading), reading.value1_unit]));
}

/** Returns the values after the first one. */
function secondsOf({ value2, value2_unit = "", values = [], values_units = [] }: Reading) {
	const all = [[value2, value2_unit] as const, ...values.map((value, i) => [value, values_units[i] ?? ""] as const)];
	return all
		.filter(([text]) => text !== "")
		.map(([text, unit]) => [text, unit, unit === "" ? stampOf(text) : undefined] as const);
}

/**
 * Codes of the tariff, and of the numbers of power failures, voltage sags and swells (DSMR). Their values are numbers
 * although they have no unit. With other codes, a value that has only digits may be a name.
 */
const COUNT = /^(96\.14\.0|96\.7\.\d+|(32|52|72)\.(32|36)\.0)$/;
/** Codes of identifiers and messages that DSMR sends as hexadecimal character codes. */
const CODED = /^96\.(1|13)\.\d+$/;
/**
 * Hexadecimal codes of printable ASCII characters. A short text that has only decimal digits does not match, because it
 * may be a plain number.
 */
const ASCII = /^(?=.*[A-F]|.{20})([2-7][0-9A-F])+$/;

function textOf(obis: string, value: string): string {
	if (!CODED.test(obis) || !ASCII.test(value)) return value;
	return value.replace(/../g, (code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Formats a value. A value without a unit may be a name that has only digits, so it stays as the meter sent it. */
function formatted(text: string, unit: string, stamp: string | undefined): string {
	if (stamp !== undefined) return formatStamp(stamp, language);
	return unit === "" ? text.trim() : `${formatDecimal(text, language)} ${unit.replace("m3", "m³")}`;
}

/**
 * Returns the number that is printed on the meter. If the readout does not contain it, returns another identification.
 */
function meterNumber({ readings, meter_id }: Readout): string {
	const numbers = NUMBER_CODES.map((code) => readings.find(({ obis }) => obis === code)?.value1);
	return numbers.find((number) => number !== undefined && number !== "") ?? meter_id;
}

/** Codes of meter numbers, according to IEC 62056-61, A.2.3, and in older meters. */
const NUMBER_CODES = ["0.0.0", "96.1.0", "C.1.0", "0.0"];

const COLUMNS: readonly TextKey[] = [
	"readings.time",
	"readings.number",
	"readings.code",
	"readings.name",
	"readings.value",
	"readings.unit",
	"readings.second",
	"readings.period",
	"readings.raw",
];

/** Makes a table for a spreadsheet. Each row can be understood without the other rows. */
export function tableOf(last: Readout, lines: readonly Line[]): readonly (readonly string[])[] {
	const number = meterNumber(last);
	const rows = lines.map(({ reading, name, code, unit }) => {
		const { obis, value1, billing_period } = reading;
		const text = isKnown(reading) ? value1 : "";
		const value = cellOf(text, unit, unit === "" ? stampOfCode(obis, value1) : undefined);
		const second = secondsOf(reading).map(([text, own, stamp]) => `${cellOf(text, own, stamp)} ${own}`.trim());
		const period = String(billing_period ?? "");
		return [last.localtime, number, code, name, value, unit, second.join(" | "), period, rawOf(reading)];
	});
	return [COLUMNS.map((key) => t(key)), ...rows];
}

/** Returns a cell. An integer without a unit may be a name, so it keeps its leading zeros. */
function cellOf(text: string, unit: string, stamp: string | undefined): string {
	if (stamp !== undefined) return stamp.replace("T", " ");
	return unit === "" && !text.includes(".") ? text.trim() : decimalCell(text, language);
}

/**
 * Returns the reading in the form in which a meter would send it (IEC 62056-21, 6.5), so that no spreadsheet mistakes
 * it for a number or a date.
 */
function rawOf({ obis_long, value1, value1_unit, value2, value2_unit = "", values = [] }: Reading): string {
	const set = (value: string, unit: string) => `(${value}${unit === "" ? "" : `*${unit}`})`;
	const second = value2 === "" && values.length === 0 ? "" : set(value2, value2_unit);
	return `${obis_long}${set(value1, value1_unit)}${second}${values.map((value) => set(value, "")).join("")}`;
}

/** Returns the cells separated by tabs, so that they can be pasted into spreadsheets. */
export function asText(last: Readout, lines: readonly Line[]): string {
	return tableOf(last, lines)
		.map((cells) => cells.map((cell) => textCell(cell)).join("\t"))
		.join("\n");
}
