/**
 * A connection beyond the limit: whatever it asks, it is told to try again (503), and closed. Has no buffers of note,
 * and waits for the first bytes of the request before it answers and for the client to close, so that no reset destroys
 * the reply.
 */
import type { PendingSocket, Socket, SocketOptions, TextCodec } from "../io/host.js";
import { errorText, reasonOf } from "./status.js";

/** Seconds after which the client is asked to come back. */
const RETRY_AFTER = 1;
/** Bytes read and thrown away at a time. */
const DISCARD_SIZE = 64;
/** What is thrown away at most. */
const DISCARD_LIMIT = 8192;

export interface OverflowOptions {
	readonly socket: new (options: SocketOptions) => Socket;
	readonly pending: PendingSocket;
	readonly text: TextCodec;
	/** When the connection is given up, monotonic ms. */
	readonly deadlineMs: number;
	/** A callback of the host changes the connection. */
	run(change: () => void): void;
	onClosed(): void;
}

export class OverflowConnection {
	readonly deadlineMs: number;
	readonly #socket: Socket;
	readonly #reply: Uint8Array;
	readonly #discarded = new Uint8Array(DISCARD_SIZE);
	readonly #onClosed: () => void;
	#sent = 0;
	#read = 0;
	#writable = 0;
	#isClosed = false;

	constructor(options: OverflowOptions) {
		this.deadlineMs = options.deadlineMs;
		this.#onClosed = () => options.onClosed();
		const body = errorText(503);
		this.#reply = options.text.encode(
			`HTTP/1.1 503 ${reasonOf(503)}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
				`Retry-After: ${RETRY_AFTER}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
		);
		const run = () => this.run();
		const close = () => this.close();
		this.#socket = new options.socket({
			from: options.pending,
			onReadable: () => options.run(run),
			onWritable: (count) => {
				this.#writable = count;
				options.run(run);
			},
			onError: () => options.run(close),
		});
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#socket.close();
		this.#onClosed();
	}

	private run(): void {
		if (this.#isClosed) return;
		for (let count = 1; count > 0 && this.#read < DISCARD_LIMIT; this.#read += count) {
			count = this.#socket.read(this.#discarded) ?? 0;
		}
		const end = Math.min(this.#reply.length, this.#sent + this.#writable);
		if (this.#read > 0 && this.#sent < end) {
			this.#writable = this.#socket.write(this.#reply, this.#sent, end);
			this.#sent = end;
		}
		if (this.#sent === this.#reply.length && this.#read >= DISCARD_LIMIT) this.close();
	}
}
