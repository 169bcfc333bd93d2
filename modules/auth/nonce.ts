/**
 * Single-use nonces of the login challenge (API text, Authentication 3). A nonce carries the proof that we issued it,
 * so a challenge costs no memory and nobody's challenge pushes out another's; only used ones are remembered.
 *
 *   offset  bytes  what
 *   0       8      random
 *   8       8      monotonic ms when it was issued, IEEE 754 binary64, high byte first
 *   16      16     first half of HMAC-SHA-256 over bytes 0 to 15, under a key made at start
 *
 * The text is lower-case hex, NONCE_LENGTH characters. Limits: USED_LIMIT used nonces at once. When all of them could
 * still be replayed nothing is forgotten; the answer is NONCE_FULL. Each use that fails counts in the login limiter,
 * whose sources together can't fill this table again and again.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex, encodeHex } from "../bytes/hex.js";
import type { Clock, Crypto } from "../io/host.js";

/** A nonce can be used for so long, and is then unknown. */
export const NONCE_LIFETIME_MS = 60_000;
/** Characters of a nonce's text. */
export const NONCE_LENGTH = 64;
/** Used nonces that are remembered. */
export const USED_LIMIT = 64;

/** The nonce is ours, in time and unused; now it is used. */
export const NONCE_OK = 0;
/** Not ours, expired, or used before. */
export const NONCE_INVALID = 1;
/** It could not be remembered as used, so it was not taken: try again after `retryAfterMs`. */
export const NONCE_FULL = 2;

const KEY_LENGTH = 32;
const RANDOM_LENGTH = 8;
/** Random bytes and time: what makes a nonce unlike every other. */
const IDENTITY_LENGTH = 16;

export class Nonces {
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #key: Uint8Array;
	/** Identities of used nonces, one after another, in no order. */
	readonly #used = new Uint8Array(USED_LIMIT * IDENTITY_LENGTH);
	readonly #usedView = new DataView(this.#used.buffer);
	#count = 0;

	constructor(crypto: Crypto, clock: Clock) {
		this.#crypto = crypto;
		this.#clock = clock;
		this.#key = crypto.random(KEY_LENGTH);
	}

	/** A new nonce, as ASCII text. */
	issue(): Uint8Array {
		const nonce = new Uint8Array(NONCE_LENGTH / 2);
		nonce.set(this.#crypto.random(RANDOM_LENGTH));
		new DataView(nonce.buffer).setFloat64(RANDOM_LENGTH, this.#clock.monotonicMs());
		nonce.set(this.seal(nonce), IDENTITY_LENGTH);
		return encodeHex(nonce);
	}

	/** Uses up the nonce with this ASCII text; tells NONCE_OK, NONCE_INVALID or NONCE_FULL. */
	take(text: Uint8Array): number {
		const nonce = text.length === NONCE_LENGTH ? decodeHex(text, 0, NONCE_LENGTH) : undefined;
		if (nonce === undefined || !equalConstantTime(this.seal(nonce), nonce.slice(IDENTITY_LENGTH))) return NONCE_INVALID;
		if (this.isExpired(new DataView(nonce.buffer), 0) || this.isUsed(nonce)) return NONCE_INVALID;
		this.forgetExpired();
		if (this.#count === USED_LIMIT) return NONCE_FULL;
		this.#used.set(nonce.subarray(0, IDENTITY_LENGTH), this.#count++ * IDENTITY_LENGTH);
		return NONCE_OK;
	}

	/** How long until the next used nonce can be forgotten, ms; 0 when there is room. */
	get retryAfterMs(): number {
		if (this.#count < USED_LIMIT) return 0;
		let oldestMs = Infinity;
		for (let i = 0; i < this.#count; i++) {
			oldestMs = Math.min(oldestMs, this.#usedView.getFloat64(i * IDENTITY_LENGTH + RANDOM_LENGTH));
		}
		return Math.max(0, oldestMs + NONCE_LIFETIME_MS - this.#clock.monotonicMs());
	}

	private seal(nonce: Uint8Array): Uint8Array {
		const mac = this.#crypto.hmacSHA256(this.#key, nonce.subarray(0, IDENTITY_LENGTH));
		return mac.subarray(0, NONCE_LENGTH / 2 - IDENTITY_LENGTH);
	}

	private isExpired(view: DataView, offset: number): boolean {
		return this.#clock.monotonicMs() - view.getFloat64(offset + RANDOM_LENGTH) >= NONCE_LIFETIME_MS;
	}

	private isUsed(nonce: Uint8Array): boolean {
		for (let i = 0; i < this.#count; i++) {
			let same = 0;
			while (same < IDENTITY_LENGTH && this.#used[i * IDENTITY_LENGTH + same] === nonce[same]) same++;
			if (same === IDENTITY_LENGTH) return true;
		}
		return false;
	}

	private forgetExpired(): void {
		for (let i = this.#count - 1; i >= 0; i--) {
			const offset = i * IDENTITY_LENGTH;
			if (!this.isExpired(this.#usedView, offset)) continue;
			this.#count--;
			const last = this.#count * IDENTITY_LENGTH;
			this.#used.copyWithin(offset, last, last + IDENTITY_LENGTH);
		}
	}
}
