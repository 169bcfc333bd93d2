/** Progress of the statistics, as numbers of one array, so that flash takes all of them at once. */
import { REGISTER_COUNT } from "../history/entry.js";
import type { Storage } from "../io/host.js";

const KEY = "hub_statistics";

/** End of the last hour that was accepted, Unix seconds; 0: everything is to be sent. */
export const UPTO_S = 0;
/** Series of which it is known whether the hub has earlier rows, as bits. */
export const ASKED = 1;
/**
 * End of the latest hour that was ever accepted, Unix seconds; then sums and counters of all registers at that time, in
 * Wh or litres, NaN if unknown. Their difference remains after an exchange of the meter.
 */
export const ANCHOR_S = 2;
export const SUMS = 3;
export const COUNTERS = SUMS + REGISTER_COUNT;
const COUNT = COUNTERS + REGISTER_COUNT;

export function loadProgress(storage: Storage): Float64Array {
	const numbers = new Float64Array(COUNT);
	numbers.fill(Number.NaN, SUMS);
	const stored = storage.get(KEY);
	const bytes = new Uint8Array(numbers.buffer);
	if (stored?.length === bytes.length) bytes.set(stored);
	return numbers;
}

/** Throws if flash refuses the write. */
export function storeProgress(storage: Storage, numbers: Float64Array): void {
	storage.set(KEY, new Uint8Array(numbers.buffer));
}

/** Makes the next transmission begin with the oldest hour. Throws if flash refuses the write. */
export function restartProgress(storage: Storage): void {
	const numbers = loadProgress(storage);
	if (numbers[UPTO_S] === 0) return;
	numbers[UPTO_S] = numbers[ASKED] = 0;
	storeProgress(storage, numbers);
}

export function eraseProgress(storage: Storage): void {
	storage.delete(KEY);
}
