/** Whoever has asked the meter reader for a readout: each waits READ_WAIT_MS at most, and is told once. */
import type { LinkWorld } from "../io/link.js";
import type { Readout } from "./readout.js";

/** The longest a caller waits for a readout. */
const READ_WAIT_MS = 60_000;
/** Callers at once: as many as the server has connections, and the schedule. */
const WAITER_LIMIT = 8;

/** Told once: with a readout, or without one and a failure (RESULT_… of the session or FAILURE_… of the reader). */
export interface ReadWaiter {
	finished(readout: Readout | undefined, failure: number): void;
}

interface Waiting {
	readonly waiter: ReadWaiter;
	timer: number;
}

export class ReadWaiters {
	readonly #world: LinkWorld;
	readonly #giveUp: (waiter: ReadWaiter) => void;
	readonly #waiting: Waiting[] = [];

	/** `giveUp` is called with a waiter whose time is over and who is no longer among these: tell him so. */
	constructor(world: LinkWorld, giveUp: (waiter: ReadWaiter) => void) {
		this.#world = world;
		this.#giveUp = giveUp;
	}

	get count(): number {
		return this.#waiting.length;
	}

	/** False when too many wait already. */
	add(waiter: ReadWaiter): boolean {
		if (this.#waiting.length === WAITER_LIMIT) return false;
		const timer = this.#world.timers.set(() => {
			this.#world.guard("meter", () => {
				this.remove(waiter);
				this.#giveUp(waiter);
			});
		}, READ_WAIT_MS);
		this.#waiting.push({ waiter, timer });
		return true;
	}

	/** He is not told. One that is not there is no error. */
	remove(waiter: ReadWaiter): void {
		const index = this.#waiting.findIndex((waiting) => waiting.waiter === waiter);
		if (index >= 0) this.#world.timers.clear(this.#waiting.splice(index, 1)[0].timer);
	}

	/** Nobody is told. */
	removeAll(): void {
		for (const { timer } of this.#waiting.splice(0)) this.#world.timers.clear(timer);
	}

	/** Tells all, who then wait no longer. One who asks again while he is told waits for the next. */
	tell(readout: Readout | undefined, result: number): void {
		for (const { waiter, timer } of this.#waiting.splice(0)) {
			this.#world.timers.clear(timer);
			waiter.finished(readout, result);
		}
	}
}
