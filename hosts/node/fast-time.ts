/**
 * Accelerated time of the simulator (`npm start -- --speed N`). It applies to the clock and the timers. The speed is:
 *
 *   until the gateway has started                                      1
 *   while there is no peer                                             N
 *   while a port or connection is open, or a name is being resolved    1
 *   for LINGER_MS after the last connection                            1 (a returning user is still logged in)
 *
 * A timer that is due at twelve o'clock sees twelve o'clock: the clock stops until the timer's callback has ended,
 * however long that takes, even in a worker process.
 */
import type { Clock, Host, Network, Timers } from "../../modules/io/host.js";

/**
 * Time at speed 1 after the last connection. It is longer than the page's interval between two requests
 * (hosts/browser/kit/live.ts).
 */
const LINGER_MS = 40_000;
/** Longest delay of Node's setTimeout. */
const LONGEST_MS = 2 ** 31 - 1;

interface Closed {
	close(): void;
}
/** A class of the host contract with a method `close`. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript allows no other parameters for a class with an unknown base
type IO = new (...options: any[]) => Closed;

export class FastTime implements Clock, Timers {
	readonly #speed: number;
	readonly #timers = new Map<number, { dueMs: number; callback: () => void }>();
	#lastId = 0;
	#timer: NodeJS.Timeout | undefined;
	#baseMs = 0;
	#sinceMs = performance.now();
	#rate = 1;
	#reachedMs = 0;
	/** True while a due timer is handled. The clock stands still during that time. */
	#isHandling = false;
	/** Difference between the clock and accelerated time; undefined if the clock was never set. */
	#aheadMs: number | undefined;
	/**
	 * Number of peers, such as open connections. The program counts as a peer until it has started, so that the speed is
	 * 1.
	 */
	#peerCount = 1;
	#linger: NodeJS.Timeout | undefined;
	/** Resolves when everything that timers have triggered has ended. */
	settled: () => Promise<void> = () => new Promise(setImmediate);
	onPace: (nowMs: number, speed: number) => void = () => {};

	constructor(speed: number) {
		this.#speed = speed;
	}

	/** Call once, after the gateway's start. */
	started(): void {
		this.#end(false);
	}

	monotonicMs(): number {
		return Math.floor(this.#now());
	}

	utcMs(): number | undefined {
		return this.#aheadMs === undefined ? undefined : Math.floor(this.#now() + this.#aheadMs);
	}

	setUTC(utcMs: number): void {
		this.#aheadMs = utcMs - this.#now();
	}

	set(callback: () => void, delayMs: number): number {
		const id = ++this.#lastId;
		this.#timers.set(id, { dueMs: this.#now() + Math.max(delayMs, 0), callback });
		this.#arm();
		return id;
	}

	clear(id: number): void {
		this.#timers.delete(id);
		this.#arm();
	}

	watch(host: Host): Host {
		const { serial, network } = host;
		const watched = <Port extends { readonly io: IO }>(port: Port, lingers: boolean): Port => ({
			...port,
			io: this.#watched(port.io, lingers),
		});
		const { http, https, tcpClient, tlsClient, resolve } = network;
		const served = <Port extends Network["http"]>(port: Port): Port => ({
			...port,
			socket: this.#watched(port.socket, true) as Port["socket"],
		});
		return {
			...host,
			serial: { ...serial, meter: watched(serial.meter, false) },
			network: {
				...network,
				http: served(http),
				...(https && { https: served(https) }),
				...(tcpClient && { tcpClient: watched(tcpClient, true) }),
				...(tlsClient && { tlsClient: watched(tlsClient, true) }),
				...(resolve && {
					resolve: (name: string, done: (address: string | undefined) => void) => {
						this.#begin();
						resolve(name, (address) => {
							this.#end(true);
							done(address);
						});
					},
				}),
			},
		};
	}

	#watched<Class extends IO>(io: Class, lingers: boolean): Class {
		const time = this;
		return class extends io {
			#isOpen = false;

			// biome-ignore lint/suspicious/noExplicitAny: as IO
			constructor(...options: any[]) {
				super(...options);
				time.#begin();
				this.#isOpen = true;
			}

			override close(): void {
				super.close();
				if (this.#isOpen) time.#end(lingers);
				this.#isOpen = false;
			}
		};
	}

	#begin(): void {
		this.#peerCount++;
		this.#pace();
	}

	#end(lingers: boolean): void {
		this.#peerCount--;
		if (lingers) {
			clearTimeout(this.#linger);
			this.#linger = setTimeout(() => {
				this.#linger = undefined;
				this.#pace();
			}, LINGER_MS).unref();
		}
		this.#pace();
	}

	#pace(): void {
		const rate = this.#peerCount > 0 || this.#linger !== undefined ? 1 : this.#speed;
		if (rate === this.#rate) return;
		this.#baseMs = this.#reachedMs = this.#now();
		this.#sinceMs = performance.now();
		this.#rate = rate;
		this.#arm();
		this.onPace(this.#baseMs, rate);
	}

	#now(): number {
		if (this.#isHandling) return this.#reachedMs;
		const wantedMs = this.#baseMs + (performance.now() - this.#sinceMs) * this.#rate;
		return Math.max(this.#reachedMs, Math.min(wantedMs, this.#earliest()?.dueMs ?? wantedMs));
	}

	#earliest(): { id: number; dueMs: number } | undefined {
		let found: { id: number; dueMs: number } | undefined;
		for (const [id, { dueMs }] of this.#timers) if (found === undefined || dueMs < found.dueMs) found = { id, dueMs };
		return found;
	}

	#arm(): void {
		clearTimeout(this.#timer);
		const next = this.#isHandling ? undefined : this.#earliest();
		if (next === undefined) return;
		const leftMs = Math.ceil((next.dueMs - this.#now()) / this.#rate);
		this.#timer = setTimeout(() => void this.#fire(), Math.min(leftMs, LONGEST_MS));
	}

	/** Runs the due timers one after another, because a callback may set a timer that is due earlier. */
	async #fire(): Promise<void> {
		for (let next = this.#earliest(); next !== undefined && next.dueMs <= this.#now(); next = this.#earliest()) {
			this.#reachedMs = Math.max(this.#reachedMs, next.dueMs);
			const { callback } = this.#timers.get(next.id)!;
			this.#timers.delete(next.id);
			this.#isHandling = true;
			callback();
			await this.settled();
			this.#isHandling = false;
		}
		this.#arm();
	}
}
