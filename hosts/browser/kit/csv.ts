/** Tables for spreadsheets: CSV (RFC 4180) as the spreadsheets of a language read it. `language` is a BCP 47 tag. */
import type { Language } from "../text/translations.js";

/** Languages with a decimal point. The others have a decimal comma, so a semicolon separates their cells. */
const POINT: readonly Language[] = ["en"];
const NUMBER = /^([+-]?)0*(\d+)(?:\.(\d+))?$/;

/** Decimal text of a meter (`000123.450`) with the sign between whole and part that the language has; other text as it is. */
export function decimalCell(text: string, language: Language): string {
	const match = NUMBER.exec(text.trim());
	if (match === null) return text;
	const [, sign, whole, part] = match;
	const point = POINT.includes(language) ? "." : ",";
	return `${sign === "-" ? "-" : ""}${whole}${part === undefined ? "" : point + part}`;
}

/** Beginning of a formula in a spreadsheet (OWASP, CSV Injection). Negative numbers are exempt. */
const FORMULA = /^[=+\-@\t\r]/;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** The text so that no spreadsheet carries it out: behind an apostrophe, which they take for "this is text". */
export function textCell(text: string): string {
	return FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
}

/** The rows, with the mark at the beginning by which spreadsheets know UTF-8. */
export function csvOf(rows: readonly (readonly string[])[], language: Language): string {
	const separator = POINT.includes(language) ? "," : ";";
	const quoted = (cell: string) =>
		cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
	const lines = rows.map((cells) => cells.map((cell) => quoted(textCell(cell))).join(separator));
	return `\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`;
}
