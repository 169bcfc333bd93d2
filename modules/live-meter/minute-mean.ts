/**
 * Mean of a value over the last minute. It is kept in MEAN_SIZE numbers of the caller's array, which must be 0 at
 * first: sum and count of the values in each of six intervals of 10 s, then the number of the present interval, counted
 * from monotonic time 0.
 */

export const MEAN_SIZE = 13;
const INTERVAL_MS = 10_000;
const INTERVALS = 6;
const COUNTS = INTERVALS;
const PRESENT = 2 * INTERVALS;

export function addToMean(numbers: Float64Array, at: number, value: number, nowMs: number): void {
	const place = at + (moveTo(numbers, at, nowMs) % INTERVALS);
	numbers[place] += value;
	numbers[place + COUNTS]++;
}

/** Returns the mean; NaN if there was no value in the last minute. */
export function meanOf(numbers: Float64Array, at: number, nowMs: number): number {
	moveTo(numbers, at, nowMs);
	let sum = 0;
	let count = 0;
	for (let i = at; i < at + INTERVALS; i++) {
		sum += numbers[i];
		count += numbers[i + COUNTS];
	}
	return count === 0 ? Number.NaN : sum / count;
}

/** Clears the intervals that have begun since the last call. Returns the index of the present interval. */
function moveTo(numbers: Float64Array, at: number, nowMs: number): number {
	const interval = Math.floor(nowMs / INTERVAL_MS);
	const passed = Math.min(INTERVALS, interval - numbers[at + PRESENT]);
	for (let i = 0; i < passed; i++) {
		const place = at + ((interval - i) % INTERVALS);
		numbers[place] = 0;
		numbers[place + COUNTS] = 0;
	}
	numbers[at + PRESENT] = interval;
	return interval;
}
