/** Outgoing connections of many gateways over real sockets, with a log and the bytes on the wire. */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { createClientPorts } from "../../hosts/node/client.js";
import { NodeResolver } from "../../hosts/node/resolver.js";
import type { ClientOptions, ClientPort } from "../../modules/io/client.js";
import type { Network } from "../../modules/io/host.js";

export const OPEN = "open";
/** It was never open. */
export const FAILED = "failed";
export const ENDED = "ended";

export interface ConnectionEvent {
	readonly what: typeof OPEN | typeof FAILED | typeof ENDED;
	readonly port: number;
	/** Unix time, ms. */
	readonly atMs: number;
	/** Time since the gateway wanted the connection. */
	readonly sinceMs: number;
	/** The TLS session was resumed. */
	readonly isResumed: boolean;
}

/** Bytes of TCP, without its headers. */
export interface Traffic {
	sent: number;
	received: number;
}

const unixMs = () => performance.timeOrigin + performance.now();

export class ConnectionLog {
	#events: ConnectionEvent[] = [];
	readonly #sockets = new Map<Socket, number>();
	/** Traffic of closed connections, by port. */
	readonly #closed = new Map<number, Traffic>();
	readonly #resolver = new NodeResolver();

	constructor() {
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

	/** Returns the events since the last call. */
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
		const io = class extends port.io {
			readonly #port: number;
			readonly #begunMs = unixMs();
			#isOpen = false;

			constructor(options: ClientOptions) {
				super({
					...options,
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
			}

			override close(): void {
				if (this.#isOpen) this.#log(ENDED);
				this.#isOpen = false;
				super.close();
			}

			#log(what: ConnectionEvent["what"]): void {
				const atMs = unixMs();
				const isResumed = (this as unknown as { resumed?: boolean }).resumed === true;
				log.#events.push({ what, port: this.#port, atMs, sinceMs: atMs - this.#begunMs, isResumed });
			}
		};
		return { ...port, io };
	}
}

function add(all: Map<number, Traffic>, port: number, { bytesRead, bytesWritten }: Socket): void {
	const { sent = 0, received = 0 } = all.get(port) ?? {};
	all.set(port, { sent: sent + bytesWritten, received: received + bytesRead });
}
