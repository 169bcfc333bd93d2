/** Types for request bodies: tables of fields, which validate.ts uses, and values, which the routes use. */
import type { Field, Setting } from "../config/schema.js";
import type { Core } from "../core/core.js";
import type { TextPieces } from "../json/string.js";

export interface BodyValues {
	/**
	 * Returns the value of the field, or undefined if the body does not contain it. The value of a list is its packed
	 * bytes.
	 */
	get<Value extends Setting>(field: Field<Value>): Value | undefined;
}

/** Returns the value of a required field. Throws an Error if the table of the body does not require it. */
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
	/** True if a request without a body is one without fields. */
	readonly mayBeMissing?: boolean;
	/** Table of the objects if the first field is a list (list-reader.ts). */
	readonly list?: ListTable;
	/** Fields that the route checks itself; an invalid value becomes NOT_ALLOWED. */
	readonly lenient?: readonly string[];
	readonly long?: LongField;
}

export interface ListTable {
	/** Fields of each object. In JSON, a BYTES field is a list of numbers from 0 to 255. */
	readonly fields: readonly Field[];
	readonly required: readonly string[];
	readonly maximum: number;
	readonly size: number;
	/** Writes `size` bytes, or returns why a value is invalid although it satisfies the table. */
	readonly pack: (values: BodyValues, into: Uint8Array, at: number) => Refusal | undefined;
}

export interface Refusal {
	readonly field: Field;
	/** Rest of the error message, which begins with the field's name. */
	readonly rule: string;
}

export interface LongField {
	readonly name: string;
	readonly open: (core: Core, part: never) => LongText;
}

/** Value that marks an invalid lenient field. It can't come from a request, because no JSON number is NaN. */
export const NOT_ALLOWED = Number.NaN;

export interface LongText extends TextPieces {
	/** Returns the value, or undefined if the text is refused. */
	end(): Setting | undefined;
	/** Called at the end of the request. Discards text that was not stored. */
	close(): void;
}

/** Maximum size of a body with a few settings, and of a body with a list or a file, bytes. */
export const BODY_LIMIT = 2048;
export const LONG_BODY_LIMIT = 16384;

/** Table of a route without parameters: the members of a JSON body are ignored. */
export const NO_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
	mayBeMissing: true,
});
