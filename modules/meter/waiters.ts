/** Whoever has asked the meter reader for a readout: each waits READ_WAIT_MS at most, and is told once. */
import type { LinkWorld } from "../io/link.js";
import type { Failure } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";

/** The longest a caller waits for a readout. */
const READ_WAIT_MS = 60_000;
/** Callers at once: as many as the server has connections, and the schedule. */
const WAITER_LIMIT = 8;

/** Told once: with a readout, or without one and why there is none; or with one that failed its check, and why. */
export interface ReadWaiter {
	finished(readout: Readout | undefined, failure: Failure | undefined): void;
}

interface Waiting {
	readonly waiter: ReadWaiter;
	timer: number;
	/** His answer is on its way. */
	told: boolean;
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

	/** Those who wait for what the meter says. */
	get count(): number {
		let count = 0;
		for (const { told } of this.#waiting) if (!told) count++;
		return count;
	}

	/** False when too many wait already. */
	add(waiter: ReadWaiter): boolean {
		if (this.#waiting.length === WAITER_LIMIT) return false;
		const timer = this.later(waiter, READ_WAIT_MS, () => this.#giveUp(waiter));
		this.#waiting.push({ waiter, timer, told: false });
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

	/**
	 * Tells all who wait, each in a turn of his own: what he does with it and what led to it don't fit on the stack of
	 * the microcontroller together. One who asks again when he is told waits for the next.
	 */
	tell(readout: Readout | undefined, failure: Failure | undefined): void {
		for (const waiting of this.#waiting) {
			if (waiting.told) continue;
			waiting.told = true;
			const { waiter } = waiting;
			this.#world.timers.clear(waiting.timer);
			waiting.timer = this.later(waiter, 0, () => waiter.finished(readout, failure));
		}
	}

	private later(waiter: ReadWaiter, delayMs: number, run: () => void): number {
		return this.#world.timers.set(() => {
			this.#world.guard("meter", () => {
				this.remove(waiter);
				run();
			});
		}, delayMs);
	}
}
