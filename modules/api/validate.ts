/**
 * Reads the JSON object of a request against the field table of its route, as it arrives. Nothing of the body is held
 * but the values of known fields: unknown ones are checked as JSON and skipped (API decisions 5 and 6). The order of
 * complaints is that of decision 2: not JSON, then a field, then a missing field; of several fields the first one sent.
 */
import { BOOLEAN, BYTES, checkField, type Field, TEXT } from "../config/schema.js";
import type { BodySink } from "../http/connection.js";
import type { TextCodec } from "../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_FALSE,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
	TOKEN_TRUE,
} from "../json/reader.js";
import { INVALID_FIELD, INVALID_JSON, MISSING_FIELD } from "./errors.js";

/** Value of a field as the body gave it. */
export type Value = boolean | number | string;

/** Body of a route. */
export interface BodyTable {
	readonly fields: readonly Field[];
	/** Names of the fields that must be there. */
	readonly required: readonly string[];
	/** Largest body, bytes. */
	readonly limit: number;
}

/** Told once, when the body has come to its end. `code` is "" when all is well. */
export type BodyDone = (
	values: readonly (Value | undefined)[],
	code: string,
	message: string,
	field: string | undefined,
) => void;

/** Nesting of a body that is accepted (decision 6). */
const DEPTH = 4;
/** Room for the longest string: a password of 128 characters, 4 bytes each. */
const SCRATCH = 512;

export class ObjectReader implements BodySink {
	readonly limit: number;
	readonly #table: BodyTable;
	readonly #text: TextCodec;
	readonly #done: BodyDone;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: SCRATCH });
	readonly #values: (Value | undefined)[] = [];
	/** Index of the field whose value comes next; -1 for none. */
	#field = -1;
	#isObject = false;
	#started = false;
	#broken = false;
	/** First field whose value was refused. */
	#refused: Field | undefined;

	constructor(table: BodyTable, text: TextCodec, done: BodyDone) {
		this.limit = table.limit;
		this.#table = table;
		this.#text = text;
		this.#done = done;
		this.#reader.begin();
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#reader.push(bytes, start, end);
		this.read();
	}

	end(): void {
		this.#reader.finish();
		this.read();
		if (this.#broken) this.fail(INVALID_JSON, "The body is not well-formed JSON, or nested too deep.");
		else if (!this.#isObject) this.fail(INVALID_JSON, "The body must be a JSON object.");
		else if (this.#refused !== undefined) this.fail(INVALID_FIELD, describe(this.#refused), this.#refused.name);
		else this.checkRequired();
	}

	private checkRequired(): void {
		const { fields, required } = this.#table;
		for (let i = 0; i < fields.length; i++) {
			const { name } = fields[i];
			if (this.#values[i] !== undefined || !required.includes(name)) continue;
			this.fail(MISSING_FIELD, `The field ${name} is missing.`, name);
			return;
		}
		this.#done(this.#values, "", "", undefined);
	}

	private fail(code: string, message: string, field?: string): void {
		this.#done(this.#values, code, message, field);
	}

	private read(): void {
		while (!this.#broken) {
			const token = this.#reader.next();
			if (token === TOKEN_MORE || token === TOKEN_END) return;
			if (token === TOKEN_ERROR) this.#broken = true;
			else this.take(token);
		}
	}

	private take(token: number): void {
		if (!this.#started) {
			this.#started = true;
			this.#isObject = token === TOKEN_OBJECT_START;
		} else if (token === TOKEN_NAME && this.#reader.depth === 1 && this.#isObject) this.name();
		else if (this.#field >= 0 && token !== TOKEN_OBJECT_END) this.value(token);
	}

	private name(): void {
		const { fields } = this.#table;
		this.#field = fields.length - 1;
		while (this.#field >= 0 && !this.#reader.textEquals(fields[this.#field].name)) this.#field--;
		if (this.#field < 0) this.#reader.skip();
	}

	/** The value of a known field. An array or object is none: its start is refused, its inside is passed over. */
	private value(token: number): void {
		const field = this.#table.fields[this.#field];
		const value = this.valueOf(token, field);
		if (value !== undefined && checkField(field, value)) this.#values[this.#field] = value;
		else this.#refused ??= field;
		this.#field = -1;
	}

	private valueOf(token: number, field: Field): Value | undefined {
		const reader = this.#reader;
		if (token === TOKEN_TRUE) return true;
		if (token === TOKEN_FALSE) return false;
		if (token === TOKEN_NUMBER) return reader.isInteger ? reader.number : undefined;
		if (token !== TOKEN_STRING || reader.truncated || field.kind === BOOLEAN) return undefined;
		return this.#text.decode(reader.text, 0, reader.length);
	}
}

/** What the field may be, in words. */
function describe(field: Field): string {
	const { name, kind, minimum, maximum, choices } = field;
	if (kind === BOOLEAN) return `${name} must be true or false.`;
	if (choices.length > 0) return `${name} must be one of ${choices.join(", ")}.`;
	if (kind === TEXT) return `${name} must be a text of ${minimum} to ${maximum} characters that are allowed in it.`;
	if (kind === BYTES) return `${name} is not valid.`;
	return `${name} must be a whole number from ${minimum} to ${maximum}.`;
}
