/**
 * WebSocket client (RFC 6455) that sends and receives text messages in turn. The columns of the table are events:
 *
 *               connected   accepted   other reply   message   take()   close, violation, end   time
 *   OPENING     ASKING      -          -             -         -        OVER                    OVER (by the host)
 *   ASKING      -           OPEN       OVER          -         -        OVER                    OVER
 *   OPEN        -           -          -             HOLDING   -        OVER                    OVER
 *   HOLDING     -           -          -             -         OPEN     -                       -
 *   OVER        -           -          -             -         -        -                       -
 *
 * A received message waits in `message` until `take()` is called. Until then, and while bytes are being sent, nothing
 * is read. Pings are answered.
 *
 * The key of the handshake is not random, but the example of clause 1.3, so that the expected proof is known without
 * computing SHA-1. The proof still shows that the server has understood the handshake. A cache could repeat the reply
 * to the handshake, but could not answer messages.
 *
 * The host's callbacks run the caller's task, which checks `length` and `outcome` in its drain. Limits: HTTP_CONNECT_MS
 * for the connection; HTTP_REPLY_MS for the handshake, and from `send()` to the next message; `limit` bytes for a
 * message; HEAD_LIMIT bytes for the header of the reply to the handshake; PARTS_LIMIT heads and payloads of frames from
 * one message to the next, because all that has arrived is read in one call.
 */
import { HTTP_BAD_REPLY, HTTP_CONNECT_MS, HTTP_NO_REPLY, HTTP_REPLY_MS, OUTCOME_NONE } from "../http/client.js";
import { CLIENT_ENDED, type Client, type ClientPort, type TLSClientOptions } from "../io/client.js";
import type { Crypto } from "../io/crypto.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import {
	beginFrame,
	FRAME_BAD,
	FRAME_CLOSE,
	FRAME_MESSAGE,
	FRAME_PING,
	FRAME_ROOM,
	FrameReader,
	OPCODE_CLOSE,
	OPCODE_PONG,
	OPCODE_TEXT,
} from "./frames.js";

const HEAD_LIMIT = 8192;
const PARTS_LIMIT = 255;

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

const MASK_SIZE = 4;
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
	/** Maximum length of a received message, bytes; at least 64. */
	readonly limit: number;
}

const STATE_OPENING = 0;
const STATE_ASKING = 1;
const STATE_OPEN = 2;
const STATE_OVER = 3;

export class WebSocketClient implements Timed {
	/**
	 * OUTCOME_NONE until the end. Then CLIENT_…, HTTP_NO_REPLY, or HTTP_BAD_REPLY after a refusal or a protocol
	 * violation.
	 */
	outcome = OUTCOME_NONE;
	readonly #frames: FrameReader;
	readonly #crypto: Pick<Crypto, "random">;
	readonly #socket: Client;
	#state = STATE_OPENING;
	#dueMs = Number.POSITIVE_INFINITY;
	/** CLIENT_… if the connection has ended; otherwise 0. */
	#endCode = 0;

	/** Bytes to send: `#out[#outAt..#outEnd)`. */
	#out: Uint8Array;
	#outAt = 0;
	#outEnd: number;
	#writable = 0;

	/** Number of bytes of the handshake's reply that were read. */
	#seen = 0;
	#isAccepted = false;
	/** Number of heads and payloads since the last message. */
	#parts = 0;

