/**
 * Outcomes of the reader's sessions: last good readout, last attempt and its failure, and counts. The counters of a
 * readout are checked before it is kept and passed on; a simulated readout is neither checked nor passed on.
 *
 * When the clock is set for the first time, unknown times are calculated from the monotonic clock. Later corrections of
 * the clock do not change these times.
 */

import { CounterCheck } from "../readout/counter-check.js";
import type { Failure } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";

/** Number of failure codes that are counted separately. OTHER_CODES counts all others together. */
const CODES_LIMIT = 16;
const OTHER_CODES = "other";

export interface ReadOutcomesListener {
	readonly live?: { changed(): void; measured(): void };
	/**
	 * Called for each change of the failure. `code` is its code; "" for the first good readout since the start or since a
	 * failure. Also called when the momentary values have become too old (`isOld`).
	 */
	meterChanged?(code: string, isOld: boolean): void;
	measured?(readout: Readout): void;
}

export class ReadOutcomes {
	readonly #listener: ReadOutcomesListener;
	readonly #counters = new CounterCheck();
	last: Readout | undefined;
	readouts = 0;
	measurements = 0;
	readonly failures = new Map<string, number>();
	failure: Failure | undefined;
	/** Unix ms; 0 if there was no attempt yet, or if the clock was not set. */
	attemptUtcMs = 0;
	/** End of the last readout, or of the last reading of its powers in live mode, monotonic ms. */
	lastMs = 0;
	#attemptMs: number | undefined;
	#isSimulated = false;
	/** True if the momentary values are too old to be shown (value-age.ts). */
	isOld = false;

	constructor(listener: ReadOutcomesListener) {
		this.#listener = listener;
	}

	began(utcMs: number, nowMs: number): void {
		this.attemptUtcMs = utcMs;
		this.#attemptMs = utcMs === 0 ? nowMs : undefined;
		this.#listener.live?.changed();
	}

	keep(readout: Readout, isSimulated: boolean, nowMs: number): void {
		const isFirst = this.readouts === 0 || this.failure !== undefined || this.isOld;
		const checked = isSimulated ? readout : this.#counters.check(readout, nowMs);
		this.last = checked;
		this.lastMs = nowMs;
		this.#isSimulated = isSimulated;
		this.readouts++;
		this.failure = undefined;
		this.isOld = false;
		this.#listener.live?.measured();
		if (!isSimulated) {
			this.measurements++;
			this.#listener.measured?.(checked);
		}
		if (isFirst) this.#listener.meterChanged?.("", false);
	}

	failed(failure: Failure | undefined): void {
		const isNew = failure !== undefined && failure !== this.failure;
		this.failure = failure;
		if (failure !== undefined) this.count(failure.code);
		this.#listener.live?.changed();
		if (isNew) this.#listener.meterChanged?.(failure.code, this.isOld);
	}

	/** The momentary values have become too old. `silence`: failure to report, unless one is reported already. */
	expired(silence: Failure | undefined): void {
		this.isOld = true;
		if (this.failure === undefined && silence !== undefined) this.failed(silence);
		else {
			this.#listener.live?.changed();
			this.#listener.meterChanged?.(this.failure?.code ?? "", true);
		}
	}

	/** Last good readout; undefined if it is simulated. */
	get measured(): Readout | undefined {
		return this.#isSimulated ? undefined : this.last;
	}

	private count(code: string): void {
		const { failures } = this;
		const key = failures.has(code) || failures.size < CODES_LIMIT ? code : OTHER_CODES;
		failures.set(key, (failures.get(key) ?? 0) + 1);
	}

	/** Drops a simulated readout, because it must not be taken for a real one. */
	dropSimulated(): void {
		if (!this.#isSimulated) return;
		this.#isSimulated = false;
		this.last = this.#attemptMs = undefined;
		this.attemptUtcMs = 0;
	}

	dateBack(utcMs: number, nowMs: number): void {
		const { last } = this;
		if (last?.utcMs === 0) this.last = { ...last, utcMs: utcMs - nowMs + this.lastMs };
		if (this.#attemptMs !== undefined) this.attemptUtcMs = utcMs - nowMs + this.#attemptMs;
		this.#attemptMs = undefined;
	}
}
