/**
 * Reads a list of objects from a body. Each object is checked against a field table, and packed when it is complete.
 * Errors name a field as `list[3].field`, where the objects are counted from 0. After the first error the rest of the
 * list is skipped.
 *
 * A packed list is the number of objects (1 byte), then `size` bytes for each object. Limits: `maximum` objects, at
 * most 255.
 */
import { BYTES, checkField, type Field, type Setting } from "../config/schema.js";
import type { TextCodec } from "../io/host.js";
import {
	type JSONReader,
	TOKEN_ARRAY_END,
	TOKEN_ARRAY_START,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
} from "../json/reader.js";
import type { BodyValues, ListTable } from "./body.js";
import { describe, describeMissing, scalarOf, valueIn } from "./field-value.js";

const FIELD_NONE = -1;

export class ListReader implements BodyValues {
	/** First error, and the path of the field with the error; "" without an error. */
	message = "";
	path = "";
	isMissing = false;
	readonly #table: ListTable;
	readonly #name: string;
	readonly #reader: JSONReader;
	readonly #text: TextCodec;
	readonly #packed: Uint8Array;
	/** Nesting depth of the JSON reader between two objects of the list. */
	readonly #depth: number;
	#values: (Setting | undefined)[] = [];
	#count = 0;
	#field = FIELD_NONE;
	#bytes: Uint8Array | undefined;
	#byteCount = 0;

	/** Must be constructed when the reader has read the start token of the list. */
	constructor(table: ListTable, name: string, reader: JSONReader, text: TextCodec) {
		this.#table = table;
		this.#name = name;
		this.#reader = reader;
		this.#text = text;
		this.#packed = new Uint8Array(1 + table.maximum * table.size);
		this.#depth = reader.depth;
	}

	get<Value extends Setting>(field: Field<Value>): Value | undefined {
		return valueIn(this.#table.fields, this.#values, field);
	}

	get packed(): Uint8Array {
		return this.#packed.slice(0, 1 + this.#count * this.#table.size);
	}

	take(token: number): boolean {
		const depth = this.#reader.depth - this.#depth;
		if (token === TOKEN_ARRAY_END && depth < 0) return true;
		if (this.message !== "") return false;
		if (this.#bytes !== undefined) this.byte(token, this.#bytes);
		else if (token === TOKEN_NAME) this.name();
		else if (this.#field !== FIELD_NONE) this.value(token);
		else if (token === TOKEN_OBJECT_END) this.endObject();
		else if (token === TOKEN_OBJECT_START && depth === 1 && this.#count < this.#table.maximum) {
			this.#values = [];
		} else this.refuse(this.#name, `${this.#name} must be a list of at most ${this.#table.maximum} objects.`);
		return false;
	}

	private name(): void {
		const { fields } = this.#table;
		this.#field = fields.length - 1;
		while (this.#field >= 0 && !this.#reader.textEquals(fields[this.#field].name)) this.#field--;
		if (this.#field < 0) this.#reader.skip();
	}

	private value(token: number): void {
		const field = this.#table.fields[this.#field];
		if (field.kind === BYTES && token === TOKEN_ARRAY_START && this.#reader.depth === this.#depth + 2) {
			this.#bytes = new Uint8Array(field.maximum);
			this.#byteCount = 0;
		} else this.keep(field, field.kind === BYTES ? undefined : scalarOf(this.#reader, this.#text, token, field));
	}

	private byte(token: number, bytes: Uint8Array): void {
		const field = this.#table.fields[this.#field];
		const { number, isInteger } = this.#reader;
		if (token === TOKEN_ARRAY_END) {
			this.#bytes = undefined;
			this.keep(field, bytes.slice(0, this.#byteCount));
		} else if (token !== TOKEN_NUMBER || !isInteger || number < 0 || number > 255 || this.#byteCount === bytes.length) {
			this.keep(field, undefined);
		} else bytes[this.#byteCount++] = number;
	}

	private keep(field: Field, value: Setting | undefined): void {
		if (value !== undefined && checkField(field, value)) this.#values[this.#field] = value;
		else this.refuseField(field);
		this.#field = FIELD_NONE;
	}

	private endObject(): void {
		const { fields, required, size, pack } = this.#table;
		for (let i = 0; i < fields.length; i++) {
			if (this.#values[i] !== undefined || !required.includes(fields[i].name)) continue;
			const path = this.pathOf(fields[i]);
			this.refuse(path, describeMissing(path));
			this.isMissing = true;
			return;
		}
		const refused = pack(this, this.#packed, 1 + this.#count * size);
		if (refused !== undefined) {
			const path = this.pathOf(refused.field);
			this.refuse(path, `${path} ${refused.rule}`);
		} else this.#packed[0] = ++this.#count;
	}

	private pathOf(field: Field): string {
		return `${this.#name}[${this.#count}].${field.name}`;
	}

	private refuseField(field: Field): void {
		const path = this.pathOf(field);
		this.refuse(path, describe(field, path));
	}

	private refuse(path: string, message: string): void {
		this.path = path;
		this.message = message;
	}
}
