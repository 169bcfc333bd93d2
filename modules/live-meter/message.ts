/**
 * JSON messages of the dialects as frozen tables, in which texts and codes alternate. `writeMessage` writes each text,
 * then the value for the code after it. A message can take the place of a code. If a value is unknown, the text before
 * it is left out too. For this reason, each text begins with the comma before its member.
 *
 *     message('{"power":', whole(LIVE_POWER), ',"powerPhase1":', whole(LIVE_POWER_L1), "}")
 */
import { lowerCase } from "../bytes/ascii.js";
import type { JSONWriter } from "../json/writer.js";

export type Piece = string | number | Message;
export type Message = readonly Piece[];

/**
 * A code is the index of a shown value (shown-values.ts) plus FORM multiplied by a form. The form determines how the
 * value is written.
 */
const FORM = 64;
const FORM_WHOLE = 0;
/**
 * Forms 1 to 3: a decimal number with 1 to 3 decimal places. It always has a decimal point, because some clients crash
 * when they get an integer.
 */
const FORM_PLACES = 3;
/** Form of a value in Wh that is written in kWh with three decimal places. */
const FORM_KILO = 4;

/** Codes for the unit's identifier: 12 hex digits, in upper or lower case. */
export const ID_CAPITALS = 8 * FORM;
export const ID_SMALL = ID_CAPITALS + 1;

export function message(...pieces: Piece[]): Message {
	const joined: Piece[] = [];
	for (const piece of pieces) {
		const last = joined.length - 1;
		if (typeof piece === "string" && typeof joined[last] === "string") joined[last] = joined[last] + piece;
		else joined.push(piece);
	}
	return Object.freeze(joined);
}

export function whole(index: number): number {
	return FORM_WHOLE * FORM + index;
}

/** Returns the code for a decimal number with `places` decimal places, 1 to 3. */
export function decimal(index: number, places: number): number {
	return places * FORM + index;
}

export function kilo(index: number): number {
	return FORM_KILO * FORM + index;
}

export function writeMessage(writer: JSONWriter, pieces: Message, values: Float64Array, id: string): void {
	for (let i = 0; i < pieces.length; i += 2) {
		const value = pieces[i + 1];
		const text = typeof value === "number" ? textOf(value, values, id) : "";
		if (typeof value === "number" && text === "") continue;
		writer.raw(writer.prepare(pieces[i] as string));
		if (typeof value === "object") writeMessage(writer, value, values, id);
		else if (text !== "") writer.raw(writer.prepare(text));
	}
}

/** Returns a message as text. It may contain only texts and codes for the identifier. */
export function textOfMessage(pieces: Message, id: string): string {
	let text = "";
	for (let i = 0; i < pieces.length; i++) {
		const piece = pieces[i];
		text += typeof piece === "number" ? idOf(id, piece) : piece;
	}
	return text;
}

function idOf(id: string, code: number): string {
	return code === ID_CAPITALS ? id : lowerCase(id);
}

function textOf(code: number, values: Float64Array, id: string): string {
	if (code >= ID_CAPITALS) return idOf(id, code);
	const value = values[code % FORM];
	const form = Math.floor(code / FORM);
	if (Number.isNaN(value)) return "";
	return form === FORM_KILO ? decimalText(value / 1000, FORM_PLACES) : decimalText(value, form);
}

/**
 * Returns a number rounded to `places` decimal places, without an exponent. If `places` is not 0, it always has a
 * decimal point.
 */
export function decimalText(value: number, places: number): string {
	const unit = 10 ** places;
	const scaled = Math.round(Math.abs(value) * unit);
	const sign = value < 0 && scaled > 0 ? "-" : "";
	if (places === 0) return `${sign}${scaled}`;
	return `${sign}${Math.floor(scaled / unit)}.${String(unit + (scaled % unit)).slice(1)}`;
}
