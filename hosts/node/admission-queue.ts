/**
 * Admission queue with the rules of hosts/native/admission-queue.h. Node performs the handshakes itself. Therefore
 * every pending connection counts as ready, and no handshake stalls.
 */

interface PendingConnection {
	readonly remoteAddress: string;
	close(): void;
}

const TRUSTED_LIMIT = 4;
const TRUSTED_IN_A_ROW = 4;
const MEMORY = 8;
const TRUST_MS = 1_800_000;
const TURNS_COUNTERS = 1024;
const TURNS_LIMIT = 15;
const FORGET_MS = 300_000;
/* FNV-1a */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

interface TrustedAddress {
	readonly address: string;
	readonly knownMs: number;
}

interface Waiting<T> {
	readonly caller: T;
	readonly number: number;
}

export interface AdmissionQueueOptions {
	/** Number of connections that may wait. */
	readonly limit: number;
	/** Random number, 0 to 0xFFFFFFFF. */
	readonly seed: number;
	nowMs(): number;
}

export class AdmissionQueue<T extends PendingConnection> {
	readonly #options: AdmissionQueueOptions;
	readonly #pending: (Waiting<T> | undefined)[];
	#arrivals = 0;
	#trusted: TrustedAddress[] = [];
	readonly #served = new Map<string, number>();
	#places = 0;
	#trustedInARow = 0;
	readonly #turns = new Uint8Array(TURNS_COUNTERS);
	#period = 0;
	#random: number;

	constructor(options: AdmissionQueueOptions) {
		this.#options = options;
		this.#pending = new Array(options.limit).fill(undefined);
		// Must not be 0.
		this.#random = options.seed | 1;
	}

	get count(): number {
		return this.#waiting().length;
	}

	trust(address: string): void {
		this.#trusted = this.#trusted.filter((trusted) => trusted.address !== address);
		this.#trusted.push({ address, knownMs: this.#options.nowMs() });
		if (this.#trusted.length > TRUSTED_LIMIT) this.#trusted.shift();
		this.#turns[this.#counterOf(address)] = 0;
	}

	/** Call it when a connection from this address was answered promptly, so that it does not count as a turn. */
	answered(address: string): void {
		const counter = this.#counterOf(address);
		if (this.#turns[counter] > 0) this.#turns[counter]--;
	}

	forget(): void {
		this.#trusted = [];
	}

	add(caller: T): void {
		this.#forgetTurns();
		const newcomer = { caller, number: ++this.#arrivals };
		if (!this.#pending.includes(undefined)) {
			const surplus = this.#surplus(newcomer);
			this.remove(surplus.caller);
			surplus.caller.close();
			if (surplus === newcomer) return;
		}
		this.#pending[this.#pending.indexOf(undefined)] = newcomer;
	}

	remove(caller: T): void {
		const index = this.#pending.findIndex((each) => each?.caller === caller);
		if (index >= 0) this.#pending[index] = undefined;
	}

	take(): T | undefined {
		this.#forgetTurns();
		const waiting = this.#waiting();
		if (waiting.length === 0) return undefined;
		const { caller } = waiting.reduce((best, each) => (this.#precedes(each, best) ? each : best));
		this.remove(caller);
		this.#remember(caller.remoteAddress);
		return caller;
	}

	close(): void {
		for (const { caller } of this.#waiting()) caller.close();
		this.#pending.fill(undefined);
	}

	#waiting(): Waiting<T>[] {
		return this.#pending.filter((each) => each !== undefined);
	}

	#isTrusted(address: string): boolean {
		const sinceMs = this.#options.nowMs() - TRUST_MS;
		return this.#trusted.some((trusted) => trusted.address === address && trusted.knownMs > sinceMs);
	}

	/** True if the first connection is served before `other`. */
	#precedes({ caller: { remoteAddress }, number }: Waiting<T>, other: Waiting<T>): boolean {
		const otherAddress = other.caller.remoteAddress;
		const isTrusted = this.#isTrusted(remoteAddress);
		if (isTrusted !== this.#isTrusted(otherAddress)) return isTrusted === this.#trustedInARow < TRUSTED_IN_A_ROW;
		const more = this.#turnsOf(remoteAddress) - this.#turnsOf(otherAddress);
		const later = (this.#served.get(remoteAddress) ?? 0) - (this.#served.get(otherAddress) ?? 0);
		return (more || later || number - other.number) < 0;
	}

	#remember(address: string): void {
		this.#served.delete(address);
		this.#served.set(address, ++this.#places);
		if (this.#served.size > MEMORY) this.#served.delete(this.#served.keys().next().value!);
		const isTrusted = this.#isTrusted(address);
		const counter = this.#counterOf(address);
		if (!isTrusted) this.#turns[counter] = Math.min(this.#turns[counter] + 1, TURNS_LIMIT);
		this.#trustedInARow = isTrusted ? this.#trustedInARow + 1 : 0;
	}

	/** Returns the connection to drop, which may be `newcomer`. */
	#surplus(newcomer: Waiting<T>): Waiting<T> {
		let surplus = newcomer;
		let highest = this.#rankOf(newcomer, newcomer);
		let equals = 1;
		for (const each of this.#waiting()) {
			const rank = this.#rankOf(each, newcomer);
			if (rank < highest) continue;
			if (rank === highest && each.caller.remoteAddress === surplus.caller.remoteAddress) {
				if (each.number > surplus.number) surplus = each;
				continue;
			}
			equals = rank > highest ? 1 : equals + 1;
			highest = rank;
			if (this.#randomBelow(equals) === 0) surplus = each;
		}
		return surplus;
	}

	/** Returns a number that is higher for a connection that is dropped before another one. */
	#rankOf({ caller: { remoteAddress } }: Waiting<T>, newcomer: Waiting<T>): number {
		const all = [...this.#waiting(), newcomer];
		const connections = all.filter(({ caller }) => caller.remoteAddress === remoteAddress).length;
		const turns = this.#isTrusted(remoteAddress) ? 0 : 1 + this.#turnsOf(remoteAddress);
		return connections * (TURNS_LIMIT + 2) + turns;
	}

	#turnsOf(address: string): number {
		return this.#turns[this.#counterOf(address)];
	}

	#counterOf(address: string): number {
		const point = address.lastIndexOf(".");
		const end = point < 0 ? address.length : point;
		let hash = this.#options.seed ^ HASH_START;
		for (let at = 0; at < end; at++) hash = Math.imul(hash ^ address.charCodeAt(at), HASH_FACTOR);
		return ((hash >>> 0) + (point < 0 ? 0 : Number(address.slice(point + 1)))) % TURNS_COUNTERS;
	}

	/** Halves all counters once for each full FORGET_MS that has passed. */
	#forgetTurns(): void {
		const period = Math.floor(this.#options.nowMs() / FORGET_MS);
		const passed = Math.min(period - this.#period, 8);
		this.#period = period;
		if (passed > 0) for (let i = 0; i < TURNS_COUNTERS; i++) this.#turns[i] >>= passed;
	}

	/** Returns a random number below `limit` (xorshift32). */
	#randomBelow(limit: number): number {
		let x = this.#random;
		x ^= x << 13;
		x ^= x >>> 17;
		x ^= x << 5;
		this.#random = x;
		return (x >>> 0) % limit;
	}
}
