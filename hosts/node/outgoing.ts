/**
 * Opening of an outgoing connection (modules/io/client.ts): the part common to real sockets (client.ts) and the virtual
 * world (virtual-servers.ts), which implement name resolution, connecting and handshake.
 *
 *   RESOLVING ─ address ─> CONNECTING ─ TLS ─> WAITING (for its handshake) ─> SHAKING HANDS ─> STANDING
 *       └──────────────┴───────── no TLS ─────────────────────────────────────────────────────────^
 *
 * Before STANDING, a failure is reported once, as the last event; `close` aborts without an event.
 */
import {
	CLIENT_NO_ADDRESS,
	CLIENT_OUT_OF_MEMORY,
	CLIENT_TIMEOUT,
	type Client,
	type ClientOptions,
} from "../../modules/io/client.js";
import { checkClientOptions, type TLSWishes, tlsWishesOf } from "./client-options.js";
import type { HandshakeQueue } from "./handshake-queue.js";

export type StandingStream = Pick<Client, "read" | "write" | "close">;

export interface OutgoingDeps {
	resolve(name: string, done: (address: string | undefined) => void): void;
	/** Calls `run` after `delayMs`; returns a function that cancels this. */
	later(run: () => void, delayMs: number): () => void;
	readonly turns?: HandshakeQueue | undefined;
	hasMemory(): boolean;
}

export abstract class Outgoing implements Client {
	remoteAddress = "";
	resumed = false;
	protected readonly options: ClientOptions;
	protected readonly tls: TLSWishes | undefined;
	/** TLS session, once the server has given one. */
	protected kept: Uint8Array | undefined;
	readonly #deps: OutgoingDeps;
	readonly #clearDeadline: () => void;
	#stream: StandingStream | undefined;
	/** Leaves the handshake queue. */
	#turn: (() => void) | undefined;
	#isOver = false;

	constructor(options: ClientOptions, deps: OutgoingDeps) {
		checkClientOptions(options);
		this.options = options;
		this.tls = deps.turns === undefined ? undefined : tlsWishesOf(options);
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
		return this.kept?.slice();
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

	/** Connects to the address; the implementation must end in `waitForTurn`, `stands` or `fail`. */
	protected abstract connect(address: string): void;

	/** Releases what was begun when a connection ends before it was open. */
	protected abstract abandon(): void;

	protected get isOver(): boolean {
		return this.#isOver;
	}

	/** Starts the TLS handshake when no other client has one and memory suffices. */
	protected waitForTurn(shakeHands: () => void): void {
		this.#turn = this.#deps.turns!.ask(() => {
			if (this.#deps.hasMemory()) shakeHands();
			else this.fail(CLIENT_OUT_OF_MEMORY);
		});
	}

	protected stands(stream: StandingStream): void {
		this.#clearDeadline();
		this.#turn?.();
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
		this.#turn?.();
		if (this.#stream === undefined) this.abandon();
	}
}
