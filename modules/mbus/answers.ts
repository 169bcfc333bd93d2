/**
 * Extracts what a slave answers to a master (EN 13757-2, 5.5): the single character E5, or a long frame.
 *
 * | bytes | field |
 * |---|---|
 * | 4 | 68 L L 68; L counts from C to the data |
 * | 1 | C: RSP_UD, 08, with the flags ACD (20) and DFC (10) |
 * | 1 | A: address |
 * | 1 | CI: kind of data |
 * | n | data |
 * | 2 | sum of C to the data, 16 |
 *
 * Short frames, which are echoes of requests, are skipped.
 */

const SHORT_START = 0x10;
const SHORT_LENGTH = 5;
const START = 0x68;
const END = 0x16;
const ACK = 0xe5;
const RSP_UD = 0x08;
const RSP_UD_FLAGS = 0x30;
/** Shortest and longest length of C to the data. */
const SHORTEST = 3;
export const FRAME_LIMIT = 255;

export const ANSWER_NONE = 0;
export const ANSWER_ACK = 1;
export const ANSWER_FRAME = 2;

export class SlaveAnswers {
	/** After `take()` returns ANSWER_FRAME: C, A, CI and the data are `bytes[0..end)`. */
	readonly bytes = new Uint8Array(FRAME_LIMIT);
	end = 0;
	/** Bytes so far, and sum. */
	#at = 0;
	#sum = 0;
	/** Number of bytes of a short frame still to be skipped. */
	#skip = 0;

	/** Call it before each request. */
	reset(): void {
		this.#at = this.#skip = 0;
	}

	/** Processes a byte; returns ANSWER_…. A frame is valid until the next call. */
	take(byte: number): number {
		if (this.#skip > 0) this.#skip--;
		else if (this.#at > 0) return this.takeLong(byte);
		else if (byte === ACK) return ANSWER_ACK;
		else if (byte === SHORT_START) this.#skip = SHORT_LENGTH - 1;
		else if (byte === START) this.#at = 1;
		return ANSWER_NONE;
	}

	private takeLong(byte: number): number {
		const at = this.#at++;
		const body = at - 4;
		if (at === 1) {
			this.end = byte;
			this.#sum = 0;
			if (byte < SHORTEST) this.#at = 0;
		} else if (at < 4) {
			if (byte !== (at === 2 ? this.end : START)) this.#at = 0;
		} else if (body < this.end) {
			this.bytes[body] = byte;
			this.#sum = (this.#sum + byte) & 0xff;
		} else if (body === this.end) {
			if (byte !== this.#sum) this.#at = 0;
		} else {
			this.#at = 0;
			if (byte === END && (this.bytes[0] & ~RSP_UD_FLAGS) === RSP_UD) return ANSWER_FRAME;
		}
		return ANSWER_NONE;
	}
}
