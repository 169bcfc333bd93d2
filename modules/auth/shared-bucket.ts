/**
 * Shared bucket of the rate limiter (rate-limiter.ts), for all addresses without a bucket of their own. It exists only
 * while failures of such addresses are remembered.
 *
 * - The first attempt of an address is not delayed, so the right password succeeds while others keep failing. A failure
 *   marks the address. There are MARK_LIMIT marks, more than a /24 network has hosts.
 * - Marked addresses, and new ones once all marks are used, share one delay: none for FREE_FAILURES failures, then 1, 2
 *   and SHARED_DELAY_LIMIT_S seconds.
 * - The next attempt after a delay is drawn by lot among the addresses refused during it, with one lot each. The winner
 *   has TURN_MS for its attempt; after that any address may try.
 *
 * SHARED_FORGET_MS without a failure clears everything.
 */
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";

export const FREE_FAILURES = 5;
export const SHARED_DELAY_LIMIT_S = 4;
export const TURN_MS = 8000;
export const MARK_LIMIT = 256;
export const SHARED_FORGET_MS = 1_200_000;

const SEED_LENGTH = 16;
/** Value while no lot was drawn yet; higher than every lot. */
const NO_LOT = 2 ** 32;

export class SharedBucket {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Hashes of the marked addresses, in order of their first failures. */
	readonly #marks = new Uint32Array(MARK_LIMIT);
	/** Random, so that an attacker can't choose an address that shares another's mark. */
	readonly #markSeed: Uint8Array;
	#markCount = 0;
	#lastMs = 0;
	/** Failures that count for the delay; time of the last, monotonic ms. */
	#failures = 0;
	#delayedMs = 0;
	#drawn = "";
	#lot = NO_LOT;
	/** Makes draws unpredictable; renewed after each failure that counts for the delay. */
	#lotSeed: Uint8Array;

	constructor(clock: Clock, crypto: Crypto, text: TextCodec) {
		this.#clock = clock;
		this.#crypto = crypto;
		this.#text = text;
		this.#markSeed = crypto.random(SEED_LENGTH);
		this.#lotSeed = this.#markSeed;
	}

	get isForgotten(): boolean {
		return this.#clock.monotonicMs() - this.#lastMs >= SHARED_FORGET_MS;
	}

	/** Seconds until the next attempt; a refused address takes part in the draw. */
	retryAfterS(address: string): number {
		if (this.#failures < FREE_FAILURES || this.isNew(this.markOf(address))) return 0;
		const delayMs = Math.min(SHARED_DELAY_LIMIT_S, 2 ** (this.#failures - FREE_FAILURES)) * 1000;
		const leftMs = this.#delayedMs + delayMs - this.#clock.monotonicMs();
		if (leftMs > 0) this.draw(address);
		// For a while only the winner may try; the others are told to wait a second.
		else if (leftMs > -TURN_MS && this.#lot < NO_LOT && this.#drawn !== address) return 1;
		return Math.max(0, Math.ceil(leftMs / 1000));
	}

	failed(address: string): void {
		this.#lastMs = this.#clock.monotonicMs();
		const mark = this.markOf(address);
		if (this.isNew(mark)) {
			this.#marks[this.#markCount++] = mark;
			return;
		}
		this.#failures++;
		this.#delayedMs = this.#lastMs;
		this.#lot = NO_LOT;
		this.#lotSeed = this.#crypto.random(SEED_LENGTH);
	}

	succeeded(address: string): void {
		if (this.#drawn === address) this.#lot = NO_LOT;
	}

	private isNew(mark: number): boolean {
		const count = this.#markCount;
		const index = this.#marks.indexOf(mark);
		// Unused places are 0, which must not match a mark of 0.
		return count < MARK_LIMIT && (index < 0 || index >= count);
	}

	private draw(address: string): void {
		const lot = this.hash(this.#lotSeed, address);
		if (lot >= this.#lot) return;
		this.#lot = lot;
		this.#drawn = address;
	}

	private markOf(address: string): number {
		return this.hash(this.#markSeed, address);
	}

	private hash(seed: Uint8Array, address: string): number {
		const { buffer, byteOffset } = this.#crypto.sha256(seed, this.#text.encode(address));
		return new DataView(buffer, byteOffset).getUint32(0);
	}
}
