/** Progress of the statistics. All numbers are in one array, so that one write stores them together. */
import { REGISTER_COUNT } from "../history/entry.js";
import type { Storage } from "../io/host.js";

export const PROGRESS_KEY = "hub_statistics";

/** Index of the series of the import that is not in tariff 2. The other series are the registers. */
export const TARIFF_1 = REGISTER_COUNT;
export const SERIES_COUNT = REGISTER_COUNT + 1;

/** End of the last hour that the hub has accepted, Unix seconds. If it is 0, everything must be sent. */
export const UPTO_S = 0;
/** Time of the oldest row that the backfill had stored when statistics were last read, Unix seconds. */
export const FILLED_S = 1;
/**
 * End of the latest hour that the hub has ever accepted, Unix seconds (LATEST_S), and the sums of the series at that
 * time (from SUMS on).
 */
export const LATEST_S = 2;
export const SUMS = 3;
/**
 * Start of the offsets of the series (sum minus counter). An offset is 0 until the meter is exchanged or a register
 * overflows.
 */
export const OFFSETS = SUMS + SERIES_COUNT;
const COUNT = OFFSETS + SERIES_COUNT;

export function loadProgress(storage: Storage): Float64Array {
	const numbers = new Float64Array(COUNT);
	const stored = storage.get(PROGRESS_KEY);
	const bytes = new Uint8Array(numbers.buffer);
	if (stored?.length === bytes.length) bytes.set(stored);
	return numbers;
}

/** Stores the progress. Throws if the flash refuses the write. */
export function storeProgress(storage: Storage, numbers: Float64Array): void {
	storage.set(PROGRESS_KEY, new Uint8Array(numbers.buffer));
}
