/** The values of a readout as text: for the screen, the clipboard, and spreadsheets (CSV, RFC 4180). */
import { formatDecimal } from "../kit/format.js";
import type { Reading } from "../kit/replies.js";
import { language, t } from "../kit/text.js";

/** What the code means, in the page's language. */
export function nameOf(reading: Reading): string {
	return reading[language] ?? reading.en ?? t("readings.unknown");
}

/** The code, and which attribute of its object it is, if it is not the value. */
export function codeText(code: string, attribute = 2): string {
	return attribute === 2 ? code : `${code} · ${t("objects.attribute")} ${attribute}`;
}

/** Value and unit as people write them. What has no unit may be a name in digits, and stays as it was sent. */
export function valueText({ value1, value1_number, value1_unit }: Reading): string {
	if (value1_unit === "") return value1;
	return `${value1_number === null ? value1 : formatDecimal(value1, language)} ${value1_unit}`;
}

/** What the meter sent behind the first value, such as the time of a maximum. */
export function secondOf({ value2, value2_unit = "", values = [] }: Reading): string {
	return [`${value2} ${value2_unit}`.trim(), ...values].filter((text) => text !== "").join(", ");
}

/** Whether a part of it, in any case, is in the name, code or value. */
export function contains(reading: Reading, part: string): boolean {
	const text = `${nameOf(reading)}\n${codeText(reading.obis_long, reading.attribute)}\n${valueText(reading)}`;
	return text.toLowerCase().includes(part.trim().toLowerCase());
}

function headings(): readonly string[] {
	const keys = ["code", "name", "value", "unit", "second", "second.unit", "period"] as const;
	return keys.map((key) => t(`readings.${key}`));
}

/** Values as the meter sent them. */
function cellsOf(reading: Reading): readonly string[] {
	const { obis_long, attribute, value1, value1_unit, value2, value2_unit = "", values = [], billing_period } = reading;
	const second = [value2, ...values].join(" ").trim();
	const code = codeText(obis_long, attribute);
	return [code, nameOf(reading), value1, value1_unit, second, value2_unit, String(billing_period ?? "")];
}

/** Lines with tabs between. */
export function asText(readings: readonly Reading[]): string {
	return [headings(), ...readings.map(cellsOf)].map((cells) => cells.join("\t")).join("\n");
}

/** CSV, with the mark at its beginning by which spreadsheets know UTF-8. */
export function asCSV(readings: readonly Reading[]): string {
	const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell);
	return `\uFEFF${[headings(), ...readings.map(cellsOf)].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("")}`;
}
