/**
 * Age limit of the momentary values: powers, voltages, currents. After it they are unknown in every output, and a meter
 * that sends by itself counts as silent. Time is monotonic, in ms.
 *
 *     the meter sends by itself    PATIENCE times the interval of its telegrams, at least LEAST_MS
 *     the gateway asks             a limit that the schedule determines; Infinity without a schedule
 *
 * The interval is the longest of the last ones: each telegram shortens it by an eighth, down to the interval that it
 * ends. So a meter that sends a burst of several telegrams each hour is not silent between two bursts. A silence at most
 * doubles the interval, so the gateway adapts to a meter that now sends less often, and an outage of a night is soon
 * forgotten.
 */
const PATIENCE = 3;
const LEAST_MS = 30_000;
const SHORTENING = 7 / 8;
const LONGEST_MS = 86_400_000;
/** Assumed interval before the second telegram, ms: of a meter that sends often, and of pushed DLMS/COSEM. */
export const OFTEN_MS = 60_000;
export const SELDOM_MS = 3_600_000;

export class ValueAge {
	/** Time at which the values become too old; Infinity if there are none, or if they are too old already. */
	dueMs = Number.POSITIVE_INFINITY;
	/** Interval of the meter's telegrams; 0 before the first one. */
	#everyMs = 0;
	#heardMs = 0;

	/** The meter has sent a telegram by itself. `firstMs`: interval to assume before the second telegram. */
	heard(firstMs: number, nowMs: number): void {
		const everyMs = this.#everyMs;
		const wasSilent = this.dueMs === Number.POSITIVE_INFINITY;
		const sinceMs = Math.min(nowMs - this.#heardMs, wasSilent ? 2 * everyMs : LONGEST_MS);
		this.#everyMs = everyMs === 0 ? firstMs : Math.max(sinceMs, everyMs * SHORTENING);
		this.#heardMs = nowMs;
		this.dueMs = nowMs + Math.max(LEAST_MS, PATIENCE * this.#everyMs);
	}

	/** The gateway has asked for the values, which are valid for `limitMs`. */
	asked(limitMs: number, nowMs: number): void {
		this.#everyMs = 0;
		this.#heardMs = nowMs;
		this.dueMs = nowMs + limitMs;
	}

	/**
	 * Call it when `dueMs` has passed. Returns true if the values are too old. `limitMs`: limit that the schedule now
	 * determines; 0 for a meter that sends by itself.
	 */
	isOver(limitMs: number, nowMs: number): boolean {
		const isOver = nowMs >= this.#heardMs + limitMs;
		this.dueMs = isOver ? Number.POSITIVE_INFINITY : this.#heardMs + limitMs;
		return isOver;
	}

	/** Another protocol was chosen. The interval of its telegrams is unknown. */
	forget(): void {
		this.#everyMs = 0;
	}

	/** The line was lent to somebody else, so the gateway could not hear the meter. */
	resume(nowMs: number): void {
		if (this.dueMs < Number.POSITIVE_INFINITY) this.dueMs = Math.max(this.dueMs, nowMs + LEAST_MS);
	}
}
