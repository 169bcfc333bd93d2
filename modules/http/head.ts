/**
 * Parses the head of an HTTP/1 request (RFC 9112, 2 to 6) in the receive buffer, while the head arrives:
 *
 *     method SP target SP HTTP/d.d CRLF
 *     *( name ":" OWS value OWS CRLF )
 *     CRLF
 *
 * To prevent request smuggling, the parser refuses a bare CR or LF, a space before a colon, a folded line, a second
 * Host field, and lengths that contradict each other. Empty lines before the request line are ignored (2.2).
 *
 * Limits, with the status of the reply if one is exceeded: REQUEST_LINE_LIMIT (414), HOST_LIMIT (400), FIELD_LIMIT and
 * the size of the buffer (431).
 */
import { isDigit } from "../bytes/ascii.js";
import { hexDigitValue } from "../bytes/hex.js";
import type { Socket, TextCodec } from "../io/host.js";
import { decimalIn, hasWord, indexOrEnd, LENGTH_DIGITS_LIMIT, matches, trimEnd, trimStart } from "./field.js";
import type { HTTPRequest } from "./request.js";
import { METHOD_NAMES, METHOD_OPTIONS, METHOD_OTHER } from "./request.js";
import { decodePercent, hasGoodEscapes, isCleanText } from "./target.js";

/** Maximum length of the request line without CRLF, bytes. */
export const REQUEST_LINE_LIMIT = 512;
export const FIELD_LIMIT = 64;
/** Maximum length of host and port, bytes. A DNS name has at most 253 bytes (RFC 1035, 2.3.4). */
export const HOST_LIMIT = 260;
const PORT_LIMIT = 65535;
const PORT_DIGITS_LIMIT = 5;
/** Maximum length of an IPv6 address between the brackets, bytes. */
const IPV6_LIMIT = 45;

export const HEAD_MORE = 0;
/** Results of `parse`. Any other result is the HTTP status of an error. */
export const HEAD_DONE = 1;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const PERCENT = 0x25;
const COLON = 0x3a;
const QUESTION = 0x3f;
const SLASH = 0x2f;

const LENGTH_NONE = -2;
const LENGTH_CHUNKED = -1;

export class RequestHead implements HTTPRequest {
	method = METHOD_OTHER;
	path = "";
	minorVersion = 1;
	readonly remoteAddress: string;
	readonly secure: boolean;
	readonly viaAccessPoint: boolean;

	readonly #buffer: Uint8Array;
	readonly #text: TextCodec;
	#at = 0;
	#line = 0;
	#pathStart = 0;
	#pathEnd = 0;
	#queryStart = 0;
	#queryEnd = 0;
	#hostStart = 0;
	#hostEnd = 0;
	/** Start of the fields in the buffer; 0 before the request line has been parsed. */
	#fields = 0;
	#fieldsEnd = 0;
	#fieldCount = 0;
	#hostCount = 0;
	#length = LENGTH_NONE;
	#saysClose = false;
	#saysKeepAlive = false;
	#expectsContinue = false;

	constructor(
		buffer: Uint8Array,
		text: TextCodec,
		origin: Pick<Socket, "remoteAddress" | "viaAccessPoint">,
		secure: boolean,
	) {
		this.#buffer = buffer;
		this.#text = text;
		this.remoteAddress = origin.remoteAddress;
		this.viaAccessPoint = origin.viaAccessPoint;
		this.secure = secure;
	}

	begin(): void {
		this.method = METHOD_OTHER;
		this.path = "";
		this.minorVersion = 1;
		this.#at = this.#line = this.#pathStart = this.#pathEnd = 0;
		this.#fields = this.#fieldCount = this.#hostCount = 0;
		this.#saysClose = this.#saysKeepAlive = this.#expectsContinue = false;
		this.#length = LENGTH_NONE;
		this.release();
	}

	/** Called before the buffer is used for other bytes. Fields and query can't be read afterwards. */
	release(): void {
		this.#fieldsEnd = this.#queryStart = this.#queryEnd = this.#hostStart = this.#hostEnd = 0;
	}

