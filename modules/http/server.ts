/**
 * HTTP/1.1 server of our own (RFC 9110, RFC 9112) on a host's listeners, plain and TLS alike: limits on everything that
 * a stranger decides, streaming both ways. Knows nothing of tokens, origins or JSON: that is the handler's.
 *
 * Connections: each port has its own number of places. The last of them is kept free where that is possible: a newcomer
 * that would get it takes the place of an idle connection without a token instead, and while all are taken a connection
 * ends with its reply, unless its client has shown a token and not all others have. What waits long is refused where all
 * others are at requests with a token (`isGuest`): so something is always answered at once.
 *
 * When all are taken somebody is displaced: first whose body comes as things happen (an event stream), since its client
 * can do without; then those whose client has shown no token: who idles, sends a head or a body or takes no
 * reply, the longest waiting first; then who idles though it has shown one. A request with a token is never given up. Each
 * is safe for `graceMs`; until then the newcomer waits in the listener. Where memory is short for another connection, the same
 * goes for those of all ports.
 *
 * One machine for its driver: its deadline is the earliest of its connections', `advance` ends what is due, and every
 * callback of a socket goes through the drive.
 * Error replies of the server itself carry `Cache-Control: no-store`; on its own replies the handler sets that.
 */

import { takeOut } from "../bytes/list.js";
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

/** A connection of the HTTP server, which takes 148 slots and 3144 bytes when it is accepted, and what is asked on it. */
export const CONNECTION_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 6144 });

/** A listener, and how many connections it may have at once. */
export interface HTTPPort {
	readonly port: ListenerPort;
	/** At least 2; each takes IN_SIZE + OUT_SIZE bytes (connection-states.ts). */
	readonly places: number;
	/** With TLS: gives what the listener opens with. */
	identity?(): CertificatePair;
}

export interface HTTPServerOptions {
	readonly ports: readonly HTTPPort[];
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits?: Partial<HTTPLimits>;
	/** Undefined: a connection has memory whenever it has a place. */
	readonly ledger?: MemoryLedger;
	trace(message: string): void;
}

const PART = "http";
/** So many connections are taken without asking for memory: RESERVE, and what others leave unused of their claims, is enough. */
const FREE_CONNECTIONS = 2;
/** Memory is looked for again after this time, for connections that wait for nothing else. */
const MEMORY_MS = 250;

export class HTTPServer implements ConnectionServer, Timed {
	readonly limits: HTTPLimits;
	readonly #options: HTTPServerOptions;
	readonly #listeners: Listener[] = [];
	readonly #connections: HTTPConnection[] = [];
	/** By port: how many wait there, as far as is known. */
	readonly #waiting: number[] = [];
	readonly task: Task;
	/** The earliest of all deadlines; NaN: something has changed since it was found. */
	#deadlineMs = Number.POSITIVE_INFINITY;
	#isClosed = false;
	/** Before this no memory is looked for; monotonic ms. */
	#memoryMs = 0;

	/** Listens at once. Throws what a host's listener throws; none is open then. */
	constructor(options: HTTPServerOptions) {
		this.#options = options;
		// The defaults stand in flash.
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

	/** The listener of `ports[index]`; undefined: there is no such port. */
	listener(index: number): Listener | undefined {
		return this.#listeners[index];
	}

	/** Connections open now. */
	get connectionCount(): number {
		return this.#connections.length;
	}

	/** Somebody with a token is being served. */
	get isBusy(): boolean {
		return this.#connections.some(({ isVouched, isIdle }) => isVouched && !isIdle);
	}

	/** A token was revoked: clients count as strangers until they show one again. */
	forget(): void {
		for (let i = 0; i < this.#connections.length; i++) this.#connections[i].isKnown = false;
		for (let i = 0; i < this.#listeners.length; i++) this.#listeners[i].forget?.();
	}

	/** Stops listening and closes every connection. */
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
		takeOut(this.#connections, this.#connections.indexOf(connection as HTTPConnection));
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

	/** Takes who waits on the port, as far as there are places. */
	private admit(index: number, nowMs: number): void {
		const { port, places } = this.#options.ports[index];
		while (this.#waiting[index] > 0 && !this.#isClosed) {
			const taken = this.takenOf(port);
			const isFull = taken >= places;
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
			if (taken === places - 1) this.longestIdle(port, nowMs)?.close();
			this.take(port, pending, nowMs);
		}
	}

	/** Whether there is memory for one more connection. */
	private hasMemory(nowMs: number): boolean {
		if (this.#connections.length < FREE_CONNECTIONS) return true;
		if (nowMs < this.#memoryMs) return false;
		const isThere = this.#options.ledger?.fits(CONNECTION_COST) !== false;
		if (!isThere) this.#memoryMs = nowMs + MEMORY_MS;
		return isThere;
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

	/** When somebody who waits there can be taken, monotonic ms. */
	private placeMs(index: number): number {
		const { port, places } = this.#options.ports[index];
		if (this.takenOf(port) < places) return this.#memoryMs;
		return this.displaceable(port)?.displaceableMs ?? Number.POSITIVE_INFINITY;
	}

	/**
	 * The connection to close first for a newcomer on the port, or on any, and from when on: live bodies, those without a token, then those that idle
	 * with one.
	 */
	private displaceable(port: ListenerPort | undefined): HTTPConnection | undefined {
		let first: HTTPConnection | undefined;
		for (let i = 0; i < this.#connections.length; i++) {
			const each = this.#connections[i];
			const isMeant = port === undefined || each.port === port;
			if (isMeant && (first === undefined || goesBefore(each, first))) first = each;
		}
		return first;
	}

	/** The connection of the port without a token that has been idle longest, and beyond its grace. */
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
