/**
 * Rate limiter for logins and password changes, which prevents the guessing of passwords.
 *
 * Failed attempts are counted in buckets, each for one address or for several. After FREE_FAILURES consecutive
 * failures, the next attempt in the bucket is delayed by 1 s, and by twice as much after each further failure, up to a
 * limit. An attempt during the delay is refused, and its password is not checked. A success, or FORGET_MS without a
 * failure, clears the bucket.
 *
 * Addresses are assigned to buckets as follows:
 * - A known address is one of the last KNOWN_LIMIT addresses with a successful login since the start. It has its own
 *   bucket, so failures from other addresses do not delay its user.
 * - All unknown IPv6 addresses of a /64 network count as one address, because a host can use any address in its
 *   network. Known IPv6 addresses are counted individually, because all devices of a home are in one network. When an
 *   unknown address fails, it gets one of STRANGER_LIMIT buckets if one is free, and keeps it until the bucket is
 *   cleared. The delay of a bucket is at most DELAY_LIMIT_S.
 * - The remaining unknown addresses share the last bucket (shared-bucket.ts). It does not delay the first attempt of a
 *   new address, so the right password succeeds without a delay, even after a restart, when no address is known.
 *
 * Maximum number of guesses that are checked, however many unknown addresses send them:
 * - 45 046 in 24 hours. Each of the STRANGER_LIMIT buckets allows 1449 (11 in the first 63 s, then one a minute). The
 *   shared bucket allows 21 862 (256 first attempts, 8 in the first 7 s, then one every 4 s).
 * - 2266 in the first hour, 1860 in each later hour.
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
/** Maximum of a failure counter. The delay reaches its maximum long before. */
const COUNT_LIMIT = 255;
const MAPPED = "::ffff:";
/** Number of 16-bit groups in an IPv6 address. The first half of them is the network. */
const GROUPS = 8;

export class LoginRateLimiter {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Address of each bucket; for an unknown IPv6 address, its network. */
	readonly #names: string[] = new Array<string>(SHARED).fill("nobody");
	/** Sequence number of the last login from each known address; 0 if the bucket is not in use. */
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
	 * Returns how many seconds this address must wait before its next attempt, or 0. Call it exactly once for each
	 * attempt, because a call during a delay enters the address in the draw of the shared bucket. `address` is written
	 * as in Socket.
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