	get end(): number {
		return this.#at;
	}

	get contentLength(): number {
		return this.#length === LENGTH_NONE ? 0 : this.#length;
	}

	get keepAlive(): boolean {
		return !this.#saysClose && (this.minorVersion === 1 || this.#saysKeepAlive);
	}

	/** True if the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
	get expectsContinue(): boolean {
		return this.#expectsContinue && this.minorVersion === 1;
	}

	get host(): string | undefined {
		if (this.#hostEnd > this.#hostStart) return this.#text.decode(this.#buffer, this.#hostStart, this.#hostEnd);
		return this.header("host");
	}

	get target(): string {
		const target = this.#text.decode(this.#buffer, this.#pathStart, this.#queryEnd);
		return this.#pathEnd > this.#pathStart ? target : `/${target}`;
	}

	header(name: string): string | undefined {
		const buffer = this.#buffer;
		for (let at = this.#fields; at < this.#fieldsEnd; ) {
			const colon = buffer.indexOf(COLON, at);
			const end = buffer.indexOf(CR, colon);
			if (matches(this.#buffer, at, colon, name)) {
				const start = trimStart(this.#buffer, colon + 1, end);
				return this.#text.decode(buffer, start, trimEnd(this.#buffer, start, end));
			}
			at = end + 2;
		}
		return undefined;
	}

	query(name: string): string | undefined {
		for (let at = this.#queryStart; at < this.#queryEnd; ) {
			const end = indexOrEnd(this.#buffer, 0x26, at, this.#queryEnd);
			const equals = indexOrEnd(this.#buffer, 0x3d, at, end);
			if (this.decoded(at, equals, true) === name) return this.decoded(Math.min(equals + 1, end), end, true);
			at = end + 1;
		}
		return undefined;
	}

	/**
	 * Returns the decoded text of a part of the target; undefined if it is not UTF-8 or has control characters. The
	 * percent escapes must be valid.
	 */
	private decoded(start: number, end: number, isQuery: boolean): string | undefined {
		const bytes = new Uint8Array(end - start);
		const length = decodePercent(this.#buffer, start, end, bytes, isQuery);
		return isCleanText(bytes, 0, length) ? this.#text.decode(bytes, 0, length) : undefined;
	}

	/** Parses the bytes in the buffer up to `end`. Returns HEAD_MORE, HEAD_DONE or the HTTP status of an error. */
	parse(end: number): number {
		const buffer = this.#buffer;
		let at = this.#at;
		let afterCR = at > this.#line && buffer[at - 1] === CR;
		while (at < end) {
			const byte = buffer[at++];
			if (byte >= SPACE && byte < 0x7f && !afterCR) {
				while (at < end && buffer[at] >= SPACE && buffer[at] < 0x7f) at++;
				continue;
			}
			if (this.isLineTooLong(afterCR ? at - 2 : at - 1)) return 414;
			if (byte === LF && afterCR) {
				this.#at = at;
				const result = this.takeLine(this.#line, at - 2);
				if (result !== HEAD_MORE) return result;
				this.#line = at;
				afterCR = false;
			} else if (afterCR || (byte < 0x80 && byte !== CR && byte !== TAB)) {
				return 400;
			} else if (byte === CR) {
				afterCR = true;
			} else if (byte >= 0x80 && this.#fields > 0) {
				// Bytes above 0x7F are allowed in field values (RFC 9110, 5.5). They become question marks, because no
				// field that is used here contains them.
				buffer[at - 1] = 0x3f;
			}
		}
		this.#at = at;
		if (this.isLineTooLong(afterCR ? at - 1 : at)) return 414;
		if (end < buffer.length) return HEAD_MORE;
		return this.#fields === 0 ? 414 : 431;
	}

	private isLineTooLong(end: number): boolean {
		return this.#fields === 0 && end - this.#line > REQUEST_LINE_LIMIT;
	}

	private takeLine(start: number, end: number): number {
		if (this.#fields === 0) return start === end ? HEAD_MORE : this.takeRequestLine(start, end);
		return start === end ? this.finish(start) : this.takeField(start, end);
	}

	private takeRequestLine(start: number, end: number): number {
		const buffer = this.#buffer;
		const methodEnd = indexOrEnd(buffer, SPACE, start, end);
		const targetEnd = indexOrEnd(buffer, SPACE, methodEnd + 1, end);
		if (methodEnd === start || targetEnd >= end) return 400;
		for (let i = start; i < methodEnd; i++) if (!isTokenByte(buffer[i])) return 400;
		// The version must have the form "HTTP/" digit "." digit.
		const version = targetEnd + 1;
		if (end - version !== 8 || !this.spells(version, "HTTP/") || buffer[version + 6] !== 0x2e) return 400;
		const major = buffer[version + 5];
		const minor = buffer[version + 7];
		if (!isDigit(major) || !isDigit(minor)) return 400;
		if (major !== 0x31) return 505;
		this.minorVersion = minor === 0x30 ? 0 : 1;
		for (let method = 1; method < METHOD_NAMES.length; method++) {
			const name = METHOD_NAMES[method];
			if (methodEnd - start === name.length && this.spells(start, name)) this.method = method;
		}
		if (!this.takeTarget(methodEnd + 1, targetEnd)) return 400;
		this.#fields = end + 2;
		return HEAD_MORE;
	}

	/** Parses the target of the request: origin form, absolute form, or `*` with OPTIONS (RFC 9112, 3.2). */
	private takeTarget(start: number, end: number): boolean {
		const buffer = this.#buffer;
		let query = end;
		let hasPercent = false;
		for (let i = start; i < end; i++) {
			const byte = buffer[i];
			if (byte >= 0x40 && byte < 0x7f) continue;
			if (byte < 0x21 || byte >= 0x7f || byte === 0x23) return false;
			if (byte === PERCENT) hasPercent = true;
			else if (byte === QUESTION && query === end) query = i;
		}
		let pathStart = start;
		if (buffer[start] !== SLASH) {
			if (end - start === 1 && buffer[start] === 0x2a && this.method === METHOD_OPTIONS) {
				this.path = "*";
				this.#pathStart = start;
				this.#pathEnd = this.#queryEnd = end;
				return true;
			}
			const scheme = matches(this.#buffer, start, start + 7, "http://") ? 7 : 8;
			if (scheme === 8 && !matches(this.#buffer, start, start + 8, "https://")) return false;
			this.#hostStart = start + scheme;
			pathStart = indexOrEnd(buffer, SLASH, this.#hostStart, indexOrEnd(buffer, QUESTION, this.#hostStart, end));
			this.#hostEnd = pathStart;
			if (!this.isHost(this.#hostStart, pathStart)) return false;
		}
		if (pathStart > start) query = indexOrEnd(buffer, QUESTION, pathStart, end);
		this.#queryStart = Math.min(query + 1, end);
		this.#queryEnd = end;
		this.#pathStart = pathStart;
		this.#pathEnd = query;
		if (!hasPercent) return true;
		if (!hasGoodEscapes(buffer, pathStart, end)) return false;
		const path = this.decoded(pathStart, query, false);
		this.path = path ?? "";
		return path !== undefined;
	}

	private takeField(start: number, end: number): number {
		const buffer = this.#buffer;
		if (++this.#fieldCount > FIELD_LIMIT) return 431;
		let colon = start;
		for (let byte = buffer[colon]; colon < end; byte = buffer[++colon]) {
			if ((byte < 0x5e || byte > 0x7a) && !isTokenByte(byte)) break;
		}
		if (colon === start || colon === end || buffer[colon] !== COLON) return 400;
		const from = trimStart(this.#buffer, colon + 1, end);
		const to = trimEnd(this.#buffer, from, end);
		switch (colon - start) {
			case 4:
				if (!matches(this.#buffer, start, colon, "host")) return HEAD_MORE;
				return ++this.#hostCount > 1 || !this.isHost(from, to) ? 400 : HEAD_MORE;
			case 6:
				if (matches(this.#buffer, start, colon, "expect") && matches(this.#buffer, from, to, "100-continue")) {
					this.#expectsContinue = true;
				}
				return HEAD_MORE;
			case 10:
				if (matches(buffer, start, colon, "connection")) {
					this.#saysClose ||= hasWord(buffer, from, to, "close");
					this.#saysKeepAlive ||= hasWord(buffer, from, to, "keep-alive");
				}
				return HEAD_MORE;
			case 14:
				return matches(this.#buffer, start, colon, "content-length") ? this.takeLength(from, to) : HEAD_MORE;
			case 17:
				if (!matches(this.#buffer, start, colon, "transfer-encoding")) return HEAD_MORE;
				if (!matches(this.#buffer, from, to, "chunked")) return 501;
				if (this.#length !== LENGTH_NONE || this.minorVersion === 0) return 400;
				this.#length = LENGTH_CHUNKED;
				return HEAD_MORE;
			default:
				return HEAD_MORE;
		}
	}

	private takeLength(start: number, end: number): number {
		const length = decimalIn(this.#buffer, start, end);
		if (length < 0) return 400;
		if (end - start > LENGTH_DIGITS_LIMIT) return 413;
		if (this.#length !== LENGTH_NONE && this.#length !== length) return 400;
		this.#length = length;
		return HEAD_MORE;
	}

	private finish(fieldsEnd: number): number {
		if (this.minorVersion === 1 && this.#hostCount === 0) return 400;
		this.#fieldsEnd = fieldsEnd;
		if (this.path === "") {
			const isGiven = this.#pathEnd > this.#pathStart;
			this.path = isGiven ? this.#text.decode(this.#buffer, this.#pathStart, this.#pathEnd) : "/";
		}
		return HEAD_DONE;
	}

	/** True if the text has the form `host [":" port]` (RFC 9110, 7.2), even if the host is not this gateway. */
	private isHost(start: number, end: number): boolean {
		const buffer = this.#buffer;
		if (end - start > HOST_LIMIT) return false;
		const isIPv6 = buffer[start] === 0x5b;
		let at = isIPv6 ? start + 1 : start;
		const nameStart = at;
		while (at < end && (isIPv6 ? isIPv6Byte(buffer[at]) : isNameByte(buffer[at]))) at++;
		if (at === nameStart) return false;
		if (isIPv6 && (at - nameStart > IPV6_LIMIT || at >= end || buffer[at++] !== 0x5d)) return false;
		return at === end || (buffer[at] === COLON && this.isPort(at + 1, end));
	}

	private isPort(start: number, end: number): boolean {
		const port = decimalIn(this.#buffer, start, end);
		return port >= 0 && port <= PORT_LIMIT && end - start <= PORT_DIGITS_LIMIT;
	}

	private spells(start: number, word: string): boolean {
		const buffer = this.#buffer;
		const { length } = word;
		for (let i = 0; i < length; i++) if (buffer[start + i] !== word.charCodeAt(i)) return false;
		return true;
	}
}

/** True if a host name may contain the byte. `_` is accepted, too, because some home networks use it. */
function isNameByte(byte: number): boolean {
	const lower = byte | 0x20;
	return (lower >= 0x61 && lower <= 0x7a) || isDigit(byte) || byte === 0x2d || byte === 0x2e || byte === 0x5f;
}

function isIPv6Byte(byte: number): boolean {
	return hexDigitValue(byte) >= 0 || byte === COLON || byte === 0x2e;
}

/** Bits for the bytes 0x00 to 0x7F, 32 in each number. A bit is set if the byte may occur in a token. */
const TOKEN_BITS = Object.freeze([0, 0x03ff6cfa, 0xc7fffffe | 0, 0x57ffffff]);

/** True if a token may contain the byte (RFC 9110, 5.6.2): letters, digits and ``!#$%&'*+-.^_`|~``. */
function isTokenByte(byte: number): boolean {
	return byte < 0x80 && ((TOKEN_BITS[byte >> 5] >> (byte & 31)) & 1) !== 0;
}
