/**
 * Reproducible pseudo-random numbers for tests and simulated faults, never for secrets. The algorithm is mulberry32
 * (public domain, T. Ettinger), with 32 bits of state.
 */
export class SeededRandom {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** Returns a number from 0 to 2^32 - 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 0;
	}

	/** Returns a number from 0 to `limit` - 1. `limit` is 1 to 2^32. */
	below(limit: number): number {
		return Math.floor((this.next() / 0x1_0000_0000) * limit);
	}

	oneIn(count: number): boolean {
		return count > 0 && this.below(count) === 0;
	}

	bytes(length: number): Uint8Array {
		return Uint8Array.from({ length }, () => this.next() & 0xff);
	}
}
