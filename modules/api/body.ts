/** Types of a request body: field tables for validate.ts and values for the routes. */
import type { Field, Setting } from "../config/schema.js";
import type { Core } from "../core/core.js";
import type { TextPieces } from "../json/string.js";

/** Values of a body, by field. */
export interface BodyValues {
	/** Returns the field's value (for a list, its packed bytes), or undefined if the body lacks it. */
	get<Value extends Setting>(field: Field<Value>): Value | undefined;
}

/** Returns the value of a required field. Throws an Error if the table does not require it. */
export function needed<Value extends Setting>(values: BodyValues, field: Field<Value>): Value {
	const value = values.get(field);
	if (value === undefined) throw new Error(`api: the table of the body doesn't require ${field.name}`);
	return value;
}

export const NO_VALUES: BodyValues = Object.freeze({ get: () => undefined });

export interface BodyTable {
	readonly fields: readonly Field[];
	/** Names of the required fields. */
	readonly required: readonly string[];
	/** Maximum body size, bytes. */
	readonly limit: number;
	/** Table of the list's objects if the first field is a list; its value is then packed bytes (list-reader.ts). */
	readonly list?: ListTable;
	/** Names of the fields that the route validates itself; an invalid value arrives as NOT_ALLOWED. */
	readonly lenient?: readonly string[];
	/** Field whose text is too long to hold in memory. */
	readonly long?: LongField;
}

export interface ListTable {
	/** Fields of one object; a BYTES field is a list of numbers from 0 to 255. */
	readonly fields: readonly Field[];
	/** Names of the fields required in each object. */
	readonly required: readonly string[];
	/** Maximum number of objects. */
	readonly maximum: number;
	/** Size of one packed object, bytes. */
	readonly size: number;
	/** Packs an object into `into[at..at+size)`. Returns a refusal if a value that its table allows is not acceptable. */
	readonly pack: (values: BodyValues, into: Uint8Array, at: number) => Refusal | undefined;
}

/** Reason why a value is refused. */
export interface Refusal {
	readonly field: Field;
	/** Requirement, as the end of a sentence that begins with the field's name. */
	readonly rule: string;
}

export interface LongField {
	readonly name: string;
	/** Creates the receiver of the text; the result of its `end` is the field's value. */
	readonly open: (core: Core, part: never) => LongText;
}

/** Value of a lenient field that is present but invalid. No JSON number is NaN. */
export const NOT_ALLOWED = Number.NaN;

/** Receiver of a long text, piece by piece. */
export interface LongText extends TextPieces {
	/** Ends the text. Returns its value, or undefined if it is refused. */
	end(): Setting | undefined;
	/** Ends the request, successful or not, and discards any text that has not been stored. */
	close(): void;
}

/**
 * Maximum body sizes, bytes: of a route with a few settings, and of one with a list or a file. The limit bounds the
 * memory of a request.
 */
export const BODY_LIMIT = 2048;
export const LONG_BODY_LIMIT = 16384;

/** Body of a route that needs none; a JSON body that arrives is ignored. */
export const NO_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
});
