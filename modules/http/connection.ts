/**
 * One connection of the HTTP server (RFC 9112, 9). Request, handler and reply are repeated until one side closes the
 * connection.
 *
 * A reply must arrive even if the client is still sending. If the connection were closed while received bytes are
 * unread, TCP would reset it, and the reply might be lost. A short unwanted body is therefore read and discarded. If a
 * body is long, up to LINGER_LIMIT bytes of it are discarded, for at most lingerMs, before the connection is closed.
 */
import type { ListenerPort, Socket, TextCodec } from "../io/host.js";
import { BODY_DATA, BODY_END, BODY_ERROR, BodyDecoder } from "./body.js";
import type { AcceptedConnection, ConnectionServer } from "./connection-server.js";
import {
	DISCARD_LIMIT,
	IN_SIZE,
	INPUT_BODY,
	INPUT_CLOSED,
	INPUT_DONE,
	INPUT_HEAD,
	INPUT_HELD,
	INPUT_LINGER,
	INPUT_OPEN,
	LINGER_LIMIT,
	OUT_SIZE,
	REPLY_AWAITED,
	REPLY_GIVEN,
	REPLY_NONE,
} from "./connection-states.js";
import type { BodySink } from "./handler.js";
import { HEAD_DONE, HEAD_MORE, RequestHead } from "./head.js";
import { METHOD_HEAD } from "./request.js";
import type { BodySource, LiveReader, ResponseCarrier } from "./response.js";
import { framingOf, HTTPResponse } from "./response.js";
import { SendBuffer } from "./send-buffer.js";
import { displacedReply, reasonOf, sendError } from "./status.js";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

export class HTTPConnection implements ResponseCarrier, LiveReader {
	readonly text: TextCodec;
	readonly port: ListenerPort;
	readonly #owner: ConnectionServer;
	readonly #socket: Socket;
	readonly #in = new Uint8Array(IN_SIZE);
	readonly #out = new SendBuffer(OUT_SIZE);
	readonly #head: RequestHead;
	readonly #body = new BodyDecoder();
	/** Start and end (`#inEnd`) of the bytes in `#in` that were not processed yet. */
	#inStart = 0;
	#inEnd = 0;
	#writable = 0;
	#input = INPUT_HEAD;
	#reply = REPLY_NONE;
	#response: HTTPResponse | undefined;
	#sink: BodySink | undefined;
	/** Number of bytes that may still be discarded before the connection is closed. */
	#lingerLeft = 0;
	#isLingering = false;
	#continued = false;
	#closing = false;
	#running = false;
	#recovered: unknown;
	#nowMs: number;
	#sinceMs: number;
	#receivedMs: number;
	#sentMs = 0;
	/**
	 * End of the grace period while the connection is idle or has a live body, monotonic ms. Between two requests there
	 * is no grace, so it is the start of the idle time.
	 */
	#graceEndMs: number;
	#isNew = true;
	/** True if the client has sent a token that is still valid. */
	hadToken = false;
	#isAuthenticated = false;

