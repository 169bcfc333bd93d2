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
import { NO_BYTES } from "../io/machine.js";

const SHORT_START = 0x10;
const SHORT_LENGTH = 5;
const START = 0x68;
const END = 0x16;
const ACK = 0xe5;
const RSP_UD = 0x08;
const RSP_UD_FLAGS = 0x30;
/** Lengths of the head, and of head, sum and end. */
const HEAD = 4;
const AROUND = 6;
/** Shortest length of C to the data. */
const SHORTEST = 3;
const FRAME_LIMIT = 255;

export class SlaveAnswer {
	/** After `take()` returns true: C, A, CI and the data of the frame; empty for E5. */
	frame = NO_BYTES;
	readonly #bytes = new Uint8Array(FRAME_LIMIT + AROUND);
	#length = 0;
	#skip = 0;

	/** Call it before each request. */
	reset(): void {
		this.#length = this.#skip = 0;
	}

	take(byte: number): boolean {
		if (this.#skip > 0) {
			this.#skip--;
			return false;
		}
		const bytes = this.#bytes;
		if (this.#length === 0 && byte !== START) {
			if (byte === SHORT_START) this.#skip = SHORT_LENGTH - 1;
			this.frame = NO_BYTES;
			return byte === ACK;
		}
		bytes[this.#length++] = byte;
		const end = HEAD + bytes[1];
		if (this.#length === HEAD && (bytes[2] !== bytes[1] || byte !== START || bytes[1] < SHORTEST)) this.#length = 0;
		if (this.#length < end + 2) return false;
		this.#length = 0;
		let sum = 0;
		for (let i = HEAD; i < end; i++) sum += bytes[i];
		this.frame = bytes.slice(HEAD, end);
		return (sum & 0xff) === bytes[end] && byte === END && (bytes[HEAD] & ~RSP_UD_FLAGS) === RSP_UD;
	}
}
