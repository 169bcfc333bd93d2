/**
 * Packs the data sets of a readout as they arrive, without allocating memory for each record. As objects, the 343
 * records of an Iskra MT174 would need more XS slots than the chip has; packed, they take 3 KB.
 *
 * The terms are those of IEC 62056-21: a line consists of data sets, and a data set has an address and values with
 * units.
 *
 * Layout of a record (decoded by record-cursor.ts):
 *
 * | byte | meaning |
 * |---|---|
 * | flags | bit 0 A, 1 B, 2 E, 3 F was sent; 4 `&` for `*`; 5 C is a letter; 6 F has a leading zero; 7 see below |
 * | groups | one byte each of A, B, C, D, E, F, those that were sent (C and D always) |
 * | values | one or more |
 *
 * Bit 7 changes the meaning of the flags:
 *
 * | flags | record |
 * |---|---|
 * | 80 | the address follows as length and text |
 * | 81 | A to E equal those of the previous record, as in most records of a long telegram; bits 3, 4 and 6 describe F |
 * | 82 | row of a load profile, with the address of the previous record; a profile's first record is its header |
 * | 84 | attribute of a COSEM object other than its value; A to F, class and attribute follow, one byte each |
 * | 88 | header that the meter sent without an address; it also has the address of the previous record |
 *
 * Layout of a value:
 *
 * | byte | meaning |
 * |---|---|
 * | header | bits 0 to 3 length of the text (15: two more bytes, low first); 4 unit follows; 5 and 6 packing; 7 another value follows |
 * | text | packing 0: a byte each; 1: four bits each of `0123456789.-:, `; 2: four bits each of `0123456789ABCDEF` |
 * | unit | number of a known spelling (obis/units.ts); or 255, length, text |
 *
 * The raw text of a value is collected at the end of the buffer, after RAW_ROOM free bytes. When the text is complete,
 * it is packed in place; the result never needs more space than the text and the free bytes.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { GROUP_PROFILE, OBISCode } from "../obis/code.js";
import { cosemUnitText } from "../obis/units.js";
import {
	digitsAt,
	isTimeAt,
	knownUnit,
	nibbleOf,
	PACKING_RAW,
	PACKING_SHIFT,
	packingOf,
	UNIT_RAW,
	VALUE_LONG,
	VALUE_MORE,
	VALUE_UNIT,
} from "./packed-value.js";

/**
 * Size of the buffer for a readout, bytes. It is enough for the 576 records of a Kohler meter, the longest known
 * telegram.
 */
export const RUNNING_LIMIT = 8192;
export const VALUE_LIMIT = 1024;
export const UNIT_LIMIT = 32;
/** Maximum length of an address; in the standard it is 16. */
export const ADDRESS_LIMIT = 64;
/** Maximum number of values of a record. Thirteen months of a capacity tariff take 42. */
const VALUES_LIMIT = 64;
/** Maximum number of rows of load profiles: a day of quarter hours, and four rows more. */
export const ROWS_LIMIT = 100;

export const FLAG_A = 1;
export const FLAG_B = 2;
export const FLAG_E = 4;
export const FLAG_F = 8;
export const FLAG_MANUAL = 16;
export const FLAG_LETTERS = 32;
export const FLAG_PADDED_F = 64;
export const FLAG_RAW = 128;
export const FLAG_SAME = FLAG_RAW | FLAG_A;
export const FLAG_ROW = FLAG_RAW | FLAG_B;
export const FLAG_HEAD = FLAG_RAW | FLAG_F;
export const FLAG_ATTRIBUTE = FLAG_RAW | FLAG_E;
/** Number of bytes after FLAG_ATTRIBUTE: A to F, class, attribute. */
export const ATTRIBUTE_SIZE = 8;

const NO_PROFILE = -1;
const NOWHERE = -1;
/** Number of values before the columns: time, status, period, number of columns. */
export const HEAD_VALUES = 4;

/** Number of free bytes before a raw text, which packing needs. */
const RAW_ROOM = 3;

export const PART_ADDRESS = 0;
export const PART_VALUE = 1;
export const PART_UNIT = 2;

