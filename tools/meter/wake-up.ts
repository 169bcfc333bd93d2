/**
 * Wakes a battery meter from its sleep (IEC 62056-21, annex A). NUL characters that are sent for 2.1 s to 2.3 s at 300
 * Bd wake the meter. It accepts a sign-on 1.5 s to 1.7 s after the last NUL.
 */

/** Number of NULs in 2.1 s. Each takes 33.3 ms. */
export const WAKE_UP_NULS = 63;
/** A longer gap between two NULs restarts the count. The standard allows 5 ms after a character of 33 ms. */
export const NUL_GAP_MS = 100;
/** Time from the last NUL to the earliest end of the sign-on. */
export const START_UP_MS = 1500;
/** Time after which the meter goes back to sleep if there is no sign-on. */
export const AWAKE_MS = 5000;

export class WakeUp {
	#count = 0;
	#lastMs = Number.NEGATIVE_INFINITY;
	#wokenMs = Number.NEGATIVE_INFINITY;

	take(character: number, nowMs: number): void {
		if (character !== 0) {
			this.#count = 0;
			return;
		}
		this.#count = nowMs - this.#lastMs > NUL_GAP_MS ? 1 : this.#count + 1;
		this.#lastMs = nowMs;
		if (this.#count >= WAKE_UP_NULS) this.#wokenMs = nowMs;
	}

	isAwake(nowMs: number): boolean {
		const sinceMs = nowMs - this.#wokenMs;
		return sinceMs >= START_UP_MS && sinceMs <= AWAKE_MS;
	}
}
