/**
 * Extracts frames of UNPI (TI's unified network processor interface):
 *
 *   0xFE  length (0 to 250)  command (2 bytes)  data  checksum: XOR of all bytes from the length on
 *
 * The search continues at the second byte of an invalid frame, so that a valid frame inside is not lost. The XOR of all
 * previous bytes is stored for each byte: a checksum takes constant time even for crafted beginnings of many long
 * frames.
 */

const START = 0xfe;
/** Bytes before the data; one byte, the checksum, follows the data. */
const HEAD = 4;
const LENGTH_LIMIT = 250;
/** `bytes[0..SUMS)` are the received bytes; `bytes[SUMS + i]` is the XOR of those before `bytes[i]`. */
const SUMS = 256;

export const READER_ROOM = 2 * SUMS;

/** Completes a frame whose command (2 bytes) and data, `size` bytes in all, are at `start + 2`. Returns its end. */
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
	/** A frame is complete: `length` bytes of data at `bytes[data]`, after the command. They are valid until `skip`. */
	isReady = false;
	#from = 0;
	#to = 0;
	/** Value of `#to` at which the candidate is examined again. */
	#examineAt = 1;
	readonly #bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	get data(): number {
		return this.#from + HEAD;
	}

	get length(): number {
		return this.#bytes[this.#from + 1];
	}

	get isInside(): boolean {
		return this.#to > this.#from && !this.isReady;
	}

	read(from: Uint8Array, start: number, end: number): number {
		const bytes = this.#bytes;
		let at = start;
		while (at < end && !this.isReady) {
			const byte = from[at++];
			const to = this.#to++;
			bytes[to] = byte;
			bytes[SUMS + to + 1] = bytes[SUMS + to] ^ byte;
			if (to + 1 >= this.#examineAt) this.examine();
		}
		return at;
	}

	/** Skips the frame, or the first byte of a candidate that is not a frame. Another frame may then be ready. */
	skip(): void {
		this.#from += this.isReady ? this.length + HEAD + 1 : 1;
		this.isReady = false;
		this.examine();
	}

	private examine(): void {
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
			// The checksum covers all bytes but the start byte and itself.
			if ((bytes[SUMS + end] ^ bytes[SUMS + from + 1]) === bytes[end]) {
				this.isReady = true;
				break;
			}
		}
		this.#from = from;
		this.#examineAt = from === to ? 1 : need;
		// A frame in use is not moved.
		if (!this.isReady && from > 0) {
			bytes.copyWithin(0, from, to);
			bytes.copyWithin(SUMS, SUMS + from, SUMS + to + 1);
			this.#from = 0;
			this.#to = to - from;
		}
	}
}
