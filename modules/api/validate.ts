/**
 * Reads the JSON object of a request against the field table of its route, as it arrives. Nothing of the body is held
 * but the values of known fields: unknown ones are checked as JSON and skipped (API decisions 5 and 6). The order of
 * complaints is that of decision 2: not JSON, then a field, then a missing field; of several fields the first one sent.
 */
import { checkField, type Field, type Setting } from "../config/schema.js";
import type { BodySink } from "../http/handler.js";
import type { TextCodec } from "../io/host.js";
import {
	JSONReader,
	TOKEN_ARRAY_START,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
} from "../json/reader.js";
import { type BodyTable, type BodyValues, type LongText, NO_BODY, NOT_ALLOWED } from "./body.js";
import { INVALID_FIELD, INVALID_JSON, MISSING_FIELD } from "./errors.js";
import { describe, describeMissing, scalarOf, valueIn } from "./field-value.js";
import { ListReader } from "./list-reader.js";

/** Told once, when the body has come to its end. `code` is "" when all is well. */
export type BodyDone = (values: BodyValues, code: string, message: string, field: string | undefined) => void;

/** Nesting of a body that is accepted (decision 6). */
const DEPTH = 4;
/** Room for the longest string that is held: a password of 128 characters, 4 bytes each. */
const SCRATCH = 512;

export class ObjectReader implements BodySink, BodyValues {
	readonly limit: number;
	readonly #table: BodyTable;
	readonly #text: TextCodec;
	readonly #done: BodyDone;
	readonly #openText: (() => LongText) | undefined;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: SCRATCH });
	readonly #values: (Setting | undefined)[] = [];
	/** Index of the field whose value comes next; -1 for none. */
	#field = -1;
	#list: ListReader | undefined;
	#long: LongText | undefined;
	#isEmpty = true;
	#isObject = false;
	#started = false;
	#broken = false;
	/** First field whose value was refused, and why; "" for none. */
	#refused = "";
	#refusal = "";
	/** First field that an object of a list lacks. */
	#missing = "";

	/** `openText` makes what takes the text of the long field; a table that has one needs it. */
	constructor(table: BodyTable, text: TextCodec, done: BodyDone, openText?: () => LongText) {
		this.limit = table.limit;
		this.#table = table;
		this.#text = text;
		this.#done = done;
		this.#openText = openText;
		this.#reader.begin();
	}

	get<Value extends Setting>(field: Field<Value>): Value | undefined {
		return valueIn(this.#table.fields, this.#values, field);
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#isEmpty = false;
		this.#reader.push(bytes, start, end);
		this.read();
	}

	end(): void {
		try {
			this.#reader.finish();
			this.read();
			if (this.#isEmpty && this.#table === NO_BODY) this.checkRequired();
			else if (this.#broken) this.fail(INVALID_JSON, "The body is not well-formed JSON, or nested too deep.");
			else if (!this.#isObject) this.fail(INVALID_JSON, "The body must be a JSON object.");
			else if (this.#refused !== "") this.fail(INVALID_FIELD, this.#refusal, this.#refused);
			else this.checkRequired();
		} finally {
			this.abort();
		}
	}

	abort(): void {
		this.#long?.close();
		this.#long = undefined;
	}

	private checkRequired(): void {
		const { fields, required } = this.#table;
		for (let i = 0; i < fields.length && this.#missing === ""; i++) {
			if (this.#values[i] === undefined && required.includes(fields[i].name)) this.#missing = fields[i].name;
		}
		if (this.#missing === "") this.#done(this, "", "", undefined);
		else this.fail(MISSING_FIELD, describeMissing(this.#missing), this.#missing);
	}

	private fail(code: string, message: string, field?: string): void {
		this.#done(this, code, message, field);
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
		} else if (this.#list !== undefined) {
			if (this.#list.take(token)) this.endList(this.#list);
		} else if (token === TOKEN_NAME && this.#reader.depth === 1 && this.#isObject) this.name();
		else if (this.#field >= 0 && token !== TOKEN_OBJECT_END) this.value(token);
	}

	private name(): void {
		const { fields, long } = this.#table;
		this.#field = fields.length - 1;
		while (this.#field >= 0 && !this.#reader.textEquals(fields[this.#field].name)) this.#field--;
		if (this.#field < 0) this.#reader.skip();
		else if (fields[this.#field].name === long?.name && this.#openText !== undefined) {
			// The same field once more: the last one counts.
			this.#long?.close();
			this.#long = this.#openText();
			this.#reader.streamTo(this.#long);
		}
	}

	/** The value of a known field. An array or object is none: its start is refused, its inside is passed over. */
	private value(token: number): void {
		const { list, long } = this.#table;
		const field = this.#table.fields[this.#field];
		if (list !== undefined && this.#field === 0 && token === TOKEN_ARRAY_START) {
			this.#list = new ListReader(list, field.name, this.#reader, this.#text);
			return;
		}
		let value: Setting | undefined;
		if (field.name !== long?.name) {
			value = scalarOf(this.#reader, this.#text, token, field);
			if (value !== undefined && !checkField(field, value)) value = undefined;
		} else if (token === TOKEN_STRING) value = this.#long?.end();
		if (value === undefined) this.refuse(field);
		else if (!Number.isNaN(this.#values[this.#field])) this.#values[this.#field] = value;
		this.#field = -1;
	}

	private refuse(field: Field): void {
		const { lenient, list } = this.#table;
		if (lenient?.includes(field.name)) this.#values[this.#field] = NOT_ALLOWED;
		else if (this.#refused === "") {
			const { name } = field;
			this.#refused = name;
			this.#refusal =
				list !== undefined && this.#field === 0
					? `${name} must be a list of at most ${list.maximum} objects.`
					: this.describe(field);
		}
	}

	/** The size of a text that is not held counts in bytes. */
	private describe(field: Field): string {
		if (field.name !== this.#table.long?.name) return describe(field);
		return `${field.name} must be a text of at most ${field.maximum} bytes.`;
	}

	private endList(list: ListReader): void {
		if (list.message === "") this.#values[0] = list.packed;
		else if (list.isMissing) this.#missing ||= list.path;
		else if (this.#refused === "") {
			this.#refused = list.path;
			this.#refusal = list.message;
		}
		this.#list = undefined;
		this.#field = -1;
	}
}