/** Receiver of data sets. Byte offsets in the parameters of its methods are valid only during the call. */
export class RecordWriter {
	readonly #buffer = new Uint8Array(RUNNING_LIMIT);
	readonly #code = new OBISCode();
	#committed = 0;
	#records = 0;
	#end = 0;
	#valueStart = 0;
	#unitStart = 0;
	#newSet = false;
	#addressOpen = false;
	#headEnd = 0;
	/** Offset of the header of the last complete value; -1 if there is none. */
	#lastValue = -1;
	#quantity = -1;
	#newQuantity = -1;
	#isDropped = false;
	#values = 0;
	/** Number of columns of the present profile. NO_PROFILE outside a profile; 0 if the header gives no number. */
	#columns = NO_PROFILE;
	/**
	 * Number of values that the header or the row still lacks. Unless it is 0, a line without an address continues the
	 * header or row.
	 */
	#missing = 0;
	/** Offset of the last record if it is a row; otherwise NOWHERE. */
	#row = NOWHERE;
	#rows = 0;
	/** True at the start of a line, where values without an address belong to the previous record. */
	#continues = false;
	#lineCommitted = 0;
	#lineRecords = 0;
	#lineLastValue = -1;
	readonly #part = new Int16Array(9);
	/** True if a limit was reached. Further data are then refused, so that the stored records have no gaps. */
	#isFull = false;
	overflow = false;
	kept: Uint8Array | undefined;
	keptIsGood = false;

	get records(): number {
		return this.#records;
	}

	/** Begins a readout, and discards earlier data. */
	begin(): void {
		this.#committed = 0;
		this.#records = 0;
		this.#lastValue = -1;
		this.#quantity = -1;
		this.#newSet = false;
		this.#isDropped = false;
		this.#isFull = false;
		this.#columns = NO_PROFILE;
		this.#rows = 0;
		this.overflow = false;
		this.beginLine();
	}

	/** Begins a part of a block, and a line. If `isAgain`, the part repeats the last part, which is discarded. */
	beginPart(isAgain: boolean): void {
		const part = this.#part;
		if (isAgain) {
			this.#lineCommitted = part[0];
			this.#lineRecords = part[1];
			this.#lineLastValue = part[2];
			this.discardLine();
			this.#rows = part[3];
			this.#columns = part[4];
			this.#missing = part[5];
			this.#row = part[6];
			this.#isDropped = part[7] === 1;
			this.overflow = part[8] === 1;
			this.beginLine();
			return;
		}
		part[0] = this.#committed;
		part[1] = this.#records;
		part[2] = this.#lastValue;
		part[3] = this.#rows;
		part[4] = this.#columns;
		part[5] = this.#missing;
		part[6] = this.#row;
		part[7] = this.#isDropped ? 1 : 0;
		part[8] = this.overflow ? 1 : 0;
	}

	/** Begins a line, which `discardLine` can discard. */
	beginLine(): void {
		this.#lineCommitted = this.#committed;
		this.#lineRecords = this.#records;
		this.#lineLastValue = this.#lastValue;
		this.#end = this.#committed;
		this.#continues = true;
	}

	beginSet(): void {
		if (this.#isFull) {
			this.discardSet();
			return;
		}
		this.#newSet = true;
		this.#continues = false;
		this.#columns = NO_PROFILE;
		this.#addressOpen = true;
		this.#isDropped = false;
		this.#end = this.#committed + RAW_ROOM;
	}

