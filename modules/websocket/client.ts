/**
 * WebSocket client (RFC 6455) that sends and receives messages of text in turn.
 *
 *               connected   accepted   other reply   message   take()   close, violation, end   time
 *   OPENING     ASKING      -          -             -         -        OVER                    OVER (by the host)
 *   ASKING      -           OPEN       OVER          -         -        OVER                    OVER
 *   OPEN        -           -          -             HOLDING   -        OVER                    OVER
 *   HOLDING     -           -          -             -         OPEN     -                       -
 *   OVER        -           -          -             -         -        -                       -
 *
 * A message waits in `message` until `take`. Meanwhile nothing is read, nor while something is being sent. Fragments are
 * joined, pings are answered; the text is not checked for UTF-8.
 *
 * The key of the handshake is the example of clause 1.3 in place of a random one, so that its proof is known without
 * SHA-1. It still shows that the server has understood the handshake; a cache that repeats the reply gets no further,
 * because it can't answer messages.
 *
 * Callbacks of the host run the caller's task, which checks `length` and `outcome` in its drain. Limits: HTTP_CONNECT_MS
 * for the connection, HTTP_REPLY_MS for the handshake and for each message, from `send` on; messages of the given size;
 * heads of HEAD_LIMIT bytes.
 */
import { HTTP_BAD_REPLY, HTTP_CONNECT_MS, HTTP_NO_REPLY, HTTP_REPLY_MS, OUTCOME_NONE } from "../http/client.js";
import { CLIENT_ENDED, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";

/** Room before the first byte of a message to send. */
export const FRAME_ROOM = 8;
const HEAD_LIMIT = 8192;

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const FINAL = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MASK_SIZE = 4;
/** Value of the second byte for a length in two further bytes. Larger values are a longer length, or a mask. */
const LENGTH_2 = 126;
const CONTROL_LIMIT = 125;

const LF = 0x0a;

export interface WebSocketOptions {
	readonly task: Task;
	readonly text: TextCodec;
	readonly crypto: Pick<Crypto, "random">;
	readonly port: ClientPort;
	readonly host: string;
	readonly portNumber: number;
	readonly tls: TLSClientOptions | undefined;
	readonly hostField: string;
	readonly path: string;
	/** Largest message to receive, bytes; at least 64. */
	readonly limit: number;
}

const STATE_OPENING = 0;
const STATE_ASKING = 1;
const STATE_OPEN = 2;
const STATE_OVER = 3;

export class WebSocketClient implements Timed {
	/** OUTCOME_NONE; at the end CLIENT_…, HTTP_NO_REPLY, or HTTP_BAD_REPLY for a refusal or a violation. */
	outcome = OUTCOME_NONE;
	length = -1;
	/** The waiting message is in [0..length). */
	readonly message: Uint8Array;
	readonly #crypto: Pick<Crypto, "random">;
	readonly #socket: Client;
	#state = STATE_OPENING;
	#dueMs = Number.POSITIVE_INFINITY;
	/** CLIENT_… if the connection has ended. */
	#endCode = 0;

	/** `#out[#outAt..#outEnd)` is to be sent. */
	#out: Uint8Array;
	#outAt = 0;
	#outEnd: number;
	#writable = 0;

	/** Bytes to receive: `#in[#at..#end)`. */
	#in: Uint8Array;
	#at = 0;
	#end = 1;
	/** Head of the frame, and the payload of a control frame with room for its own head. */
	readonly #head = new Uint8Array(4);
	readonly #control = new Uint8Array(FRAME_ROOM + CONTROL_LIMIT);
	#isPayload = false;
	#kept = 0;
	#seen = 0;
	#isAccepted = false;

	constructor({ task, text, crypto, port, host, portNumber, tls, hostField, path, limit }: WebSocketOptions) {
		this.#crypto = crypto;
		this.#out = text.encode(
			`GET ${path} HTTP/1.1\r\nHost: ${hostField}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
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
		if (nowMs >= this.#dueMs) this.end(HTTP_NO_REPLY);
	}

	/** True if the message contains the ASCII text. */
	has(text: string, length = this.length): boolean {
		const message = this.message;
		for (let at = 0; at + text.length <= length; at++) {
			let i = 0;
			while (i < text.length && message[at + i] === text.charCodeAt(i)) i++;
			if (i === text.length) return true;
		}
		return false;
	}

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
		this.#dueMs = nowMs + HTTP_REPLY_MS;
		this.transmit(TEXT, bytes, start, end);
	}

	/** `outcome` no longer changes. */
	close(): void {
		if (this.#state !== STATE_OVER) this.end(OUTCOME_NONE);
	}

	/** FRAME_ROOM bytes before `start` are free. */
	private transmit(code: number, bytes: Uint8Array, start: number, end: number): void {
		const size = end - start;
		const isShort = size < LENGTH_2;
		const from = start - MASK_SIZE - (isShort ? 2 : 4);
		bytes[from] = FINAL | code;
		bytes[from + 1] = MASKED | (isShort ? size : LENGTH_2);
		if (!isShort) {
			bytes[from + 2] = size >> 8;
			bytes[from + 3] = size;
		}
		const mask = this.#crypto.random(MASK_SIZE);
		bytes.set(mask, start - MASK_SIZE);
		for (let i = start; i < end; i++) bytes[i] ^= mask[(i - start) & 3];
		this.#out = bytes;
		this.#outAt = from;
		this.#outEnd = end;
		this.pump();
	}

	private pump(): void {
		while (this.#outAt < this.#outEnd && this.#writable > 0) {
			const start = this.#outAt;
			this.#outAt = Math.min(this.#outEnd, start + this.#writable);
			this.#writable = this.#socket.write(this.#out, start, this.#outAt);
		}
	}

	private read(): void {
		while (this.#state !== STATE_OVER && this.length < 0) {
			if (this.#endCode !== 0) this.end(this.#endCode);
			else if (this.#outAt < this.#outEnd) return;
			else if (this.#at < this.#end) {
				const count = this.#socket.read(this.#in, this.#at, this.#end);
				if (count === undefined) return;
				this.#at += count;
			} else if (this.#state !== STATE_OPEN) this.takeByte();
			else if (this.#isPayload) this.takePayload();
			else this.takeHead();
		}
	}

	private expect(into: Uint8Array, at: number, size: number): void {
		this.#in = into;
		this.#at = at;
		this.#end = at + size;
	}

	/** Takes a byte of the reply's head; one at a time, because the first frame may follow at once. */
	private takeByte(): void {
		const line = this.message;
		const length = this.#at;
		this.#seen++;
		if (this.#seen > HEAD_LIMIT) this.end(HTTP_BAD_REPLY);
		else if (line[length - 1] !== LF) {
			// The rest of a long line is dropped.
			if (length < line.length) this.#end++;
			else this.#at--;
		} else if (length > 2) {
			if (this.has(PROOF, length)) this.#isAccepted = true;
			this.expect(line, 0, 1);
		} else if (this.#isAccepted) {
			this.#state = STATE_OPEN;
			this.expect(this.#head, 0, 2);
		} else this.end(HTTP_BAD_REPLY);
	}

	private takeHead(): void {
		const head = this.#head;
		const isLong = head[1] === LENGTH_2;
		if (isLong && this.#end === 2) {
			this.#end = 4;
			return;
		}
		const code = head[0] & 15;
		const length = isLong ? head[2] * 256 + head[3] : head[1];
		const into = code <= TEXT ? this.message : this.#control;
		const from = code <= TEXT ? this.#kept : FRAME_ROOM;
		const isKnown = code <= TEXT || code === PING || code === PONG;
		if (code === CLOSE) this.end(CLIENT_ENDED);
		else if (!isKnown || head[0] & RESERVED || head[1] > LENGTH_2 || from + length > into.length)
			this.end(HTTP_BAD_REPLY);
		else {
			this.#isPayload = true;
			this.expect(into, from, length);
		}
	}

	private takePayload(): void {
		const head = this.#head[0];
		const end = this.#end;
		const code = head & 15;
		this.#isPayload = false;
		this.expect(this.#head, 0, 2);
		if (code === PING) this.transmit(PONG, this.#control, FRAME_ROOM, end);
		else if (code <= TEXT) {
			this.#kept = end;
			if (head < FINAL) return;
			this.#kept = 0;
			this.length = end;
			this.#dueMs = Number.POSITIVE_INFINITY;
		}
	}

	/** Sends a close frame if it can. */
	private end(outcome: number): void {
		const isIdle = this.#endCode === 0 && this.#outAt === this.#outEnd;
		if (this.#state === STATE_OPEN && isIdle) this.transmit(CLOSE, this.#control, FRAME_ROOM, FRAME_ROOM);
		this.#state = STATE_OVER;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.outcome = outcome;
		this.#socket.close();
	}
}
