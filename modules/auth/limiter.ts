/**
 * Slows down whoever guesses: one limiter for login and password change, in all their forms.
 *
 * After FREE_FAILURES failures in a row from one address the next attempt must wait 1 s, and with each further failure
 * twice as long, up to 60 s; attempts meanwhile are turned away without being looked at. Success, or FORGET_MS without
 * a failure, wipes the slate; FORGET_MS is so long that waiting for it is no faster than going on at one try a minute.
 *
 * Limits: ADDRESS_LIMIT addresses have a bucket of their own. While all of those are in use, everybody else shares one
 * more. A bucket in use is never taken away, so nobody gets rid of his own by coming from many addresses, and the rate
 * for all of them together is bounded; and an address that has its own can't be kept out by the crowd in the shared one.
 */
import type { Clock } from "../io/host.js";

/** Addresses with a bucket of their own. */
export const ADDRESS_LIMIT = 16;
/** The failure that brings the first delay. */
export const FREE_FAILURES = 5;
/** The longest delay, seconds. */
export const DELAY_LIMIT_S = 60;
/** A bucket is forgotten when so long nothing failed. */
export const FORGET_MS = 900_000;

/** The bucket of all addresses that have none. */
const SHARED = ADDRESS_LIMIT;
/** Where counting stops: the delay has been at its longest for some time, and a byte holds it. */
const COUNT_LIMIT = 255;

export class LoginLimiter {
	readonly #clock: Clock;
	readonly #addresses: string[] = new Array<string>(ADDRESS_LIMIT).fill("");
	/** Per bucket: failures in a row. */
	readonly #failures = new Uint8Array(ADDRESS_LIMIT + 1);
	/** Per bucket: monotonic ms of the last failure. */
	readonly #lastMs = new Float64Array(ADDRESS_LIMIT + 1);

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Whole seconds that this address must wait before its next attempt; 0 when it may try now. */
	retryAfterS(address: string): number {
		const bucket = this.bucketOf(address);
		const failures = this.failuresOf(bucket);
		if (failures < FREE_FAILURES) return 0;
		const delayS = Math.min(DELAY_LIMIT_S, 2 ** (failures - FREE_FAILURES));
		const leftMs = this.#lastMs[bucket] + delayS * 1000 - this.#clock.monotonicMs();
		return Math.max(0, Math.ceil(leftMs / 1000));
	}

	/** An attempt from this address was looked at and failed. */
	failed(address: string): void {
		const bucket = this.bucketOf(address);
		if (bucket < SHARED) this.#addresses[bucket] = address;
		this.#failures[bucket] = Math.min(this.failuresOf(bucket) + 1, COUNT_LIMIT);
		this.#lastMs[bucket] = this.#clock.monotonicMs();
	}

	/** An attempt from this address succeeded. */
	succeeded(address: string): void {
		this.#failures[this.bucketOf(address)] = 0;
	}

	/** The address's own bucket, else a free one, else the shared one. */
	private bucketOf(address: string): number {
		let free = SHARED;
		for (let i = 0; i < ADDRESS_LIMIT; i++) {
			if (this.failuresOf(i) === 0) free = i;
			else if (this.#addresses[i] === address) return i;
		}
		return free;
	}

	/** Failures in a row that still count. */
	private failuresOf(bucket: number): number {
		return this.#clock.monotonicMs() - this.#lastMs[bucket] < FORGET_MS ? this.#failures[bucket] : 0;
	}
}
