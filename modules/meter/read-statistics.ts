/**
 * What came of the attempts to read the meter: the last good readout, the last attempt, what was wrong with it, and how
 * often. While the clock is not set times are unknown; when it is, they are dated back by the monotonic clock, once
 * (decision 57): later corrections leave them as they were told.
 */
import type { Failure } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";

/** So many codes are counted one by one, and all further ones together as this. */
const CODES_LIMIT = 16;
const OTHER_CODES = "other";

/** Told of them. */
export interface ReadStatisticsListener {
	/** Is told of each change, and of each good readout. */
	readonly live?: { changed(): void; measured(): void };
	/** What is wrong is something else than before; undefined: the first good readout since the start, or after that. */
	failureChanged?(failure: Failure | undefined): void;
	/** A meter has given this good readout; it was not simulated. */
	measured?(readout: Readout): void;
}

export class ReadStatistics {
	readonly #listener: ReadStatisticsListener;
	/** The last good readout. */
	last: Readout | undefined;
	/** Good readouts since the start. */
	readouts = 0;
	/** Those that a meter has given. */
	measurements = 0;
	/** How often attempts have failed since the start, by the code of the failure. */
	readonly failures = new Map<string, number>();
	/** Why the last attempt failed, if it did. */
	failure: Failure | undefined;
	/** Unix ms of the last attempt; 0 when there was none or the clock was not set. */
	attemptUtcMs = 0;
	/** Monotonic ms of the readout's end, and of the attempt; undefined where there was none, or it has its time. */
	#lastMs: number | undefined;
	#attemptMs: number | undefined;
	/** No meter has given it. */
	#isSimulated = false;

	constructor(listener: ReadStatisticsListener) {
		this.#listener = listener;
	}

	/** An attempt begins. `utcMs`: 0 when the clock is not set. */
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

	/** The last good readout, if a meter has given it. */
	get measured(): Readout | undefined {
		return this.#isSimulated ? undefined : this.last;
	}

	private count(code: string): void {
		const { failures } = this;
		const key = failures.has(code) || failures.size < CODES_LIMIT ? code : OTHER_CODES;
		failures.set(key, (failures.get(key) ?? 0) + 1);
	}

	/** What no meter has given is not shown as if one had (decision 56). */
	dropSimulated(): void {
		if (!this.#isSimulated) return;
		this.#isSimulated = false;
		this.last = this.#lastMs = this.#attemptMs = undefined;
		this.attemptUtcMs = 0;
	}

	/** The clock is set now. */
	dateBack(utcMs: number, nowMs: number): void {
		const { last } = this;
		if (last !== undefined && this.#lastMs !== undefined) this.last = { ...last, utcMs: utcMs - nowMs + this.#lastMs };
		if (this.#attemptMs !== undefined) this.attemptUtcMs = utcMs - nowMs + this.#attemptMs;
		this.#lastMs = this.#attemptMs = undefined;
	}
}
