/**
 * Response to a request, sent at once or later, because a meter may take a minute. The connection adds the framing (RFC
 * 9110, 6.4.1; RFC 9112, 6.3).
 *
 * Limit: a head of OUT_SIZE bytes (connection-states.ts).
 */
import type { TextCodec } from "../io/host.js";

export interface BodySource {
	/** Writes to `into[start..end)`. Returns the number of bytes, which is 0 only at the end. */
	read(into: Uint8Array, start: number, end: number): number;
	/** Called once, when the body is complete or not needed (HEAD), or the client has disconnected. */
	close?(): void;
	/** Defined for a live body, which lasts as long as the client stays. */
	readonly live?: LiveBody;
}

/** Returned by `read` of a live body: there is no data, or it does not fit the rest of the buffer. */
export const NOTHING_YET = -1;

/**
 * Body produced by events. It is read after `wake`, or after `beatMs` of silence. Its connection is the first to be
 * displaced. The connection is closed if the client accepts nothing for `writeMs`.
 */
export interface LiveBody {
	/** Called once, before the first `read`. */
	opened(reader: LiveReader): void;
	/** After `beatMs` of silence the next `read` must return bytes, which show that the connection is alive. */
	beat(): void;
	/**
	 * Defined for status 101, after which the client may send anything: takes bytes, and returns how many. If it does
	 * not take all bytes, or has something to send, it calls `wake`. The remaining bytes are passed once its output is
	 * sent.
	 */
	receive?(bytes: Uint8Array, start: number, end: number): number;
}

export interface LiveReader {
	/** The source has data, which is read in a later task run, at least `pauseMs` after the last read. */
	wake(): void;
}

/** Body in memory or flash; it is not copied and must not change until it is sent. */
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
 * Returns the fields that frame the body (RFC 9112, 6 and 9.3). `length`: Infinity if unknown, NaN if no body is
 * possible. `isLast`: the connection ends.
 */
export function framingOf(length: number, isChunked: boolean, isLast: boolean, minorVersion: number): string {
	let framing = "";
	if (Number.isFinite(length)) framing = `Content-Length: ${length}\r\n`;
	else if (isChunked && length > 0) framing = "Transfer-Encoding: chunked\r\n";
	if (isLast) return `${framing}Connection: close\r\n`;
	return minorVersion === 0 ? `${framing}Connection: keep-alive\r\n` : framing;
}

export interface ResponseCarrier {
	readonly text: TextCodec;
	readonly isGuest: boolean;
	vouch(): void;
	/** `length`: Infinity if unknown. */
	reply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void;
}

export class HTTPResponse {
	/**
	 * The client has disconnected, or the server has replied itself (408, 413, 500). From then on sending has no effect.
	 */
	onCancelled: (() => void) | undefined = undefined;
	/** True to close the connection after the response, as before a restart. */
	closing = false;

	/** Receiver of the reply; undefined after the reply was sent or cancelled. */
	#carrier: ResponseCarrier | undefined;
	#fields = "";

	constructor(carrier: ResponseCarrier) {
		this.#carrier = carrier;
	}

	get isOpen(): boolean {
		return this.#carrier !== undefined;
	}

	/** True if clients with a token use all other places of the port. */
	get isGuest(): boolean {
		return this.#carrier?.isGuest ?? false;
	}

	vouch(): void {
		this.#carrier?.vouch();
	}

	get fields(): string {
		return this.#fields;
	}

	/** Throws a RangeError unless it is printable ASCII, against header injection. */
	header(name: string, value: string): this {
		if (this.#carrier === undefined) return this;
		const bytes = this.#carrier.text.encode(value);
		for (let i = 0; i < bytes.length; i++) {
			if (bytes[i] < 0x20 || bytes[i] > 0x7e) throw new RangeError(`Bad character in the value of ${name}`);
		}
		this.#fields += `${name}: ${value}\r\n`;
		return this;
	}

	/** `lines`: complete lines with CRLF, unchecked. */
	lines(lines: string): this {
		this.#fields += lines;
		return this;
	}

	/**
	 * `status`: 200 to 599; without `length`, the length of the body is unknown, or 0 without a body. If the response
	 * was already sent or cancelled, only closes the body.
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

	sendText(status: number, text: string): void {
		if (this.#carrier !== undefined) this.sendBytes(status, this.#carrier.text.encode(text));
	}

	cancel(): void {
		if (this.#carrier === undefined) return;
		this.#carrier = undefined;
		this.onCancelled?.();
	}
}
