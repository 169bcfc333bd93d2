/** Mean of a value over the last minute: sums and counts of six intervals of 10 s. */

const INTERVAL_MS = 10_000;
const INTERVALS = 6;

export class MinuteMean {
	/** Sums, then counts, by interval. */
	readonly #totals = new Float64Array(2 * INTERVALS);
	/** Number of the present interval since monotonic time 0. */
	#interval = 0;

	add(value: number, nowMs: number): void {
		this.moveTo(nowMs);
		this.#totals[this.#interval % INTERVALS] += value;
		this.#totals[INTERVALS + (this.#interval % INTERVALS)]++;
	}

	/** Returns the mean, or NaN without a value in the last minute. */
	at(nowMs: number): number {
		this.moveTo(nowMs);
		let sum = 0;
		let count = 0;
		for (let i = 0; i < INTERVALS; i++) {
			sum += this.#totals[i];
			count += this.#totals[INTERVALS + i];
		}
		return count === 0 ? Number.NaN : sum / count;
	}

	/** Empties the intervals that have begun since. */
	private moveTo(nowMs: number): void {
		const interval = Math.floor(nowMs / INTERVAL_MS);
		const passed = Math.min(INTERVALS, interval - this.#interval);
		for (let i = 1; i <= passed; i++) {
			const at = (interval - passed + i) % INTERVALS;
			this.#totals[at] = 0;
			this.#totals[INTERVALS + at] = 0;
		}
		this.#interval = interval;
	}
}
