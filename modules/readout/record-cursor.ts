/**
 * Takes a packed readout (record-writer.ts) apart, one record at a time, for the API, and later for the hub, Zigbee and
 * the history. Nothing is allocated per record: a record is looked at through the cursor's own buffers.
 */

import { OBIS_TEXT_LIMIT, OBISCode } from "../obis/code.js";
import { unitText } from "../obis/units.js";
import {
	ATTRIBUTE_SIZE,
	FLAG_A,
	FLAG_ATTRIBUTE,
	FLAG_B,
	FLAG_E,
	FLAG_F,
	FLAG_LETTERS,
	FLAG_MANUAL,
	FLAG_PADDED_F,
	FLAG_RAW,
	FLAG_SAME,
	PACKING_HEX,
	PACKING_RAW,
	PACKING_SHIFT,
	UNIT_RAW,
	VALUE_LIMIT,
	VALUE_LONG,
	VALUE_MORE,
	VALUE_UNIT,
} from "./record-writer.js";
import { ADDRESS_LIMIT } from "./sink.js";

/** The characters that four bits stand for: `0123456789ABCDEF`, and `0123456789.-:, ` with one left over. */
const HEX_ALPHABET = Object.freeze([
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46,
]);
const NUMERIC_ALPHABET = Object.freeze([
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2e, 0x2d, 0x3a, 0x2c, 0x20, 0x20,
]);

/** Most values are no longer. */
const SHORT_TEXT = 32;

/** Place that no record begins at. */
const NOWHERE = -1;

export class RecordCursor {
	readonly #records: Uint8Array;
	/** The address as the meter sent it: `address[0..addressLength)`, ASCII. */
	readonly address = new Uint8Array(Math.max(ADDRESS_LIMIT, OBIS_TEXT_LIMIT));
	addressLength = 0;
	/** The address as a code; all groups are -1 when it is none. */
	readonly code = new OBISCode();
	/** Class and attribute of a COSEM object, where it is not its value; else 0. */
	classId = 0;
	attribute = 0;
	/** The code is that of the record before, but for its billing period. */
	isSameCode = false;
	/** The current value: `text[0..length)`, ASCII. */
	readonly text = new Uint8Array(VALUE_LIMIT);
	length = 0;
	/** The beginning of `text`, for whoever copies whole arrays. */
	readonly shortText = this.text.subarray(0, SHORT_TEXT);
	/** The text has digits, letters A to F and `.-:, ` only: nothing that JSON escapes. */
	isPlain = true;
	/** Unit of the current value as sent; for a past billing period, taken from the current value if it has none. */
	unit = "";
	/** The unit is one of obis/units.ts: nothing that JSON escapes. */
	isPlainUnit = true;
	/** The address was made from the code. */
	#isEncoded = false;
	/** Places in the packed bytes: this record, its values, the value to read next, the next record. */
	#record = NOWHERE;
	#values = 0;
	#next = 0;
	#more = false;
	#index = 0;
	/** Parts of the value located last. */
	#textFrom = 0;
	#unitFrom = NOWHERE;
	#packing = PACKING_RAW;
	/** The last record that was no past billing period: its `quantity`, and where its values begin. */
	#currentQuantity = -1;
	#currentValues = 0;

	/** `records` must not change while the cursor is used. */
	constructor(records: Uint8Array) {
		this.#records = records;
	}

