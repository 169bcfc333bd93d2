/**
 * Factory reset of a unit without a button, by cutting its power in a pattern that only a person makes: three short
 * periods of power, a long one, and three short ones again. The next start resets. A supply that collapses makes periods
 * of similar length, or of any length for hours. So a period of the wrong length, and a start without power-on (brownout,
 * fault, request), break the pattern, and a new one can only begin after power has stayed on for STABLE_MS.
 *
 * The stored byte is the number of periods that would be complete if power was cut now, or BROKEN:
 *
 *   time since the start         byte
 *   up to BOUNCE_MS              as before: contacts bounce when a plug is inserted
 *   up to the period's fromMs    BROKEN, except in the first period
 *   up to its toMs               n + 1
 *   up to STABLE_MS              BROKEN
 *   later                        deleted
 *
 * A supply that fails 40 times in a row each day, at random times, resets a unit about once in 40 years if the average
 * time is the worst, 8 s. Flash is written at most four times for each power-on. The host must know whether power was
 * switched on before the start (`switchedOn`).
 */
import type { Driver, Task } from "../io/driver.js";
import type { Storage } from "../io/host.js";
import type { Timed } from "../io/machine.js";

/** Number of periods of the pattern. */
export const PERIODS = 7;
/** Index of the long period. */
const LONG_PERIOD = 3;
export const SHORT = Object.freeze({ fromMs: 3000, toMs: 8000 });
export const LONG = Object.freeze({ fromMs: 30_000, toMs: 60_000 });
export const STABLE_MS = 600_000;
const BOUNCE_MS = 1000;
const BROKEN = 255;
/** Storage key of the byte. */
const KEY = "power_cycles";

export interface PowerCyclesListener {
	factoryReset(): void;
}

export interface PowerCyclesDeps {
	readonly driver: Driver;
	readonly storage: Storage;
	trace(message: string): void;
}

export class PowerCycles implements Timed {
	readonly #deps: PowerCyclesDeps;
	readonly #task: Task;
	#periods = BROKEN;
	#startMs = 0;
	#dueMs = Number.POSITIVE_INFINITY;

	constructor(deps: PowerCyclesDeps) {
		this.#deps = deps;
		this.#task = deps.driver.register("power cycles", this);
	}

	/** Called at each start of the firmware. Throws what the storage throws. */
	start(switchedOn: boolean, listener: PowerCyclesListener): void {
		this.#task.update((nowMs) => {
			const { storage, trace } = this.#deps;
			const stored = storage.get(KEY)?.[0];
			if (switchedOn && stored === PERIODS) {
				trace("Power was cut in the pattern of a reset: resetting to factory settings.");
				// The byte is deleted after the reset, so that an interrupted reset is repeated at the next start.
				listener.factoryReset();
				storage.delete(KEY);
				return;
			}
			if (!switchedOn && stored === undefined) return;
			this.#startMs = nowMs;
			const isBroken = !switchedOn || (stored !== undefined && stored > PERIODS);
			this.#dueMs = nowMs + (isBroken ? STABLE_MS : stored === undefined ? SHORT.fromMs : BOUNCE_MS);
			if (isBroken) {
				if (stored !== BROKEN) storage.set(KEY, Uint8Array.of(BROKEN));
				return;
			}
			const periods = stored ?? 0;
			this.#periods = periods;
			if (periods === 0) return;
			const secs = periods === LONG_PERIOD ? 45 : 5;
			const last = periods === PERIODS - 1 ? "; the start after that resets to factory settings" : "";
			trace(`Reset by power cuts: ${periods} of ${PERIODS} done. Cut the power again in ${secs} s${last}.`);
		});
	}

	stop(): void {
		this.#task.stop();
	}

	get deadlineMs(): number {
		return this.#dueMs;
	}

	advance(nowMs: number): void {
		if (nowMs < this.#dueMs) return;
		const { storage } = this.#deps;
		const ageMs = nowMs - this.#startMs;
		if (ageMs >= STABLE_MS) {
			this.#dueMs = Number.POSITIVE_INFINITY;
			storage.delete(KEY);
			return;
		}
		const { fromMs, toMs } = this.#periods === LONG_PERIOD ? LONG : SHORT;
		const isInTime = ageMs >= fromMs && ageMs < toMs;
		this.#dueMs = this.#startMs + (ageMs >= toMs ? STABLE_MS : isInTime ? toMs : fromMs);
		storage.set(KEY, Uint8Array.of(isInTime ? this.#periods + 1 : BROKEN));
	}
}
