/**
 * Single-use nonces of the login challenge (API text, Authentication 3). A nonce itself proves that this gateway issued
 * it, so only used ones take memory, and no challenge displaces another.
 *
 *   offset  bytes  content
 *   0       8      random
 *   8       8      monotonic ms of issue, IEEE 754 binary64, big-endian
 *   16      16     first half of HMAC-SHA-256 over bytes 0 to 15, with a key generated at the start
 *
 * The text form is lower-case hex, NONCE_LENGTH characters.
 *
 * No nonce is accepted twice, and no client can invalidate the nonce of another:
 * - A failed proof also uses up its nonce. Otherwise an eavesdropper on plain HTTP could record the failed proof, and
 *   repeat it once the password was changed to the password that it proves.
 * - A used nonce is identified by 4 of its random bytes. A fresh nonce collides once in 2^32; the client then requests
 *   another.
 * - The ring of used nonces is ordered by time of use. It grows from USED_AT_FIRST up to USED_LIMIT while it would
 *   overwrite an unexpired nonce, and shrinks when all have expired. The limiter lets unknown addresses use fewer than
 *   USED_LIMIT nonces within a nonce's lifetime, so they overwrite only expired ones.
 * - Only logins and known addresses can fill the ring faster. If an unexpired nonce is overwritten, it and all nonces
 *   issued before its use are refused; the clients request new ones.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex, encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock } from "../io/host.js";

export const NONCE_LIFETIME_MS = 60_000;
export const NONCE_LENGTH = 64;
/** Capacity of the ring: more than the 437 nonces that the limiter accepts from unknown addresses in 60 s. */
export const USED_LIMIT = 512;

const USED_AT_FIRST = 16;
const KEY_LENGTH = 32;
const RANDOM_LENGTH = 8;
const IDENTITY_LENGTH = 16;
/** Unit for the times of use; 32 bits are enough for 13 years. */
const TICK_MS = 100;

export class Nonces {
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #key: Uint8Array;
	/** Pairs: first four random bytes of a used nonce, tick of its use. */
	#used = new Uint32Array(USED_AT_FIRST * 2);
	#next = 0;
	/** Nonces issued before this monotonic time are refused: the record of their use may be overwritten. */
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

	/** Uses up a nonce. Returns false if it is foreign, expired or used. */
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
