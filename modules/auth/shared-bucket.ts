/**
 * The bucket of all addresses that have none of their own in the login's rate limiter (rate-limiter.ts, which says what an
 * address is). It exists only while there are such failures.
 *
 * - The first attempt of an address is looked at at once, whatever the others do: so the right password gets in while they
 *   keep failing. The address is marked when that attempt fails. There are MARK_LIMIT marks, more than a /24 network has
 *   hosts.
 * - Marked addresses, and new ones once all marks are taken, share one delay: FREE_FAILURES failures without any, then 1, 2
 *   and SHARED_DELAY_LIMIT_S seconds.
 * - The next attempt after a delay is drawn by lot among all addresses that were turned away during it. Each has one lot,
 *   however often it asks. The winner has TURN_MS to come; after that anybody may try. So each of n addresses has one
 *   chance in n every 4 s, and none gets ahead by asking without pause.
 *
 * SHARED_FORGET_MS without a failure clears everything. It is so long that waiting for fresh marks is slower than going on:
 * 264 guesses in 1207 s against one every 4 s.
 */
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";

/** The failure that brings the first delay, of any bucket. */
export const FREE_FAILURES = 5;
/** The longest delay, seconds. */
export const SHARED_DELAY_LIMIT_S = 4;
/** How long the bucket waits for the address whose turn it is. */
export const TURN_MS = 8000;
/** Addresses whose first failure is remembered. */
export const MARK_LIMIT = 256;
/** Everything is cleared when nothing has failed for so long. */
export const SHARED_FORGET_MS = 1_200_000;

const SEED_LENGTH = 16;
/** Worse than every lot. */
const NO_LOT = 2 ** 32;

export class SharedBucket {
	readonly #clock: Clock;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;
	/** Hashes of the addresses that have failed, in the order of their first failures. */
	readonly #marks = new Uint32Array(MARK_LIMIT);
	/** Nobody can choose an address that collides with another's mark. */
	readonly #markSeed: Uint8Array;
	#markCount = 0;
	/** Monotonic ms of the last failure. */
	#lastMs = 0;
	/** Failures that count for the delay, and monotonic ms of the last one. */
	#failures = 0;
	#delayedMs = 0;
	/** The address with the lowest lot so far ("": nobody has asked), and that lot. */
	#drawn = "";
	#lot = NO_LOT;
	/** Makes the lots of one draw unpredictable; renewed after each failure that counts for the delay. */
	#lotSeed: Uint8Array;

	constructor(clock: Clock, crypto: Crypto, text: TextCodec) {
		this.#clock = clock;
		this.#crypto = crypto;
		this.#text = text;
		this.#markSeed = crypto.random(SEED_LENGTH);
		this.#lotSeed = this.#markSeed;
	}

	/** Nothing has failed for SHARED_FORGET_MS: it behaves like a new one from now on, and can be dropped. */
	get isForgotten(): boolean {
		return this.#clock.monotonicMs() - this.#lastMs >= SHARED_FORGET_MS;
	}

	/** As the limiter's. An address that is turned away takes part in the draw. */
	retryAfterS(address: string): number {
		if (this.#failures < FREE_FAILURES || this.isNew(this.markOf(address))) return 0;
		const delayMs = Math.min(SHARED_DELAY_LIMIT_S, 2 ** (this.#failures - FREE_FAILURES)) * 1000;
		const leftMs = this.#delayedMs + delayMs - this.#clock.monotonicMs();
		if (leftMs > 0) this.draw(address);
		// Within that second the winner may have failed, and whoever asks again takes part in the next draw.
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

	/** Ends this address's turn, if it had one. */
	succeeded(address: string): void {
		if (this.#drawn === address) this.#lot = NO_LOT;
	}

	/** There is no such mark yet, and there is room for it. */
	private isNew(mark: number): boolean {
		const count = this.#markCount;
		const index = this.#marks.indexOf(mark);
		// What lies behind the marks is zeros.
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
