/**
 * Extracts frames of UNPI (TI's unified network processor interface):
 *
 *   0xFE  length (0 to 250)  command (2 bytes)  data  checksum: XOR of all bytes from the length on
 *
 * After an invalid frame, the search continues at its second byte, so that a valid frame inside it is not lost. For
 * each byte, the XOR of all previous bytes is stored. So a checksum is calculated in constant time, even if the input
 * has been crafted to contain the beginnings of many long frames.
 */

const START = 0xfe;
/** Number of bytes before the data. After the data, one byte follows, the checksum. */
const HEAD = 4;
const LENGTH_LIMIT = 250;
/**
 * Offset of the XORs: `bytes[0..SUMS)` are the received bytes, and `bytes[SUMS + i]` is the XOR of the bytes before
 * `bytes[i]`.
 */
const SUMS = 256;

export const READER_ROOM = 2 * SUMS;

/**
 * Completes a frame and returns its end. The command (2 bytes) and the data are at `start + 2` and have `size` bytes
 * together.
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
	 * True if a frame is complete. Its `length` bytes of data, after the command, are at `bytes[data]` and valid until
	 * `skip`.
	 */
	isReady = false;
	#from = 0;
	#to = 0;
	/** Value of `#to` at which the candidate for a frame is examined again. */
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

	/**
	 * Skips the complete frame, or the first byte of a candidate that is not a frame. Another frame may then be complete.
	 */
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
			// The checksum covers all bytes except the start byte and the checksum itself.
			if ((bytes[SUMS + end] ^ bytes[SUMS + from + 1]) === bytes[end]) {
				this.isReady = true;
				break;
			}
		}
		this.#from = from;
		this.#examineAt = from === to ? 1 : need;
		// A complete frame is in use, so it is not moved.
		if (!this.isReady && from > 0) {
			bytes.copyWithin(0, from, to);
			bytes.copyWithin(SUMS, SUMS + from, SUMS + to + 1);
			this.#from = 0;
			this.#to = to - from;
		}
	}
}
