/**
 * Response to one request, for handlers. It may be sent immediately or later (a meter takes up to a minute). The
 * connection adds the framing: Content-Length or chunks, Connection, and no body for HEAD, 204 and 304 (RFC 9110,
 * 6.4.1; RFC 9112, 6.3).
 *
 * Limit: status line and fields must fit the connection's send buffer (OUT_SIZE in connection-states.ts).
 */
import type { TextCodec } from "../io/host.js";

/** Source of a body, read at the speed of the client. */
export interface BodySource {
	/** Writes the next bytes to `into[start..end)` and returns their number, 0 only at the end of the body. */
	read(into: Uint8Array, start: number, end: number): number;
	/** Called once after the last read: the body is complete, not needed (HEAD), or the client has disconnected. */
	close?(): void;
	/** Present only for a live body, which lasts as long as the client stays. */
	readonly live?: LiveBody;
}

/** Result of `read` of a live body without data at present, or with data that does not fit the rest of the buffer. */
export const NOTHING_YET = -1;

/**
 * Body that is produced by events, such as an event stream. It is read after `wake`, or when nothing was sent for
 * `beatMs`. Its connection is displaced first, and closed if its client accepts nothing for `writeMs`.
 */
export interface LiveBody {
	/** Called once before the first `read`. */
	opened(reader: LiveReader): void;
	/** Called when nothing was sent for `beatMs`: the next read must provide a sign of life. */
	beat(): void;
}

/** Reader of a live body. */
export interface LiveReader {
	/** Reports available data. It is read in a later task run, at least `pauseMs` after the last read, unless closed. */
	wake(): void;
}

/** Body in memory or flash; its bytes are not copied and must not change until it is sent. */
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
 * Returns the framing fields (RFC 9112, 6 and 9.3) of a body of `length` bytes; Infinity: unknown, NaN: no body
 * possible. `isLast`: the connection ends with this reply.
 */
export function framingOf(length: number, isChunked: boolean, isLast: boolean, minorVersion: number): string {
	let framing = "";
	if (Number.isFinite(length)) framing = `Content-Length: ${length}\r\n`;
	else if (isChunked && length > 0) framing = "Transfer-Encoding: chunked\r\n";
	if (isLast) return `${framing}Connection: close\r\n`;
	return minorVersion === 0 ? `${framing}Connection: keep-alive\r\n` : framing;
}

/** Connection from the response's view. */
export interface ResponseCarrier {
	readonly text: TextCodec;
	/** True if all other connections of the port serve requests with a token. */
	readonly isGuest: boolean;
	/** Reports that the request has a valid token. */
	vouch(): void;
	/** Sends the head with added framing, and the body; `length` is Infinity if unknown. */
	reply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void;
}

export class HTTPResponse {
	/**
	 * Called if the reply is no longer needed before it was sent: the client has disconnected, or the server itself has
	 * replied (408, 413, 500). Sending has no effect afterwards.
	 */
	onCancelled: (() => void) | undefined = undefined;
	/** Set to true to close the connection after this reply (before a restart). */
	closing = false;

	/** Undefined after the reply was sent or cancelled. */
	#carrier: ResponseCarrier | undefined;
	#fields = "";

	constructor(carrier: ResponseCarrier) {
		this.#carrier = carrier;
	}

	/** False after the reply was sent or cancelled. */
	get isOpen(): boolean {
		return this.#carrier !== undefined;
	}

	/** True if clients with a token use all other places of the port; requests that wait for a shared resource are refused then. */
	get isGuest(): boolean {
		return this.#carrier?.isGuest ?? false;
	}

	/** Protects the request from displacement after the handler has authenticated it. */
	vouch(): void {
		this.#carrier?.vouch();
	}

	/** Fields set so far, each with its CRLF. */
	get fields(): string {
		return this.#fields;
	}

	/** Adds a field. Throws a RangeError unless the value is printable ASCII, which prevents header injection. */
	header(name: string, value: string): this {
		if (this.#carrier === undefined) return this;
		const bytes = this.#carrier.text.encode(value);
		for (let i = 0; i < bytes.length; i++) {
			if (bytes[i] < 0x20 || bytes[i] > 0x7e) throw new RangeError(`Bad character in the value of ${name}`);
		}
		this.#fields += `${name}: ${value}\r\n`;
		return this;
	}

	/** Adds constant fields as complete lines, each with its CRLF, without checks. */
	lines(lines: string): this {
		this.#fields += lines;
		return this;
	}

	/**
	 * Sends the reply: status 200 to 599 and a body of `length` bytes, of unknown length if omitted, or empty. If the
	 * reply was already sent or cancelled, it only closes the body.
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

	/** Cancels the reply; called by the connection. */
	cancel(): void {
		if (this.#carrier === undefined) return;
		this.#carrier = undefined;
		this.onCancelled?.();
	}
}
