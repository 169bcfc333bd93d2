/**
 * Client connection to an HTTP server (RFC 9112) for small requests, one at a time.
 *
 *               send                 connected     reply complete   end, invalid reply   timeout
 *   OPENING     ASKING if connected  OPEN          -                OVER                 OVER (by the host)
 *   OPEN        ASKING               -             OVER             OVER                 -
 *   ASKING      -                    -             OPEN or OVER     OVER                 OVER
 *   OVER        -                    -             -                -                    -
 *
 * If the body of the reply goes to a sink, it is read only as fast as the sink accepts it, one piece in each call of
 * `advance`. The time limit is then HTTP_SILENCE_MS between two pieces.
 *
 * `outcome` is the result of the request. When the head of the reply is complete, `outcome` is its status, even if the
 * body is cut off later. Redirects are not followed, because requests may contain secrets. Time limits: HTTP_CONNECT_MS
 * for the connection; HTTP_REPLY_MS for the reply, from `send` or, if that is later, from the opening of the
 * connection.
 */
import { CLIENT_BROKEN, CLIENT_ENDED, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { READ_DONE, READ_HELD, READ_MORE, ReplyReader } from "./reply.js";

export const HTTP_CONNECT_MS = 8000;
export const HTTP_REPLY_MS = 8000;
export const HTTP_SILENCE_MS = 30_000;

/**
 * Outcome while no request was sent or its reply is pending. The other outcomes are status codes, CLIENT_…
 * (io/client.ts), and the next two constants.
 */
export const OUTCOME_NONE = 0;
/** The reply did not come in time, or its head is incomplete. */
export const HTTP_NO_REPLY = 20;
/** The reply is not valid HTTP, or its head is too long. */
export const HTTP_BAD_REPLY = 21;
/** Lowest status code. Lower outcomes are no status codes. */
export const FIRST_STATUS = 200;

const IN_SIZE = 512;

export interface HTTPClientOptions {
	readonly task: Task;
	readonly port: ClientPort;
	readonly host: string;
	readonly portNumber: number;
	readonly tls?: TLSClientOptions;
	/** Reader of the replies. The default reader keeps no body. */
	readonly reply?: ReplyReader;
}

const STATE_OPENING = 0;
const STATE_OPEN = 1;
const STATE_ASKING = 2;
const STATE_OVER = 3;

export class HTTPClient implements Timed {
	outcome = OUTCOME_NONE;
	/**
	 * True if a connection that had been used before ended before the reply began. The request may succeed over a new
	 * connection.
	 */
	isWorthRepeating = false;
	#state = STATE_OPENING;
	#replies = 0;
	#dueMs = Number.POSITIVE_INFINITY;
	#writable = 0;
	readonly #socket: Client;
	/** Request. Its bytes from `#at` to before `#end` must still be sent. */
	#bytes: Uint8Array | undefined;
	#at = 0;
	#end = 0;
	readonly #in = new Uint8Array(IN_SIZE);
	/** True while `#in` contains bytes that the reader has not passed to its sink yet. */
	#hasUnread = false;
	/** CLIENT_… if the connection has ended, possibly while `#in` still contains such bytes; otherwise 0. */
	#endCode = 0;
	readonly reply: ReplyReader;

	constructor({ task, port, host, portNumber, tls, reply = new ReplyReader() }: HTTPClientOptions) {
		this.reply = reply;
		this.#socket = new port.io({
			...port.pins,
			host,
			port: portNumber,
			timeoutMs: HTTP_CONNECT_MS,
			...(tls === undefined ? {} : { tls }),
			onReadable: () => task.fromHost(() => this.read()),
			onWritable: (count) => task.fromHost((nowMs) => this.write(count, nowMs)),
			onError: (code) =>
				task.fromHost(() => {
					this.#endCode = code;
					this.read();
				}),
		});
	}

	get isOpen(): boolean {
		return this.#state === STATE_OPEN || (this.#state === STATE_OPENING && this.#bytes === undefined);
	}

	/** TLS session, with which a later connection can resume; undefined without TLS, or if there is no connection. */
	get session(): Uint8Array | undefined {
		return this.#socket.session;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	/** Sends a request. The bytes must not change until `outcome` is set. */
	send(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.outcome = OUTCOME_NONE;
		this.reply.begin();
		this.#bytes = bytes;
		this.#at = start;
		this.#end = end;
		if (this.#state === STATE_OPEN) this.ask(nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs < this.#dueMs) return;
		if (!this.#hasUnread) {
			this.fail(HTTP_NO_REPLY);
			return;
		}
		this.#hasUnread = false;
		this.#dueMs = nowMs + HTTP_SILENCE_MS;
		this.take(this.reply.pass(this.#in));
		this.read();
	}

	close(): void {
		this.#state = STATE_OVER;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.#bytes = undefined;
		this.#socket.close();
	}

	private ask(nowMs: number): void {
		this.#state = STATE_ASKING;
		this.#dueMs = nowMs + HTTP_REPLY_MS;
		this.pump();
	}

	private write(count: number, nowMs: number): void {
		this.#writable = count;
		if (this.#state === STATE_OPENING) {
			if (this.#bytes === undefined) this.#state = STATE_OPEN;
			else this.ask(nowMs);
		} else if (this.#state === STATE_ASKING) this.pump();
	}

	private pump(): void {
		while (this.#bytes !== undefined && this.#at < this.#end && this.#writable > 0) {
			const start = this.#at;
			this.#at = Math.min(this.#end, start + this.#writable);
			this.#writable = this.#socket.write(this.#bytes, start, this.#at);
		}
	}

	private read(): void {
		const bytes = this.#in;
		while (this.#state < STATE_OVER && !this.#hasUnread) {
			const count = this.#endCode === 0 ? this.#socket.read(bytes) : undefined;
			if (count === undefined) {
				if (this.#endCode !== 0) this.fail(this.#endCode);
				return;
			}
			if (this.#state !== STATE_ASKING) this.fail(HTTP_BAD_REPLY);
			else this.take(this.reply.take(bytes, 0, count));
		}
	}

	private take(result: number): void {
		if (result === READ_MORE || this.#state === STATE_OVER) return;
		if (result === READ_HELD) {
			this.#hasUnread = true;
			this.#dueMs = 0;
			return;
		}
		if (result !== READ_DONE) {
			this.fail(HTTP_BAD_REPLY);
			return;
		}
		const { status, isReusable } = this.reply;
		this.outcome = status;
		this.#replies++;
		this.#dueMs = Number.POSITIVE_INFINITY;
		// If the reply has come before the whole request was sent, the connection can't be used again.
		if (isReusable && this.#at === this.#end) this.#state = STATE_OPEN;
		else this.close();
	}

	private fail(code: number): void {
		const wasAsking = this.#state === STATE_ASKING || this.#state === STATE_OPENING;
		const { status, hasBegun } = this.reply;
		this.close();
		if (!wasAsking) return;
		if (status !== 0) this.outcome = status;
		else {
			const hasEnded = code === CLIENT_ENDED || code === CLIENT_BROKEN;
			this.isWorthRepeating = hasEnded && !hasBegun && this.#replies > 0;
			this.outcome = hasEnded && hasBegun ? HTTP_NO_REPLY : code;
		}
	}
}