	/** Goes to the next record, before its first value; false at the end. */
	nextRecord(): boolean {
		if (this.#record !== NOWHERE) {
			if (this.code.billingPeriod === null && this.attribute === 0) {
				this.#currentQuantity = this.code.quantity;
				this.#currentValues = this.#values;
			}
			while (this.#more) {
				this.#more = (this.#records[this.#next] & VALUE_MORE) !== 0;
				this.#next = this.locate(this.#next);
			}
		}
		if (this.#next >= this.#records.length) return false;
		this.#record = this.#next;
		this.readAddress();
		this.#values = this.#next;
		this.rewind();
		return true;
	}

	/** Goes back to before the first value of the current record. */
	rewind(): void {
		this.#next = this.#values;
		this.#more = true;
		this.#index = 0;
	}

	/** Goes to the next value of the record; false when there is none. `text`, `length` and `unit` are then its own. */
	nextValue(): boolean {
		if (!this.#more) return false;
		this.#more = (this.#records[this.#next] & VALUE_MORE) !== 0;
		this.#next = this.locate(this.#next);
		this.readText();
		this.unit = this.readUnit();
		if (this.unit === "" && this.code.billingPeriod !== null && this.attribute === 0) {
			const { length } = this;
			this.unit = this.inheritedUnit();
			// Looking at the other record's values has changed it.
			this.length = length;
		}
		this.#index++;
		return true;
	}

	private readAddress(): void {
		const records = this.#records;
		const flags = records[this.#next++];
		this.isSameCode = false;
		this.classId = this.attribute = 0;
		if (flags === FLAG_ATTRIBUTE) {
			this.readAttribute();
			return;
		}
		if (flags === FLAG_RAW) {
			this.#isEncoded = false;
			this.addressLength = records[this.#next++];
			this.address.set(records.subarray(this.#next, this.#next + this.addressLength));
			this.#next += this.addressLength;
			this.code.parse(this.address, 0, this.addressLength);
			return;
		}
		const code = this.code;
		if ((flags & FLAG_SAME) === FLAG_SAME) this.isSameCode = this.#isEncoded;
		else {
			code.a = flags & FLAG_A ? records[this.#next++] : -1;
			code.b = flags & FLAG_B ? records[this.#next++] : -1;
			code.c = records[this.#next++];
			code.d = records[this.#next++];
			code.e = flags & FLAG_E ? records[this.#next++] : -1;
			code.sub = -1;
			code.letters = (flags & FLAG_LETTERS) !== 0;
		}
		code.f = flags & FLAG_F ? records[this.#next++] : -1;
		code.manual = (flags & FLAG_MANUAL) !== 0;
		code.paddedF = (flags & FLAG_PADDED_F) !== 0;
		this.addressLength = this.isSameCode ? code.encodePeriod(this.address) : code.encode(this.address, 0);
		this.#isEncoded = true;
	}

	private readAttribute(): void {
		const records = this.#records;
		this.code.setGroups(records, this.#next);
		this.#next += ATTRIBUTE_SIZE;
		this.classId = records[this.#next - 2];
		this.attribute = records[this.#next - 1];
		this.addressLength = this.code.encode(this.address, 0);
		this.#isEncoded = true;
	}

	/** Finds the parts of the value at `at`; returns where the next value or record begins. */
	private locate(at: number): number {
		const records = this.#records;
		const header = records[at];
		let from = at + 1;
		this.length = header & 15;
		if (this.length === VALUE_LONG) {
			this.length = records[from] + records[from + 1] * 256;
			from += 2;
		}
		this.#packing = (header >> PACKING_SHIFT) & 3;
		this.#textFrom = from;
		from += this.#packing === PACKING_RAW ? this.length : (this.length + 1) >> 1;
		this.#unitFrom = header & VALUE_UNIT ? from : NOWHERE;
		if (this.#unitFrom === NOWHERE) return from;
		return records[from] === UNIT_RAW ? from + 2 + records[from + 1] : from + 1;
	}

	private readText(): void {
		const records = this.#records;
		const from = this.#textFrom;
		this.isPlain = this.#packing !== PACKING_RAW;
		if (!this.isPlain) {
			this.text.set(records.subarray(from, from + this.length));
			return;
		}
		const alphabet = this.#packing === PACKING_HEX ? HEX_ALPHABET : NUMERIC_ALPHABET;
		const { text, length } = this;
		for (let i = 0; i < length; i += 2) {
			const byte = records[from + (i >> 1)];
			text[i] = alphabet[byte >> 4];
			text[i + 1] = alphabet[byte & 15];
		}
	}

	/** The unit found by `#locate`. */
	private readUnit(): string {
		const from = this.#unitFrom;
		this.isPlainUnit = true;
		if (from === NOWHERE) return "";
		const number = this.#records[from];
		if (number !== UNIT_RAW) return unitText(number);
		this.isPlainUnit = false;
		const characters = this.#records.subarray(from + 2, from + 2 + this.#records[from + 1]);
		return String.fromCharCode.apply(null, characters as unknown as number[]);
	}

	/**
	 * Meters print the unit with the current value only (IEC 62056-21, 6.5): a value of a past billing period gets that of
	 * the same value of the same code before it.
	 */
	private inheritedUnit(): string {
		if (this.#currentQuantity < 0 || this.code.quantity !== this.#currentQuantity) return "";
		let at = this.#currentValues;
		for (let i = 0; i < this.#index; i++) {
			if ((this.#records[at] & VALUE_MORE) === 0) return "";
			at = this.locate(at);
		}
		this.locate(at);
		return this.readUnit();
	}
}