	/**
	 * Begins a value. A value before the first set of a line belongs to the previous set; in a load profile, such a line
	 * is a row.
	 */
	beginValue(): void {
		if (this.#isDropped) return;
		if (!this.#newSet && this.#lastValue < 0) this.beginSet();
		const isRow = this.#continues && this.#columns >= 0 && this.#missing === 0;
		this.#continues = false;
		const isOverLimit = isRow ? this.#rows === ROWS_LIMIT : !this.#newSet && this.#values === VALUES_LIMIT;
		if (isOverLimit) this.overflow = true;
		if (this.#isFull || isOverLimit) {
			this.discardSet();
			return;
		}
		if (isRow) this.beginRow();
		if (this.#addressOpen) this.packAddress();
		this.#valueStart = this.#newSet ? this.#headEnd : this.#committed;
		this.#end = this.#valueStart + RAW_ROOM;
		this.#unitStart = 0;
		if (this.#end + RAW_ROOM > RUNNING_LIMIT) this.fill();
	}

	text(part: number, bytes: Uint8Array, start: number, end: number): void {
		if (this.#isDropped) return;
		const length = end - start;
		if (part === PART_UNIT && this.#unitStart === 0) this.#unitStart = this.#end;
		if (this.#end + length + RAW_ROOM > RUNNING_LIMIT) {
			this.fill();
			return;
		}
		if (this.isTooLong(part, length)) {
			this.overflow = true;
			this.discardSet();
			return;
		}
		if (length === 1) this.#buffer[this.#end] = bytes[start];
		else this.#buffer.set(bytes.subarray(start, end), this.#end);
		this.#end += length;
	}

	endValue(): void {
		if (this.#isDropped) return;
		if (!this.#newSet) this.#buffer[this.#lastValue] |= VALUE_MORE;
		this.#lastValue = this.#valueStart;
		this.packValue();
		if (this.#newSet) {
			const isRow = this.#buffer[this.#committed] === FLAG_ROW;
			this.#row = isRow ? this.#committed : NOWHERE;
			if (!isRow) {
				this.#columns = this.#code.c === GROUP_PROFILE ? 0 : NO_PROFILE;
				this.#missing = 0;
			}
			this.#records++;
			this.#quantity = this.#newQuantity;
			this.#values = 0;
		}
		this.#values++;
		if (this.#columns >= 0) this.countColumns();
		this.#newSet = false;
		this.#committed = this.#end;
	}

	/** Discards a value because of a syntax error. If the set has no complete value, discards the set too. */
	discardSet(): void {
		// A missing value would shift the times of the next rows of the profile.
		if (this.#columns >= 0) this.overflow = true;
		this.#end = this.#committed;
		this.#newSet = false;
		this.#addressOpen = false;
		this.#isDropped = true;
	}

	discardLine(): void {
		this.#committed = this.#lineCommitted;
		this.#records = this.#lineRecords;
		this.#quantity = -1;
		this.#lastValue = this.#lineLastValue;
		if (this.#lastValue >= 0) this.#buffer[this.#lastValue] &= ~VALUE_MORE;
		this.discardSet();
	}

	/** Ends a block. `good`: true if its checks passed. Copy the data immediately, because `begin` may follow. */
	endBlock(good: boolean): void {
		this.keptIsGood = good;
		this.kept = this.#buffer.slice(0, this.#committed);
	}

	/** Begins a row of the profile whose header was begun by `beginCode`. */
	beginProfileRow(): void {
		this.beginLine();
		this.#columns = Math.max(0, this.#columns);
		this.#missing = 0;
	}

	private beginRow(): void {
		this.#rows++;
		this.#newSet = true;
		this.#newQuantity = this.#quantity;
		this.#buffer[this.#committed] = FLAG_ROW;
		this.#headEnd = this.#committed + 1;
	}

	/** Counts the values of a header or row. When none is missing, a line without an address begins another row. */
	private countColumns(): void {
		const isRow = this.#row !== NOWHERE;
		if (this.#values === HEAD_VALUES && (!isRow || this.isRepeatedHead())) {
			this.#columns = Math.max(0, digitsAt(this.#buffer, this.#lastValue));
			this.#missing = 2 * this.#columns;
		} else this.#missing = Math.max(0, (this.#missing > 0 ? this.#missing : this.#columns) - 1);
	}

	/**
	 * Returns true for a repeated header without an address. It begins with a time, and its last value is the number of
	 * columns.
	 */
	private isRepeatedHead(): boolean {
		const buffer = this.#buffer;
		const columns = this.#columns > 0 ? digitsAt(buffer, this.#lastValue) : 0;
		if (columns !== this.#columns || columns === 0 || !isTimeAt(buffer, this.#row + 1)) return false;
		buffer[this.#row] = FLAG_HEAD;
		this.#row = NOWHERE;
		this.#rows--;
		return true;
	}

	private fill(): void {
		this.#isFull = true;
		this.overflow = true;
		this.discardSet();
	}

	private isTooLong(part: number, length: number): boolean {
		if (part === PART_ADDRESS) return false;
		if (part === PART_UNIT) return this.#end - this.#unitStart + length > UNIT_LIMIT;
		return this.#end - this.#valueStart - RAW_ROOM + length > VALUE_LIMIT;
	}

	/** Begins a line with one data set, whose six groups are at `groups[at]`. */
	beginCode(groups: Uint8Array, at: number): void {
		this.beginLine();
		this.beginSet();
		if (this.#isFull) return;
		const code = this.#code;
		code.setGroups(groups, at);
		this.#addressOpen = false;
		this.#newQuantity = code.quantity;
		this.#headEnd = this.packCode();
	}

	value(text: Uint8Array, length: number, unit: number): void {
		this.beginValue();
		this.text(PART_VALUE, text, 0, length);
		const spelling = cosemUnitText(unit);
		if (spelling.length > 0) this.text(PART_UNIT, asciiBytes(spelling), 0, spelling.length);
		this.endValue();
	}

	/** Begins a COSEM attribute. Its class and number follow the six groups. */
	beginAttribute(groups: Uint8Array, at: number): void {
		this.beginLine();
		this.beginSet();
		if (this.#isFull) return;
		this.#addressOpen = false;
		this.#newQuantity = -1;
		this.#headEnd = this.#committed + 1 + ATTRIBUTE_SIZE;
		this.#buffer[this.#committed] = FLAG_ATTRIBUTE;
		for (let i = 0; i < ATTRIBUTE_SIZE; i++) this.#buffer[this.#committed + 1 + i] = groups[at + i];
	}

	private packAddress(): void {
		const textStart = this.#committed + RAW_ROOM;
		const code = this.#code;
		const isCode = code.parse(this.#buffer, textStart, this.#end);
		this.#newQuantity = code.quantity;
		this.#addressOpen = false;
		this.#headEnd = isCode && code.canonical && code.sub < 0 ? this.packCode() : this.packRaw(textStart);
	}

	private packCode(): number {
		const buffer = this.#buffer;
		const code = this.#code;
		const isSame = this.#newQuantity === this.#quantity;
		let flags = code.manual ? FLAG_MANUAL : 0;
		let to = this.#committed + 1;
		if (code.paddedF) flags |= FLAG_PADDED_F;
		if (isSame) flags |= FLAG_SAME;
		else {
			if (code.letters) flags |= FLAG_LETTERS;
			if (code.a >= 0) {
				flags |= FLAG_A;
				buffer[to++] = code.a;
			}
			if (code.b >= 0) {
				flags |= FLAG_B;
				buffer[to++] = code.b;
			}
			buffer[to++] = code.c;
			buffer[to++] = code.d;
			if (code.e >= 0) {
				flags |= FLAG_E;
				buffer[to++] = code.e;
			}
		}
		if (code.f >= 0) {
			flags |= FLAG_F;
			buffer[to++] = code.f;
		}
		buffer[this.#committed] = flags;
		return to;
	}

	private packRaw(textStart: number): number {
		const buffer = this.#buffer;
		const at = this.#committed;
		const length = this.#end - textStart;
		buffer.copyWithin(at + 2, textStart, this.#end);
		buffer[at] = FLAG_RAW;
		buffer[at + 1] = length;
		return at + 2 + length;
	}

	private packValue(): void {
		const buffer = this.#buffer;
		const textStart = this.#valueStart + RAW_ROOM;
		const textEnd = this.#unitStart === 0 ? this.#end : this.#unitStart;
		const length = textEnd - textStart;
		const packing = packingOf(buffer, textStart, textEnd);
		const unit = knownUnit(buffer, textEnd, this.#end);
		let to = this.#valueStart;
		buffer[to++] = Math.min(length, VALUE_LONG) | (packing << PACKING_SHIFT) | (textEnd < this.#end ? VALUE_UNIT : 0);
		if (length >= VALUE_LONG) {
			buffer[to++] = length & 0xff;
			buffer[to++] = length >> 8;
		}
		if (packing === PACKING_RAW) {
			buffer.copyWithin(to, textStart, textEnd);
			to += length;
		} else {
			for (let i = textStart; i < textEnd; i += 2) {
				const low = i + 1 < textEnd ? nibbleOf(buffer[i + 1], packing) : 0;
				buffer[to++] = (nibbleOf(buffer[i], packing) << 4) | low;
			}
		}
		if (textEnd < this.#end) {
			if (unit >= 0) buffer[to++] = unit;
			else {
				const unitLength = this.#end - textEnd;
				buffer.copyWithin(to + 2, textEnd, this.#end);
				buffer[to] = UNIT_RAW;
				buffer[to + 1] = unitLength;
				to += 2 + unitLength;
			}
		}
		this.#end = to;
	}
}
