/**
 * Rate limiter against password guessing at login and password change.
 *
 * Failures are counted in buckets. After FREE_FAILURES consecutive failures the bucket's next attempt must wait 1 s,
 * and twice as long after each further failure, up to a limit. Attempts during the delay are refused unchecked. A
 * success, or FORGET_MS without a failure, clears the bucket.
 *
 * Assignment of addresses to buckets:
 * - A known address is one of the last KNOWN_LIMIT with a successful login since the start. It has its own bucket, so
 *   failures from elsewhere do not delay its user.
 * - Unknown IPv6 addresses are counted by network (/64), because a host can use any address in its network. Known IPv6
 *   addresses are counted individually, because a home shares a network. An unknown address that fails gets one of
 *   STRANGER_LIMIT buckets if one is free, and keeps it until it is forgotten. The delay of these buckets is limited to
 *   DELAY_LIMIT_S.
 * - The remaining unknown addresses share the last bucket (shared-bucket.ts). It does not delay the first attempt of a
 *   new address, so the right password succeeds at once, also after a restart.
 *
 * Maximum number of guesses checked, for any number of unknown addresses:
 * - 45 046 in 24 hours. Each of the STRANGER_LIMIT buckets allows 1449 (11 in the first 63 s, then one a minute). The
 *   shared bucket allows 21 862 (256 first attempts, 8 in the first 7 s, then one every 4 s).
 * - 2266 in the first hour, 1860 in each later one.
 * - 437 in 60 s.
 */
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { FREE_FAILURES, SharedBucket } from "./shared-bucket.js";

export const KNOWN_LIMIT = 8;
export const STRANGER_LIMIT = 16;
export const DELAY_LIMIT_S = 60;
export const FORGET_MS = 900_000;

const SHARED = KNOWN_LIMIT + STRANGER_LIMIT;
/** Maximum of a counter. The delay reaches its own maximum much earlier. */
const COUNT_LIMIT = 255;
const MAPPED = "::ffff:";
/** Number of groups in an IPv6 address. The first half is the network. */
const GROUPS = 8;

export class LoginRateLimiter {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Address of a bucket, or an unknown address's IPv6 network. */
	readonly #names: string[] = new Array<string>(SHARED).fill("nobody");
	/** Sequence number of each known address's last login; 0: none. */
	readonly #logins = new Uint32Array(KNOWN_LIMIT);
	readonly #failures = new Uint8Array(SHARED);
	readonly #lastMs = new Float64Array(SHARED);
	#loginCount = 0;
	#shared: SharedBucket | undefined;

	constructor(clock: Clock, crypto: Crypto, text: TextCodec) {
		this.#clock = clock;
		this.#crypto = crypto;
		this.#text = text;
	}

	/**
	 * Returns how many seconds this address must wait before its next attempt; 0: none. Call it once per attempt,
	 * because the shared bucket draws the next attempt by lot among the addresses that were refused. `address`: as in
	 * Socket.
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

	private bucketOf(address: string): number {
		let bucket = this.#names.indexOf(address);
		if (bucket < 0) bucket = this.#names.indexOf(strangerOf(address));
		if (bucket >= 0) return bucket;
		bucket = KNOWN_LIMIT;
		while (bucket < SHARED && this.failuresOf(bucket) > 0) bucket++;
		return bucket;
	}

	private failuresOf(bucket: number): number {
		return this.#clock.monotonicMs() - this.#lastMs[bucket] < FORGET_MS ? this.#failures[bucket] : 0;
	}
}

function unmapped(address: string): string {
	return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
}

function strangerOf(address: string): string {
	const plain = unmapped(address);
	if (plain.indexOf(":") < 0) return plain;
	const [head, tail = ""] = plain.split("::");
	const groups = head === "" ? [] : head.split(":");
	const last = tail === "" ? [] : tail.split(":");
	while (groups.length + last.length < GROUPS) groups.push("0");
	return [...groups, ...last].slice(0, GROUPS / 2).join(":");
}
