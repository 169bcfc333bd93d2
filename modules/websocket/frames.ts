/**
 * Frames of a WebSocket (RFC 6455, 5.2). The reader parses the frames of the other side. It joins fragments, but does
 * not check that text is valid UTF-8. The owner of the reader receives bytes into `into[at..end)`, and calls `next`
 * when `at` has reached `end`.
 */
import { putUint16BE, uint16BE } from "../bytes/integers.js";

/** Number of free bytes that are needed before the payload of a frame to send. */
export const FRAME_ROOM = 8;

export const OPCODE_TEXT = 1;
export const OPCODE_CLOSE = 8;
export const OPCODE_PING = 9;
export const OPCODE_PONG = 10;

/** Results of `next`. */
export const FRAME_MORE = 0;
/** A message is in `message[0..length)`. Set `length` to -1 before the next call. */
export const FRAME_MESSAGE = 1;
/** A ping arrived. Its payload is in `control[FRAME_ROOM..controlEnd)`. */
export const FRAME_PING = 2;
export const FRAME_CLOSE = 3;
/** The frame is invalid or too large. */
export const FRAME_BAD = 4;

const FINAL = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MASK_SIZE = 4;
/** Value of the second byte if two bytes with the length follow. Larger values mean a longer length or a mask. */
const LENGTH_2 = 126;
const CONTROL_LIMIT = 125;
const HEAD_LIMIT = 8;

export class FrameReader {
	length = -1;
	readonly message: Uint8Array;
	readonly control = new Uint8Array(FRAME_ROOM + CONTROL_LIMIT);
	controlEnd = 0;
	into: Uint8Array;
	at = 0;
	end = 0;
	/** MASKED if the other side is a client, because a client must mask its frames; otherwise 0. */
	readonly #mask: number;
	readonly #head = new Uint8Array(HEAD_LIMIT);
	#headEnd = 0;
	#isPayload = false;
	#start = 0;
	/** Number of bytes of earlier fragments in `message`. */
	#kept = 0;

	/** `limit`: maximum length of a message, bytes. */
	constructor(limit: number, isMasked: boolean) {
		this.message = new Uint8Array(limit);
		this.#mask = isMasked ? MASKED : 0;
		this.into = this.#head;
		this.expectHead();
	}

	expect(into: Uint8Array, start: number, size: number): void {
		this.into = into;
		this.at = start;
		this.end = start + size;
	}

	expectHead(): void {
		this.expect(this.#head, 0, 2);
	}

	next(): number {
		return this.#isPayload ? this.takePayload() : this.takeHead();
	}

	private takeHead(): number {
		const head = this.#head;
		const short = head[1] ^ this.#mask;
		const isLong = short === LENGTH_2;
		const size = 2 + (isLong ? 2 : 0) + (this.#mask === 0 ? 0 : MASK_SIZE);
		if (short > LENGTH_2) return FRAME_BAD;
		if (this.end < size) {
			this.end = size;
			return FRAME_MORE;
		}
		const code = head[0] & 15;
		const length = isLong ? uint16BE(head, 2) : short;
		const into = code <= OPCODE_TEXT ? this.message : this.control;
		const start = code <= OPCODE_TEXT ? this.#kept : FRAME_ROOM;
		const isKnown = code <= OPCODE_TEXT || code === OPCODE_PING || code === OPCODE_PONG;
		if (code === OPCODE_CLOSE) return FRAME_CLOSE;
		if (!isKnown || head[0] & RESERVED || start + length > into.length) return FRAME_BAD;
		this.#isPayload = true;
		this.#headEnd = size;
		this.#start = start;
		this.expect(into, start, length);
		return FRAME_MORE;
	}

	private takePayload(): number {
		const { into, end } = this;
		const head = this.#head;
		const first = head[0];
		const code = first & 15;
		const start = this.#start;
		if (this.#mask !== 0) {
			const maskAt = this.#headEnd - MASK_SIZE;
			for (let i = start; i < end; i++) into[i] ^= head[maskAt + ((i - start) & 3)];
		}
		this.#isPayload = false;
		this.expectHead();
		if (code === OPCODE_PING) {
			this.controlEnd = end;
			return FRAME_PING;
		}
		if (code > OPCODE_TEXT) return FRAME_MORE;
		this.#kept = end;
		if (first < FINAL) return FRAME_MORE;
		this.#kept = 0;
		this.length = end;
		return FRAME_MESSAGE;
	}
}

/**
 * Makes a frame with the payload `bytes[start..end)`, and returns the offset at which the frame begins. FRAME_ROOM
 * bytes before `start` are overwritten. If there is a mask, which clients must use, the payload is masked in place.
 */
export function beginFrame(code: number, bytes: Uint8Array, start: number, end: number, mask?: Uint8Array): number {
	const size = end - start;
	const isShort = size < LENGTH_2;
	const from = start - (mask === undefined ? 0 : MASK_SIZE) - (isShort ? 2 : 4);
	bytes[from] = FINAL | code;
	bytes[from + 1] = (mask === undefined ? 0 : MASKED) | (isShort ? size : LENGTH_2);
	if (!isShort) putUint16BE(bytes, from + 2, size);
	if (mask === undefined) return from;
	bytes.set(mask, start - MASK_SIZE);
	for (let i = start; i < end; i++) bytes[i] ^= mask[(i - start) & 3];
	return from;
}
