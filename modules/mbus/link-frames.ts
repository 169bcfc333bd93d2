/**
 * Extracts frames of the link layer (EN 13757-2, 5.5).
 *
 * | bytes | long frame | short frame |
 * |---|---|---|
 * | 4 | 68 L L 68; L counts from C to the data | 10 (1 byte) |
 * | 1 | C: kind of frame, with flags | the same |
 * | 1 | A: address | the same |
 * | 1 | CI: kind of data | |
 * | n | data | |
 * | 2 | sum of C to the data, 16 | the same |
 *
 * The single character E5 acknowledges a frame.
 */
import { NO_BYTES } from "../io/machine.js";

const SHORT_START = 0x10;
export const START = 0x68;
export const END = 0x16;
export const ACK = 0xe5;
export const SND_NKE = 0x40;
/** Lengths of the start of a short and of a long frame, of C and A, and of sum and end. */
const SHORT_HEAD = 1;
const HEAD = 4;
const SHORT_BODY = 2;
const TAIL = 2;
/** Shortest length of C to the data. */
const SHORTEST = 3;
const FRAME_LIMIT = 255;

/** Control field of an answer with data, without the flags ACD and DFC, and the mask of these flags. */
const RSP_UD = 0x08;
const RSP_UD_FLAGS = 0x30;

export function shortFrame(control: number, address: number): Uint8Array {
	return Uint8Array.of(SHORT_START, control, address, control + address, END);
}

/** Returns true if the frame is a slave's answer with data. */
export function isAnswer(frame: Uint8Array): boolean {
	return frame.length >= SHORTEST && (frame[0] & ~RSP_UD_FLAGS) === RSP_UD;
}

export class LinkFrames {
	/** When `take()` returns true: C, A, CI and the data of a long frame, or C and A of a short frame; empty for E5. */
	frame = NO_BYTES;
	readonly #bytes = new Uint8Array(HEAD + FRAME_LIMIT + TAIL);
	#length = 0;

	/** Drops an incomplete frame. */
	reset(): void {
		this.#length = 0;
	}

	/** Processes a byte. Returns true if it completes a frame with a correct sum, or is E5. */
	take(byte: number): boolean {
		const bytes = this.#bytes;
		if (this.#length === 0 && byte !== START && byte !== SHORT_START) {
			this.frame = NO_BYTES;
			return byte === ACK;
		}
		bytes[this.#length++] = byte;
		const isLong = bytes[0] === START;
		const head = isLong ? HEAD : SHORT_HEAD;
		const end = head + (isLong ? bytes[1] : SHORT_BODY);
		const isHead = isLong && this.#length === HEAD;
		if (isHead && (bytes[2] !== bytes[1] || byte !== START || bytes[1] < SHORTEST)) this.skipStart();
		if (this.#length < end + TAIL) return false;
		this.#length = 0;
		let sum = 0;
		for (let i = head; i < end; i++) sum += bytes[i];
		this.frame = bytes.slice(head, end);
		return (sum & 0xff) === bytes[end] && byte === END;
	}

	/** Drops a first 68 that was noise. Another 68 in the header may be the real start. */
	private skipStart(): void {
		const bytes = this.#bytes;
		const next = bytes.indexOf(START, 1);
		this.#length = next > 0 && next < HEAD ? HEAD - next : 0;
		bytes.copyWithin(0, next, HEAD);
	}
}
