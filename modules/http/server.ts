/**
 * HTTP/1.1 server (RFC 9110, RFC 9112) on plain and TLS listeners.
 *
 * Each port has a fixed number of places for connections. The server tries to keep one place free: when a new
 * connection takes the last place, an idle connection whose client has no token is closed. While all places are taken,
 * a reply closes its connection, unless its client has a token and another client has none. If requests with a token
 * take all other places, a request that may wait for long is refused (`isOnLastPlace`).
 *
 * When all places are taken, a new connection displaces an existing one, if possible one of the address that has most of
 * the port's places. The first one of this list that exists is displaced:
 * - a connection that has been idle for `longIdleMs`;
 * - an event stream, because its client can reconnect;
 * - a connection without a token that is idle, is sending a head or a body, or does not accept its reply; among
 *   several, the one that has waited longest;
 * - an idle connection with a token.
 *
 * Requests with a token are never displaced. No connection is displaced during its grace period (`graceMs`); the new
 * connection waits until it is over. If memory is short, connections of all ports are displaced in the same order, but
 * an event stream with a token only by a connection to its own port: a battery that asks for live values by plain HTTP
 * does not end the page's stream, but waits.
 *
 * Error replies of the server itself have `Cache-Control: no-store`.
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

/**
 * Memory that must be free to accept a connection. It takes 148 XS slots and 3144 bytes at first, and more while a
 * request is handled.
 */
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
	/** Ledger of the memory. Without a ledger, memory is not checked. */
	readonly ledger?: MemoryLedger;
	trace(message: string): void;
}

const PART = "http";
/**
 * Number of connections that are accepted without a check of memory, because RESERVE (io/memory.ts) and unused claims
 * are sufficient for them.
 */
const FREE_CONNECTIONS = 2;
/** Interval of the checks whether there is enough memory, while a connection waits for memory only, ms. */
const MEMORY_MS = 250;

export class HTTPServer implements ConnectionServer, Timed {
	readonly limits: HTTPLimits;
	readonly #options: HTTPServerOptions;
	readonly #listeners: Listener[] = [];
	readonly #connections: HTTPConnection[] = [];
	readonly #waiting: number[] = [];
	readonly task: Task;
	/** Next deadline of all connections; NaN if it must be calculated again. */
	#deadlineMs = Number.POSITIVE_INFINITY;
	#isClosed = false;
	#memoryMs = 0;
	/** Time of the last arrival or deadline. */
	#nowMs = 0;

	/** Opens all listeners. If one throws, closes all and rethrows its exception. */
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
		return this.#connections.some(({ isAuthenticated, isIdle }) => isAuthenticated && !isIdle);
	}

	/** Call when a token was revoked. Afterwards no client counts as known until it sends a valid token again. */
	forget(): void {
		for (let i = 0; i < this.#connections.length; i++) this.#connections[i].hadToken = false;
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

	/**
	 * Handles all connections whose deadline is over, even if one of them throws. Rethrows the first exception at the
	 * end.
	 */
	advance(nowMs: number): void {
		const mistakes: unknown[] = [];
		// The loop runs backwards, because connections that close are removed from the list.
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

	othersHoldAllPlaces(connection: OwnedConnection, isBusy: boolean): boolean {
		let others = 0;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (
				each.port === connection.port &&
				each !== connection &&
				(isBusy ? each.isAuthenticated : each.hadToken && !each.isLive)
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
		this.#nowMs = nowMs;
		const { port, places } = this.#options.ports[index];
		while (this.#waiting[index] > 0 && !this.#isClosed) {
			const occupied = this.takenOf(port);
			const isFull = occupied >= places;
			const hasMemory = this.hasMemory(nowMs);
			if (!isFull && !hasMemory && this.mustYield(index)) return;
			if (isFull || !hasMemory) {
				const connection = this.displaceable(port, isFull);
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

	/** True if clients of a TLS port wait too. Those of a plain port then leave the memory to them. */
	private mustYield(index: number): boolean {
		const { ports } = this.#options;
		if (ports[index].identity !== undefined) return false;
		for (let i = 0; i < ports.length; i++) if (ports[i].identity !== undefined && this.#waiting[i] > 0) return true;
		return false;
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
		return this.displaceable(port, true)?.displaceableMs ?? Number.POSITIVE_INFINITY;
	}

	/**
	 * Returns the connection to displace first for a new one on this port, from all ports unless the port is full. The
	 * order is that of the comment at the top of this file. Among equals, the one with the earliest `displaceableMs` comes
	 * first.
	 */
	private displaceable(port: ListenerPort, isFull: boolean): HTTPConnection | undefined {
		let first: HTTPConnection | undefined;
		let highest = -1;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (each.port !== port && (isFull || (each.isLive && each.hadToken))) continue;
			const rank = this.rankOf(each);
			if (rank < highest || (rank === highest && first !== undefined && each.displaceableMs >= first.displaceableMs))
				continue;
			highest = rank;
			first = each;
		}
		return first;
	}

	/**
	 * Returns a number that is higher for a connection that is displaced before another one. It calls little, because
	 * deadlines are also calculated where the stack is deep.
	 */
	private rankOf({ displaceableMs, isIdle, hadToken, isLive, port, remoteAddress }: HTTPConnection): number {
		if (displaceableMs === Number.POSITIVE_INFINITY) return 0;
		let rank = hadToken ? 0 : 1;
		if (isLive) rank += 2;
		if (isIdle && this.#nowMs >= displaceableMs + this.limits.longIdleMs) rank += 4;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (each.port === port && each.remoteAddress === remoteAddress) rank += 8;
		}
		return rank;
	}

	/**
	 * Returns the connection without a token that has been idle longest. Connections in their grace period are
	 * excluded.
	 */
	private longestIdle(port: ListenerPort, nowMs: number): HTTPConnection | undefined {
		let longest: HTTPConnection | undefined;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			if (each.port !== port || each.hadToken || !each.isIdle || each.displaceableMs > nowMs) continue;
			if (longest === undefined || each.displaceableMs < longest.displaceableMs) longest = each;
		}
		return longest;
	}
}
