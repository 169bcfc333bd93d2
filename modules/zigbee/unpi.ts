/**
 * Extracts frames of the coprocessor's UART (UNPI, TI's unified network processor interface) from a byte stream:
 *
 *   0xFE  length (0 to 250)  command (2 bytes)  data  checksum: XOR of all bytes from the length on
 *
 * After an invalid frame or a wrong checksum, the search continues at the next byte, so a valid frame inside the rejected
 * bytes is not lost. The XOR of all previous bytes is stored for each byte, so that a checksum takes constant time whatever
 * the length. Crafted bytes that look like starts of long frames therefore cost no extra time.
 */

const START = 0xfe;
/** Bytes of a frame before its data. One byte follows the data. */
const HEAD = 4;
const LENGTH_LIMIT = 250;
/** Received bytes are in `bytes[0..SUMS)`; `bytes[SUMS + i]` is the XOR of the bytes before `bytes[i]`. */
const SUMS = 256;

/** Size of the reader's part of the buffer. */
export const READER_ROOM = 2 * SUMS;

/**
 * Completes the frame at `start`. Its command of 2 bytes and data, `size` bytes together, are already at `start + 2`.
 * Returns the end of the frame.
 */
export function seal(bytes: Uint8Array, start: number, size: number): number {
	const end = start + 2 + size;
	bytes[start] = START;
	bytes[start + 1] = size - 2;
	let check = 0;
	for (let at = start + 1; at < end; at++) check ^= bytes[at];
	bytes[end] = check;
	return end + 1;
}

export class FrameReader {
	/**
	 * True when a frame is complete: `length` bytes of data at `bytes[data]`, preceded by its command. It stays valid until
	 * `skip`.
	 */
	isReady = false;
	/** Start of the candidate frame, and end of the received bytes. */
	#from = 0;
	#to = 0;
	/** Value of `#to` from which the candidate must be examined again. */
	#need = 1;
	readonly #bytes: Uint8Array;

	/** Uses the first READER_ROOM bytes of `bytes`. */
	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	get data(): number {
		return this.#from + HEAD;
	}

	get length(): number {
		return this.#bytes[this.#from + 1];
	}

	/** True while a frame has begun and is incomplete. */
	get isInside(): boolean {
		return this.#to > this.#from && !this.isReady;
	}

	/** Takes bytes of `from[start..end)` until a frame is ready; returns the position of the next byte to take. */
	take(from: Uint8Array, start: number, end: number): number {
		const bytes = this.#bytes;
		let at = start;
		while (at < end && !this.isReady) {
			const byte = from[at++];
			const to = this.#to++;
			bytes[to] = byte;
			bytes[SUMS + to + 1] = bytes[SUMS + to] ^ byte;
			if (to + 1 >= this.#need) this.look();
		}
		return at;
	}

	/**
	 * Discards the complete frame, or the first byte of an incomplete frame that will not continue. Another frame may then
	 * be ready.
	 */
	skip(): void {
		this.#from += this.isReady ? this.length + HEAD + 1 : 1;
		this.isReady = false;
		this.look();
	}

	/** Searches for a complete frame or the start of one. */
	private look(): void {
		const bytes = this.#bytes;
		const to = this.#to;
		let from = this.#from;
		let need = 1;
		for (; from < to; from++) {
			if (bytes[from] !== START) continue;
			need = 2;
			if (to - from < need) break;
			const length = bytes[from + 1];
			if (length > LENGTH_LIMIT) continue;
			need = HEAD + length + 1;
			if (to - from < need) break;
			const end = from + need - 1;
			// Covers all bytes but the start byte and the checksum.
			if ((bytes[SUMS + end] ^ bytes[SUMS + from + 1]) === bytes[end]) {
				this.isReady = true;
				break;
			}
		}
		this.#from = from;
		this.#need = from === to ? 1 : need;
		// Moves the rest to the front, unless a complete frame is still in use.
		if (!this.isReady && from > 0) {
			bytes.copyWithin(0, from, to);
			bytes.copyWithin(SUMS, SUMS + from, SUMS + to + 1);
			this.#from = 0;
			this.#to = to - from;
		}
	}
}
