/**
 * HTTP/1.1 server (RFC 9110, RFC 9112) on plain and TLS listeners.
 *
 * Each port has a fixed number of places for connections. The last place is kept free: a new connection that takes it
 * displaces an idle one without a token. While all places are taken, a connection stays open after its reply only if
 * its client has sent a token and some other client has not. If requests with a token take all other places, a request
 * that would wait long is refused (`isGuest`).
 *
 * When all places are taken, a new connection displaces an existing connection in this order:
 * - an event stream, because its client can reconnect;
 * - a connection without a token that is idle, sends a head or body, or does not accept its reply, longest waiting
 *   first;
 * - an idle connection with a token.
 *
 * Requests with a token are never displaced, and any connection is safe for `graceMs`, in which the new one waits. If
 * memory is short, connections of all ports are displaced in the same order.
 *
 * Its own error replies have `Cache-Control: no-store`.
 */

import { removeAt } from "../bytes/list.js";
import type { CertificatePair } from "../io/crypto.js";
import type { Driver, Task } from "../io/driver.js";
import type { Listener, ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import { HTTPConnection } from "./connection.js";
import type { ConnectionServer, OwnedConnection } from "./connection-server.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";
import { DEFAULT_LIMITS } from "./limits.js";

/** A connection takes 148 XS slots and 3144 bytes when accepted, more while a request is handled. */
export const CONNECTION_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 6144 });

export interface HTTPPort {
	readonly port: ListenerPort;
	readonly places: number;
	/** Returns the certificate with which the TLS listener starts. */
	identity?(): CertificatePair;
}

export interface HTTPServerOptions {
	readonly ports: readonly HTTPPort[];
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits?: Partial<HTTPLimits>;
	/** Memory is not checked without a ledger. */
	readonly ledger?: MemoryLedger;
	trace(message: string): void;
}

const PART = "http";
/**
 * Number of connections accepted without a check of memory, because RESERVE (io/memory.ts) and unused claims suffice
 * for them.
 */
const FREE_CONNECTIONS = 2;
/** Interval of checks for connections that wait for memory only. */
const MEMORY_MS = 250;

export class HTTPServer implements ConnectionServer, Timed {
	readonly limits: HTTPLimits;
	readonly #options: HTTPServerOptions;
	readonly #listeners: Listener[] = [];
	readonly #connections: HTTPConnection[] = [];
	readonly #waiting: number[] = [];
	readonly task: Task;
	/** Time of the next deadline; NaN if it must be calculated again. */
	#deadlineMs = Number.POSITIVE_INFINITY;
	#isClosed = false;
	#memoryMs = 0;

	/** If a listener throws, closes all and rethrows. */
	constructor(options: HTTPServerOptions) {
		this.#options = options;
		this.limits = options.limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...options.limits };
		this.task = options.driver.register(PART, this);
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

	listener(index: number): Listener | undefined {
		return this.#listeners[index];
	}

	get connectionCount(): number {
		return this.#connections.length;
	}

	get isBusy(): boolean {
		return this.#connections.some(({ isVouched, isIdle }) => isVouched && !isIdle);
	}

