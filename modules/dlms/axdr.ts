/**
 * Splits COSEM data in A-XDR (IEC 61334-6; types of IEC 62056-6-2, 4.1.5) into simple elements. It uses a small stack
 * instead of recursion.
 *
 * | tag | what follows |
 * |---|---|
 * | 00, FF | nothing |
 * | 01, 02 | count, elements |
 * | 03 0D 0F 11 16 1C 1F | 1 byte |
 * | 10 12 1D 20 | 2 bytes |
 * | 05 06 17 1E 21, 1B | 4 bytes |
 * | 14 15 18 | 8 bytes |
 * | 19, 1A | 12 bytes, 5 bytes |
 * | 04 | count of bits, bytes |
 * | 09 0A 0C | length, bytes |
 * | 13 | description of one element, length, bytes |
 *
 * Limits: DEPTH_LIMIT nested containers. The number of elements of a container must not exceed the number of the bytes
 * that remain.
 */
import type { Cursor } from "./cursor.js";

export const TAG_NULL = 0x00;
export const TAG_ARRAY = 0x01;
export const TAG_STRUCTURE = 0x02;
export const TAG_BOOLEAN = 0x03;
export const TAG_BIT_STRING = 0x04;
export const TAG_UINT32 = 0x06;
export const TAG_OCTET_STRING = 0x09;
export const TAG_BCD = 0x0d;
export const TAG_INT8 = 0x0f;
export const TAG_UINT16 = 0x12;
export const TAG_COMPACT_ARRAY = 0x13;
export const TAG_ENUM = 0x16;
export const TAG_DATE_TIME = 0x19;
export const TAG_DATE = 0x1a;
export const TAG_TIME = 0x1b;
export const TAG_DONT_CARE = 0xff;

export const DEPTH_LIMIT = 8;
export const STACK_SIZE = DEPTH_LIMIT * 2;
const COUNT_LIMIT = 0xffff;

/**
 * Length of the content for each tag from 00 to 21. A digit is a number of bytes, and `<` is 12 bytes. C: container; N:
 * length, bytes; B: count of bits, bytes; D: description, length, bytes; ?: undefined tag. This is a string, because an
 * array would take 16 bytes of flash for each number.
 */
const SIZES = "0CC1B44??NN?N1?1212D88148<54124124";
const DIGIT_0 = 0x30;
const UNKNOWN = 0x3f - DIGIT_0;
const COUNTED_BITS = 0x42 - DIGIT_0;
const CONTAINER = 0x43 - DIGIT_0;
const DESCRIBED = 0x44 - DIGIT_0;
const COUNTED_BYTES = 0x4e - DIGIT_0;

function sizeOf(tag: number): number {
	if (tag === TAG_DONT_CARE) return 0;
	const size = SIZES.charCodeAt(tag) - DIGIT_0;
	// If the tag is higher than the last known one, `size` is NaN.
	return size >= 0 ? size : UNKNOWN;
}

export class DataWalker {
	readonly #cursor: Cursor;
	/** Number of remaining elements of each open container, two bytes each, high byte first. */
	readonly #stack: Uint8Array;
	readonly #bottom: number;
	#top: number;
	#started = false;
	/** Tag of the current element. Its content is the bytes from `start` to before `end`. */
	tag = 0;
	start = 0;
	end = 0;
	bits = 0;

	constructor(cursor: Cursor, stack: Uint8Array, at: number) {
		this.#cursor = cursor;
		this.#stack = stack;
		this.#bottom = this.#top = at;
	}

	get bytes(): Uint8Array {
		return this.#cursor.bytes;
	}

	begin(): void {
		this.#top = this.#bottom;
		this.#started = false;
	}

	/** Moves to the next simple element. Returns false at the end, and if the data are malformed. */
	next(): boolean {
		while (this.enter()) {
			if (this.read()) return !this.#cursor.failed;
		}
		return false;
	}

	/** Skips one element with everything in it. Returns false if it is malformed. */
	skip(): boolean {
		this.begin();
		while (this.next());
		return !this.#cursor.failed;
	}

	private enter(): boolean {
		if (this.#cursor.failed) return false;
		const stack = this.#stack;
		while (this.#top > this.#bottom && stack[this.#top - 1] === 0 && stack[this.#top - 2] === 0) this.#top -= 2;
		if (this.#top > this.#bottom) {
			if (stack[this.#top - 1] === 0) stack[this.#top - 2]--;
			stack[this.#top - 1]--;
		} else if (this.#started) return false;
		this.#started = true;
		return true;
	}

	/** Reads one element. Returns false if it is a container; only its tag and count are read then. */
	private read(): boolean {
		const cursor = this.#cursor;
		this.tag = cursor.u8();
		let size = sizeOf(this.tag);
		if (size === CONTAINER) {
			this.open(cursor.length());
			return false;
		}
		if (size === COUNTED_BYTES) size = cursor.length();
		else if (size === COUNTED_BITS) {
			this.bits = cursor.length();
			size = Math.ceil(this.bits / 8);
		} else if (size === DESCRIBED) {
			this.skipDescription();
			size = cursor.length();
		} else if (size === UNKNOWN) cursor.fail();
		this.start = cursor.skip(size);
		this.end = cursor.at;
		return true;
	}

	private open(count: number): void {
		if (this.#top === this.#bottom + STACK_SIZE || count > this.#cursor.left || count > COUNT_LIMIT) {
			this.#cursor.fail();
			return;
		}
		this.#stack[this.#top++] = count >> 8;
		this.#stack[this.#top++] = count & 0xff;
	}

	/**
	 * Skips the description of an element of a compact array. The description consists of tags. After the tag of an
	 * array there is a two-byte count, and after the tag of a structure there is a length.
	 */
	private skipDescription(): void {
		const cursor = this.#cursor;
		for (let pending = 1; pending > 0 && !cursor.failed; pending--) {
			const tag = cursor.u8();
			if (tag === TAG_ARRAY) {
				cursor.u16();
				pending++;
			} else if (tag === TAG_STRUCTURE) pending += cursor.length();
			else if (sizeOf(tag) === UNKNOWN) cursor.fail();
			if (pending > cursor.left + 1) cursor.fail();
		}
	}
}
