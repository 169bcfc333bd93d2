/**
 * Read statistics: last good readout, last attempt, its failure, and counts. Times are unknown until the clock is set.
 * They are then calculated once from the monotonic clock; later clock corrections do not change them, so that a
 * reported time stays the same.
 */
import type { Failure } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";

/** Number of failure codes counted separately; further codes are counted together under OTHER_CODES. */
const CODES_LIMIT = 16;
const OTHER_CODES = "other";

export interface ReadStatisticsListener {
	/** Notified of each change, and of each good readout. */
	readonly live?: { changed(): void; measured(): void };
	/** Handles a changed failure; undefined: the first good readout since the start or since a failure. */
	failureChanged?(failure: Failure | undefined): void;
	/** Handles a good readout from a meter; not called for simulated ones. */
	measured?(readout: Readout): void;
}

export class ReadStatistics {
	readonly #listener: ReadStatisticsListener;
	last: Readout | undefined;
	/** Number of good readouts since the start. */
	readouts = 0;
	/** Number of good readouts from a meter, without simulated ones. */
	measurements = 0;
	/** Number of failed attempts since the start, by failure code. */
	readonly failures = new Map<string, number>();
	/** Failure of the last attempt; undefined after success. */
	failure: Failure | undefined;
	/** Time of the last attempt, Unix ms; 0 when there was no attempt or the clock was not set. */
	attemptUtcMs = 0;
	/** Monotonic ms of the readout's end and of the attempt, while their Unix time is unknown; otherwise undefined. */
	#lastMs: number | undefined;
	#attemptMs: number | undefined;
	/** True when the last readout is simulated. */
	#isSimulated = false;

	constructor(listener: ReadStatisticsListener) {
		this.#listener = listener;
	}

	/** Records the start of an attempt. `utcMs`: 0 when the clock is not set. */
	began(utcMs: number, nowMs: number): void {
		this.attemptUtcMs = utcMs;
		this.#attemptMs = utcMs === 0 ? nowMs : undefined;
		this.#listener.live?.changed();
	}

	keep(readout: Readout, isSimulated: boolean, nowMs: number): void {
		const isFirst = this.readouts === 0 || this.failure !== undefined;
		this.last = readout;
		this.#lastMs = readout.utcMs === 0 ? nowMs : undefined;
		this.#isSimulated = isSimulated;
		this.readouts++;
		this.failure = undefined;
		this.#listener.live?.measured();
		if (!isSimulated) {
			this.measurements++;
			this.#listener.measured?.(readout);
		}
		if (isFirst) this.#listener.failureChanged?.(undefined);
	}

	failed(failure: Failure | undefined): void {
		const isAnother = failure !== undefined && failure !== this.failure;
		this.failure = failure;
		if (failure !== undefined) this.count(failure.code);
		this.#listener.live?.changed();
		if (isAnother) this.#listener.failureChanged?.(failure);
	}

	/** Last good readout, unless it is simulated. */
	get measured(): Readout | undefined {
		return this.#isSimulated ? undefined : this.last;
	}

	private count(code: string): void {
		const { failures } = this;
		const key = failures.has(code) || failures.size < CODES_LIMIT ? code : OTHER_CODES;
		failures.set(key, (failures.get(key) ?? 0) + 1);
	}

	/** Removes a simulated readout, which must not look like a real one. */
	dropSimulated(): void {
		if (!this.#isSimulated) return;
		this.#isSimulated = false;
		this.last = this.#lastMs = this.#attemptMs = undefined;
		this.attemptUtcMs = 0;
	}

	/** Calculates missing times after the clock was set. */
	dateBack(utcMs: number, nowMs: number): void {
		const { last } = this;
		if (last !== undefined && this.#lastMs !== undefined) this.last = { ...last, utcMs: utcMs - nowMs + this.#lastMs };
		if (this.#attemptMs !== undefined) this.attemptUtcMs = utcMs - nowMs + this.#attemptMs;
		this.#lastMs = this.#attemptMs = undefined;
	}
}
