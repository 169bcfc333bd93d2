/** Decimal numbers as text, and CSV tables (RFC 4180) in the form that spreadsheets expect for the language. */
import type { Language } from "../text/translations.js";

/** Languages with a decimal point. The others have a decimal comma, so their CSV cells are separated by semicolons. */
const POINT: readonly Language[] = ["en"];
const NUMBER = /^([+-]?)0*(\d+)(?:\.(\d+))?$/;

/** Returns a meter's number (`000123.450`) with the decimal separator of the language. Returns other text unchanged. */
export function decimalCell(text: string, language: Language): string {
	const match = NUMBER.exec(text.trim());
	if (match === null) return text;
	const [, sign, whole, part] = match;
	const point = POINT.includes(language) ? "." : ",";
	return `${sign === "-" ? "-" : ""}${whole}${part === undefined ? "" : point + part}`;
}

/**
 * Returns the millionths of a typed number, which has a point or a comma with at most six digits after it. Returns NaN
 * for other text.
 */
export function microOf(typed: string): number {
	const [, sign, whole, part = ""] = /^\s*(-?)(\d+)(?:[.,](\d{0,6}))?\s*$/.exec(typed) ?? [];
	const micro = Number(whole) * 1e6 + Number(part.padEnd(6, "0"));
	return sign && micro > 0 ? -micro : micro;
}

/**
 * A sign with which a spreadsheet begins a formula (OWASP, CSV Injection), also in its full-width form, at the beginning
 * of a text, or after a character at which a program in another language separates cells. Blanks and quotation marks
 * may stand before it.
 */
const FORMULA = /(^|[,;|\t\r\n])([\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** Puts an apostrophe before each part of a text that spreadsheets would treat as a formula. */
export function textCell(text: string): string {
	return NEGATIVE.test(text) ? text : text.replace(FORMULA, "$1$2'");
}

/** Returns the text of a CSV file. It begins with the byte order mark, by which spreadsheets recognise UTF-8. */
export function csvOf(rows: readonly (readonly string[])[], language: Language): string {
	const separator = POINT.includes(language) ? "," : ";";
	const quoted = (cell: string) =>
		cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
	const lines = rows.map((cells) => cells.map((cell) => quoted(textCell(cell))).join(separator));
	return `\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`;
}
