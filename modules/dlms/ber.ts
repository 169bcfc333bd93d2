/**
 * Elements in BER (X.690) as used by ACSE: one-byte tags and definite lengths. A message decoder reads its elements in
 * a loop and opens those that it knows, so that the nesting depth is fixed by the code.
 */
import type { Cursor } from "./cursor.js";

export const BER_INTEGER = 0x02;
export const BER_OCTET_STRING = 0x04;

/** Low bits of a tag that continues in further bytes; ACSE uses no such tags. */
const LONG_TAG = 0x1f;
/** Maximum bytes of an integer: results and diagnostics are small. */
const INTEGER_BYTES = 4;

/** One element, reused for each `read`. */
export class Element {
	tag = 0;
	/** Range of the content. */
	start = 0;
	end = 0;

	/** Reads the element at the cursor and moves past it. Returns false at the end or if the element is malformed. */
	read(cursor: Cursor): boolean {
		if (cursor.left === 0) return false;
		this.tag = cursor.u8();
		if ((this.tag & LONG_TAG) === LONG_TAG) cursor.fail();
		this.start = cursor.skip(cursor.length());
		this.end = cursor.at;
		return !cursor.failed;
	}

	/** Narrows the range to the content of its only inner element. Returns false unless that has `tag`. */
	inside(bytes: Uint8Array, tag: number): boolean {
		const { start, end } = this;
		if (end - start < 2 || bytes[start] !== tag) return false;
		const size = bytes[start + 1];
		// Inner lengths are short, except in user information, where the long form with one or two bytes occurs.
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

	/** Returns the integer inside the content; -1 if there is no integer, or it is negative or too long. */
	integer(bytes: Uint8Array): number {
		if (!this.inside(bytes, BER_INTEGER)) return -1;
		const { start, end } = this;
		if (start === end || end - start > INTEGER_BYTES || bytes[start] >= 0x80) return -1;
		let value = 0;
		for (let i = start; i < end; i++) value = value * 0x100 + bytes[i];
		return value;
	}
}
