/**
 * Reads the members of a JSON object against a field table, token by token: for validate.ts, whose body is one such object,
 * and restore-reader.ts, whose body has one for each group of settings. The first complaint counts.
 */
import { checkField, type Field, type Setting } from "../config/schema.js";
import type { TextCodec } from "../io/host.js";
import { type JSONReader, TOKEN_ARRAY_START, TOKEN_NAME, TOKEN_OBJECT_END, TOKEN_STRING } from "../json/reader.js";
import { type BodyTable, type LongText, NO_BODY, NOT_ALLOWED } from "./body.js";
import { describe, scalarOf } from "./field-value.js";
import { ListReader } from "./list-reader.js";

export class FieldReader {
	/** First field whose value was refused, and why; "" for none. */
	refused = "";
	refusal = "";
	/** First field that an object of a list lacks, or that the table requires; "" for none. */
	missing = "";
	readonly #reader: JSONReader;
	readonly #text: TextCodec;
	/** Objects and lists open inside the object. */
	readonly #depth: number;
	#table = NO_BODY;
	#values: (Setting | undefined)[] = [];
	#openText: (() => LongText) | undefined;
	/** Index of the field whose value comes next; -1 for none. */
	#field = -1;
	#list: ListReader | undefined;
	#long: LongText | undefined;

	constructor(reader: JSONReader, text: TextCodec, depth: number) {
		this.#reader = reader;
		this.#text = text;
		this.#depth = depth;
	}

	/**
	 * An object of this table begins; its values go into `values`. `openText` makes what takes the long field's text; without
	 * it there is no such field.
	 */
	begin(table: BodyTable, values: (Setting | undefined)[], openText?: () => LongText): void {
		this.#table = table;
		this.#values = values;
		this.#openText = openText;
		this.#field = -1;
	}

	/** Takes a token between the object's start and its end. False: a name that the table has not; its value is skipped. */
	take(token: number): boolean {
		if (this.#list !== undefined) {
			if (this.#list.take(token)) this.endList(this.#list);
		} else if (token === TOKEN_NAME && this.#reader.depth === this.#depth) return this.name();
		else if (this.#field >= 0 && token !== TOKEN_OBJECT_END) this.value(token);
		return true;
	}

	/** The object is over: what it had to have is looked for. */
	end(): void {
		const { fields, required } = this.#table;
		for (let i = 0; i < fields.length && this.missing === ""; i++) {
			if (this.#values[i] === undefined && required.includes(fields[i].name)) this.missing = fields[i].name;
		}
	}

	/** What of the long field nobody has kept can go. */
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
			// The same field once more: the last one counts.
			this.#long?.close();
			this.#long = this.#openText();
			this.#reader.streamTo(this.#long);
		} else if (isLong) this.#field = -1;
		if (this.#field < 0) this.#reader.skip();
		return this.#field >= 0;
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
		else if (this.refused === "") {
			const { name } = field;
			this.refused = name;
			this.refusal =
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
		else if (list.isMissing) this.missing ||= list.path;
		else if (this.refused === "") {
			this.refused = list.path;
			this.refusal = list.message;
		}
		this.#list = undefined;
		this.#field = -1;
	}
}
