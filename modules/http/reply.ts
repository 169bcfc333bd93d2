/**
 * Reads the reply to a request of the gateway (RFC 9112, 4 to 7): status, framing and, if wanted, Location and the
 * beginning of the body. Only the beginning of each line is stored.
 *
 *     HTTP/1.d SP ddd [SP reason] CRLF *( name ":" value CRLF ) CRLF [body]
 *
 * The reader is lenient where the meaning is unambiguous: a bare LF ends a line, and unknown fields are ignored. 1xx
 * replies are skipped, except 101, which is invalid because no upgrade was requested. Limits: REPLY_HEAD_LIMIT bytes
 * for all heads of a reply; REPLY_LINE_SIZE bytes for a field that is used. If the body is longer than
 * REPLY_BODY_LIMIT, the status is valid, but the connection can't be used again. This limit does not apply to a body
 * for a sink.
 */
import { isDigit } from "../bytes/ascii.js";
import { BODY_CHUNKED, BODY_DATA, BODY_ERROR, BODY_MORE, BodyDecoder } from "./body.js";
import { decimalIn, hasWord, indexOrEnd, LENGTH_DIGITS_LIMIT, matches, trimEnd, trimStart } from "./field.js";
import type { BodySink } from "./handler.js";

export const REPLY_HEAD_LIMIT = 8192;
export const REPLY_LINE_SIZE = 96;
export const REPLY_BODY_LIMIT = 16_384;

export const READ_MORE = 0;
/** The reply is complete, or its body is too long. In both cases `status` is valid. */
export const READ_DONE = 1;
/** The reply is malformed, or its head is too long. */
export const READ_BROKEN = 2;
/** The sink has not got all data yet. Call `pass` before the next `take`. */
export const READ_HELD = 3;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const ZERO = 0x30;

/** Start of the status line in lower case, and positions in the line, for example in `HTTP/1.1 200`. */
const VERSION = "http/1.";
const MINOR = 7;
const CODE = 9;
const CODE_END = 12;

const UNTIL_CLOSE = Number.POSITIVE_INFINITY;

export class ReplyReader {
	/** Status, 200 to 599; 0 before the head is complete. */
	status = 0;
	/** True if the connection can be used for another request. */
	isReusable = false;
	hasBegun = false;
	/** Buffer for the beginning of the body. When it is full, the reply counts as complete. */
	readonly bodyStart: Uint8Array | undefined;
	stored = 0;
	/**
	 * Value of the field Location. It is read only if there is `bodyStart` or a sink; undefined if it is absent or too
	 * long.
	 */
	location: Uint8Array | undefined;
	readonly #sink: BodySink | undefined;
	/** End of the bytes that were not passed to the sink yet. */
	#unreadEnd = 0;
	readonly #line: Uint8Array;
	/** Length of the current line, including the bytes that are not stored. */
	#lineLength = 0;
	readonly #body = new BodyDecoder();
	#seen = 0;
	#code = 0;
	#length = UNTIL_CLOSE;
	#keepsAlive = false;

	/**
	 * `bodyStart` is a buffer for the beginning of the body. `lineSize` is the number of bytes that are stored of each
	 * line. `sink` receives the body.
	 */
	constructor(bodyStart?: Uint8Array, lineSize = REPLY_LINE_SIZE, sink?: BodySink) {
		this.bodyStart = bodyStart;
		this.#sink = sink;
		this.#line = new Uint8Array(lineSize);
	}

	begin(): void {
		this.location = undefined;
		this.stored = 0;
		this.status = this.#seen = this.#lineLength = this.#code = 0;
		this.isReusable = this.hasBegun = false;
	}

	/** True if it is certain that the reply is complete. This is never certain if the body ends with the connection. */
	get isWhole(): boolean {
		return this.status !== 0 && this.#body.isDone;
	}

