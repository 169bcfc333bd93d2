/**
 * Response to a request. It may be sent later than in the handler, because the answer of a meter may take a minute. The
 * connection adds the framing (RFC 9110, 6.4.1; RFC 9112, 6.3).
 *
 * Limit: a head has at most OUT_SIZE bytes (connection-states.ts).
 */
import type { TextCodec } from "../io/host.js";

export interface BodySource {
	/**
	 * Writes the next bytes of the body to `into`, from `start` to before `end`. Returns their number, which is 0 only
	 * at the end of the body.
	 */
	read(into: Uint8Array, start: number, end: number): number;
	/** Called once: when the body is complete, when it is not needed (HEAD), or when the client has disconnected. */
	close?(): void;
	/** Defined if the body is live, which means that it lasts as long as the client stays connected. */
	readonly live?: LiveBody;
}

/** Result of `read` of a live body: there are no data, or they do not fit the rest of the buffer. */
export const NOTHING_YET = -1;

/**
 * Body whose data come from events. It is read after `wake`, or after `beatMs` of silence. If a connection must be
 * displaced, connections with a live body are the first ones. A connection is closed if the client accepts nothing for
 * `writeMs`.
 */
export interface LiveBody {
	/** Called once, before the first `read`. `reader` is woken when the body has data. */
	opened(reader: LiveReader): void;
	/**
	 * Called after `beatMs` of silence. The next `read` must return bytes, which show the client that the connection is
	 * alive.
	 */
	beat(): void;
	/**
	 * Takes bytes from the client, and returns how many it has taken. Defined for a reply with status 101, after which
	 * the client may send anything. If it does not take all bytes, or has something to send, it calls `wake`. The
	 * remaining bytes are passed again when its output has been sent.
	 */
	receive?(bytes: Uint8Array, start: number, end: number): number;
}

export interface LiveReader {
	/**
	 * Call when the source has data. They are read in a later run of the server's task, at least `pauseMs` after the
	 * last read.
	 */
	wake(): void;
}

/** Body whose bytes are in memory or flash. They are not copied, and must not change until they are sent. */
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
 * Returns the fields that frame the body (RFC 9112, 6 and 9.3). `length` is Infinity if it is unknown, and NaN if the
 * status permits no body. `isLast` is true if the connection is closed after the reply.
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
	readonly isOnLastPlace: boolean;
	authenticated(): void;
	/** Sends the reply. `length` is the length of the body; Infinity if it is unknown. */
	reply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void;
}

export class HTTPResponse {
	/**
	 * Called if the client has disconnected, or if the server itself has replied (408, 413, 500). After this, sending
	 * has no effect.
	 */
	onCancelled: (() => void) | undefined = undefined;
	/** True to close the connection after the response, for example before a restart. */
	closing = false;

	/** Connection through which the reply is sent; undefined after it was sent or cancelled. */
	#carrier: ResponseCarrier | undefined;
	#fields = "";

	constructor(carrier: ResponseCarrier) {
		this.#carrier = carrier;
	}

	get isOpen(): boolean {
		return this.#carrier !== undefined;
	}

	/** True if requests with a token take all other places of the port. */
	get isOnLastPlace(): boolean {
		return this.#carrier?.isOnLastPlace ?? false;
	}

	authenticated(): void {
		this.#carrier?.authenticated();
	}

	get fields(): string {
		return this.#fields;
	}

	/** Adds a field. To prevent header injection, throws a RangeError if `value` is not printable ASCII. */
	header(name: string, value: string): this {
		if (this.#carrier === undefined) return this;
		const bytes = this.#carrier.text.encode(value);
		for (let i = 0; i < bytes.length; i++) {
			if (bytes[i] < 0x20 || bytes[i] > 0x7e) throw new RangeError(`Bad character in the value of ${name}`);
		}
		this.#fields += `${name}: ${value}\r\n`;
		return this;
	}

	/** Adds fields without a check. `lines` has complete lines, each with CRLF. */
	lines(lines: string): this {
		this.#fields += lines;
		return this;
	}

	/**
	 * Sends the response. `status` is 200 to 599. If `length` is omitted, the length is unknown, or 0 if there is no
	 * body. If the response was already sent or cancelled, this only closes the body.
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
