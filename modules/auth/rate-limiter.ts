/**
 * Slows down password guessing: one limiter for login and password change, in all their forms.
 *
 * Failures are counted in buckets. After FREE_FAILURES failures in a row the bucket's next attempt must wait 1 s, and
 * with each further failure twice as long, up to a limit; attempts meanwhile are turned away without being looked at.
 * Success, or FORGET_MS without a failure, clears the bucket; FORGET_MS is so long that waiting for it is no faster than
 * going on at one try a minute.
 *
 * Which bucket an address has:
 * - An address from which somebody has logged in keeps one of its own while it is among the last KNOWN_LIMIT such, as
 *   long as the firmware runs. Failures from elsewhere don't slow the owner down there.
 * - All others are strangers. They count by address, in IPv6 by network (/64), since a host has as many addresses there
 *   as it likes; known addresses don't, since all hosts of a home are in the same network. A stranger who fails gets one
 *   of STRANGER_LIMIT buckets while one is free, and keeps it until it is forgotten: coming from many addresses clears
 *   none. The delay of all these buckets ends at DELAY_LIMIT_S.
 * - The strangers for whom there is none share the last bucket (shared-bucket.ts). A new address has one attempt there
 *   without any delay, so a right password gets in at once, also after a restart.
 *
 * Guesses of strangers that are looked at, at worst, whatever their number and their addresses: in 24 hours 1449 in each of
 * the STRANGER_LIMIT buckets (11 in the first 63 s, then one a minute) and 21 862 in the shared one (256 first attempts, 8
 * in the first 7 s, then one every 4 s), 45 046 in all; 2266 in the first hour, 1860 in each later one; 437 in 60 s.
 */
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { FREE_FAILURES, SharedBucket } from "./shared-bucket.js";

/** Addresses that keep a bucket because somebody has logged in from there. */
export const KNOWN_LIMIT = 8;
/** Strangers with a bucket of their own. */
export const STRANGER_LIMIT = 16;
/** The longest delay of a bucket that is not shared, seconds. */
export const DELAY_LIMIT_S = 60;
/** A bucket that is not shared is forgotten when nothing has failed for so long. */
export const FORGET_MS = 900_000;

/** Buckets stand in this order: known addresses, strangers; this one, of everybody else, is an object of its own. */
const SHARED = KNOWN_LIMIT + STRANGER_LIMIT;
/** Where counting stops: the delay has been at its longest for some time, and a byte holds it. */
const COUNT_LIMIT = 255;
/** What an IPv4 address begins with where it is written as one of IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = "::ffff:";
/** Groups of an IPv6 address; the first half of them is the network. */
const GROUPS = 8;

export class LoginRateLimiter {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Per bucket: a known address, or a stranger's address or network. */
	readonly #names: string[] = new Array<string>(SHARED).fill("nobody");
	/** Per known address: which login was the last one from there, counted from 1; 0: none. */
	readonly #logins = new Uint32Array(KNOWN_LIMIT);
	/** Per bucket: failures in a row. */
	readonly #failures = new Uint8Array(SHARED);
	/** Per bucket: monotonic ms of the last failure. */
	readonly #lastMs = new Float64Array(SHARED);
	#loginCount = 0;
	#shared: SharedBucket | undefined;

	constructor(clock: Clock, crypto: Crypto, text: TextCodec) {
		this.#clock = clock;
		this.#crypto = crypto;
		this.#text = text;
	}

	/**
	 * Whole seconds that this address must wait before its next attempt; 0 when it may try now. Asked once for each
	 * attempt: it has a part in who is next. `address`: as a Socket tells it.
	 */
	retryAfterS(address: string): number {
		if (this.#shared?.isForgotten) this.#shared = undefined;
		const bucket = this.bucketOf(address);
		if (bucket === SHARED) return this.#shared?.retryAfterS(strangerOf(address)) ?? 0;
		const failures = this.failuresOf(bucket);
		if (failures < FREE_FAILURES) return 0;
		const delayMs = Math.min(DELAY_LIMIT_S, 2 ** (failures - FREE_FAILURES)) * 1000;
		return Math.max(0, Math.ceil((this.#lastMs[bucket] + delayMs - this.#clock.monotonicMs()) / 1000));
	}

	/** An attempt from this address was looked at and failed. */
	failed(address: string): void {
		const bucket = this.bucketOf(address);
		if (bucket === SHARED) {
			this.#shared ??= new SharedBucket(this.#clock, this.#crypto, this.#text);
			this.#shared.failed(strangerOf(address));
			return;
		}
		if (bucket >= KNOWN_LIMIT) this.#names[bucket] = strangerOf(address);
		this.#failures[bucket] = Math.min(this.failuresOf(bucket) + 1, COUNT_LIMIT);
		this.#lastMs[bucket] = this.#clock.monotonicMs();
	}

	/** An attempt from this address succeeded: it is known from now on. */
	succeeded(address: string): void {
		let bucket = this.bucketOf(address);
		if (bucket === SHARED) this.#shared?.succeeded(strangerOf(address));
		else this.#failures[bucket] = 0;
		if (bucket >= KNOWN_LIMIT) {
			bucket = this.#logins.indexOf(Math.min(...this.#logins));
			this.#names[bucket] = unmapped(address);
			this.#failures[bucket] = 0;
		}
		this.#logins[bucket] = ++this.#loginCount;
	}

	/** The address's own bucket when it is known; else that of the stranger, else a free one, else the shared one. */
	private bucketOf(address: string): number {
		let bucket = this.#names.indexOf(address);
		if (bucket < 0) bucket = this.#names.indexOf(strangerOf(address));
		if (bucket >= 0) return bucket;
		bucket = KNOWN_LIMIT;
		while (bucket < SHARED && this.failuresOf(bucket) > 0) bucket++;
		return bucket;
	}

	/** Failures in a row that still count. */
	private failuresOf(bucket: number): number {
		return this.#clock.monotonicMs() - this.#lastMs[bucket] < FORGET_MS ? this.#failures[bucket] : 0;
	}
}

/** The address, in IPv4 where it is one of IPv4. */
function unmapped(address: string): string {
	return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
}

/** What a stranger is counted by: an IPv4 address, or the network of an IPv6 one, its first four groups. */
function strangerOf(address: string): string {
	const plain = unmapped(address);
	if (plain.indexOf(":") < 0) return plain;
	// "::" stands for as many groups of zeros as are missing (RFC 4291, 2.2).
	const [head, tail = ""] = plain.split("::");
	const groups = head === "" ? [] : head.split(":");
	const last = tail === "" ? [] : tail.split(":");
	while (groups.length + last.length < GROUPS) groups.push("0");
	return [...groups, ...last].slice(0, GROUPS / 2).join(":");
}
