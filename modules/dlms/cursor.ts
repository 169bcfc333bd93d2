/**
 * Reader of untrusted bytes for BER and A-XDR, and functions that write lengths. The reader never throws. If bytes are
 * wrong or missing, it sets `failed`, and all reads return 0 until `set` is called.
 *
 * A length (X.690, 8.1.3, definite form; IEC 61334-6, 6.1) is one byte below 0x80, or 0x81 to 0x84 followed by 1 to 4
 * bytes, high byte first.
 */

const LENGTH_BYTES = 4;
const LONG_FORM = 0x80;

export class Cursor {
	bytes: Uint8Array;
	at = 0;
	end = 0;
	/** True after an error. All values that were read since `set` are then invalid. */
	failed = false;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	/** Sets the bytes to read. They are not copied. */
	set(bytes: Uint8Array, start: number, end: number): this {
		this.bytes = bytes;
		this.at = start;
		this.end = end;
		this.failed = false;
		return this;
	}

	get left(): number {
		return this.failed ? 0 : this.end - this.at;
	}

	fail(): void {
		this.failed = true;
		this.at = this.end;
	}

	u8(): number {
		if (this.at < this.end) return this.bytes[this.at++];
		this.fail();
		return 0;
	}

	u16(): number {
		return this.u8() * 0x100 + this.u8();
	}

	u32(): number {
		return this.u16() * 0x10000 + this.u16();
	}

	expect(byte: number): void {
		if (this.u8() !== byte) this.fail();
	}

	/** Reads a length. It is not compared with the number of remaining bytes. */
	length(): number {
		const first = this.u8();
		if (first < LONG_FORM) return first;
		const count = first - LONG_FORM;
		if (count === 0 || count > LENGTH_BYTES) {
			this.fail();
			return 0;
		}
		let length = 0;
		for (let i = 0; i < count; i++) length = length * 0x100 + this.u8();
		return length;
	}

	/** Skips `count` bytes and returns the position of the first one. */
	skip(count: number): number {
		const start = this.at;
		if (count > this.end - this.at) this.fail();
		else this.at += count;
		return start;
	}
}

export function putLength(into: Uint8Array, at: number, length: number): number {
	let to = at;
	if (length >= 0x100) {
		into[to++] = LONG_FORM + 2;
		into[to++] = length >> 8;
	} else if (length >= LONG_FORM) into[to++] = LONG_FORM + 1;
	into[to++] = length & 0xff;
	return to;
}

/** Copies bytes and returns the end. A loop copies them, because it needs no temporary view. */
export function putBytes(into: Uint8Array, at: number, bytes: ArrayLike<number>): number {
	for (let i = 0; i < bytes.length; i++) into[at + i] = bytes[i];
	return at + bytes.length;
}
