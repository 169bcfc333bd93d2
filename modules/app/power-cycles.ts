/**
 * Factory reset of a unit without a button. The reset happens if a user cuts the power CYCLES times, each time within
 * OUTLIVED_MS after switching it on, and then switches it on again. The host must know whether a start follows such a
 * switching on (`switchedOn`) or a restart.
 *
 *                     power switched on        another start    OUTLIVED_MS later
 *   NONE              COUNTED, 1               NONE             –
 *   COUNTED, n        COUNTED, n + 1           COUNTED, n       NONE
 *   COUNTED, CYCLES   the reset, then NONE     COUNTED, CYCLES  NONE
 *
 * "Another start" means a start after a restart, a watchdog reset or a brownout. Flash is written twice each time power
 * is switched on.
 */
import type { Driver, Task } from "../io/driver.js";
import type { Storage } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export const CYCLES = 5;
export const OUTLIVED_MS = 10_000;
/** Storage key of the count; the value is one byte. */
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
	#outlivedMs = Number.POSITIVE_INFINITY;

	constructor(deps: PowerCyclesDeps) {
		this.#deps = deps;
		this.#task = deps.driver.register("power cycles", this);
	}

	/** Called at each start of the firmware. Throws what the storage throws. */
	start(switchedOn: boolean, listener: PowerCyclesListener): void {
		this.#task.update((nowMs) => {
			const { storage, trace } = this.#deps;
			const count = storage.get(KEY)?.[0] ?? 0;
			if (switchedOn && count >= CYCLES) {
				trace(`Power was cut ${count} times soon after a start: resetting to factory settings.`);
				// The count is deleted after the reset, so that an interrupted reset is repeated at the next start.
				listener.factoryReset();
				storage.delete(KEY);
				return;
			}
			if (switchedOn || count > 0) this.#outlivedMs = nowMs + OUTLIVED_MS;
			if (!switchedOn) return;
			if (count > 0)
				trace(`Power was cut ${count} of ${CYCLES} times soon after a start; the last one resets to factory settings.`);
			storage.set(KEY, Uint8Array.of(count + 1));
		});
	}

	stop(): void {
		this.#task.stop();
	}

	get deadlineMs(): number {
		return this.#outlivedMs;
	}

	advance(nowMs: number): void {
		if (nowMs < this.#outlivedMs) return;
		this.#outlivedMs = Number.POSITIVE_INFINITY;
		this.#deps.storage.delete(KEY);
	}
}
