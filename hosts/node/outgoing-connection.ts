/**
 * Opens an outgoing connection (modules/io/client.ts). Real sockets (client.ts) and the virtual world
 * (virtual-servers.ts) share this code.
 *
 *   RESOLVING ─ address ─> CONNECTING ─ TLS ─> WAITING (for its handshake) ─> SHAKING HANDS ─> OPEN
 *       └──────────────┴───────── no TLS ─────────────────────────────────────────────────────^
 *
 * Before OPEN, a failure is reported once, as the last event, and `close` aborts the opening without an event.
 */
import {
	CLIENT_NO_ADDRESS,
	CLIENT_OUT_OF_MEMORY,
	CLIENT_TIMEOUT,
	type Client,
	type ClientOptions,
} from "../../modules/io/client.js";
import { checkClientOptions, type TLSSettings, tlsSettingsOf } from "./client-options.js";
import type { HandshakeQueue } from "./handshake-queue.js";

export type OpenStream = Pick<Client, "read" | "write" | "close">;

export interface OutgoingConnectionDeps {
	resolve(name: string, done: (address: string | undefined) => void): void;
	/** Calls `run` after the delay. The returned function cancels this. */
	later(run: () => void, delayMs: number): () => void;
	readonly handshakeQueue?: HandshakeQueue | undefined;
	hasMemory(): boolean;
}

export abstract class OutgoingConnection implements Client {
	remoteAddress = "";
	resumed = false;
	protected readonly options: ClientOptions;
	protected readonly tls: TLSSettings | undefined;
	protected lastSession: Uint8Array | undefined;
	readonly #deps: OutgoingConnectionDeps;
	readonly #clearDeadline: () => void;
	#stream: OpenStream | undefined;
	#leaveQueue: (() => void) | undefined;
	#isOver = false;

	constructor(options: ClientOptions, deps: OutgoingConnectionDeps) {
		checkClientOptions(options);
		this.options = options;
		this.tls = deps.handshakeQueue === undefined ? undefined : tlsSettingsOf(options);
		this.#deps = deps;
		this.#clearDeadline = deps.later(() => this.fail(CLIENT_TIMEOUT), options.timeoutMs);
		deps.resolve(options.host, (address) => {
			if (this.#isOver) return;
			if (address === undefined) this.fail(CLIENT_NO_ADDRESS);
			else {
				this.remoteAddress = address;
				this.connect(address);
			}
		});
	}

	get session(): Uint8Array | undefined {
		return this.lastSession?.slice();
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#stream?.read(into, start, end);
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (this.#stream !== undefined) return this.#stream.write(bytes, start, end);
		if (end > start) throw new RangeError("the connection is not open");
		return 0;
	}

	close(): void {
		this.#stream?.close();
		this.#giveUp();
	}

	/** Opens the connection. It must finally call `queueHandshake`, `opened` or `fail`. */
	protected abstract connect(address: string): void;

	protected abstract abandon(): void;

	protected get isOver(): boolean {
		return this.#isOver;
	}

	protected queueHandshake(shakeHands: () => void): void {
		this.#leaveQueue = this.#deps.handshakeQueue!.ask(() => {
			if (this.#deps.hasMemory()) shakeHands();
			else this.fail(CLIENT_OUT_OF_MEMORY);
		});
	}

	protected opened(stream: OpenStream): void {
		this.#clearDeadline();
		this.#leaveQueue?.();
		this.#stream = stream;
	}

	protected fail(code: number): void {
		if (this.#isOver || this.#stream !== undefined) return;
		this.#giveUp();
		this.options.onError?.(code);
	}

	#giveUp(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#clearDeadline();
		this.#leaveQueue?.();
		if (this.#stream === undefined) this.abandon();
	}
}
