/**
 * The answer to one request, for handlers. It may be sent at once or kept and sent later (a meter takes up to a minute);
 * the connection that carries it adds what frames the message: Content-Length or chunks, Connection, and no body for
 * HEAD, 204 and 304 (RFC 9110, 6.4.1; RFC 9112, 6.3).
 *
 * Limit: status line and fields together must fit into the connection's send buffer (OUT_SIZE in connection-states.ts).
 */
import type { TextCodec } from "../io/host.js";

/** Where the bytes of a body come from, asked for as the client takes them. */
export interface BodySource {
	/** Writes the next bytes into `into[start..end)`; returns how many, 0 only at the end of the body. */
	read(into: Uint8Array, start: number, end: number): number;
	/** Called once, when no more will be read: the body is complete, not wanted (HEAD), or the client has gone. */
	close?(): void;
	/** Only of a body that comes as things happen, for as long as the client stays. */
	readonly live?: LiveBody;
}

/** What `read` of a live body gives when there is nothing now, or when it does not fit behind what was written before. */
export const NOTHING_YET = -1;

/**
 * A body that comes as things happen. It is read when somebody says that there is something, or when nothing was sent for
 * `beatMs`. Its connection is the first to go for a newcomer, and closed where its client takes nothing for `writeMs`.
 */
export interface LiveBody {
	/** Once, before the first `read`. */
	opened(reader: LiveReader): void;
	/** Nothing was sent for `beatMs`: what is read next shows that both ends are there. */
	beat(): void;
}

/** Reader of a live body. */
export interface LiveReader {
	/** There is something to read. It is read in a turn of its own, not before `pauseMs` after the last. Not after `close`. */
	wake(): void;
}

/** A body that stands in memory or flash; the bytes are not copied and must hold still until it is sent. */
export class BytesSource implements BodySource {
	readonly #bytes: Uint8Array;
	#at: number;
	readonly #end: number;

	constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
		this.#bytes = bytes;
		this.#at = start;
		this.#end = end;
	}

	read(into: Uint8Array, start: number, end: number): number {
		const count = Math.min(end - start, this.#end - this.#at);
		into.set(this.#bytes.subarray(this.#at, this.#at + count), start);
		this.#at += count;
		return count;
	}
}

/**
 * Fields that frame a body (RFC 9112, 6 and 9.3) of `length` bytes; Infinity: not known, NaN: there can be none. `isLast`:
 * the connection ends with it.
 */
export function framingOf(length: number, isChunked: boolean, isLast: boolean, minorVersion: number): string {
	let framing = "";
	if (Number.isFinite(length)) framing = `Content-Length: ${length}\r\n`;
	else if (isChunked && length > 0) framing = "Transfer-Encoding: chunked\r\n";
	if (isLast) return `${framing}Connection: close\r\n`;
	return minorVersion === 0 ? `${framing}Connection: keep-alive\r\n` : framing;
}

/** What a response needs of the connection that carries it. */
export interface ResponseCarrier {
	readonly text: TextCodec;
	/** All other connections of the port are at requests with a token. */
	readonly isGuest: boolean;
	/** The request showed a valid token. */
	vouch(): void;
	/** Sends the head, to which framing is added, and the body; `length` is Infinity when it is not known. */
	reply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void;
}

export class HTTPResponse {
	/**
	 * Called when the answer is no longer wanted before it was sent: the client has gone, or the server itself had to
	 * answer (408, 413, 500). Sending after that does nothing.
	 */
	onCancelled: (() => void) | undefined = undefined;
	/** Set it to close the connection after this reply (before a restart). */
	closing = false;

	/** Undefined once the answer was sent or is no longer wanted. */
	#carrier: ResponseCarrier | undefined;
	#fields = "";

	constructor(carrier: ResponseCarrier) {
		this.#carrier = carrier;
	}

	/** False once the answer was sent or is no longer wanted. */
	get isOpen(): boolean {
		return this.#carrier !== undefined;
	}

	/** All other places of the port have requests of known clients: what waits for something else than its own is refused. */
	get isGuest(): boolean {
		return this.#carrier?.isGuest ?? false;
	}

	/** The handler knows who asks: the request is not given up for a newcomer. */
	vouch(): void {
		this.#carrier?.vouch();
	}

	/** Fields set so far, each with its CRLF. For the carrier. */
	get fields(): string {
		return this.#fields;
	}

	/** Adds a field. Throws a RangeError unless the value is printable ASCII: no CR or LF gets into a head. */
	header(name: string, value: string): this {
		if (this.#carrier === undefined) return this;
		const bytes = this.#carrier.text.encode(value);
		for (let i = 0; i < bytes.length; i++) {
			if (bytes[i] < 0x20 || bytes[i] > 0x7e) throw new RangeError(`Bad character in the value of ${name}`);
		}
		this.#fields += `${name}: ${value}\r\n`;
		return this;
	}

	/** Adds fields that are constants of ours: whole lines, each with its CRLF, which are not looked at. */
	lines(lines: string): this {
		this.#fields += lines;
		return this;
	}

	/**
	 * Sends the answer: status 200 to 599 and a body of `length` bytes, of unknown length when that is left out, or empty.
	 * Does nothing but close the body when the answer was sent already or is no longer wanted.
	 */
	send(status: number, body?: BodySource, length = body ? Number.POSITIVE_INFINITY : 0): void {
		const carrier = this.#carrier;
		if (carrier === undefined) {
			body?.close?.();
			return;
		}
		this.#carrier = undefined;
		carrier.reply(this, status, body, length);
	}

	sendBytes(status: number, bytes: Uint8Array): void {
		this.send(status, new BytesSource(bytes), bytes.length);
	}

	/** Sends a short text as UTF-8. */
	sendText(status: number, text: string): void {
		if (this.#carrier !== undefined) this.sendBytes(status, this.#carrier.text.encode(text));
	}

	/** For the carrier: the answer is no longer wanted. */
	cancel(): void {
		if (this.#carrier === undefined) return;
		this.#carrier = undefined;
		this.onCancelled?.();
	}
}
