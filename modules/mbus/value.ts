/**
 * Values of data records as text (EN 13757-3, annex A). Numbers arrive with the low byte first, and are multiplied by a
 * power of ten. Times are written as P1 ports send them: YYMMDDhhmmss, followed by S in summer time and, for a time
 * with seconds (type I), by W in winter time. A date has six digits.
 */
import { isDigit } from "../bytes/ascii.js";
import { DECIMAL_LIMIT, putFloat, putInteger, shiftPoint } from "../bytes/decimal.js";
import { putHex } from "../bytes/hex.js";
import {
	CODING_BCD,
	CODING_FLOAT,
	CODING_NONE,
	CODING_VARIABLE,
	type RecordHeader,
	TABLE_FD,
} from "./record-header.js";

const QUANTITY_DATE = 0x6c;
const QUANTITY_CLOCK = 0x6d;
const QUANTITY_TARIFF_START = TABLE_FD + 0x30;
/** Access number, medium and other numbers that identify the meter. They have no sign (EN 13757-3, table 14). */
const QUANTITY_IDENT_START = TABLE_FD + 0x08;
const QUANTITY_IDENT_END = TABLE_FD + 0x10;
const QUANTITY_BATTERY_CHANGE = TABLE_FD + 0x70;
/** Codings of a date (type G), of a time with minutes (type F), and of a time with seconds (type I). */
const CODING_DATE = 2;
const CODING_MINUTES = 4;
const CODING_SECONDS = 6;

/** Maximum length of text and of binary data, bytes. Written in hex, binary data have twice as many characters. */
const LIMIT = 255;

const BLANK = 0x20;
const DELETE = 0x7f;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const LETTER_F = 0x66;
const LETTER_S = 0x53;
const LETTER_W = 0x57;
/** Flags for summer time: a bit of the hour in type F, and a bit of the second in type I. */
const SUMMER_F = 0x80;
const SUMMER_I = 0x40;
/**
 * Mask of the minute with its highest bit, which is set if the meter's clock is not valid. In type I, bit 6 belongs to
 * the season.
 */
const MINUTE = 0xbf;

export class ValueText {
	readonly bytes = new Uint8Array(Math.max(DECIMAL_LIMIT + 1, 2 * LIMIT));
	length = 0;
	/** True if the value is a number in the record's unit. */
	isNumber = false;

	/** Writes the value as text. Returns false if the record has no value, or an impossible one. */
	read(source: Uint8Array, header: RecordHeader, exponent: number): boolean {
		const { coding, dataAt, end, isText, quantity } = header;
		this.length = 0;
		this.isNumber = false;
		if (coding === CODING_NONE) return false;
		if (this.readTime(source, header)) return this.length > 0;
		const data = source.slice(dataAt, end).reverse();
		if (coding === CODING_VARIABLE && isText && isPrintable(data)) {
			this.bytes.set(data);
			this.length = data.length;
		} else if (coding < CODING_BCD) {
			const span = { bytes: data, start: 0, end: data.length };
			const isSigned = quantity < QUANTITY_IDENT_START || quantity >= QUANTITY_IDENT_END;
			this.isNumber = true;
			this.length =
				coding === CODING_FLOAT
					? putFloat(span, exponent, this.bytes)
					: putInteger(span, isSigned, exponent, this.bytes);
		} else {
			for (let i = 0; i < data.length; i++) putHex(this.bytes, 2 * i, data[i]);
			this.length = 2 * data.length;
			if (coding !== CODING_VARIABLE) this.shiftBCD(exponent);
		}
		return this.length > 0;
	}

	/**
	 * Moves the decimal point. A leading F stands for a minus sign; other letters are what the meter's display shows for
	 * an error.
	 */
	private shiftBCD(exponent: number): void {
		const { bytes, length } = this;
		let first = 0;
		if (bytes[0] === LETTER_F) bytes[first++] = MINUS;
		for (let i = first; i < length; i++) {
			if (isDigit(bytes[i])) continue;
			if (first > 0) bytes[0] = LETTER_F;
			return;
		}
		let from = first;
		while (from < length - 1 && bytes[from] === DIGIT_0) from++;
		bytes.copyWithin(first, from, length);
		this.isNumber = true;
		this.length = shiftPoint(bytes, first, length - from + first, exponent);
	}

	/** Writes a time. Returns false if the record is not a time. For an invalid time, `length` stays 0. */
	private readTime(source: Uint8Array, { quantity, coding, dataAt }: RecordHeader): boolean {
		const isDate = quantity === QUANTITY_DATE && coding === CODING_DATE;
		const isMoment =
			quantity === QUANTITY_CLOCK || quantity === QUANTITY_TARIFF_START || quantity === QUANTITY_BATTERY_CHANGE;
		const hasSeconds = coding === CODING_SECONDS;
		if (!isDate && !(isMoment && (hasSeconds || coding === CODING_MINUTES))) return quantity === QUANTITY_CLOCK;
		const second = hasSeconds ? source[dataAt] & 0x3f : 0;
		const minuteAt = hasSeconds ? dataAt + 1 : dataAt;
		const at = isDate ? dataAt : minuteAt + 2;
		const year = (source[at] >> 5) | ((source[at + 1] & 0xf0) >> 1);
		const parts = [year, source[at + 1] & 0x0f, source[at] & 0x1f];
		const [, month, day] = parts;
		if (day === 0 || month === 0 || month > 12 || year > 99) return true;
		if (isMoment) {
			const hour = source[minuteAt + 1] & 0x1f;
			const minute = source[minuteAt] & MINUTE;
			if (hour > 23 || minute > 59 || second > 59) return true;
			parts.push(hour, minute, second);
		}
		for (const part of parts) {
			this.bytes[this.length++] = DIGIT_0 + Math.floor(part / 10);
			this.bytes[this.length++] = DIGIT_0 + (part % 10);
		}
		const isSummer = hasSeconds ? source[dataAt] & SUMMER_I : source[minuteAt + 1] & SUMMER_F;
		if (isMoment && (isSummer || hasSeconds)) this.bytes[this.length++] = isSummer ? LETTER_S : LETTER_W;
		return true;
	}
}

function isPrintable(bytes: Uint8Array): boolean {
	for (let i = 0; i < bytes.length; i++) if (bytes[i] < BLANK || bytes[i] === DELETE) return false;
	return true;
}