	constructor(owner: ConnectionServer, { port, pending, nowMs }: AcceptedConnection) {
		this.#owner = owner;
		this.port = port;
		this.text = owner.text;
		this.#nowMs = this.#sinceMs = this.#receivedMs = nowMs;
		this.#graceEndMs = this.#sinceMs + owner.limits.graceMs;
		const run = (ms: number) => this.run(ms);
		const close = () => this.close();
		this.#socket = new port.socket({
			from: pending,
			onReadable: () => owner.task.fromHost(run),
			onWritable: (count) => {
				this.#writable = count;
				owner.task.fromHost(run);
			},
			onError: () => owner.task.fromHost(close),
		});
		this.#head = new RequestHead(this.#in, owner.text, this.#socket, port.secure);
		this.#head.begin();
	}

	get remoteAddress(): string {
		return this.#socket.remoteAddress;
	}

	/** True between two requests, and while the connection waits for the client to close it. */
	get isIdle(): boolean {
		return (this.#input === INPUT_HEAD && this.#inEnd === 0) || this.#isLingering;
	}

	/** True if the present request has a valid token, and its reply has no live body. */
	get isAuthenticated(): boolean {
		return this.#isAuthenticated && !this.isLive;
	}

	get isLive(): boolean {
		return this.#out.live !== undefined;
	}

	get isOnLastPlace(): boolean {
		return this.#owner.othersHoldAllPlaces(this, true);
	}

	/**
	 * Time from which the connection may be displaced, monotonic ms. If the connection is idle, this is the start of
	 * the idle time. If the reply has a live body, it is the end of the grace period after the start of the reply. If
	 * the request has a valid token, it is Infinity. Otherwise it is the end of the grace period after the beginning of
	 * the request, or after the last byte of the reply that the client has accepted.
	 */
	get displaceableMs(): number {
		if (this.isIdle || this.isLive) return this.#graceEndMs;
		if (this.#isAuthenticated) return Number.POSITIVE_INFINITY;
		const { graceMs, writeMs } = this.#owner.limits;
		// A client that accepts the reply byte by byte can delay its displacement by at most writeMs.
		return graceMs + (this.#out.isIdle ? this.#sinceMs : Math.min(this.#sentMs, this.#sinceMs + writeMs));
	}

	/** Closes the connection. If a request has no reply yet, first sends 503 with Retry-After. */
	displace(): void {
		if (!this.isIdle && this.#reply !== REPLY_GIVEN && this.#out.isIdle) {
			const reply = displacedReply(this.text);
			if (reply.length <= this.#writable) this.#socket.write(reply);
		}
		this.close();
	}

	authenticated(): void {
		this.#socket.trust?.();
		this.#isAuthenticated = this.hadToken = true;
	}

	/** End of the current time limit, monotonic ms; Infinity while the handler is working. */
	get deadlineMs(): number {
		const limits = this.#owner.limits;
		if (this.#out.isWaiting) {
			if (!this.#out.isAwake) return this.#sentMs + limits.beatMs;
			return this.#sentMs + (this.#input === INPUT_OPEN ? limits.openPauseMs : limits.pauseMs);
		}
		if (!this.#out.isIdle) return Math.min(this.#sentMs + limits.writeMs, this.#sinceMs + limits.transferMs);
		if (this.#isLingering) {
			return Math.max(this.#sinceMs, this.#isAuthenticated ? this.#receivedMs : 0) + limits.lingerMs;
		}
		if (this.#input === INPUT_HEAD) {
			return this.#sinceMs + (this.#inEnd > 0 || this.#isNew ? limits.headMs : limits.idleMs);
		}
		if (this.#input === INPUT_HELD) return this.#nowMs;
		if (this.#input !== INPUT_BODY) return Number.POSITIVE_INFINITY;
		const isSlow = this.#sink?.rest !== undefined;
		if (isSlow) return Math.min(this.#receivedMs + limits.slowMs, this.#sinceMs + limits.slowTransferMs);
		if (!this.#isAuthenticated) return this.#sinceMs + limits.bodyMs;
		return Math.min(this.#receivedMs + limits.bodyMs, this.#sinceMs + limits.transferMs);
	}

	expire(nowMs: number): void {
		this.#nowMs = nowMs;
		if (this.#out.isWaiting) {
			// Each piece of a live body has a time limit of its own.
			this.#sinceMs = this.#sentMs = nowMs;
			this.#out.resume();
			this.run(nowMs);
		} else if (!this.#out.isIdle || this.isIdle || this.#reply === REPLY_GIVEN) this.close();
		else if (this.#input === INPUT_HELD) {
			this.#input = INPUT_BODY;
			this.run(nowMs);
		} else if (this.#input === INPUT_BODY && this.#sink === undefined) this.linger();
		else this.fail(408);
	}

	wake(): void {
		this.#out.isAwake = true;
		this.#owner.task.update(() => this.#owner.changed());
	}

	/**
	 * Closes the connection. The socket still sends the output that it has accepted. Cancels a handler that has not
	 * replied yet.
	 */
	close(): void {
		if (this.#input === INPUT_CLOSED) return;
		this.#input = INPUT_CLOSED;
		const sink = this.#sink;
		const response = this.#response;
		this.#sink = this.#response = undefined;
		this.#socket.close();
		this.#owner.closed(this);
		this.#out.close();
		sink?.abort?.();
		response?.cancel();
	}

	reply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void {
		if (this.#running) this.carryReply(response, status, body, length);
		else {
			this.#owner.task.update((nowMs) => {
				this.#nowMs = nowMs;
				this.carryReply(response, status, body, length);
				this.run(nowMs);
			});
		}
	}

	private carryReply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void {
		try {
			this.startReply(response, status, body, length);
		} catch (error) {
			this.recover(error);
			throw error;
		}
	}

	private startReply(response: HTTPResponse, status: number, body: BodySource | undefined, length: number): void {
		if (!(length >= 0)) throw new RangeError("Length of the reply is not a length");
		this.#sink = undefined;
		if (this.#input === INPUT_HELD) this.#input = INPUT_BODY;
		if (this.#input === INPUT_BODY) this.dropBody();
		const { method, minorVersion, keepAlive } = this.#head;
		const isOpen = length === Number.POSITIVE_INFINITY;
		const isUpgrade = status === 101;
		const isChunked = isOpen && minorVersion === 1 && !isUpgrade;
		const isBare = status === 204 || status === 304;
		const hasBody = !isBare && method !== METHOD_HEAD;
		// While all places of a port are taken, the connection stays open after this reply only if its client has a
		// token and some other client has none. So one place always becomes free.
		const isSurplus =
			this.#owner.isFull(this) && (!this.#isAuthenticated || this.#owner.othersHoldAllPlaces(this, false));
		// A client that is refused would keep its place in vain.
		const isLast = response.closing || isSurplus || status === 503 || !keepAlive;
		if (isLast || (hasBody && isOpen && !isChunked)) this.#closing = true;
		const framing = isUpgrade ? "" : framingOf(isBare ? Number.NaN : length, isChunked, this.#closing, minorVersion);
		const text = this.text.encode(`HTTP/1.1 ${status} ${reasonOf(status)}\r\n${response.fields}${framing}\r\n`);
		this.#sinceMs = this.#sentMs = this.#nowMs;
		if (!hasBody) body?.close?.();
		this.#out.begin(text, hasBody ? body : undefined, hasBody ? length : 0, isChunked);
		this.#graceEndMs = this.#nowMs + this.#owner.limits.graceMs;
		this.#out.live?.opened(this);
		if (isUpgrade) this.#input = INPUT_OPEN;
		this.#reply = REPLY_GIVEN;
	}

	private run(nowMs: number): void {
		if (this.#running) return;
		this.#running = true;
		this.#nowMs = nowMs;
		try {
			this.advance();
		} catch (error) {
			this.recover(error);
			throw error;
		} finally {
			this.#running = false;
			this.#owner.changed();
		}
	}

	private advance(): void {
		// The reply is written before the next head is read.
		while (this.write() || this.read());
	}

	/**
	 * Handles an exception from the handler, the sink or the source. Replies 500 if nothing was sent yet; otherwise
	 * closes the connection.
	 */
	private recover(error: unknown): void {
		// If a reply fails inside a handler, the same exception arrives here twice.
		if (error === this.#recovered || this.#input === INPUT_CLOSED) return;
		const isFirst = this.#recovered === undefined;
		this.#recovered = error;
		try {
			const isUnseen = this.#out.revoke() || this.#reply === REPLY_AWAITED;
			if (isFirst && isUnseen) {
				this.fail(500, (error as { readonly sentence?: string }).sentence);
				this.advance();
			} else {
				this.close();
			}
		} catch {
			this.close();
		}
	}

	private fail(status: number, sentence?: string): void {
		const sink = this.#sink;
		const response = this.#response;
		this.#sink = undefined;
		this.#response = new HTTPResponse(this);
		this.#reply = REPLY_AWAITED;
		this.linger();
		// The reply is sent before the sink and the handler are notified of the failure, because they may throw.
		sendError(this.#response, status, sentence);
		sink?.abort?.();
		response?.cancel();
	}

	private linger(): void {
		this.#closing = true;
		this.#input = INPUT_LINGER;
		// A client with a token may send its whole body, because browsers read the reply only after they have sent the
		// body.
		this.#lingerLeft = this.#isAuthenticated ? Math.max(LINGER_LIMIT, this.#body.left) : LINGER_LIMIT;
	}

	/** Discards the rest of the body if it is short. If it is too long, the connection will be closed. */
	private dropBody(): void {
		if (this.#body.isDone) this.#input = INPUT_DONE;
		else if (this.#body.left > DISCARD_LIMIT || (this.#head.expectsContinue && !this.#continued)) this.linger();
	}

	/** Writes pending output. Returns true if the next request can be read. */
	private write(): boolean {
		if (this.#input === INPUT_CLOSED) return false;
		if (!this.#out.isIdle && !this.#out.isWaiting && this.#writable > 0) {
			this.#writable = this.#out.pump(this.#socket, this.#writable);
			this.#sentMs = this.#nowMs;
		}
		if (!this.#out.isIdle || this.#reply !== REPLY_GIVEN) return false;
		if (this.#input === INPUT_DONE && !this.#closing) {
			this.next();
			return true;
		}
		if (
			this.#input === INPUT_DONE ||
			this.#input === INPUT_OPEN ||
			(this.#input === INPUT_LINGER && this.#lingerLeft <= 0)
		) {
			this.close();
		} else if (this.#input === INPUT_LINGER && !this.#isLingering) {
			this.#isLingering = true;
			this.#sinceMs = this.#nowMs;
			this.#graceEndMs = this.#nowMs + this.#owner.limits.graceMs;
		}
		return false;
	}

	private next(): void {
		this.#response = undefined;
		this.#reply = REPLY_NONE;
		this.#input = INPUT_HEAD;
		this.#continued = this.#isNew = this.#isAuthenticated = false;
		this.#in.copyWithin(0, this.#inStart, this.#inEnd);
		this.#inEnd -= this.#inStart;
		this.#inStart = 0;
		this.#head.begin();
		this.#sinceMs = this.#graceEndMs = this.#nowMs;
	}

	private read(): boolean {
		switch (this.#input) {
			case INPUT_HEAD:
				return this.readHead();
			case INPUT_BODY:
				return this.readBody();
			case INPUT_LINGER:
				return this.readRest();
			case INPUT_OPEN:
				return this.readOpen();
			default:
				return false;
		}
	}

	private receive(): boolean {
		const count = this.#socket.read(this.#in, this.#inEnd, IN_SIZE);
		if (!count) return false;
		this.#inEnd += count;
		this.#receivedMs = this.#nowMs;
		return true;
	}

	private readHead(): boolean {
		const result = this.#head.parse(this.#inEnd);
		if (result === HEAD_MORE) {
			const isFirst = this.#inEnd === 0;
			if (!this.receive()) return false;
			if (isFirst) this.#sinceMs = this.#receivedMs;
			return true;
		}
		this.#inStart = this.#head.end;
		if (result === HEAD_DONE) this.ask();
		else this.fail(result);
		return true;
	}

	private ask(): void {
		const head = this.#head;
		this.#body.begin(head.contentLength);
		this.#input = this.#body.isDone ? INPUT_DONE : INPUT_BODY;
		this.#sinceMs = this.#receivedMs;
		this.#reply = REPLY_AWAITED;
		const response = new HTTPResponse(this);
		this.#response = response;
		const sink = this.#owner.handler.begin(head, response);
		if (!response.isOpen) {
			sink?.abort?.();
		} else if (sink === undefined) {
			if (this.#input === INPUT_BODY) this.dropBody();
		} else {
			this.#sink = sink;
			if (head.contentLength > sink.limit) this.fail(413);
			else if (this.#body.isDone) this.endBody();
			else if (head.expectsContinue && this.#inStart === this.#inEnd) {
				this.#continued = true;
				this.#sentMs = this.#nowMs;
				this.#out.queue(this.text.encode(CONTINUE));
			}
		}
	}

	private readBody(): boolean {
		const body = this.#body;
		let result = BODY_DATA;
		if (body.dataStart === body.dataEnd) {
			if (this.#inStart === this.#inEnd) {
				this.#inStart = this.#inEnd = 0;
				this.#head.release();
				if (!this.receive()) return false;
			}
			result = body.next(this.#in, this.#inStart, this.#inEnd);
			this.#inStart = body.position;
		}
		if (result === BODY_ERROR) this.fail(400);
		else if (result === BODY_DATA && !body.give(this.#sink, this.#in)) this.fail(413);
		if (this.#input !== INPUT_BODY) return true;
		if ((result === BODY_END || body.isDone) && body.dataStart === body.dataEnd) this.endBody();
		else if (result === BODY_DATA && this.#sink?.rest !== undefined) this.#input = INPUT_HELD;
		return true;
	}

	/**
	 * Reads from the client after status 101. Nothing is read while output is pending, and there are openPauseMs
	 * between two pieces of output, so that a client can't take all processing time.
	 */
	private readOpen(): boolean {
		if (!this.#out.isWaiting || this.#out.isAwake) return false;
		if (this.#inStart === this.#inEnd) {
			this.#inStart = this.#inEnd = 0;
			this.#head.release();
			if (!this.receive()) return false;
		}
		this.#inStart += this.#out.live?.receive?.(this.#in, this.#inStart, this.#inEnd) ?? 0;
		return true;
	}

	private endBody(): void {
		this.#input = INPUT_DONE;
		const sink = this.#sink;
		this.#sink = undefined;
		sink?.end();
	}

	private readRest(): boolean {
		if (this.#lingerLeft <= 0) return false;
		this.#inStart = this.#inEnd = 0;
		this.#head.release();
		if (!this.receive()) return false;
		this.#lingerLeft -= this.#inEnd;
		return true;
	}
}