	/** A token was revoked: no client counts as known until it sends a valid token again. */
	forget(): void {
		for (let i = 0; i < this.#connections.length; i++) this.#connections[i].isKnown = false;
		for (let i = 0; i < this.#listeners.length; i++) this.#listeners[i].forget?.();
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.task.update(() => {
			for (const listener of this.#listeners) listener.close();
			while (this.#connections.length > 0) this.#connections[0].close();
		});
		this.task.stop();
	}

	get deadlineMs(): number {
		if (!Number.isNaN(this.#deadlineMs)) return this.#deadlineMs;
		let nextMs = Number.POSITIVE_INFINITY;
		for (let i = 0; i < this.#connections.length; i++) nextMs = Math.min(nextMs, this.#connections[i].deadlineMs);
		for (let i = 0; i < this.#waiting.length; i++) if (this.#waiting[i] > 0) nextMs = Math.min(nextMs, this.placeMs(i));
		this.#deadlineMs = nextMs;
		return nextMs;
	}

	/** Rethrows the first exception at the end. */
	advance(nowMs: number): void {
		const mistakes: unknown[] = [];
		// Backwards, because closed connections are removed.
		for (let i = this.#connections.length - 1; i >= 0; i--) {
			const connection = this.#connections[i];
			if (connection === undefined || connection.deadlineMs > nowMs) continue;
			try {
				connection.expire(nowMs);
			} catch (error) {
				mistakes.push(error);
			}
		}
		for (let i = 0; i < this.#waiting.length; i++) {
			try {
				this.admit(i, nowMs);
			} catch (error) {
				mistakes.push(error);
			}
		}
		this.changed();
		if (mistakes.length > 0) throw mistakes[0];
	}

	changed(): void {
		this.#deadlineMs = Number.NaN;
	}

	isFull({ port }: OwnedConnection): boolean {
		return this.takenOf(port) >= this.placesOf(port);
	}

	isLast(connection: OwnedConnection, isBusy: boolean): boolean {
		let others = 0;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (
				each.port === connection.port &&
				each !== connection &&
				(isBusy ? each.isVouched : each.isKnown && !each.isLive)
			)
				others++;
		}
		return others >= this.placesOf(connection.port) - 1;
	}

	closed(connection: OwnedConnection): void {
		removeAt(this.#connections, this.#connections.indexOf(connection as HTTPConnection));
		this.changed();
	}

	private listen(index: number): Listener {
		const { port, identity } = this.#options.ports[index];
		const tls = identity === undefined ? {} : { identity: identity() };
		this.#waiting[index] = 0;
		const arrived = (count: number, nowMs: number) => {
			this.#waiting[index] = Math.max(1, count);
			this.admit(index, nowMs);
			this.changed();
		};
		return new port.io({
			...port.pins,
			...tls,
			onReadable: (count) => this.task.fromHost((nowMs) => arrived(count, nowMs)),
			onError: (message) => this.#options.trace(`http: listener: ${message}`),
		});
	}

	private admit(index: number, nowMs: number): void {
		const { port, places } = this.#options.ports[index];
		while (this.#waiting[index] > 0 && !this.#isClosed) {
			const occupied = this.takenOf(port);
			const isFull = occupied >= places;
			if (isFull || !this.hasMemory(nowMs)) {
				const connection = this.displaceable(isFull ? port : undefined);
				if (connection === undefined || connection.displaceableMs > nowMs) return;
				connection.displace();
				this.#memoryMs = 0;
				continue;
			}
			const pending = this.#listeners[index].read();
			if (pending === undefined) {
				this.#waiting[index] = 0;
				return;
			}
			this.#waiting[index]--;
			if (occupied === places - 1) this.longestIdle(port, nowMs)?.close();
			this.take(port, pending, nowMs);
		}
	}

	private hasMemory(nowMs: number): boolean {
		if (this.#connections.length < FREE_CONNECTIONS) return true;
		if (nowMs < this.#memoryMs) return false;
		const hasRoom = this.#options.ledger?.fits(CONNECTION_COST) !== false;
		if (!hasRoom) this.#memoryMs = nowMs + MEMORY_MS;
		return hasRoom;
	}

	private take(port: ListenerPort, pending: PendingSocket, nowMs: number): void {
		try {
			this.#connections.push(new HTTPConnection(this, { port, pending, nowMs }));
		} catch (error) {
			pending.close();
			throw error;
		}
	}

	private placesOf(port: ListenerPort): number {
		const { ports } = this.#options;
		let index = 0;
		while (ports[index].port !== port) index++;
		return ports[index].places;
	}

	private takenOf(port: ListenerPort): number {
		let count = 0;
		for (let i = 0; i < this.#connections.length; i++) if (this.#connections[i].port === port) count++;
		return count;
	}

	private placeMs(index: number): number {
		const { port, places } = this.#options.ports[index];
		if (this.takenOf(port) < places) return this.#memoryMs;
		return this.displaceable(port)?.displaceableMs ?? Number.POSITIVE_INFINITY;
	}

	/**
	 * Returns the connection to displace first. Undefined `port`: any. Order: with a live body, without a token, idle
	 * with a token; among equals, the earliest `displaceableMs`.
	 */
	private displaceable(port: ListenerPort | undefined): HTTPConnection | undefined {
		let first: HTTPConnection | undefined;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			const isOnPort = port === undefined || each.port === port;
			if (isOnPort && (first === undefined || goesBefore(each, first))) first = each;
		}
		return first;
	}

	/** Returns the connection without a token that has been idle longest, and is beyond its grace period. */
	private longestIdle(port: ListenerPort, nowMs: number): HTTPConnection | undefined {
		let longest: HTTPConnection | undefined;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (each.port !== port || each.isKnown || !each.isIdle || each.displaceableMs > nowMs) continue;
			if (longest === undefined || each.displaceableMs < longest.displaceableMs) longest = each;
		}
		return longest;
	}
}

function goesBefore(connection: HTTPConnection, other: HTTPConnection): boolean {
	if (connection.isLive !== other.isLive) return connection.isLive;
	if (connection.isKnown !== other.isKnown) return other.isKnown;
	return connection.displaceableMs < other.displaceableMs;
}
