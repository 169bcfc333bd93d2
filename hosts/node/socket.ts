/** A Socket of the host contract, with the limits of stream.ts. */
import type { Socket as NetSocket } from "node:net";
import type { PendingSocket, Socket, SocketOptions } from "../../modules/io/host.js";
import { NodeStream } from "./stream.js";

/**
 * A connection that the gateway has not taken yet. Nothing is read from it, except for the data that Node reads ahead.
 */
export class PendingConnection implements PendingSocket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	readonly onKnown: () => void;
	readonly onAnswered: () => void;
	#socket: NetSocket | undefined;

	constructor(
		socket: NetSocket,
		{ viaAccessPoint, onKnown, onAnswered }: Pick<PendingConnection, "viaAccessPoint" | "onKnown" | "onAnswered">,
	) {
		this.#socket = socket;
		this.viaAccessPoint = viaAccessPoint;
		this.onKnown = onKnown;
		this.onAnswered = onAnswered;
		this.remoteAddress = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
		// Resets and TLS errors also cause the event "close".
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

/** Time within which a reply is prompt (hosts/native/admission-queue.h), ms. */
const PROMPT_REPLY_MS = 1000;

export class NodeSocket implements Socket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	readonly #stream: NodeStream;
	readonly #onKnown: () => void;
	readonly #onAnswered: () => void;
	readonly #takenMs = performance.now();
	#isAnswered = false;

	constructor(options: SocketOptions) {
		const from = options.from as PendingConnection;
		this.#onKnown = from.onKnown;
		this.#onAnswered = from.onAnswered;
		this.remoteAddress = from.remoteAddress;
		this.viaAccessPoint = from.viaAccessPoint;
		this.#stream = new NodeStream(from.take(), {
			onReadable: (count) => options.onReadable?.(count),
			onWritable: (count) => options.onWritable?.(count),
			onEnd: () => options.onError?.(),
		});
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#stream.read(into, start, end);
	}

	write(bytes: Uint8Array, start?: number, end?: number): number {
		if (!this.#isAnswered && performance.now() < this.#takenMs + PROMPT_REPLY_MS) this.#onAnswered();
		this.#isAnswered = true;
		return this.#stream.write(bytes, start, end);
	}

	trust(): void {
		this.#onKnown();
	}

	close(): void {
		this.#stream.close();
	}
}
