/**
 * Reads the JSON object of a request while it arrives, and checks it against a field table. Unknown members must be
 * valid JSON, and are skipped. Errors are reported in this order: invalid JSON, invalid field (the first one sent),
 * missing field.
 */
import type { Field, Setting } from "../config/schema.js";
import type { BodySink } from "../http/handler.js";
import type { TextCodec } from "../io/host.js";
import { JSONReader, TOKEN_END, TOKEN_ERROR, TOKEN_MORE, TOKEN_OBJECT_START } from "../json/reader.js";
import type { BodyTable, BodyValues, LongText } from "./body.js";
import { INVALID_FIELD, INVALID_JSON, MISSING_FIELD } from "./errors.js";
import { FieldReader } from "./field-reader.js";
import { describeMissing, valueIn } from "./field-value.js";

/** Called at the end of the body. `code` is the error code; "" on success. */
export type BodyDone = (values: BodyValues, code: string, message: string, field: string | undefined) => void;

const DEPTH = 4;
/** Size of the buffer for a string, bytes. The longest string is a password of 128 characters with 4 bytes each. */
export const SCRATCH = 512;

export class ObjectReader implements BodySink, BodyValues {
	readonly limit: number;
	readonly #table: BodyTable;
	readonly #done: BodyDone;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: SCRATCH });
	readonly #fields: FieldReader;
	readonly #values: (Setting | undefined)[] = [];
	#isEmpty = true;
	#isObject = false;
	#started = false;
	#broken = false;

	constructor(table: BodyTable, text: TextCodec, done: BodyDone, openText?: () => LongText) {
		this.limit = table.limit;
		this.#table = table;
		this.#done = done;
		this.#reader.begin();
		this.#fields = new FieldReader(this.#reader, text, 1);
		this.#fields.begin(table, this.#values, openText);
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
		const fields = this.#fields;
		try {
			this.#reader.finish();
			this.read();
			if (this.#isEmpty && this.#table.mayBeMissing) this.checkRequired();
			else if (this.#broken) this.fail(INVALID_JSON, "The body is not well-formed JSON, or nested too deep.");
			else if (!this.#isObject) this.fail(INVALID_JSON, "The body must be a JSON object.");
			else if (fields.refused !== "") this.fail(INVALID_FIELD, fields.refusal, fields.refused);
			else this.checkRequired();
		} finally {
			this.abort();
		}
	}

	abort(): void {
		this.#fields.close();
	}

	private checkRequired(): void {
		this.#fields.end();
		const { missing } = this.#fields;
		if (missing === "") this.#done(this, "", "", undefined);
		else this.fail(MISSING_FIELD, describeMissing(missing), missing);
	}

	private fail(code: string, message: string, field?: string): void {
		this.#done(this, code, message, field);
	}

	private read(): void {
		while (!this.#broken) {
			const token = this.#reader.next();
			if (token === TOKEN_MORE || token === TOKEN_END) return;
			if (token === TOKEN_ERROR) this.#broken = true;
			else if (this.#started) {
				if (this.#isObject) this.#fields.take(token);
			} else {
				this.#started = true;
				this.#isObject = token === TOKEN_OBJECT_START;
			}
		}
	}
}
