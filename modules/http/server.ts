/**
 * HTTP/1.1 server of our own (RFC 9110, RFC 9112) on a host's listeners, plain and TLS alike: limits on everything that
 * a stranger decides, streaming both ways. Knows nothing of tokens, origins or JSON: that is the handler's.
 *
 * Connections: at most `maxConnections`, and on each port at most its own limit. A newcomer beyond that takes the place
 * of the one that has been idle longest, never of one with a request; else a single one is told to try again
 * (overflow.ts) and the rest are closed.
 * Error replies of the server itself carry `Cache-Control: no-store`; on its own replies the handler sets that.
 */
import type { CertificatePair, Clock, Listener, ListenerPort, PendingSocket, TextCodec, Timers } from "../io/host.js";
import type { ConnectionOwner, HTTPHandler } from "./connection.js";
import { HTTPConnection } from "./connection.js";
import type { HTTPLimits } from "./limits.js";
import { DEFAULT_LIMITS } from "./limits.js";
import { OverflowConnection } from "./overflow.js";

/** A listener, and how many connections it may have at once. */
export interface HTTPPort {
	readonly port: ListenerPort;
	readonly maxConnections: number;
	/** Of TLS: asked for what the listener opens with. */
	identity?(): CertificatePair;
}

export interface HTTPServerOptions {
	readonly ports: readonly HTTPPort[];
	readonly clock: Clock;
	readonly timers: Timers;
	readonly text: TextCodec;
	/** Connections at once on all ports; each takes IN_SIZE + OUT_SIZE bytes (connection.ts). */
	readonly maxConnections: number;
	readonly handler: HTTPHandler;
	readonly limits?: Partial<HTTPLimits>;
	/** Runs a host's callback and catches and logs our own mistakes; `part` names the one to blame. */
	guard(part: string, run: () => void): void;
	trace(message: string): void;
}

const PART = "http";

export class HTTPServer implements ConnectionOwner {
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits: HTTPLimits;
	readonly #options: HTTPServerOptions;
	readonly #listeners: Listener[] = [];
	readonly #connections: HTTPConnection[] = [];
	#overflow: OverflowConnection | undefined;
	#timer: number | undefined;
	#timerMs = 0;
	#isClosed = false;
	readonly #expire = () => this.expireDue();

	/** Listens at once. Throws what a host's listener throws; none is open then. */
	constructor(options: HTTPServerOptions) {
		this.#options = options;
		this.text = options.text;
		this.handler = options.handler;
		this.limits = { ...DEFAULT_LIMITS, ...options.limits };
		try {
			for (let i = 0; i < options.ports.length; i++) this.#listeners.push(this.listen(i));
		} catch (error) {
			this.close();
			throw error;
		}
	}

	/** The listener of `ports[index]`. */
	listener(index: number): Listener {
		return this.#listeners[index];
	}

	/** Connections open now, without one that is being refused. */
	get connectionCount(): number {
		return this.#connections.length;
	}

	/** Stops listening and closes every connection. */
	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		for (const listener of this.#listeners) listener.close();
		while (this.#connections.length > 0) this.#connections[0].close();
		this.#overflow?.close();
		if (this.#timer !== undefined) this.#options.timers.clear(this.#timer);
		this.#timer = undefined;
	}

	nowMs(): number {
		return this.#options.clock.monotonicMs();
	}

	guard(run: () => void): void {
		this.#options.guard(PART, run);
	}

	/** Sets the one timer to the next deadline; a timer that is too early stays: it sets itself anew when it fires. */
	changed(): void {
		if (this.#isClosed) return;
		let nextMs = this.#overflow?.deadlineMs ?? Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#connections.length; i++) nextMs = Math.min(nextMs, this.#connections[i].deadlineMs);
		if (nextMs === Number.POSITIVE_INFINITY) return;
		if (this.#timer !== undefined) {
			if (this.#timerMs <= nextMs) return;
			this.#options.timers.clear(this.#timer);
		}
		this.#timerMs = nextMs;
		this.#timer = this.#options.timers.set(this.#expire, Math.max(0, nextMs - this.nowMs()));
	}

	closed(connection: HTTPConnection): void {
		const index = this.#connections.indexOf(connection);
		if (index >= 0) this.#connections.splice(index, 1);
	}

	private expireDue(): void {
		this.#timer = undefined;
		const nowMs = this.nowMs();
		// From the end, since one that is closed leaves the list.
		for (let i = this.#connections.length - 1; i >= 0; i--) {
			const connection = this.#connections[i];
			if (connection !== undefined && connection.deadlineMs <= nowMs) this.guard(() => connection.expire());
		}
		const overflow = this.#overflow;
		if (overflow !== undefined && overflow.deadlineMs <= nowMs) this.guard(() => overflow.close());
		this.changed();
	}

	private listen(index: number): Listener {
		const { port, identity } = this.#options.ports[index];
		const tls = identity === undefined ? {} : { identity: identity() };
		const accept = () => this.accept(index);
		return new port.io({
			...port.pins,
			...tls,
			onReadable: () => this.guard(accept),
			onError: (message) => this.#options.trace(`http: listener: ${message}`),
		});
	}

	private accept(index: number): void {
		const listener = this.#listeners[index];
		for (let pending = listener.read(); pending !== undefined; pending = listener.read()) {
			try {
				this.take(this.#options.ports[index], pending);
			} catch (error) {
				pending.close();
				throw error;
			}
		}
	}

	private take({ port, maxConnections }: HTTPPort, pending: PendingSocket): void {
		let onPort = 0;
		for (let i = 0; i < this.#connections.length; i++) if (this.#connections[i].port === port) onPort++;
		const portIsFull = onPort >= maxConnections;
		if (portIsFull || this.#connections.length >= this.#options.maxConnections) {
			const idle = this.longestIdle(portIsFull ? port : undefined);
			if (idle === undefined) {
				this.refuse(port, pending);
				return;
			}
			idle.close();
		}
		this.#connections.push(new HTTPConnection(this, port, pending));
		this.changed();
	}

	/** The connection that has been idle longest, on `port` or on any. */
	private longestIdle(port: ListenerPort | undefined): HTTPConnection | undefined {
		let sinceMs = this.nowMs();
		let longest: HTTPConnection | undefined;
		for (let i = 0; i < this.#connections.length; i++) {
			const idleMs = this.#connections[i].idleSinceMs;
			if (port !== undefined && this.#connections[i].port !== port) continue;
			if (idleMs === undefined || idleMs > sinceMs) continue;
			sinceMs = idleMs;
			longest = this.#connections[i];
		}
		return longest;
	}

	private refuse(port: ListenerPort, pending: PendingSocket): void {
		if (this.#overflow !== undefined) {
			pending.close();
			return;
		}
		this.#overflow = new OverflowConnection({
			socket: port.socket,
			pending,
			text: this.text,
			deadlineMs: this.nowMs() + this.limits.lingerMs,
			guard: (run) => this.guard(run),
			onClosed: () => {
				this.#overflow = undefined;
			},
		});
		this.changed();
	}
}
