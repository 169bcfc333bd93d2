/**
 * Reply to a request of ours (RFC 9112, 4 to 7), read over as it arrives: what is kept of it is its status, and what tells
 * where it ends; for whoever wants that, where it sends to, and the beginning of its body. Of its lines a beginning is held
 * that all that matters here fits into.
 *
 *     HTTP/1.d SP ddd [SP reason] CRLF *( name ":" value CRLF ) CRLF [body]
 *
 * Lenient where there is but one meaning: a bare LF ends a line, unknown fields are not looked at. Replies of 1xx are
 * read over; 101 is an answer to what nobody has asked.
 * Limits: all heads of a reply HEAD_LIMIT bytes; fields that matter LINE_SIZE bytes. A body of more than REPLY_BODY_LIMIT
 * bytes is left at that: the status holds, the connection is of no more use.
 */
import { BODY_CHUNKED, BODY_DATA, BODY_ERROR, BODY_MORE, BodyDecoder } from "./body.js";
import { decimalIn, hasWord, indexOrEnd, isDigit, LENGTH_DIGITS_LIMIT, matches, trimEnd, trimStart } from "./field.js";

export const REPLY_HEAD_LIMIT = 8192;
export const REPLY_LINE_SIZE = 96;
export const REPLY_BODY_LIMIT = 16_384;

/** More is to come. */
export const READ_MORE = 0;
/** The reply is whole, or its body is beyond the limit; `status` holds. */
export const READ_DONE = 1;
/** That is no reply, or one beyond the limits. */
export const READ_BROKEN = 2;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const ZERO = 0x30;

/** Where the minor version and the code stand in `HTTP/1.1 200`. */
const VERSION = "http/1.";
const MINOR = 7;
const CODE = 9;
const CODE_END = 12;

/** Length of a body that nothing is told of: it ends with the connection. */
const UNTIL_CLOSE = Number.POSITIVE_INFINITY;

export class ReplyReader {
	/** 200 to 599 once the head is there; 0 before. */
	status = 0;
	/** The connection may carry another request; true at the earliest when all of the reply is there. */
	isReusable = false;
	/** Something of the reply has come. */
	hasBegun = false;
	/** Takes the beginning of the body; once it is full, no more of the reply is wanted. */
	readonly #kept: Uint8Array | undefined;
	/** Bytes of it that have come. */
	kept = 0;
	/** The field Location as it came, where there is a `#kept`; empty: there is none, or it is too long. */
	location: Uint8Array | undefined;
	/** The beginning of the present line. */
	readonly #line: Uint8Array;
	/** Bytes of it, those included that were not kept. */
	#lineLength = 0;
	readonly #body = new BodyDecoder();
	/** Bytes of heads, or of the body, so far. */
	#seen = 0;
	/** Status code of the head that is read; 0 before its first line. */
	#code = 0;
	/** Length of the body, or BODY_CHUNKED. */
	#length = UNTIL_CLOSE;
	#keepsAlive = false;

	/** `kept` takes the beginning of a body, and Location is looked at then: lines may have `lineSize` bytes. */
	constructor(kept?: Uint8Array, lineSize = REPLY_LINE_SIZE) {
		this.#kept = kept;
		this.#line = new Uint8Array(lineSize);
	}

	/** Another reply begins. */
	begin(): void {
		this.location = undefined;
		this.kept = 0;
		this.status = this.#seen = this.#lineLength = this.#code = 0;
		this.isReusable = this.hasBegun = false;
	}

	/** Takes the next bytes, `bytes[start..end)`; READ_…. After READ_DONE and READ_BROKEN it wants none. */
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

	/** The connection has ended; READ_DONE or READ_BROKEN. */
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

	/** False: that is no reply. */
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

	/** A field whose end was `isCut` off is none that says what this wants to know. */
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
			// Nobody was told that another coding would be understood.
			this.#length = BODY_CHUNKED;
			return !isCut && matches(line, from, to, "chunked");
		} else if (this.#kept !== undefined && !isCut && matches(line, 0, colon, "location")) {
			this.location = line.slice(from, to);
		}
		return true;
	}

	/** Chunks count more than a length (RFC 9112, 6.3). */
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
		let at = start;
		while (!body.isDone) {
			const found = body.next(bytes, at, end);
			this.#seen += body.position - at;
			at = body.position;
			if (found === BODY_ERROR || this.#seen > REPLY_BODY_LIMIT) return READ_DONE;
			if (found === BODY_DATA && this.keepBody(bytes, body.dataStart, body.dataEnd)) return READ_DONE;
			if (found === BODY_MORE) return READ_MORE;
		}
		// What comes behind it is an answer to nothing.
		this.isReusable = this.#keepsAlive && at === end;
		return READ_DONE;
	}

	/** True: no more of it is wanted. */
	private keepBody(bytes: Uint8Array, start: number, end: number): boolean {
		const into = this.#kept;
		if (into === undefined) return false;
		const count = Math.min(end - start, into.length - this.kept);
		into.set(bytes.subarray(start, start + count), this.kept);
		this.kept += count;
		return this.kept === into.length;
	}
}