	constructor({ task, text, crypto, port, host, portNumber, tls, hostField, path, limit }: WebSocketOptions) {
		this.#crypto = crypto;
		this.#out = text.encode(
			`GET ${path} HTTP/1.1\r\nHost: ${hostField}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
		);
		this.#outEnd = this.#out.length;
		this.#frames = new FrameReader(limit, false);
		this.#frames.expect(this.message, 0, 1);
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

	/** Length of the message that waits in `message[0..length)`; -1 if none waits. */
	get length(): number {
		return this.#frames.length;
	}

	get message(): Uint8Array {
		return this.#frames.message;
	}

	/** TLS session for the next connection; undefined without TLS, or as long as there is no connection. */
	get session(): Uint8Array | undefined {
		return this.#socket.session;
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#dueMs) this.end(HTTP_NO_REPLY);
	}

	/** Returns true if the message contains the ASCII text. */
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
		this.#frames.length = -1;
		this.read();
	}

	/**
	 * Sends `bytes[start..end)` as a message, and waits for the server's next message. FRAME_ROOM bytes before `start`
	 * are overwritten, and the bytes are masked in place. The array must not change until the next message has arrived.
	 * Call it only after a message has arrived.
	 */
	send(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		if (this.#state !== STATE_OPEN) return;
		this.#dueMs = nowMs + HTTP_REPLY_MS;
		this.transmit(OPCODE_TEXT, bytes, start, end);
	}

	/** Closes the connection. If it was still open, `outcome` stays OUTCOME_NONE. */
	close(): void {
		if (this.#state !== STATE_OVER) this.end(OUTCOME_NONE);
	}

	/** Sends a frame. FRAME_ROOM bytes before `start` must be free. */
	private transmit(code: number, bytes: Uint8Array, start: number, end: number): void {
		this.#out = bytes;
		this.#outAt = beginFrame(code, bytes, start, end, this.#crypto.random(MASK_SIZE));
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
		const frames = this.#frames;
		while (this.#state !== STATE_OVER && frames.length < 0) {
			if (this.#endCode !== 0) this.end(this.#endCode);
			else if (this.#outAt < this.#outEnd) return;
			else if (frames.at < frames.end) {
				const count = this.#socket.read(frames.into, frames.at, frames.end);
				if (count === undefined) return;
				frames.at += count;
			} else if (this.#state !== STATE_OPEN) this.takeByte();
			else this.takeFrame(frames.next());
		}
	}

	/**
	 * Processes a byte of the reply's header. Bytes are read one by one, because the first frame may follow immediately.
	 */
	private takeByte(): void {
		const frames = this.#frames;
		const line = frames.message;
		const length = frames.at;
		this.#seen++;
		if (this.#seen > HEAD_LIMIT) this.end(HTTP_BAD_REPLY);
		else if (line[length - 1] !== LF) {
			// The end of a long line is dropped.
			if (length < line.length) frames.end++;
			else frames.at--;
		} else if (length > 2) {
			if (this.has(PROOF, length)) this.#isAccepted = true;
			frames.expect(line, 0, 1);
		} else if (this.#isAccepted) {
			this.#state = STATE_OPEN;
			frames.expectHead();
		} else this.end(HTTP_BAD_REPLY);
	}

	private takeFrame(found: number): void {
		const { control, controlEnd } = this.#frames;
		if (found === FRAME_MESSAGE) {
			this.#dueMs = Number.POSITIVE_INFINITY;
			this.#parts = 0;
		} else if (++this.#parts > PARTS_LIMIT) this.end(HTTP_BAD_REPLY);
		else if (found === FRAME_PING) this.transmit(OPCODE_PONG, control, FRAME_ROOM, controlEnd);
		else if (found === FRAME_CLOSE) this.end(CLIENT_ENDED);
		else if (found === FRAME_BAD) this.end(HTTP_BAD_REPLY);
	}

	/** Ends the connection, with a close frame if one can be sent now. */
	private end(outcome: number): void {
		const isIdle = this.#endCode === 0 && this.#outAt === this.#outEnd;
		if (this.#state === STATE_OPEN && isIdle) this.transmit(OPCODE_CLOSE, this.#frames.control, FRAME_ROOM, FRAME_ROOM);
		this.#state = STATE_OVER;
		this.#dueMs = Number.POSITIVE_INFINITY;
		this.outcome = outcome;
		this.#socket.close();
	}
}
