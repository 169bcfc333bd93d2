/**
 * Reads BER elements (X.690) as ACSE uses them, with one-byte tags and definite lengths. Only the contents of known
 * elements are decoded.
 */
import type { Cursor } from "./cursor.js";

export const BER_INTEGER = 0x02;
export const BER_OCTET_STRING = 0x04;

const LONG_TAG = 0x1f;
/** Maximum size of an integer, bytes. It is sufficient, because results and diagnostics are small numbers. */
const INTEGER_BYTES = 4;

export class Element {
	tag = 0;
	start = 0;
	end = 0;

	read(cursor: Cursor): boolean {
		if (cursor.left === 0) return false;
		this.tag = cursor.u8();
		if ((this.tag & LONG_TAG) === LONG_TAG) cursor.fail();
		this.start = cursor.skip(cursor.length());
		this.end = cursor.at;
		return !cursor.failed;
	}

	inside(bytes: Uint8Array, tag: number): boolean {
		const { start, end } = this;
		if (end - start < 2 || bytes[start] !== tag) return false;
		const size = bytes[start + 1];
		// The length is in one byte or, for user information, in one or two further bytes.
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

	integer(bytes: Uint8Array): number {
		if (!this.inside(bytes, BER_INTEGER)) return -1;
		const { start, end } = this;
		if (start === end || end - start > INTEGER_BYTES || bytes[start] >= 0x80) return -1;
		let value = 0;
		for (let i = start; i < end; i++) value = value * 0x100 + bytes[i];
		return value;
	}
}
