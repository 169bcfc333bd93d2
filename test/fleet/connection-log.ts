/**
 * Outgoing connections of many gateways over real sockets, with a log and the bytes on the wire. Time limits count in
 * the gateways' time.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { createClientPorts } from "../../hosts/node/client.js";
import { NodeResolver } from "../../hosts/node/resolver.js";
import { CLIENT_TIMEOUT, type ClientOptions, type ClientPort } from "../../modules/io/client.js";
import type { Network } from "../../modules/io/host.js";
import type { PacedTime } from "./paced-time.js";

export const OPEN = "open";
/** The connection was never open. */
export const FAILED = "failed";
export const ENDED = "ended";

export interface ConnectionEvent {
	readonly what: typeof OPEN | typeof FAILED | typeof ENDED;
	readonly port: number;
	/** Time of the gateways, ms. */
	readonly atMs: number;
	/** Real time since the gateway requested the connection, ms. */
	readonly sinceMs: number;
	readonly isResumed: boolean;
}

/** Bytes of TCP, without its headers. */
export interface Traffic {
	sent: number;
	received: number;
}

/** Longest limit that a host accepts. */
const LIMIT_MS = 60_000;

export class ConnectionLog {
	#events: ConnectionEvent[] = [];
	readonly #sockets = new Map<Socket, number>();
	/** Traffic of closed connections, by port. */
	readonly #closed = new Map<number, Traffic>();
	readonly #resolver = new NodeResolver();
	readonly #time: PacedTime;

	constructor(time: PacedTime) {
		this.#time = time;
		subscribe("net.client.socket", (message) => {
			const { socket } = message as { socket: Socket };
			socket.once("connect", () => this.#sockets.set(socket, socket.remotePort ?? 0));
			socket.once("close", () => {
				const port = this.#sockets.get(socket);
				if (port === undefined) return;
				this.#sockets.delete(socket);
				add(this.#closed, port, socket);
			});
		});
	}

	/** The ports of one gateway, which makes one TLS handshake at a time. */
	ports(): Pick<Network, "tcpClient" | "tlsClient"> {
		const { tcpClient, tlsClient } = createClientPorts({ resolver: this.#resolver });
		return { tcpClient: this.#logged(tcpClient), tlsClient: this.#logged(tlsClient) };
	}

	/** Events since the last call. */
	take(): ConnectionEvent[] {
		const events = this.#events;
		this.#events = [];
		return events;
	}

	/** Traffic until now, by port. */
	traffic(): [port: number, Traffic][] {
		const all = new Map([...this.#closed].map(([port, { sent, received }]) => [port, { sent, received }]));
		for (const [socket, port] of this.#sockets) add(all, port, socket);
		return [...all];
	}

	#logged(port: ClientPort): ClientPort {
		const log = this;
		const time = this.#time;
		const io = class extends port.io {
			readonly #port: number;
			readonly #begunMs = performance.now();
			readonly #timer: number;
			#isOpen = false;

			constructor(options: ClientOptions) {
				super({
					...options,
					timeoutMs: LIMIT_MS,
					onWritable: (count) => {
						if (!this.#isOpen) this.#log(OPEN);
						this.#isOpen = true;
						options.onWritable?.(count);
					},
					onError: (code) => {
						if (!this.#isOpen) this.#log(FAILED);
						options.onError?.(code);
					},
				});
				this.#port = options.port;
				this.#timer = time.set(() => {
					this.#log(FAILED);
					super.close();
					options.onError?.(CLIENT_TIMEOUT);
				}, options.timeoutMs);
			}

			override close(): void {
				if (this.#isOpen) this.#log(ENDED);
				this.#isOpen = false;
				time.clear(this.#timer);
				super.close();
			}

			#log(what: ConnectionEvent["what"]): void {
				time.clear(this.#timer);
				const sinceMs = performance.now() - this.#begunMs;
				log.#events.push({ what, port: this.#port, atMs: time.nowMs, sinceMs, isResumed: this.resumed });
			}
		};
		return { ...port, io };
	}
}

function add(all: Map<number, Traffic>, port: number, { bytesRead, bytesWritten }: Socket): void {
	const { sent = 0, received = 0 } = all.get(port) ?? {};
	all.set(port, { sent: sent + bytesWritten, received: received + bytesRead });
}
