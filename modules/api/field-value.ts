/** Converts JSON tokens to field values, and describes the allowed values of a field for error messages. */
import { BOOLEAN, BYTES, type Field, type Setting, TEXT } from "../config/schema.js";
import type { TextCodec } from "../io/host.js";
import { type JSONReader, TOKEN_FALSE, TOKEN_NUMBER, TOKEN_STRING, TOKEN_TRUE } from "../json/reader.js";

/**
 * Returns the value of the token, or undefined if no field can have such a value. The bounds of the field are not
 * checked here.
 */
export function scalarOf(reader: JSONReader, text: TextCodec, token: number, field: Field): Setting | undefined {
	if (token === TOKEN_TRUE) return true;
	if (token === TOKEN_FALSE) return false;
	if (token === TOKEN_NUMBER) return reader.isInteger ? reader.number : undefined;
	if (token !== TOKEN_STRING || reader.truncated || field.kind === BOOLEAN) return undefined;
	return text.decode(reader.text, 0, reader.length);
}

export function valueIn<Value extends Setting>(
	fields: readonly Field[],
	values: readonly (Setting | undefined)[],
	field: Field<Value>,
): Value | undefined {
	return values[fields.indexOf(field)] as Value | undefined;
}

export function describe(field: Field, name = field.name): string {
	const { kind, minimum, maximum, choices } = field;
	if (kind === BOOLEAN) return `${name} must be true or false.`;
	if (choices.length > 0) return `${name} must be one of ${choices.join(", ")}.`;
	if (kind === TEXT) return `${name} must be a text of ${countIn(field)} characters${charactersIn(field)}.`;
	if (kind === BYTES) return `${name} must be a list of ${maximum} whole numbers from 0 to 255.`;
	return `${name} must be a whole number from ${minimum} to ${maximum}.`;
}

/** Describes the allowed length. A minimum of 0 is not mentioned, because the route itself may refuse an empty text. */
function countIn({ minimum, maximum }: Field): string {
	if (minimum === maximum) return `exactly ${maximum}`;
	return minimum > 0 ? `${minimum} to ${maximum}` : `at most ${maximum}`;
}

/** Describes the allowed characters; "" if all are allowed. */
function charactersIn({ characters }: Field): string {
	if (characters === "" || characters.charCodeAt(0) === 0) return "";
	if (characters.length === 1) return ", none of them a control character";
	let list = "";
	for (let i = 0; i < characters.length; i += 2) {
		const first = nameOf(characters[i]);
		list += (i === 0 ? "" : ", ") + (characters[i] === characters[i + 1] ? first : `${first} to ${characters[i + 1]}`);
	}
	return `, each one of ${list}`;
}

function nameOf(character: string): string {
	return character === " " ? "blank" : character;
}

export function describeMissing(name: string): string {
	return `The field ${name} is missing.`;
}
