/**
 * The last good readout and the last attempt at one, with their times. While the clock is not set they have none; when it
 * is, they are dated back by the monotonic clock, once (decision 57): later corrections leave them as they were told.
 */
import type { Readout } from "../readout/readout.js";

export class LastReadout {
	/** Undefined: there was none yet. */
	readout: Readout | undefined;
	/** Unix ms of the last attempt; 0 when there was none or the clock was not set. */
	attemptUtcMs = 0;
	/** Monotonic ms of the readout's end, and of the attempt; undefined where there was none, or it has its time. */
	#readoutMs: number | undefined;
	#attemptMs: number | undefined;
	/** No meter has given it. */
	#isSimulated = false;

	/** An attempt begins. `utcMs`: 0 when the clock is not set. */
	began(utcMs: number, nowMs: number): void {
		this.attemptUtcMs = utcMs;
		this.#attemptMs = utcMs === 0 ? nowMs : undefined;
	}

	keep(readout: Readout, isSimulated: boolean, nowMs: number): void {
		this.readout = readout;
		this.#readoutMs = readout.utcMs === 0 ? nowMs : undefined;
		this.#isSimulated = isSimulated;
	}

	/** What no meter has given is not shown as if one had (decision 56). */
	dropSimulated(): void {
		if (!this.#isSimulated) return;
		this.#isSimulated = false;
		this.readout = this.#readoutMs = this.#attemptMs = undefined;
		this.attemptUtcMs = 0;
	}

	/** The clock is set now. */
	dateBack(utcMs: number, nowMs: number): void {
		const { readout } = this;
		if (readout !== undefined && this.#readoutMs !== undefined)
			this.readout = { ...readout, utcMs: utcMs - nowMs + this.#readoutMs };
		if (this.#attemptMs !== undefined) this.attemptUtcMs = utcMs - nowMs + this.#attemptMs;
		this.#readoutMs = this.#attemptMs = undefined;
	}
}
