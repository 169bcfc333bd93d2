/**
 * Single-use nonces of the login challenge (API text, Authentication 3). A nonce carries the proof that we issued it,
 * so a challenge costs no memory and nobody's challenge pushes out another's; only used ones are remembered.
 *
 *   offset  bytes  what
 *   0       8      random
 *   8       8      monotonic ms when it was issued, IEEE 754 binary64, high byte first
 *   16      16     first half of HMAC-SHA-256 over bytes 0 to 15, under a key made at start
 *
 * The text is lower-case hex, NONCE_LENGTH characters.
 *
 * No nonce is taken twice, and nobody spoils another's:
 * - A failed proof uses a nonce up as well. It may be right a moment later (for the right user, or when the password has
 *   become that one), and in plain HTTP others have heard it.
 * - A used nonce is remembered by 4 of its random bytes. A fresh one is mistaken for it once in 2^32; the client asks again.
 * - The ring of used nonces is in the order of use. It begins with room for USED_AT_FIRST, doubles while what it would
 *   overwrite has not expired, up to USED_LIMIT, and is small again when all have expired. Each wrong proof counts in the
 *   limiter before the next is looked at, and that lets fewer than USED_LIMIT of strangers through within the lifetime of a
 *   nonce: what they overwrite has expired.
 * - Only logins and known addresses can fill it sooner. When a nonce is overwritten that has not expired, all that were
 *   issued until it was used are refused from then on, and so is that one; the clients ask again.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex, encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock } from "../io/host.js";

/** A nonce can be used for so long, and is then unknown. */
export const NONCE_LIFETIME_MS = 60_000;
/** Characters of a nonce's text. */
export const NONCE_LENGTH = 64;
/** Used nonces that are remembered at most: more than the limiter lets through of strangers in 60 s, which is 437. */
export const USED_LIMIT = 512;

const USED_AT_FIRST = 16;
const KEY_LENGTH = 32;
const RANDOM_LENGTH = 8;
/** Random bytes and time: what makes a nonce unlike every other. */
const IDENTITY_LENGTH = 16;
/** Unit of the time of use, so that 32 bits last for 13 years. */
const TICK_MS = 100;

export class Nonces {
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #key: Uint8Array;
	/** A ring of pairs: first four random bytes of a used nonce, and the end of the tick in which it was used. */
	#used = new Uint32Array(USED_AT_FIRST * 2);
	#next = 0;
	/** What was issued before this monotonic time is refused: its use may have been overwritten. */
	#sinceMs = 0;

	constructor(crypto: Crypto, clock: Clock) {
		this.#crypto = crypto;
		this.#clock = clock;
		this.#key = crypto.random(KEY_LENGTH);
	}

	/** A new nonce, as ASCII text. */
	issue(): Uint8Array {
		this.shrink();
		const nonce = new Uint8Array(NONCE_LENGTH / 2);
		nonce.set(this.#crypto.random(RANDOM_LENGTH));
		new DataView(nonce.buffer).setFloat64(RANDOM_LENGTH, this.#clock.monotonicMs());
		nonce.set(this.seal(nonce), IDENTITY_LENGTH);
		return encodeHex(nonce);
	}

	/** Uses up the nonce with this ASCII text; false when it is not ours, expired, or used before. */
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

	/** The oldest one has not expired, and there could be more room. */
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

	/** Gives the room back when all have expired. */
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
