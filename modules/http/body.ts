/**
 * Decodes a body while it arrives (RFC 9112, 6 and 7.1). The body has a known length or is chunked:
 *
 *     *( size-in-hex [ ";" extension ] CRLF data CRLF ) "0" [ ";" extension ] CRLF *( trailer CRLF ) CRLF
 *
 * The data are not copied; the decoder returns their positions in the caller's buffer. Extensions and trailers are
 * ignored. Limits: CHUNK_LINE_LIMIT bytes in a chunk line, TRAILER_LIMIT bytes in all trailers, 2^31 - 1 bytes in a
 * chunk.
 */
import { hexDigitValue } from "../bytes/hex.js";
import type { BodySink } from "./handler.js";

export const CHUNK_LINE_LIMIT = 128;
export const TRAILER_LIMIT = 1024;
const CHUNK_SIZE_LIMIT = 0x7fffffff;

export const BODY_MORE = 0;
/** Result of `next`: there are data, from `dataStart` to before `dataEnd`. */
export const BODY_DATA = 1;
export const BODY_END = 2;
/** Result of `next`: the body is malformed or too long, so the start of the next request can't be found. */
export const BODY_ERROR = 3;

/** Length to pass to `begin` for a chunked body. */
export const BODY_CHUNKED = -1;

const STATE_DATA = 0;
const STATE_SIZE = 1;
const STATE_EXTENSION = 2;
const STATE_SIZE_LF = 3;
const STATE_DATA_CR = 4;
const STATE_DATA_LF = 5;
const STATE_TRAILER_START = 6;
const STATE_TRAILER = 7;
const STATE_TRAILER_LF = 8;
const STATE_END_LF = 9;
const STATE_DONE = 10;
const STATE_BROKEN = 11;

const LF = 0x0a;
const CR = 0x0d;
const SEMICOLON = 0x3b;

export class BodyDecoder {
	dataStart = 0;
	dataEnd = 0;
	position = 0;

	#state = STATE_DONE;
	#chunked = false;
	#left = 0;
	#taken = 0;
	#seen = 0;

	begin(length: number): void {
		this.#chunked = length === BODY_CHUNKED;
		this.#left = this.#chunked ? 0 : length;
		this.#seen = this.#taken = this.dataStart = this.dataEnd = 0;
		this.#state = this.#chunked ? STATE_SIZE : length > 0 ? STATE_DATA : STATE_DONE;
	}

	get isDone(): boolean {
		return this.#state === STATE_DONE;
	}

	/** Number of bytes of the body that have not arrived yet; Infinity if it is unknown. */
	get left(): number {
		if (this.#state === STATE_DONE) return 0;
		return this.#chunked ? Number.POSITIVE_INFINITY : this.#left;
	}

	/**
	 * Passes the data to the sink; if there is no sink, discards them. Bytes that the sink does not accept are passed
	 * again in the next call. Returns false if the body is longer than the sink's limit.
	 */
	give(sink: BodySink | undefined, bytes: Uint8Array): boolean {
		const { dataStart: start, dataEnd: end } = this;
		this.dataStart = end;
		if (sink === undefined) return true;
		this.#taken += end - start;
		if (this.#taken > sink.limit) return false;
		sink.write(bytes, start, end);
		const rest = sink.rest ?? 0;
		this.#taken -= rest;
		this.dataStart -= rest;
		return true;
	}

	/** Decodes the next part of the bytes. Returns BODY_…. The next call must start at `position`. */
	next(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end && this.#state < STATE_DONE) {
			if (this.#state === STATE_DATA) {
				this.dataStart = at;
				this.dataEnd = this.position = Math.min(end, at + this.#left);
				this.#left -= this.dataEnd - at;
				if (this.#left === 0) this.#state = this.#chunked ? STATE_DATA_CR : STATE_DONE;
				return BODY_DATA;
			}
			this.#state = this.frame(bytes[at++]);
		}
		this.position = at;
		if (this.#state === STATE_DONE) return BODY_END;
		return this.#state === STATE_BROKEN ? BODY_ERROR : BODY_MORE;
	}

	private frame(byte: number): number {
		this.#seen++;
		switch (this.#state) {
			case STATE_SIZE:
				return this.size(byte);
			case STATE_EXTENSION:
				if (byte === CR) return STATE_SIZE_LF;
				return isControl(byte) || this.#seen > CHUNK_LINE_LIMIT ? STATE_BROKEN : STATE_EXTENSION;
			case STATE_SIZE_LF:
				this.#seen = 0;
				if (byte !== LF) return STATE_BROKEN;
				return this.#left > 0 ? STATE_DATA : STATE_TRAILER_START;
			case STATE_DATA_CR:
				return byte === CR ? STATE_DATA_LF : STATE_BROKEN;
			case STATE_DATA_LF:
				this.#seen = 0;
				return byte === LF ? STATE_SIZE : STATE_BROKEN;
			case STATE_TRAILER_START:
				if (byte === CR) return STATE_END_LF;
				return isControl(byte) ? STATE_BROKEN : STATE_TRAILER;
			case STATE_TRAILER:
				if (byte === CR) return STATE_TRAILER_LF;
				return isControl(byte) || this.#seen > TRAILER_LIMIT ? STATE_BROKEN : STATE_TRAILER;
			case STATE_TRAILER_LF:
				return byte === LF && this.#seen <= TRAILER_LIMIT ? STATE_TRAILER_START : STATE_BROKEN;
			default:
				return byte === LF ? STATE_DONE : STATE_BROKEN;
		}
	}

	private size(byte: number): number {
		const digit = hexDigitValue(byte);
		if (digit >= 0) {
			this.#left = this.#left * 16 + digit;
			return this.#left > CHUNK_SIZE_LIMIT || this.#seen > CHUNK_LINE_LIMIT ? STATE_BROKEN : STATE_SIZE;
		}
		if (this.#seen === 1) return STATE_BROKEN;
		if (byte === CR) return STATE_SIZE_LF;
		return byte === SEMICOLON ? STATE_EXTENSION : STATE_BROKEN;
	}
}

function isControl(byte: number): boolean {
	return (byte < 0x20 && byte !== 0x09) || byte === 0x7f;
}
