/**
 * One connection that we make to an HTTP server (RFC 9112): one request at a time, kept open as long as the server keeps
 * it. For owners that send little and want to know its status, and maybe how the reply's body begins; the rest is read
 * over (reply.ts says how much).
 *
 *               send                 stands        reply whole      end, what is no reply   time over
 *   OPENING     sent when it stands  OPEN          -                OVER                    OVER (of the host)
 *   OPEN        ASKING               -             OVER             OVER                    -
 *   ASKING      -                    -             OPEN or OVER     OVER                    OVER
 *   OVER        -                    -             -                -                       -
 *
 * `outcome` tells what came of the request. A reply whose head is there counts, whatever becomes of its body. Nothing is
 * followed: where a redirect leads, what was sent with the request is nobody's business.
 *
 * The owner's drive is told by whatever the host calls back with, and the owner looks at `outcome` in its drain.
 * Limits: connecting HTTP_CONNECT_MS, a reply HTTP_REPLY_MS from `send` on, or from when the connection stands.
 */
import { CLIENT_BROKEN, CLIENT_ENDED, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { READ_DONE, READ_MORE, ReplyReader } from "./reply.js";

export const HTTP_CONNECT_MS = 8000;
export const HTTP_REPLY_MS = 8000;

/** No request, or its reply is awaited. Other outcomes: the status of the reply, CLIENT_… (io/client.ts), or these two. */
export const OUTCOME_NONE = 0;
/** It took the connection, but gave no reply in time, or ended in the middle of one. */
export const HTTP_NO_REPLY = 20;
/** What came is no reply of HTTP, or one beyond the limits. */
export const HTTP_BAD_REPLY = 21;
/** Outcomes from here on are those of the reply. */
export const FIRST_STATUS = 200;

const IN_SIZE = 512;

export interface HTTPClientOptions {
	/** The owner's. */
	readonly task: Task;
	readonly port: ClientPort;
	/** As in ClientOptions. */
	readonly host: string;
	readonly portNumber: number;
	readonly tls?: TLSClientOptions;
	/** Reads the replies; default: one that keeps nothing. */
	readonly reply?: ReplyReader;
}

const STATE_OPENING = 0;
const STATE_OPEN = 1;
const STATE_ASKING = 2;
const STATE_OVER = 3;

export class HTTPClient implements Timed {
	/** What came of the last request. */
	outcome = OUTCOME_NONE;
	/** It failed without a byte of a reply, on a connection that was kept open: a new one may do better. */
	isWorthRepeating = false;
	#state = STATE_OPENING;
	/** Requests that got their reply. */
	#served = 0;
	#dueMs = Number.POSITIVE_INFINITY;
	#writable = 0;
	readonly #socket: Client;
	/** The request: `#bytes[#at..#end)` is still to be sent. */
	#bytes: Uint8Array | undefined;
	#at = 0;
	#end = 0;
	readonly #in = new Uint8Array(IN_SIZE);
	readonly #reply: ReplyReader;

	/** Throws an Error when what is to be trusted can't be used. */
	constructor({ task, port, host, portNumber, tls, reply = new ReplyReader() }: HTTPClientOptions) {
		this.#reply = reply;
		this.#socket = new port.io({
			...port.pins,
			host,
			port: portNumber,
			timeoutMs: HTTP_CONNECT_MS,
			...(tls === undefined ? {} : { tls }),
			onReadable: () => task.fromHost(() => this.read()),
			onWritable: (count) => task.fromHost((nowMs) => this.write(count, nowMs)),
			onError: (code) => task.fromHost(() => this.fail(code)),
		});
	}

	/** A request may be sent. */
	get isOpen(): boolean {
		return this.#state === STATE_OPEN || (this.#state === STATE_OPENING && this.#bytes === undefined);
	}

	/** TLS session for the next connection; undefined without TLS, or without a connection that stands. */
	get session(): Uint8Array | undefined {
		return this.#socket.session;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	/** Sends a request, `bytes[start..end)`, which hold still until its `outcome` is there. */
	send(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.outcome = OUTCOME_NONE;
		this.#reply.begin();
		this.#bytes = bytes;
		this.#at = start;
		this.#end = end;
		if (this.#state === STATE_OPEN) this.ask(nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#dueMs) this.fail(HTTP_NO_REPLY);
	}

	/** Ends it; nothing more is told. */
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
		while (this.#state < STATE_OVER) {
			const count = this.#socket.read(bytes);
			if (count === undefined) return;
			// Nobody has asked anything.
			if (this.#state !== STATE_ASKING) this.fail(HTTP_BAD_REPLY);
			else this.take(this.#reply.take(bytes, 0, count));
		}
	}

	/** Acts on the result of `ReplyReader.take` or `end`. */
	private take(result: number): void {
		if (result === READ_MORE) return;
		if (result !== READ_DONE) {
			this.fail(HTTP_BAD_REPLY);
			return;
		}
		const { status, isReusable } = this.#reply;
		this.outcome = status;
		this.#served++;
		this.#dueMs = Number.POSITIVE_INFINITY;
		// A server that answers before it has all of the request wants no more of it.
		if (isReusable && this.#at === this.#end) this.#state = STATE_OPEN;
		else this.close();
	}

	/** It is over, without a reply unless its head is there. */
	private fail(code: number): void {
		const wasAsking = this.#state === STATE_ASKING || this.#state === STATE_OPENING;
		const { status, hasBegun } = this.#reply;
		this.close();
		if (!wasAsking) return;
		if (status !== 0) this.outcome = status;
		else {
			const hasEnded = code === CLIENT_ENDED || code === CLIENT_BROKEN;
			this.isWorthRepeating = hasEnded && !hasBegun && this.#served > 0;
			this.outcome = hasEnded && hasBegun ? HTTP_NO_REPLY : code;
		}
	}
}
