/** Types of a request body: field tables for validate.ts, values for the routes. */
import type { Field, Setting } from "../config/schema.js";
import type { Core } from "../core/core.js";
import type { TextPieces } from "../json/string.js";

export interface BodyValues {
	/** Returns the value, for a list its packed bytes; undefined if the body lacks the field. */
	get<Value extends Setting>(field: Field<Value>): Value | undefined;
}

/** Throws an Error if the table does not require the field. */
export function needed<Value extends Setting>(values: BodyValues, field: Field<Value>): Value {
	const value = values.get(field);
	if (value === undefined) throw new Error(`api: the table of the body doesn't require ${field.name}`);
	return value;
}

export const NO_VALUES: BodyValues = Object.freeze({ get: () => undefined });

export interface BodyTable {
	readonly fields: readonly Field[];
	readonly required: readonly string[];
	readonly limit: number;
	/** Table of the objects if the first field is a list (list-reader.ts). */
	readonly list?: ListTable;
	/** Fields that the route checks itself; an invalid value becomes NOT_ALLOWED. */
	readonly lenient?: readonly string[];
	readonly long?: LongField;
}

export interface ListTable {
	/** Fields of an object; a BYTES field is a list of numbers from 0 to 255. */
	readonly fields: readonly Field[];
	readonly required: readonly string[];
	readonly maximum: number;
	readonly size: number;
	/** Writes `size` bytes, or returns why a value is invalid despite its table. */
	readonly pack: (values: BodyValues, into: Uint8Array, at: number) => Refusal | undefined;
}

export interface Refusal {
	readonly field: Field;
	/** Rest of a sentence that begins with the field's name. */
	readonly rule: string;
}

export interface LongField {
	readonly name: string;
	readonly open: (core: Core, part: never) => LongText;
}

/** Value of an invalid lenient field; no JSON number is NaN. */
export const NOT_ALLOWED = Number.NaN;

export interface LongText extends TextPieces {
	/** Returns the value, or undefined if refused. */
	end(): Setting | undefined;
	/** Ends the request and discards text that was not stored. */
	close(): void;
}

/** Maximum body sizes, bytes: for a few settings, and for a list or a file. */
export const BODY_LIMIT = 2048;
export const LONG_BODY_LIMIT = 16384;

/** A JSON body is ignored. */
export const NO_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
});
