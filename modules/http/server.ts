/**
 * HTTP/1.1 server of our own (RFC 9110, RFC 9112) on a host's listeners, plain and TLS alike: limits on everything that
 * a stranger decides, streaming both ways. Knows nothing of tokens, origins or JSON: that is the handler's.
 *
 * Connections: at most `maxConnections`, and on each port at most its own limit. A newcomer beyond that takes the place
 * of the one that has been idle longest, never of one with a request; else a single one is told to try again
 * (overflow.ts) and the rest are closed.
 *
 * One machine for its driver: its deadline is the earliest of its connections', `advance` ends what is due, and every
 * callback of a socket goes through the drive.
 * Error replies of the server itself carry `Cache-Control: no-store`; on its own replies the handler sets that.
 */

import type { Drive, Driver } from "../io/driver.js";
import type { CertificatePair, Listener, ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import { HTTPConnection } from "./connection.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";
import { DEFAULT_LIMITS } from "./limits.js";
import { OverflowConnection } from "./overflow.js";
import type { ConnectionOwner } from "./owner.js";

/** A listener, and how many connections it may have at once. */
export interface HTTPPort {
	readonly port: ListenerPort;
	readonly maxConnections: number;
	/** Of TLS: asked for what the listener opens with. */
	identity?(): CertificatePair;
}

export interface HTTPServerOptions {
	readonly ports: readonly HTTPPort[];
	readonly driver: Driver;
	readonly text: TextCodec;
	/** Connections at once on all ports; each takes IN_SIZE + OUT_SIZE bytes (connection.ts). */
	readonly maxConnections: number;
	readonly handler: HTTPHandler;
	readonly limits?: Partial<HTTPLimits>;
	trace(message: string): void;
}

const PART = "http";

export class HTTPServer implements ConnectionOwner, Timed {
	readonly limits: HTTPLimits;
	readonly #options: HTTPServerOptions;
	readonly #listeners: Listener[] = [];
	readonly #connections: HTTPConnection[] = [];
	#overflow: OverflowConnection | undefined;
	readonly drive: Drive;
	/** The earliest of all deadlines, unless something has changed since. */
	#deadlineMs = Number.POSITIVE_INFINITY;
	#isChanged = false;
	#isClosed = false;

	/** Listens at once. Throws what a host's listener throws; none is open then. */
	constructor(options: HTTPServerOptions) {
		this.#options = options;
		// The defaults stand in flash.
		this.limits = options.limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...options.limits };
		this.drive = options.driver.drive(PART, this);
		try {
			for (let i = 0; i < options.ports.length; i++) this.#listeners.push(this.listen(i));
		} catch (error) {
			this.close();
			throw error;
		}
	}

	get text(): TextCodec {
		return this.#options.text;
	}

	get handler(): HTTPHandler {
		return this.#options.handler;
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
		this.drive.tell(() => {
			for (const listener of this.#listeners) listener.close();
			while (this.#connections.length > 0) this.#connections[0].close();
			this.#overflow?.close();
		});
		this.drive.stop();
	}

	get deadlineMs(): number {
		if (!this.#isChanged) return this.#deadlineMs;
		this.#isChanged = false;
		let nextMs = this.#overflow?.deadlineMs ?? Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#connections.length; i++) nextMs = Math.min(nextMs, this.#connections[i].deadlineMs);
		this.#deadlineMs = nextMs;
		return nextMs;
	}

	/** Ends, or answers, what has taken too long. The first mistake of ours on the way is thrown at the end. */
	advance(nowMs: number): void {
		const mistakes: unknown[] = [];
		// From the end, since one that is closed leaves the list.
		for (let i = this.#connections.length - 1; i >= 0; i--) {
			const connection = this.#connections[i];
			if (connection === undefined || connection.deadlineMs > nowMs) continue;
			try {
				connection.expire(nowMs);
			} catch (error) {
				mistakes.push(error);
			}
		}
		if (this.#overflow !== undefined && this.#overflow.deadlineMs <= nowMs) this.#overflow.close();
		this.changed();
		if (mistakes.length > 0) throw mistakes[0];
	}

	changed(): void {
		this.#isChanged = true;
	}

	closed(connection: HTTPConnection): void {
		const index = this.#connections.indexOf(connection);
		if (index >= 0) this.#connections.splice(index, 1);
		this.changed();
	}

	private listen(index: number): Listener {
		const { port, identity } = this.#options.ports[index];
		const tls = identity === undefined ? {} : { identity: identity() };
		const accept = (nowMs: number) => this.accept(index, nowMs);
		return new port.io({
			...port.pins,
			...tls,
			onReadable: () => this.drive.run(accept),
			onError: (message) => this.#options.trace(`http: listener: ${message}`),
		});
	}

	private accept(index: number, nowMs: number): void {
		const listener = this.#listeners[index];
		for (let pending = listener.read(); pending !== undefined; pending = listener.read()) {
			try {
				this.take(this.#options.ports[index], pending, nowMs);
			} catch (error) {
				pending.close();
				throw error;
			}
		}
	}

	private take({ port, maxConnections }: HTTPPort, pending: PendingSocket, nowMs: number): void {
		let onPort = 0;
		for (let i = 0; i < this.#connections.length; i++) if (this.#connections[i].port === port) onPort++;
		const portIsFull = onPort >= maxConnections;
		if (portIsFull || this.#connections.length >= this.#options.maxConnections) {
			const idle = this.longestIdle(portIsFull ? port : undefined, nowMs);
			if (idle === undefined) {
				this.refuse(port, pending, nowMs);
				return;
			}
			idle.close();
		}
		this.#connections.push(new HTTPConnection(this, { port, pending, nowMs }));
		this.changed();
	}

	/** The connection that has been idle longest, on `port` or on any. */
	private longestIdle(port: ListenerPort | undefined, nowMs: number): HTTPConnection | undefined {
		let sinceMs = nowMs;
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

	private refuse(port: ListenerPort, pending: PendingSocket, nowMs: number): void {
		if (this.#overflow !== undefined) {
			pending.close();
			return;
		}
		this.#overflow = new OverflowConnection({
			socket: port.socket,
			pending,
			text: this.text,
			deadlineMs: nowMs + this.limits.lingerMs,
			run: (change) => this.drive.run(change),
			onClosed: () => {
				this.#overflow = undefined;
				this.changed();
			},
		});
		this.changed();
	}
}
