/**
 * Decodes a packed readout (record-writer.ts) record by record, into reused buffers.
 *
 * The first value of a record is the reading, and the second one qualifies it, for example by a time. Some meters send
 * the time first; the cursor then swaps them. Examples are `0-1:24.2.1(101209112500W)(12785.123*m3)` (DSMR P1 5.0.2,
 * 6.12; capacity tariff of Belgium) and `0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(m3)(00001.001)` (DSMR P1 2.2),
 * where the reading is last and its unit precedes it. The units for the rows of a load profile are in its header.
 */

import { GROUP_PROFILE, OBIS_TEXT_LIMIT, OBISCode } from "../obis/code.js";
import { unitIndex, unitText } from "../obis/units.js";
import {
	PACKING_HEX,
	PACKING_RAW,
	PACKING_SHIFT,
	UNIT_RAW,
	VALUE_LONG,
	VALUE_MORE,
	VALUE_UNIT,
} from "./packed-value.js";
import {
	ADDRESS_LIMIT,
	ATTRIBUTE_SIZE,
	FLAG_A,
	FLAG_ATTRIBUTE,
	FLAG_B,
	FLAG_E,
	FLAG_F,
	FLAG_HEAD,
	FLAG_LETTERS,
	FLAG_MANUAL,
	FLAG_PADDED_F,
	FLAG_RAW,
	FLAG_ROW,
	FLAG_SAME,
	HEAD_VALUES,
	VALUE_LIMIT,
} from "./record-writer.js";

/** Characters `0123456789ABCDEF`. */
const HEX_ALPHABET = Object.freeze([
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46,
]);
/** Characters `0123456789.-:, `; the last code is unused. */
const NUMERIC_ALPHABET = Object.freeze([
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2e, 0x2d, 0x3a, 0x2c, 0x20, 0x20,
]);

const SHORT_TEXT = 32;

const NOWHERE = -1;

/** Length of `YYMMDDhhmmss`. `S` (or `s`) or `W` follows if the meter distinguishes summer and winter time. */
const TIME_LENGTH = 12;
const LETTER_S = 0x53;
const LETTER_W = 0x57;
const CAPITAL = 0xdf;
/** Number of values of a reading in DSMR P1 2.2. The last value is the number, and the value before it is the unit. */
const OLD_FORM = 7;
/**
 * Index of the first column's unit in the header of a profile (IEC 62056-21, VDEW 2.1.2). The header has the code and
 * the unit of each column.
 */
const COLUMN_UNITS = HEAD_VALUES + 1;
/** Maximum number of codes that are sent only with `*00`, and therefore treated as totals. */
const TOTALS_LIMIT = 16;

export class RecordCursor {
	readonly #records: Uint8Array;
	/** Address as the meter sent it, ASCII, `addressLength` bytes. */
	readonly address = new Uint8Array(Math.max(ADDRESS_LIMIT, OBIS_TEXT_LIMIT));
	addressLength = 0;
	/** Address as an OBIS code. All groups are -1 if the address is not one. */
	readonly code = new OBISCode();
	/** Class of a COSEM object if the record is an attribute other than its value; otherwise 0. */
	classId = 0;
	/** Number of the COSEM attribute if it is not the object's value; otherwise 0. */
	attribute = 0;
	isSameCode = false;
	readonly text = new Uint8Array(VALUE_LIMIT);
	length = 0;
	readonly shortText = this.text.subarray(0, SHORT_TEXT);
	/** True if the text has only digits, A to F and `.-:, `, so that it needs no escapes in JSON. */
	isPlain = true;
	/**
	 * Unit as the meter sent it. If a value of a past billing period has no unit, it is the unit of the current value.
	 */
	unit = "";
	isPlainUnit = true;
	#isEncoded = false;
	#record = NOWHERE;
	#values = 0;
	#next = 0;
	#hasMore = false;
	#index = 0;
	#first = 0;
	/** Number of values; valid if `#first` is not 0. */
	#count = 0;
	/** Offset of the next record; valid if `#first` is not 0. */
	#end = 0;
	#isRow = false;
	/**
	 * Offset of the values of the last record that is not a row. That record is the header of the rows that follow it.
	 */
	#head = 0;
	/** True if `*00` marks the current value; undefined as long as this is not known. */
	#hasTotals: boolean | undefined;
	#textFrom = 0;
	#unitFrom = NOWHERE;
	#packing = PACKING_RAW;
	/**
	 * Last current record: `quantity` of its code, and offset of its values. Records of past billing periods take their
	 * unit from it.
	 */
	#currentQuantity = -1;
	#currentValues = 0;

