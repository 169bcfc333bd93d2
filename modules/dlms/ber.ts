/**
 * Elements in BER (X.690) as ACSE uses them: tags of one byte, definite lengths. The decoder of a message reads its
 * elements in a loop and goes into those that it knows: no recursion, and a depth fixed by the code.
 */
import type { Cursor } from "./cursor.js";

export const BER_INTEGER = 0x02;
export const BER_OCTET_STRING = 0x04;

/** Low bits of a tag that goes on in further bytes, which ACSE never needs. */
const LONG_TAG = 0x1f;
/** Bytes of an integer: results and diagnostics are small. */
const INTEGER_BYTES = 4;

/** One element; made once, filled by each `read`. */
export class Element {
	tag = 0;
	/** Its contents. */
	start = 0;
	end = 0;

	/** Reads the element where the cursor stands and passes over it; false at the end or when it is broken. */
	read(cursor: Cursor): boolean {
		if (cursor.left === 0) return false;
		this.tag = cursor.u8();
		if ((this.tag & LONG_TAG) === LONG_TAG) cursor.fail();
		this.start = cursor.skip(cursor.length());
		this.end = cursor.at;
		return !cursor.failed;
	}

	/** Goes into the only element, with this tag, that the contents are; false if they are something else. */
	inside(bytes: Uint8Array, tag: number): boolean {
		const { start, end } = this;
		if (end - start < 2 || bytes[start] !== tag) return false;
		const size = bytes[start + 1];
		// What stands inside is short, but for user information, where the long form of one and two bytes occurs.
		const long = size > 0x80 ? size - 0x80 : 0;
		if (long > 2 || size === 0x80 || start + 2 + long > end) return false;
		let length = size;
		if (long > 0) {
			length = 0;
			for (let i = 0; i < long; i++) length = length * 0x100 + bytes[start + 2 + i];
		}
		if (start + 2 + long + length !== end) return false;
		this.start = start + 2 + long;
		return true;
	}

	/** The integer that the contents hold as an element; -1 if they don't, or it is negative or long. */
	integer(bytes: Uint8Array): number {
		if (!this.inside(bytes, BER_INTEGER)) return -1;
		const { start, end } = this;
		if (start === end || end - start > INTEGER_BYTES || bytes[start] >= 0x80) return -1;
		let value = 0;
		for (let i = start; i < end; i++) value = value * 0x100 + bytes[i];
		return value;
	}
}
