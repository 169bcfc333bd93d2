/**
 * An accepted connection of node:net or node:tls as a Socket of the host contract, with back-pressure both ways.
 *
 * Limits: beyond RECEIVE_LIMIT bytes unread (and the piece that crossed it, at most 64 KB) nothing more is taken from
 * the network; SEND_LIMIT bytes wait to be sent; after `close` the other side has LINGER_MS to take what was written.
 */
import type { Socket as NetSocket } from "node:net";
import type { PendingSocket, Socket, SocketOptions } from "../../modules/io/host.js";
import { ByteQueue } from "./byte-queue.js";

const RECEIVE_LIMIT = 16_384;
const SEND_LIMIT = 8192;
const LINGER_MS = 3000;

/** A connection that waits to be taken: nothing is read from it, except what Node reads ahead. */
export class PendingConnection implements PendingSocket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	#socket: NetSocket | undefined;

	constructor(socket: NetSocket, viaAccessPoint: boolean) {
		this.#socket = socket;
		this.viaAccessPoint = viaAccessPoint;
		this.remoteAddress = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
		// Resets and TLS errors end in "close", which is all that anybody here wants to know.
		socket.on("error", () => {});
	}

	take(): NetSocket {
		if (!this.#socket) throw new Error("this connection was taken or closed before");
		const socket = this.#socket;
		this.#socket = undefined;
		return socket;
	}

	close(): void {
		this.#socket?.destroy();
		this.#socket = undefined;
	}
}

export class NodeSocket implements Socket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	readonly #options: SocketOptions;
	readonly #socket: NetSocket;
	readonly #received = new ByteQueue();
	/** Count last announced to the caller. */
	#writable = 0;
	#unsent = 0;
	#ended = false;
	#errorTold = false;
	#closed = false;

	constructor(options: SocketOptions) {
		const from = options.from as PendingConnection;
		this.remoteAddress = from.remoteAddress;
		this.viaAccessPoint = from.viaAccessPoint;
		this.#options = options;
		this.#socket = from.take();
		this.#socket.on("data", (piece) => this.#arrived(piece as Buffer));
		this.#socket.on("end", () => this.#end());
		this.#socket.on("close", () => this.#end());
		setImmediate(() => this.#opened());
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		const count = this.#received.read(into, start, end);
		if (this.#received.length <= RECEIVE_LIMIT && this.#socket.isPaused()) this.#socket.resume();
		if (this.#ended && !this.#errorTold && this.#received.length === 0) setImmediate(() => this.#tellError());
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
		// What still arrives is thrown away: closing with bytes unread would be a reset, and the reset would take from
		// the other side what was written before.
		this.#socket.end();
		this.#socket.resume();
		const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS);
		this.#socket.once("close", () => clearTimeout(linger));
	}

	#opened(): void {
		if (this.#closed) return;
		if (this.#socket.destroyed) this.#end();
		else this.#announce();
	}

	#announce(): void {
		this.#writable = SEND_LIMIT - this.#unsent;
		this.#options.onWritable?.(this.#writable);
	}

	#arrived(piece: Buffer): void {
		if (this.#closed) return;
		this.#received.push(piece);
		if (this.#received.length > RECEIVE_LIMIT) this.#socket.pause();
		this.#options.onReadable?.(this.#received.length);
	}

	/** The other side has closed, or the connection broke. */
	#end(): void {
		this.#ended = true;
		if (this.#received.length === 0) this.#tellError();
	}

	#tellError(): void {
		if (this.#closed || this.#errorTold) return;
		this.#errorTold = true;
		this.#options.onError?.();
	}
}