	constructor(records: Uint8Array) {
		this.#records = records;
	}

	nextRecord(): boolean {
		if (this.#record !== NOWHERE) {
			if (this.code.billingPeriod === null && this.attribute === 0) {
				this.#currentQuantity = this.code.quantity;
				this.#currentValues = this.#values;
			}
			while (this.#hasMore && this.#first === 0) {
				this.#hasMore = (this.#records[this.#next] & VALUE_MORE) !== 0;
				this.#next = this.locate(this.#next);
			}
			if (this.#first > 0) this.#next = this.#end;
		}
		if (this.#next >= this.#records.length) return false;
		this.#record = this.#next;
		this.readAddress();
		this.#values = this.#next;
		if (!this.#isRow) this.#head = this.#values;
		this.findFirst();
		this.rewind();
		return true;
	}

	get isRow(): boolean {
		return this.#isRow;
	}

	/**
	 * Returns a copy in which the single values of `newer` replace the old ones. The records in `newer` must be some of
	 * these records, in the same order; otherwise returns undefined. Call it before reading any record.
	 */
	replaced(newer: Uint8Array): Uint8Array | undefined {
		const records = this.#records;
		const into = new Uint8Array(records.length + newer.length);
		const next = new RecordCursor(newer);
		let from = 0;
		let to = 0;
		let isLeft = next.nextRecord();
		while (isLeft && this.nextRecord()) {
			const { billingPeriod, quantity } = this.code;
			if (quantity !== next.code.quantity || this.attribute !== 0 || billingPeriod !== null) continue;
			into.set(records.subarray(from, this.#values), to);
			to += this.#values - from;
			const value = newer.subarray(next.#values, next.locate(next.#values));
			into.set(value, to);
			to += value.length;
			from = this.locate(this.#values);
			isLeft = next.nextRecord();
		}
		if (isLeft) return undefined;
		into.set(records.subarray(from), to);
		return into.slice(0, to + records.length - from);
	}

	toStart(): void {
		this.#record = NOWHERE;
		this.#currentQuantity = -1;
		this.#isRow = false;
		this.#next = 0;
	}

	rewind(): void {
		this.#next = this.#values;
		this.#hasMore = true;
		this.#index = 0;
	}

	nextValue(): boolean {
		if (!this.#hasMore) return false;
		const index = this.#index++;
		const first = this.#first;
		// If the unit is a separate value, it is read first, because `readText` overwrites `text`.
		let separateUnit = "";
		if (this.#isRow) separateUnit = this.unitIn(this.#head, COLUMN_UNITS + 2 * index);
		else if (index === 0 && first === OLD_FORM - 1) separateUnit = this.unitIn(this.#values, first - 1);
		if (first === 0) {
			this.#hasMore = (this.#records[this.#next] & VALUE_MORE) !== 0;
			this.#next = this.locate(this.#next);
		} else {
			this.#hasMore = index + 1 < this.#count;
			this.find(this.#values, index > first ? index : (index === 0 ? first + 1 : index) - 1);
		}
		this.readText();
		this.unit = this.readUnit();
		if (this.unit !== "") return true;
		this.unit = separateUnit;
		if (first === 0 && this.code.billingPeriod !== null && this.attribute === 0) {
			const { length } = this;
			this.unit = this.inheritedUnit(index);
			this.length = length;
		}
		return true;
	}

	private findFirst(): void {
		this.#first = 0;
		if (this.#isRow || this.code.c === GROUP_PROFILE) return;
		const records = this.#records;
		const header = records[this.#values];
		const beyond = (header & 15) - TIME_LENGTH;
		if ((header & (VALUE_MORE | VALUE_UNIT)) !== VALUE_MORE || (beyond !== 0 && beyond !== 1)) return;
		let at = this.locate(this.#values);
		this.readText();
		const hasSeason = beyond === 1;
		if (!isTime(this.text, hasSeason)) return;
		const hasUnit = (records[at] & VALUE_UNIT) !== 0;
		let count = 1;
		for (let more = true; more; count++) {
			more = (records[at] & VALUE_MORE) !== 0;
			at = this.locate(at);
		}
		this.#count = count;
		this.#end = at;
		if (hasUnit || (hasSeason && count === 2)) this.#first = 1;
		else if (count === OLD_FORM && this.unitIn(this.#values, count - 2) !== "") this.#first = count - 1;
	}

	private find(values: number, index: number): boolean {
		let at = values;
		for (let i = 0; i < index; i++) {
			if ((this.#records[at] & VALUE_MORE) === 0) return false;
			at = this.locate(at);
		}
		this.locate(at);
		return true;
	}

	private unitIn(values: number, index: number): string {
		if (!this.find(values, index)) return "";
		this.readText();
		return unitText(unitIndex(this.text, 0, this.length));
	}

	private readAddress(): void {
		const records = this.#records;
		const flags = records[this.#next++];
		this.#isRow = flags === FLAG_ROW;
		this.isSameCode = this.#isRow || flags === FLAG_HEAD;
		if (this.isSameCode) return;
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
		if (isZero(code)) {
			this.#hasTotals ??= this.findTotals();
			if (this.#hasTotals) code.f = -1;
		}
	}

	/** Returns a cursor that takes `*00` for a billing period. */
	private literalCursor(): RecordCursor {
		const cursor = new RecordCursor(this.#records);
		cursor.#hasTotals = false;
		return cursor;
	}

	/**
	 * Returns true if `*00` marks current values. Some meters send their totals only in this form (Pafal, Apator:
	 * `1.8.0*00(000783.16)`). If such a code occurs twice, or also in another form, `*00` marks a billing period.
	 */
	private findTotals(): boolean {
		const zeros: number[] = [];
		let cursor = this.literalCursor();
		while (cursor.nextRecord()) {
			if (!isZero(cursor.code)) continue;
			const { quantity } = cursor.code;
			if (zeros.includes(quantity) || zeros.length === TOTALS_LIMIT) return false;
			zeros.push(quantity);
		}
		cursor = this.literalCursor();
		while (cursor.nextRecord()) {
			if (!isZero(cursor.code) && zeros.includes(cursor.code.quantity)) return false;
		}
		return true;
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
	 * Returns the unit of the previous record with the same code, because meters send the unit only with the current
	 * value (IEC 62056-21, 6.5).
	 */
	private inheritedUnit(index: number): string {
		if (this.#currentQuantity < 0 || this.code.quantity !== this.#currentQuantity) return "";
		return this.find(this.#currentValues, index) ? this.readUnit() : "";
	}
}

function isZero(code: OBISCode): boolean {
	return code.f === 0 && code.paddedF && !code.manual && code.sub < 0;
}

/** Returns true for twelve digits that are followed by S or W (if `hasSeason`) or form a plausible date (otherwise). */
function isTime(text: Uint8Array, hasSeason: boolean): boolean {
	for (let i = 0; i < TIME_LENGTH; i++) if (text[i] < 0x30 || text[i] > 0x39) return false;
	const letter = text[TIME_LENGTH];
	if (hasSeason) return (letter & CAPITAL) === LETTER_S || (letter & CAPITAL) === LETTER_W;
	return text[2] <= 0x31 && text[4] <= 0x33 && text[6] <= 0x32;
}
