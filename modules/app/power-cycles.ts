/**
 * The factory reset of a unit without a button (decision 62): its power is cut CYCLES times, each time within OUTLIVED_MS
 * of its being switched on, and switched on once more. How often it was cut is kept in flash, where a start by power
 * writes it before it can be cut again. For gateway.ts, where the host tells how the unit was started.
 *
 *                     power switched on        another start    OUTLIVED_MS later
 *   NONE cut          COUNTED, 1               NONE             –
 *   COUNTED, n        COUNTED, n + 1           COUNTED, n       NONE
 *   COUNTED, CYCLES   the reset, then NONE     COUNTED, CYCLES  NONE
 *
 * Another start is a restart, a watchdog's, one by too low a voltage: that is no sign of anybody's. Flash is written
 * twice for each time that power is switched on.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { Storage } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export const CYCLES = 5;
export const OUTLIVED_MS = 10_000;
/** In flash: one byte, the count. */
const KEY = "power_cycles";

/** Resets the unit. */
export interface PowerCyclesUser {
	factoryReset(): void;
}

export interface PowerCyclesWorld {
	readonly driver: Driver;
	readonly storage: Storage;
	/** A line on the console. */
	trace(message: string): void;
}

export class PowerCycles implements Timed {
	readonly #world: PowerCyclesWorld;
	readonly #drive: Drive;
	/** When this start has outlived what counts; Infinity: there is nothing to forget. */
	#outlivedMs = Number.POSITIVE_INFINITY;

	constructor(world: PowerCyclesWorld) {
		this.#world = world;
		this.#drive = world.driver.drive("power cycles", this);
	}

	/** The unit has started just now. Throws what the storage throws. */
	start(switchedOn: boolean, user: PowerCyclesUser): void {
		this.#drive.tell((nowMs) => {
			const { storage, trace } = this.#world;
			const count = storage.get(KEY)?.[0] ?? 0;
			if (switchedOn && count >= CYCLES) {
				trace(`Power was cut ${count} times soon after a start: all is reset.`);
				// Cut in the middle of it, the next start does it again.
				user.factoryReset();
				storage.delete(KEY);
				return;
			}
			if (switchedOn || count > 0) this.#outlivedMs = nowMs + OUTLIVED_MS;
			if (!switchedOn) return;
			if (count > 0)
				trace(`Power was cut ${count} of ${CYCLES} times soon after a start; after the last all is reset.`);
			storage.set(KEY, Uint8Array.of(count + 1));
		});
	}

	stop(): void {
		this.#drive.stop();
	}

	/** For the driver. */
	get deadlineMs(): number {
		return this.#outlivedMs;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.#outlivedMs) return;
		this.#outlivedMs = Number.POSITIVE_INFINITY;
		this.#world.storage.delete(KEY);
	}
}
