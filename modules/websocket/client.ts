/**
 * WebSocket client (RFC 6455) over an outgoing connection of the host, for short messages of text in turn.
 *
 *               connected   101    other reply   message   take()   close, violation, end   time
 *   OPENING     ASKING      -      -             -         -        OVER                    OVER (by the host)
 *   ASKING      -           OPEN   OVER          -         -        OVER                    OVER
 *   OPEN        -           -      -             HOLDING   -        OVER                    OVER
 *   HOLDING     -           -      -             -         OPEN     -                       -
 *   OVER        -           -      -             -         -        -                       -
 *
 * A message waits in `message` until `take`, and nothing is read meanwhile. Messages may arrive in fragments; a ping is
 * answered between two messages. No extension and no subprotocol is offered. The text is not
 * checked for UTF-8; its owner looks for ASCII in it.
 *
 * Callbacks of the host run the caller's task, which checks `length` and `outcome` in its drain. Limits: HTTP_CONNECT_MS
 * for the connection, HTTP_REPLY_MS for the handshake and for each message, from `send` on; messages of the given size;
 * heads of HEAD_LIMIT bytes.
 */
import { isDigit } from "../bytes/ascii.js";
import { HTTP_BAD_REPLY, HTTP_CONNECT_MS, HTTP_NO_REPLY, HTTP_REPLY_MS, OUTCOME_NONE } from "../http/client.js";
import { decimalIn, hasWord, indexOrEnd, matches, trimEnd, trimStart } from "../http/field.js";
import { CLIENT_ENDED, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import { acceptOf, base64 } from "./accept.js";

/** Room that a message to send leaves before its first byte. */
export const FRAME_ROOM = 8;
const HEAD_LIMIT = 8192;

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const FINAL = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MASK_SIZE = 4;
/** Lengths in the second byte for a length in two and in eight further bytes. */
const LENGTH_2 = 126;
const LENGTH_8 = 127;
const CONTROL_LIMIT = 125;
/** Bytes before the payload of a control frame that is sent. */
const CONTROL_ROOM = 2 + MASK_SIZE;

/** Status codes of a close frame (RFC 6455, 7.4.1). */
const CLOSE_NORMAL = 1000;
const CLOSE_VIOLATION = 1002;
const CLOSE_NO_TEXT = 1003;
const CLOSE_TOO_BIG = 1009;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

/** Conditions of a handshake, as bits. */
const IS_101 = 1;
const IS_UPGRADE = 2;
const IS_WEBSOCKET = 4;
const IS_ACCEPTED = 8;
const IS_AGREED = IS_101 | IS_UPGRADE | IS_WEBSOCKET | IS_ACCEPTED;

export interface WebSocketOptions {
	readonly task: Task;
	readonly text: TextCodec;
	readonly crypto: Pick<Crypto, "random">;
	readonly port: ClientPort;
	readonly host: string;
	readonly portNumber: number;
	readonly tls?: TLSClientOptions;
	/** Value of the Host field. */
	readonly hostField: string;
	readonly path: string;
	/** Largest message to receive, bytes; at least 128. */
	readonly limit: number;
}

const STATE_OPENING = 0;
const STATE_ASKING = 1;
const STATE_OPEN = 2;
const STATE_OVER = 3;

export class WebSocketClient implements Timed {
	/** OUTCOME_NONE; at the end CLIENT_…, HTTP_NO_REPLY, HTTP_BAD_REPLY for a violation, or a status other than 101. */
	outcome = OUTCOME_NONE;
	/** Message received, in [0..length); the client owns the buffer. */
	readonly message: Uint8Array;
	/** -1 while no message waits. */
	length = -1;
	readonly #crypto: Pick<Crypto, "random">;
	readonly #socket: Client;
	readonly #accept: Uint8Array;
	#state = STATE_OPENING;
	#dueMs = Number.POSITIVE_INFINITY;
	/** CLIENT_… if the connection has ended. */
	#endCode = 0;

	/** Bytes to send: `#out[#outAt..#outEnd)`. */
	#out: Uint8Array;
	#outAt = 0;
	#outEnd: number;
	#writable = 0;

	/** Bytes to receive: `#in[#at..#end)`. */
	#in: Uint8Array;
	#at = 0;
	#end = 1;
	readonly #head = new Uint8Array(10);
	/** Frame that is sent in reply to a control frame. While it is not sent completely, nothing is read. */
	readonly #control = new Uint8Array(CONTROL_ROOM + CONTROL_LIMIT);
	#replySize = 0;
	/** True while the payload of a frame arrives. */
	#isPayload = false;
	#code = 0;
	#isFinal = false;
	/** Bytes of the message so far; -1 between two messages. */
	#kept = -1;
	/** Bytes of the head of the reply, status, and IS_… */
	#seen = 0;
	#status = 0;
	#agreed = 0;

	constructor({ task, text, crypto, port, host, portNumber, tls, hostField, path, limit }: WebSocketOptions) {
		const key = base64(crypto.random(16));
		this.#crypto = crypto;
		this.#accept = text.encode(acceptOf(key));
		this.#out = text.encode(
			`GET ${path} HTTP/1.1\r\nHost: ${hostField}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
		);
		this.#outEnd = this.#out.length;
		this.message = this.#in = new Uint8Array(limit);
		this.#socket = new port.io({
			...port.pins,
			host,
			port: portNumber,
			timeoutMs: HTTP_CONNECT_MS,
			...(tls === undefined ? {} : { tls }),
			onReadable: () => task.fromHost(() => this.read()),
			onWritable: (count) =>
				task.fromHost((nowMs) => {
					this.#writable = count;
					if (this.#state === STATE_OPENING) {
						this.#state = STATE_ASKING;
						this.#dueMs = nowMs + HTTP_REPLY_MS;
					}
					this.pump();
					this.read();
				}),
			onError: (code) =>
				task.fromHost(() => {
					this.#endCode = code;
					this.read();
				}),
		});
	}

	/** TLS session for resumption; undefined without TLS or a connection. */
	get session(): Uint8Array | undefined {
		return this.#socket.session;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#dueMs) this.end(HTTP_NO_REPLY, CLOSE_NORMAL);
	}

	/** Frees `message` for the next one. */
	take(): void {
		this.length = -1;
		this.read();
	}

	/**
	 * Sends `bytes[start..end)` as a message, and waits for one. FRAME_ROOM bytes before `start` are overwritten, and the
	 * bytes are masked in place; they must not change until the next message has arrived. Call it after a message only.
	 */
	send(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state !== STATE_OPEN) return;
		const size = end - start;
		const isShort = size < LENGTH_2;
		const from = start - MASK_SIZE - (isShort ? 2 : 4);
		bytes[from] = FINAL | TEXT;
		bytes[from + 1] = MASKED | (isShort ? size : LENGTH_2);
		if (!isShort) {
			bytes[from + 2] = size >> 8;
			bytes[from + 3] = size;
		}
		this.mask(bytes, start, end);
		this.#out = bytes;
		this.#outAt = from;
		this.#outEnd = end;
		this.#dueMs = nowMs + HTTP_REPLY_MS;
		this.pump();
	}

	/** Closes the connection. `outcome` no longer changes. */
	close(): void {
		if (this.#state !== STATE_OVER) this.end(OUTCOME_NONE, CLOSE_NORMAL);
	}

	private mask(bytes: Uint8Array, start: number, end: number): void {
		const mask = this.#crypto.random(MASK_SIZE);
		bytes.set(mask, start - MASK_SIZE);
		for (let i = start; i < end; i++) bytes[i] ^= mask[(i - start) & 3];
	}

	private pump(): void {
		for (;;) {
			while (this.#outAt < this.#outEnd && this.#writable > 0) {
				const start = this.#outAt;
				this.#outAt = Math.min(this.#outEnd, start + this.#writable);
				this.#writable = this.#socket.write(this.#out, start, this.#outAt);
			}
			if (this.#outAt < this.#outEnd || this.#replySize === 0) return;
			if (this.#out === this.#control) {
				this.#out = this.#head;
				this.#replySize = 0;
				return;
			}
			this.#out = this.#control;
			this.#outAt = 0;
			this.#outEnd = this.#replySize;
		}
	}

	private read(): void {
		while (this.#state !== STATE_OVER && this.length < 0 && this.#replySize === 0) {
			if (this.#at < this.#end) {
				const count = this.#endCode === 0 ? this.#socket.read(this.#in, this.#at, this.#end) : undefined;
				if (count === undefined) {
					if (this.#endCode !== 0) this.end(this.#endCode, 0);
					return;
				}
				this.#at += count;
				if (this.#at < this.#end) continue;
			}
			if (this.#state !== STATE_OPEN) this.takeByte();
			else if (this.#isPayload) this.takePayload();
			else this.takeHead();
		}
	}

	private expect(into: Uint8Array, at: number, size: number): void {
		this.#in = into;
		this.#at = at;
		this.#end = at + size;
	}

	/** Takes a byte of the reply's head. One at a time, because the first frame may follow at once. */
	private takeByte(): void {
		const line = this.message;
		const length = this.#at;
		this.#seen++;
		if (this.#seen > HEAD_LIMIT || this.#state !== STATE_ASKING) this.end(HTTP_BAD_REPLY, 0);
		else if (line[length - 1] === LF) {
			this.expect(line, 0, 1);
			this.takeLine(length > 1 && line[length - 2] === CR ? length - 2 : length - 1);
		} else if (length < line.length) this.#end++;
		// The rest of a long line is dropped.
		else this.#at--;
	}

	private takeLine(length: number): void {
		const line = this.message;
		if (this.#status === 0) {
			if (!matches(line, 0, 7, "http/1.") || !isDigit(line[7])) this.end(HTTP_BAD_REPLY, 0);
			else {
				this.#status = decimalIn(line, 9, Math.min(12, length));
				if (this.#status === 101) this.#agreed = IS_101;
			}
		} else if (length > 0) this.takeField(length);
		else if (this.#agreed === IS_AGREED) {
			this.#state = STATE_OPEN;
			this.expect(this.#head, 0, 2);
		} else this.end(this.#status >= 200 && this.#status < 600 ? this.#status : HTTP_BAD_REPLY, 0);
	}

	private takeField(length: number): void {
		const line = this.message;
		const colon = indexOrEnd(line, COLON, 0, length);
		const from = trimStart(line, colon + 1, length);
		const to = trimEnd(line, from, length);
		if (matches(line, 0, colon, "upgrade")) {
			if (hasWord(line, from, to, "websocket")) this.#agreed |= IS_WEBSOCKET;
		} else if (matches(line, 0, colon, "connection")) {
			if (hasWord(line, from, to, "upgrade")) this.#agreed |= IS_UPGRADE;
		} else if (matches(line, 0, colon, "sec-websocket-accept")) {
			const accept = this.#accept;
			if (to - from === accept.length && accept.every((byte, i) => byte === line[from + i]))
				this.#agreed |= IS_ACCEPTED;
		} else if (
			matches(line, 0, colon, "sec-websocket-extensions") ||
			matches(line, 0, colon, "sec-websocket-protocol")
		) {
			// Neither was offered.
			this.#agreed = 0;
		}
	}

	/** Takes the head of a frame, or asks for the rest of it. */
	private takeHead(): void {
		const head = this.#head;
		const short = head[1];
		const size = short === LENGTH_2 ? 4 : short === LENGTH_8 ? 10 : 2;
		if (this.#end < size) {
			this.#end = size;
			return;
		}
		let length = short;
		if (size > 2) {
			length = 0;
			for (let i = 2; i < size; i++) length = length * 256 + head[i];
		}
		const code = head[0] & 15;
		this.#code = code;
		this.#isFinal = head[0] >= FINAL;
		const isLong = size === 4 ? length < LENGTH_2 : size === 10 && length < 0x10000;
		if (head[0] & RESERVED || short & MASKED || isLong) this.violated(CLOSE_VIOLATION);
		else if (code >= CLOSE) {
			if (!this.#isFinal || length > CONTROL_LIMIT || code > PONG) this.violated(CLOSE_VIOLATION);
			else {
				this.#isPayload = true;
				this.expect(this.#control, CONTROL_ROOM, length);
			}
		} else if (code > TEXT) this.violated(code === TEXT + 1 ? CLOSE_NO_TEXT : CLOSE_VIOLATION);
		else if ((code === CONTINUATION) !== this.#kept >= 0) this.violated(CLOSE_VIOLATION);
		else {
			const kept = Math.max(0, this.#kept);
			if (kept + length > this.message.length) this.violated(CLOSE_TOO_BIG);
			else {
				this.#kept = kept + length;
				this.#isPayload = true;
				this.expect(this.message, kept, length);
			}
		}
	}

	private takePayload(): void {
		const end = this.#end;
		this.#isPayload = false;
		this.expect(this.#head, 0, 2);
		if (this.#code === PING) this.reply(PONG, end);
		else if (this.#code === CLOSE) {
			// The status code comes back without the reason.
			this.reply(CLOSE, end < CONTROL_ROOM + 2 ? CONTROL_ROOM : CONTROL_ROOM + 2);
			this.end(CLIENT_ENDED, 0);
		} else if (this.#code !== PONG && this.#isFinal) {
			this.length = this.#kept;
			this.#kept = -1;
			this.#dueMs = Number.POSITIVE_INFINITY;
		}
	}

	/** Sends a control frame, whose payload is in `#control` up to `end`, after the message that is being sent. */
	private reply(code: number, end: number): void {
		const control = this.#control;
		control[0] = FINAL | code;
		control[1] = MASKED | (end - CONTROL_ROOM);
		this.mask(control, CONTROL_ROOM, end);
		this.#replySize = end;
		this.pump();
	}

	private violated(code: number): void {
		this.end(HTTP_BAD_REPLY, code);
	}

	/** Ends the connection. `code`: status to send in a close frame; 0: none. */
	private end(outcome: number, code: number): void {
		const isOpen = this.#state === STATE_OPEN;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.outcome = outcome;
		// A frame that is being sent must not be interrupted by another one.
		if (isOpen && code !== 0 && this.#outAt === this.#outEnd && this.#replySize === 0) {
			this.#control[CONTROL_ROOM] = code >> 8;
			this.#control[CONTROL_ROOM + 1] = code;
			this.reply(CLOSE, CONTROL_ROOM + 2);
		}
		this.#state = STATE_OVER;
		this.#socket.close();
	}
}
