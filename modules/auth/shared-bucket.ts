/**
 * Shared bucket of the rate limiter (rate-limiter.ts), for all addresses without a bucket of their own. It exists from
 * the first failure of such an address until the failures are forgotten.
 *
 * - The first attempt of an address is not delayed, so a user with the right password succeeds while other clients keep
 *   failing. A failed first attempt marks the address. Up to MARK_LIMIT addresses are marked, more than a /24 network
 *   has hosts.
 * - All marked addresses share one delay: none for FREE_FAILURES failures, then 1, 2 and SHARED_DELAY_LIMIT_S seconds.
 *   When all marks are in use, new addresses share this delay too.
 * - During a delay, the addresses whose attempts are refused take part in a draw, with one lot each. After the delay,
 *   only the winner may try for TURN_MS; then any address may try.
 *
 * After SHARED_FORGET_MS without a failure, the marks and the delay are forgotten.
 */
import { uint32BE } from "../bytes/integers.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";

export const FREE_FAILURES = 5;
export const SHARED_DELAY_LIMIT_S = 4;
export const TURN_MS = 8000;
export const MARK_LIMIT = 256;
export const SHARED_FORGET_MS = 1_200_000;

const SEED_LENGTH = 16;
/** Value of `#lot` before the first lot of a draw. The lowest lot wins, and every lot is lower than this value. */
const NO_LOT = 2 ** 32;

export class SharedBucket {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Marks: hashes of the marked addresses, in the order of their first failures. */
	readonly #marks = new Uint32Array(MARK_LIMIT);
	/** Random seed of the marks, so that an attacker can't choose an address with the same mark as another address. */
	readonly #markSeed: Uint8Array;
	#markCount = 0;
	#lastMs = 0;
	/** Number of failures that count for the delay, and the time of the last one (`#delayedMs`), monotonic ms. */
	#failures = 0;
	#delayedMs = 0;
	#drawn = "";
	#lot = NO_LOT;
	/**
	 * Random seed of the lots, so that nobody can predict a draw. It is renewed after each failure that counts for the
	 * delay.
	 */
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

	/** Returns the seconds until this address may try. If they are not over, the address takes part in the draw. */
	retryAfterS(address: string): number {
		if (this.#failures < FREE_FAILURES || this.isNew(this.markOf(address))) return 0;
		const delayMs = Math.min(SHARED_DELAY_LIMIT_S, 2 ** (this.#failures - FREE_FAILURES)) * 1000;
		const leftMs = this.#delayedMs + delayMs - this.#clock.monotonicMs();
		if (leftMs > 0) this.draw(address);
		// For TURN_MS only the winner may try; other addresses must wait for another second.
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
		// Unused elements of `#marks` are 0, and must not match a mark whose value is 0.
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
		return uint32BE(this.#crypto.sha256(seed, this.#text.encode(address)), 0);
	}
}
