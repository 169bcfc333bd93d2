/** Progress of the statistics. All numbers are in one array, so that they are stored in one write. */
import { REGISTER_COUNT } from "../history/entry.js";
import type { Storage } from "../io/host.js";

export const PROGRESS_KEY = "hub_statistics";

/** The series are the registers, and the part of the import that is not tariff 2. */
export const TARIFF_1 = REGISTER_COUNT;
export const SERIES_COUNT = REGISTER_COUNT + 1;

/** End of the last accepted hour, Unix seconds; 0: everything is to be sent. */
export const UPTO_S = 0;
/** Time of the oldest row that the backfill had stored when this was last checked, Unix seconds. */
export const FILLED_S = 1;
/** End of the latest hour that was ever accepted, Unix seconds, and the sums of the series at that time. */
export const LATEST_S = 2;
export const SUMS = 3;
/** Offsets of the series (sum minus counter); 0 until the meter is exchanged. */
export const OFFSETS = SUMS + SERIES_COUNT;
const COUNT = OFFSETS + SERIES_COUNT;

export function loadProgress(storage: Storage): Float64Array {
	const numbers = new Float64Array(COUNT);
	const stored = storage.get(PROGRESS_KEY);
	const bytes = new Uint8Array(numbers.buffer);
	if (stored?.length === bytes.length) bytes.set(stored);
	return numbers;
}

/** Throws if flash refuses. */
export function storeProgress(storage: Storage, numbers: Float64Array): void {
	storage.set(PROGRESS_KEY, new Uint8Array(numbers.buffer));
}
