/**
 * Frames of the coprocessor's UART (UNPI, TI's unified network processor interface), cut out of whatever comes:
 *
 *   0xFE  length (0 to 250)  command (2 bytes)  data  check: XOR of all from the length on
 *
 * What is no frame, or has a wrong check, costs one byte, and the search goes on behind it: the good frame that it ran into
 * is not lost. Beside each byte the XOR of all before it is kept, so that a check costs the same whatever the length: bytes
 * that are made to look like beginnings of long frames cost no more than others.
 */

const START = 0xfe;
/** Bytes of a frame before and behind its data. */
const HEAD = 4;
const LENGTH_LIMIT = 250;
/** What is gathered stands in `bytes[0..SUMS)`; `bytes[SUMS + i]` is the XOR of what came before `bytes[i]`. */
const SUMS = 256;

/** Bytes of the buffer that a reader gathers in. */
export const READER_ROOM = 2 * SUMS;

/** Makes a frame at `start` of a command of 2 bytes and data, `size` bytes together, that stand at `start + 2`; its end. */
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
	/** A frame is whole, with `length` bytes of data at `bytes[data]`, its command before them. It holds until `skip`. */
	isReady = false;
	/** Where the frame looked at begins, and what has come ends. */
	#from = 0;
	#to = 0;
	/** Where `#to` must be for another look. */
	#need = 1;
	readonly #bytes: Uint8Array;

	/** The first READER_ROOM bytes are its own. */
	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	get data(): number {
		return this.#from + HEAD;
	}

	get length(): number {
		return this.#bytes[this.#from + 1];
	}

	/** A frame has begun, and the rest is to come. */
	get isInside(): boolean {
		return this.#to > this.#from && !this.isReady;
	}

	/** Takes bytes of `from[start..end)` until a frame is ready; where the next one to take stands. */
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

	/** Done with the frame that is ready; else the rest will not come, and what has begun was none. Another may be ready. */
	skip(): void {
		this.#from += this.isReady ? this.length + HEAD + 1 : 1;
		this.isReady = false;
		this.look();
	}

	/** Looks for a whole frame, or for the beginning of one. */
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
			// All but the start byte and the check.
			if ((bytes[SUMS + end] ^ bytes[SUMS + from + 1]) === bytes[end]) {
				this.isReady = true;
				break;
			}
		}
		this.#from = from;
		this.#need = from === to ? 1 : need;
		// Room for the longest frame is made when nothing is being read from here.
		if (!this.isReady && from > 0) {
			bytes.copyWithin(0, from, to);
			bytes.copyWithin(SUMS, SUMS + from, SUMS + to + 1);
			this.#from = 0;
			this.#to = to - from;
		}
	}
}
