/**
 * An open connection with back-pressure in both directions, for sockets (socket.ts) and clients (client.ts). Limits:
 * RECEIVE_LIMIT unread bytes, after which reading stops (the last piece may exceed this by up to 64 KB), and SEND_LIMIT
 * unsent bytes. After `close` the peer has LINGER_MS to receive the unsent bytes.
 */
import type { Socket as NetSocket } from "node:net";
import { ByteQueue } from "./byte-queue.js";

const RECEIVE_LIMIT = 16_384;
const SEND_LIMIT = 8192;
const LINGER_MS = 3000;

export interface StreamEvents {
	onReadable?(count: number): void;
	/** The first call comes asynchronously after the construction. */
	onWritable?(count: number): void;
	/** Called once, after all received data were read. `isBroken` is true if the connection did not end properly. */
	onEnd(isBroken: boolean): void;
}

export class NodeStream {
	readonly #events: StreamEvents;
	readonly #socket: NetSocket;
	readonly #received = new ByteQueue();
	#writable = 0;
	#unsent = 0;
	#ended = false;
	#broken = false;
	#endReported = false;
	#closed = false;

	constructor(socket: NetSocket, events: StreamEvents) {
		this.#events = events;
		this.#socket = socket;
		socket.on("data", (piece) => this.#arrived(piece as Buffer));
		socket.on("error", () => {
			this.#broken = !this.#ended;
			// Node reports an invalid TLS record but leaves the connection open.
			socket.destroy();
		});
		socket.on("end", () => this.#end());
		socket.on("close", () => this.#end());
		setImmediate(() => this.#opened());
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		const count = this.#received.read(into, start, end);
		if (this.#received.length <= RECEIVE_LIMIT && this.#socket.isPaused()) this.#socket.resume();
		if (this.#ended && !this.#endReported && this.#received.length === 0) setImmediate(() => this.#reportEnd());
		return count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const count = end - start;
		if (count > this.#writable) throw new RangeError(`${count} bytes are more than the ${this.#writable} announced`);
		if (count <= 0) return this.#writable;
		this.#unsent += count;
		this.#socket.write(Buffer.from(bytes.subarray(start, end)), () => {
			this.#unsent -= count;
			if (!this.#closed && !this.#socket.destroyed) this.#announce();
		});
		this.#writable = SEND_LIMIT - this.#unsent;
		return this.#writable;
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#received.clear();
		if (this.#socket.destroyed) return;
		// The connection is only half closed here. Closing it with unread bytes would cause a reset, which would discard
		// data on their way to the peer.
		this.#socket.end();
		this.#socket.resume();
		const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS);
		this.#socket.once("close", () => clearTimeout(linger));
	}

	#opened(): void {
		if (this.#closed) return;
		// The connection may have ended before these listeners were set.
		if (this.#socket.destroyed || this.#socket.readableEnded) this.#end();
		else this.#announce();
	}

	#announce(): void {
		this.#writable = SEND_LIMIT - this.#unsent;
		this.#events.onWritable?.(this.#writable);
	}

	#arrived(piece: Buffer): void {
		if (this.#closed) return;
		this.#received.push(piece);
		if (this.#received.length > RECEIVE_LIMIT) this.#socket.pause();
		this.#events.onReadable?.(this.#received.length);
	}

	#end(): void {
		this.#ended = true;
		if (this.#received.length === 0) this.#reportEnd();
	}

	#reportEnd(): void {
		if (this.#closed || this.#endReported) return;
		this.#endReported = true;
		this.#events.onEnd(this.#broken);
	}
}
