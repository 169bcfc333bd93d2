/**
 * Single-use nonces of the login challenge (API text, Authentication 3). A nonce contains a check value, which proves
 * that this gateway issued it. So only used nonces take memory, and a new challenge never displaces an earlier one.
 *
 *   offset  bytes  content
 *   0       8      random
 *   8       8      time of issue, monotonic ms, IEEE 754 binary64, big-endian
 *   16      16     first half of HMAC-SHA-256 over bytes 0 to 15, with a key generated at the start
 *
 * The text form is lower-case hex, NONCE_LENGTH characters.
 *
 * No nonce is accepted twice, and no client can invalidate the nonce of another client:
 * - A wrong proof also uses up its nonce. Otherwise an eavesdropper on plain HTTP could record a proof made with
 *   another password, and send it again when the account has been changed to that password.
 * - A used nonce is identified by 4 of its random bytes. With a probability of 2^-32 a fresh nonce has the same 4 bytes
 *   and is refused; the client then requests another one.
 * - The used nonces are in a ring buffer, in order of use. Its capacity grows from USED_AT_FIRST up to USED_LIMIT when
 *   it would otherwise overwrite an unexpired nonce, and returns to USED_AT_FIRST when all have expired. The rate
 *   limiter lets unknown addresses use fewer than USED_LIMIT nonces within the lifetime of a nonce, so they overwrite
 *   only expired nonces.
 * - Only successful logins and known addresses can fill the ring faster. If an unexpired nonce is overwritten, all
 *   nonces that were issued before its use are refused, and so is the overwritten one. Their clients request new ones.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex, encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock } from "../io/host.js";

export const NONCE_LIFETIME_MS = 60_000;
export const NONCE_LENGTH = 64;
/**
 * Maximum capacity of the ring buffer. It is higher than the 437 nonces that the limiter accepts from unknown addresses
 * in 60 s.
 */
export const USED_LIMIT = 512;

const USED_AT_FIRST = 16;
const KEY_LENGTH = 32;
const RANDOM_LENGTH = 8;
const IDENTITY_LENGTH = 16;
/** Unit of the times of use. With it, 32 bits are enough for 13 years. */
const TICK_MS = 100;

export class Nonces {
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #key: Uint8Array;
	/** For each used nonce two numbers: its first four random bytes, and the time of its use in TICK_MS. */
	#used = new Uint32Array(USED_AT_FIRST * 2);
	#next = 0;
	/**
	 * Nonces issued before this time (monotonic ms) are refused, because the ring may no longer show that they were
	 * used.
	 */
	#sinceMs = 0;

	constructor(crypto: Crypto, clock: Clock) {
		this.#crypto = crypto;
		this.#clock = clock;
		this.#key = crypto.random(KEY_LENGTH);
	}

	issue(): Uint8Array {
		this.shrink();
		const nonce = new Uint8Array(NONCE_LENGTH / 2);
		nonce.set(this.#crypto.random(RANDOM_LENGTH));
		new DataView(nonce.buffer).setFloat64(RANDOM_LENGTH, this.#clock.monotonicMs());
		nonce.set(this.seal(nonce), IDENTITY_LENGTH);
		return encodeHex(nonce);
	}

	/** Uses up a nonce. Returns false if this gateway did not issue it, or if it has expired or was used before. */
	take(text: Uint8Array): boolean {
		const nonce = text.length === NONCE_LENGTH ? decodeHex(text, 0, NONCE_LENGTH) : undefined;
		if (nonce === undefined || !equalConstantTime(this.seal(nonce), nonce.slice(IDENTITY_LENGTH))) return false;
		const view = new DataView(nonce.buffer);
		const issuedMs = view.getFloat64(RANDOM_LENGTH);
		const nowMs = this.#clock.monotonicMs();
		if (nowMs - issuedMs >= NONCE_LIFETIME_MS || issuedMs < this.#sinceMs) return false;
		const mark = view.getUint32(0);
		for (let i = 0; i < this.#used.length; i += 2) {
			if (this.#used[i] === mark) return false;
		}
		if (this.isFull(nowMs)) this.grow();
		const place = this.#next;
		this.#sinceMs = this.#used[place + 1] * TICK_MS;
		this.#used[place] = mark;
		this.#used[place + 1] = Math.floor(nowMs / TICK_MS) + 1;
		this.#next = (place + 2) % this.#used.length;
		return true;
	}

	private isFull(nowMs: number): boolean {
		const usedTicks = this.#used[this.#next + 1];
		return usedTicks > 0 && nowMs - usedTicks * TICK_MS < NONCE_LIFETIME_MS && this.#used.length < USED_LIMIT * 2;
	}

	private grow(): void {
		const before = this.#used;
		this.#used = new Uint32Array(before.length * 2);
		this.#used.set(before.subarray(this.#next));
		this.#used.set(before.subarray(0, this.#next), before.length - this.#next);
		this.#next = before.length;
	}

	private shrink(): void {
		const { length } = this.#used;
		const lastMs = this.#used[(this.#next + length - 1) % length] * TICK_MS;
		if (length === USED_AT_FIRST * 2 || this.#clock.monotonicMs() - lastMs < NONCE_LIFETIME_MS) return;
		this.#used = new Uint32Array(USED_AT_FIRST * 2);
		this.#next = 0;
	}

	private seal(nonce: Uint8Array): Uint8Array {
		const mac = this.#crypto.hmacSHA256(this.#key, nonce.subarray(0, IDENTITY_LENGTH));
		return mac.subarray(0, NONCE_LENGTH / 2 - IDENTITY_LENGTH);
	}
}
