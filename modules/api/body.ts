/** What the body of a route may be, and what is in one: tables for validate.ts, values for the routes. */
import type { Field, Setting } from "../config/schema.js";
import type { Core } from "../core/core.js";
import type { TextPieces } from "../json/string.js";

/** The values of a body, by their fields. */
export interface BodyValues {
	/** Undefined: the body didn't have it. Of a list, its bytes. */
	get<Value extends Setting>(field: Field<Value>): Value | undefined;
}

/** The value of a field that the body's table requires. */
export function needed<Value extends Setting>(values: BodyValues, field: Field<Value>): Value {
	const value = values.get(field);
	if (value === undefined) throw new Error(`api: the table of the body doesn't require ${field.name}`);
	return value;
}

export const NO_VALUES: BodyValues = Object.freeze({ get: () => undefined });

/** Body of a route. */
export interface BodyTable {
	readonly fields: readonly Field[];
	/** Names of the fields that must be there. */
	readonly required: readonly string[];
	/** Largest body, bytes. */
	readonly limit: number;
	/** What the first field's objects are, where it is a list: its value is then bytes, packed as list-reader.ts says. */
	readonly list?: ListTable;
	/** Names of the fields that the route checks itself: one that its table doesn't allow comes as NOT_ALLOWED. */
	readonly lenient?: readonly string[];
	/** A field whose text is too long to be held. */
	readonly long?: LongField;
}

export interface ListTable {
	/** Fields of one object; one of BYTES is a list of numbers 0 to 255. */
	readonly fields: readonly Field[];
	/** Names of the fields that each object must have. */
	readonly required: readonly string[];
	/** Most objects. */
	readonly maximum: number;
	/** Bytes of one object when packed. */
	readonly size: number;
	/** Writes an object into `into[at..at+size)`. Returns why a value can't be taken although its table allows it. */
	readonly pack: (values: BodyValues, into: Uint8Array, at: number) => Refusal | undefined;
}

/** Why a value is refused. */
export interface Refusal {
	readonly field: Field;
	/** What it must be: the end of a sentence that begins with the field's name. */
	readonly rule: string;
}

export interface LongField {
	readonly name: string;
	/** Makes what takes the text; the field's value is what that gives at the text's end. */
	readonly open: (core: Core, part: never) => LongText;
}

/** Value of a lenient field that was there, but isn't allowed: no JSON number is NaN. */
export const NOT_ALLOWED = Number.NaN;

/** Takes a long text as it arrives. */
export interface LongText extends TextPieces {
	/** The text is complete. Its value, or undefined when it is refused. */
	end(): Setting | undefined;
	/** The body is done with, for good or ill: what nobody has kept by now can go. */
	close(): void;
}

/** Largest body of a route of a few settings, and of one with a list or a file (decision 6), bytes. */
export const BODY_LIMIT = 2048;
export const LONG_BODY_LIMIT = 16384;

/** For a route that needs no body: the JSON that comes is not read. */
export const NO_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
});