	/** Takes received bytes and returns READ_…. Do not call it after READ_DONE, READ_BROKEN or READ_HELD. */
	take(bytes: Uint8Array, start: number, end: number): number {
		if (end > start) this.hasBegun = true;
		let at = start;
		while (this.status === 0) {
			const found = bytes.indexOf(LF, at);
			const isLine = found >= 0 && found < end;
			const lineEnd = isLine ? found : end;
			this.keep(bytes, at, lineEnd);
			this.#seen += lineEnd - at;
			at = lineEnd;
			if (this.#seen >= REPLY_HEAD_LIMIT) return READ_BROKEN;
			if (!isLine) return READ_MORE;
			at++;
			this.#seen++;
			if (!this.takeLine()) return READ_BROKEN;
			this.#lineLength = 0;
		}
		return this.readBody(bytes, at, end);
	}

	/** Passes the next piece of the bytes in the last `take` to the sink. Returns READ_…. */
	pass(bytes: Uint8Array): number {
		const body = this.#body;
		if (body.dataStart === body.dataEnd) return this.readBody(bytes, body.position, this.#unreadEnd);
		return body.give(this.#sink, bytes) ? READ_HELD : READ_DONE;
	}

	/** Call when the connection has ended. Returns READ_…. */
	end(): number {
		this.isReusable = false;
		return this.status === 0 ? READ_BROKEN : READ_DONE;
	}

	private keep(bytes: Uint8Array, start: number, end: number): void {
		const at = this.#lineLength;
		this.#lineLength = at + end - start;
		const size = this.#line.length;
		if (at < size) this.#line.set(bytes.subarray(start, Math.min(end, start + size - at)), at);
	}

	private takeLine(): boolean {
		const line = this.#line;
		let length = this.#lineLength;
		const isCut = length > line.length;
		if (isCut) length = line.length;
		else if (length > 0 && line[length - 1] === CR) length--;
		if (this.#code === 0) return this.takeStatus(length);
		return length === 0 ? this.endHead() : this.takeField(length, isCut);
	}

	private takeStatus(length: number): boolean {
		const line = this.#line;
		const code = decimalIn(line, CODE, Math.min(CODE_END, length));
		if (!matches(line, 0, MINOR, VERSION) || !isDigit(line[MINOR]) || line[CODE - 1] !== SPACE) return false;
		if (code < 100 || code > 599 || code === 101 || (length > CODE_END && line[CODE_END] !== SPACE)) return false;
		this.#code = code;
		this.#length = UNTIL_CLOSE;
		this.#keepsAlive = line[MINOR] !== ZERO;
		return true;
	}

	/** Reads a field. Returns false if it is invalid. `isCut` is true if the end of its value was not stored. */
	private takeField(length: number, isCut: boolean): boolean {
		const line = this.#line;
		const colon = indexOrEnd(line, COLON, 0, length);
		const from = trimStart(line, colon + 1, length);
		const to = trimEnd(line, from, length);
		if (matches(line, 0, colon, "connection")) {
			if (isCut || hasWord(line, from, to, "close")) this.#keepsAlive = false;
		} else if (matches(line, 0, colon, "content-length")) {
			return !isCut && this.takeLength(from, to);
		} else if (matches(line, 0, colon, "transfer-encoding")) {
			// The coding must be `chunked`, because the requests of the gateway permit no other.
			this.#length = BODY_CHUNKED;
			return !isCut && matches(line, from, to, "chunked");
		} else if ((this.bodyStart ?? this.#sink) !== undefined && !isCut && matches(line, 0, colon, "location")) {
			this.location = line.slice(from, to);
		}
		return true;
	}

	/**
	 * Takes Content-Length. It is ignored if the body is chunked (RFC 9112, 6.3). Returns false if it is invalid or
	 * contradicts an earlier one.
	 */
	private takeLength(from: number, to: number): boolean {
		const length = decimalIn(this.#line, from, to);
		if (length < 0 || to - from > LENGTH_DIGITS_LIMIT) return false;
		if (this.#length === UNTIL_CLOSE) this.#length = length;
		return this.#length === length || this.#length === BODY_CHUNKED;
	}

	private endHead(): boolean {
		const code = this.#code;
		this.#code = 0;
		if (code < 200) return true;
		this.status = code;
		this.#seen = 0;
		this.#body.begin(code === 204 || code === 304 ? 0 : this.#length);
		return true;
	}

	private readBody(bytes: Uint8Array, start: number, end: number): number {
		const body = this.#body;
		const isForSink = this.#sink !== undefined && this.status < 300;
		let at = start;
		while (!body.isDone) {
			const found = body.next(bytes, at, end);
			this.#seen += body.position - at;
			at = body.position;
			if (found === BODY_ERROR || (!isForSink && this.#seen > REPLY_BODY_LIMIT)) return READ_DONE;
			if (found === BODY_DATA && isForSink) {
				this.#unreadEnd = end;
				return READ_HELD;
			}
			if (found === BODY_DATA && this.storeBody(bytes, body.dataStart, body.dataEnd)) return READ_DONE;
			if (found === BODY_MORE) return READ_MORE;
		}
		this.isReusable = this.#keepsAlive && at === end;
		return READ_DONE;
	}

	private storeBody(bytes: Uint8Array, start: number, end: number): boolean {
		const into = this.bodyStart;
		if (into === undefined) return false;
		const count = Math.min(end - start, into.length - this.stored);
		into.set(bytes.subarray(start, start + count), this.stored);
		this.stored += count;
		return this.stored === into.length;
	}
}
