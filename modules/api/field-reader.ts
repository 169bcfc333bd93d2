/** Reads the members of a JSON object token by token and checks them against a field table. Keeps the first error. */
import { checkField, type Field, type Setting } from "../config/schema.js";
import type { TextCodec } from "../io/host.js";
import { type JSONReader, TOKEN_ARRAY_START, TOKEN_NAME, TOKEN_OBJECT_END, TOKEN_STRING } from "../json/reader.js";
import { type BodyTable, type LongText, NO_BODY, NOT_ALLOWED } from "./body.js";
import { describe, scalarOf } from "./field-value.js";
import { ListReader } from "./list-reader.js";

export class FieldReader {
	/** First refused field, and the reason (`refusal`); "" if no field was refused. */
	refused = "";
	refusal = "";
	/** First missing required field, possibly in an object of the list; "" if none is missing. */
	missing = "";
	readonly #reader: JSONReader;
	readonly #text: TextCodec;
	readonly #depth: number;
	#table = NO_BODY;
	#values: (Setting | undefined)[] = [];
	#openText: (() => LongText) | undefined;
	/** Index of the field being read, or -1. */
	#field = -1;
	#list: ListReader | undefined;
	#long: LongText | undefined;

	constructor(reader: JSONReader, text: TextCodec, depth: number) {
		this.#reader = reader;
		this.#text = text;
		this.#depth = depth;
	}

	/**
	 * Starts an object. `openText` creates the receiver of the long field; without `openText` that field is ignored.
	 */
	begin(table: BodyTable, values: (Setting | undefined)[], openText?: () => LongText): void {
		this.#table = table;
		this.#values = values;
		this.#openText = openText;
		this.#field = -1;
	}

	/**
	 * Takes the next token of the object. Returns false for the name of an unknown field, whose value is then skipped.
	 */
	take(token: number): boolean {
		if (this.#list !== undefined) {
			if (this.#list.take(token)) this.endList(this.#list);
		} else if (token === TOKEN_NAME && this.#reader.depth === this.#depth) return this.name();
		else if (this.#field >= 0 && token !== TOKEN_OBJECT_END) this.value(token);
		return true;
	}

	end(): void {
		const { fields, required } = this.#table;
		for (let i = 0; i < fields.length && this.missing === ""; i++) {
			if (this.#values[i] === undefined && required.includes(fields[i].name)) this.missing = fields[i].name;
		}
	}

	close(): void {
		this.#long?.close();
		this.#long = undefined;
	}

	private name(): boolean {
		const { fields, long } = this.#table;
		this.#field = fields.length - 1;
		while (this.#field >= 0 && !this.#reader.textEquals(fields[this.#field].name)) this.#field--;
		const isLong = this.#field >= 0 && fields[this.#field].name === long?.name;
		if (isLong && this.#openText !== undefined) {
			// If the field occurs twice, the second value replaces the first one.
			this.#long?.close();
			this.#long = this.#openText();
			this.#reader.streamTo(this.#long);
		} else if (isLong) this.#field = -1;
		if (this.#field < 0) this.#reader.skip();
		return this.#field >= 0;
	}

	/**
	 * Takes the first token of a field's value. An array or object as the value of a simple field is refused and
	 * skipped.
	 */
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
		else if (this.refused === "") {
			const { name } = field;
			this.refused = name;
			this.refusal =
				list !== undefined && this.#field === 0
					? `${name} must be a list of at most ${list.maximum} objects.`
					: this.describe(field);
		}
	}

	private describe(field: Field): string {
		if (field.name !== this.#table.long?.name) return describe(field);
		return `${field.name} must be a text of at most ${field.maximum} bytes.`;
	}

	private endList(list: ListReader): void {
		if (list.message === "") this.#values[0] = list.packed;
		else if (list.isMissing) this.missing ||= list.path;
		else if (this.refused === "") {
			this.refused = list.path;
			this.refusal = list.message;
		}
		this.#list = undefined;
		this.#field = -1;
	}
}
