/**
 * Reads the meter automatically at the scheduled times. The reader decides how.
 *
 *                start, settings   clock set        due            readout    failure                reader is busy
 *     OFF        WAITING (a)       –                –              –          –                      –
 *     WAITING    WAITING (a)       WAITING (b)      RUNNING (c)    –          –                      –
 *     RUNNING    WAITING (a)       –                –              WAITING    WAITING, RUNNING (d)   WAITING (e)
 *
 *     (a) OFF if automatic reading is disabled.
 *     (b) for the next time of the new clock; due at once if the awaited time has passed.
 *     (c) with unsolicited telegrams: WAITING; successful if a telegram has arrived since the previous time.
 *     (d) WAITING for a retry after RETRY_MS, if that leaves ROOM_MS before the next time; RUNNING while the reader continues.
 *     (e) for BUSY_MS, if that leaves ROOM_MS before the next time.
 *
 * Times that passed while the gateway was off, during a long readout or by a clock adjustment count as missed; one
 * single run follows at once to make up for all of them. A clock set back by less than half a period, at most an hour,
 * does not repeat a time. Until the clock is set, periods count from the start, with a month of 30 days. A run joins a
 * readout in progress. A meter locks after a few more attempts with a wrong password or key, so after such a refusal it
 * is not read for REFUSED_MS, unless settings change; times in that interval count as missed.
 *
 * On a device that sleeps between readings, `keep()` and `start()` carry the state across the sleep in KEPT_LENGTH
 * bytes, little-endian, times in Unix seconds:
 *
 *     offset  bytes  contents
 *     0       4      next time; 0 if the clock was not set
 *     4       4      last due time
 *     8       4      end of the pause after a refusal
 *     12      4      end of the last run
 *     16      4      number of missed times
 *     20      1      number of failed tries
 *     21      1      1: the next time is a retry
 */
import type { Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { type Failure, METER_AUTH_FAILED } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";
import { nextMoment, type Recurrence } from "../time/recurrence.js";
import type { Offsets } from "../time/wall-clock.js";
import { FAILURE_BUSY, FAILURE_MEMORY, FAILURE_WAIT } from "./failures.js";
import type { ReadCallback } from "./pending-reads.js";
import type { ReadStatistics } from "./read-statistics.js";
import type { MeterDeps } from "./settings.js";

/** Part of the reader (reader.ts) that the schedule uses. */
export interface ScheduledReader {
	/** Failure to report when an unsolicited telegram is late; undefined when the gateway requests data. */
	readonly late: Failure | undefined;
	readonly running: boolean;
	readonly outcomes: Pick<ReadStatistics, "readouts">;
	read(callback: ReadCallback): void;
	cancel(callback: ReadCallback): void;
}

export interface ScheduleOptions {
	readonly deps: Pick<MeterDeps, "driver" | "clock">;
	readonly zone: Offsets;
	readonly reader: ScheduledReader;
	/** Returns the present schedule; undefined when automatic reading is disabled. */
	plan(): Recurrence | undefined;
	/** Reports the number of times that passed without a run. */
	missed?(count: number): void;
	readonly live?: { changed(): void };
}

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;
/** Delays from a failure to the first and the second retry. */
const RETRY_MS = Object.freeze([60_000, 240_000]);
/** Delay while other requests use the memory or the reader. */
const BUSY_MS = 5000;
/** Pause after a refusal; within an hour most meters have forgotten a wrong password. */
const REFUSED_MS = 3_600_000;
/** Minimum time between a retry and the next scheduled time. */
const ROOM_MS = 60_000;
/** Maximum amount by which a clock set back does not repeat times. */
const SLACK_MS = 3_600_000;
/** Maximum number of missed times counted at once. */
const COUNT_LIMIT = 1000;

/** Size of the state written by `keep()`, bytes. */
export const KEPT_LENGTH = 24;
const NEXT_OFFSET = 0;
const DUE_OFFSET = 4;
const REFUSED_OFFSET = 8;
const LAST_RUN_OFFSET = 12;
const MISSED_OFFSET = 16;
const FAILED_OFFSET = 20;
const RETRY_OFFSET = 21;

const STATE_OFF = 0;
const STATE_WAITING = 1;
const STATE_RUNNING = 2;

export class Schedule implements Timed, ReadCallback {
	readonly #options: ScheduleOptions;
	readonly #task: Task;
	#state = STATE_OFF;
	#plan: Recurrence | undefined;
	/** Next due time, monotonic ms. Used by the driver. */
	deadlineMs = Number.POSITIVE_INFINITY;
	/** Scheduled time that is awaited or running, Unix ms; 0 while the clock is not set. */
	#nextUtcMs = 0;
	/** Last due time of the schedule, Unix ms; 0 when unknown by this clock. */
	#dueUtcMs = 0;
	/** True when the awaited time is a retry of the last due time. */
	#isRetry = false;
	/** Number of failed tries for that time. */
	#failed = 0;
	/** End of the pause after a refusal, monotonic ms. */
	#refusedUntilMs = 0;
	/** The reader's readout count at the last due time. */
	#readouts = 0;
	/** True after a sleep, in which unsolicited telegrams were missed: the run waits for the next one. */
	#hasSlept = false;
	/** End of the last run, Unix ms; 0 when there was no run or the clock was not set. */
	lastRunUtcMs = 0;
	/** Failure code of the last run; empty after success. */
	lastError = "";
	missed = 0;

	constructor(options: ScheduleOptions) {
		this.#options = options;
		this.#task = options.deps.driver.register("schedule", this);
	}

	/** Time of the next run or retry, Unix ms; 0 when no run is planned or the clock is not set. */
	get nextRunUtcMs(): number {
		return this.#state === STATE_WAITING ? this.#nextUtcMs : 0;
	}

	/**
	 * Starts the schedule. `lastUtcMs`: time of the last readout before the start; 0 when unknown. `kept`: state before a
	 * sleep that has just ended; `error`: failure code at that time.
	 */
	start(lastUtcMs: number, kept?: DataView, error = ""): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = lastUtcMs;
			this.settle(nowMs);
			this.lastError = error;
			if (kept !== undefined) this.restore(kept, nowMs);
		});
	}

	/** Writes KEPT_LENGTH bytes for `start()` after a sleep. */
	keep(kept: DataView): void {
		const utcMs = this.utcMs;
		const refusedMs = this.#refusedUntilMs - this.#options.deps.driver.nowMs();
		putTime(kept, NEXT_OFFSET, this.#state === STATE_WAITING ? this.#nextUtcMs : 0);
		putTime(kept, DUE_OFFSET, this.#dueUtcMs);
		putTime(kept, REFUSED_OFFSET, refusedMs > 0 && utcMs > 0 ? utcMs + refusedMs : 0);
		putTime(kept, LAST_RUN_OFFSET, this.lastRunUtcMs);
		kept.setUint32(MISSED_OFFSET, this.missed, true);
		kept.setUint8(FAILED_OFFSET, this.#failed);
		kept.setUint8(RETRY_OFFSET, Number(this.#isRetry));
	}

	/** True while a due run reads the meter. */
	get isRunning(): boolean {
		return this.#state === STATE_RUNNING;
	}

	/** Ends a run that takes too long. */
	giveUp(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			this.#options.reader.cancel(this);
			this.ended(FAILURE_WAIT, nowMs, false);
		});
	}

	/** Applies changes of the schedule, the zone or the meter's settings. */
	reconfigure(): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = this.#refusedUntilMs = 0;
			this.settle(nowMs);
		});
	}

	clockChanged(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_WAITING) return;
			// A clock set forward may have skipped the awaited time.
			if (this.#nextUtcMs !== 0 && this.#nextUtcMs <= this.utcMs) this.deadlineMs = nowMs;
			else this.wait(nowMs);
		});
	}

	stop(): void {
		this.#options.reader.cancel(this);
		this.#task.stop();
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const utcMs = this.utcMs;
		if (utcMs < this.#nextUtcMs) {
			// The host's timer and its clock may differ slightly.
			this.deadlineMs = nowMs + this.#nextUtcMs - utcMs;
			return;
		}
		if (!this.#isRetry) this.begin(utcMs);
		const { reader } = this.#options;
		const { late, outcomes } = reader;
		const { readouts } = outcomes;
		if (late !== undefined && !this.#hasSlept) this.ended(readouts === this.#readouts ? late : undefined, nowMs, false);
		else if (nowMs < this.#refusedUntilMs) {
			this.countMissed(1);
			this.wait(nowMs);
		} else {
			this.#state = STATE_RUNNING;
			this.#hasSlept = false;
			this.deadlineMs = Number.POSITIVE_INFINITY;
			reader.read(this);
		}
		this.#readouts = readouts;
	}

	/** Called by the reader with the readout or the failure. */
	finished(_readout: Readout | undefined, failure: Failure | undefined): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			const { reader } = this.#options;
			// The reader limits callers to a minute, but may read the meter for up to ten.
			if (failure === FAILURE_WAIT && reader.running) reader.read(this);
			else this.ended(failure, nowMs);
		});
	}

	private get utcMs(): number {
		return this.#options.deps.clock.utcMs() ?? 0;
	}

	private settle(nowMs: number): void {
		this.#options.reader.cancel(this);
		this.#plan = this.#options.plan();
		this.#readouts = this.#options.reader.outcomes.readouts;
		if (this.#plan !== undefined) this.wait(nowMs);
		else {
			this.#state = STATE_OFF;
			this.#nextUtcMs = 0;
			this.deadlineMs = Number.POSITIVE_INFINITY;
		}
	}

	/** Restores the state from before the sleep. */
	private restore(kept: DataView, nowMs: number): void {
		if (this.#state !== STATE_WAITING) return;
		const utcMs = this.utcMs;
		this.#hasSlept = true;
		this.#dueUtcMs = timeAt(kept, DUE_OFFSET);
		this.lastRunUtcMs = timeAt(kept, LAST_RUN_OFFSET);
		this.missed = kept.getUint32(MISSED_OFFSET, true);
		this.#failed = kept.getUint8(FAILED_OFFSET);
		this.#isRetry = kept.getUint8(RETRY_OFFSET) === 1;
		const refusedUtcMs = timeAt(kept, REFUSED_OFFSET);
		if (refusedUtcMs > 0) this.#refusedUntilMs = nowMs + Math.min(REFUSED_MS, refusedUtcMs - utcMs);
		// If the clock is not set, the end of the sleep counts as the due time.
		this.#nextUtcMs = utcMs === 0 ? 0 : timeAt(kept, NEXT_OFFSET) || utcMs;
		this.deadlineMs = nowMs + Math.max(0, this.#nextUtcMs - utcMs);
	}

	private wait(nowMs: number): void {
		this.#state = STATE_WAITING;
		this.#isRetry = false;
		const utcMs = this.utcMs;
		this.#nextUtcMs = utcMs === 0 ? 0 : this.after(this.baseAt(utcMs));
		this.deadlineMs = nowMs + (utcMs === 0 ? this.periodMs : Math.max(0, this.#nextUtcMs - utcMs));
		this.#options.live?.changed();
	}

	/** Returns the time after which the next one is calculated. */
	private baseAt(utcMs: number): number {
		const dueUtcMs = this.#dueUtcMs;
		if (dueUtcMs === 0) return utcMs;
		const slackMs = Math.min(SLACK_MS, (this.after(dueUtcMs) - dueUtcMs) / 2);
		return dueUtcMs > utcMs + slackMs ? utcMs : dueUtcMs;
	}

	private after(utcMs: number): number {
		const { zone } = this.#options;
		return this.#plan === undefined ? Number.POSITIVE_INFINITY : nextMoment(this.#plan, zone, utcMs);
	}

	/** Valid only with a schedule. */
	private get periodMs(): number {
		const { minutes = 0, months = 0 } = this.#plan ?? {};
		return months > 0 ? months * MONTH_MS : minutes * MINUTE_MS;
	}

	/** Handles a due time. If several times have passed, all but the last count as missed. */
	private begin(utcMs: number): void {
		this.#failed = 0;
		if (this.#nextUtcMs === 0) return;
		let missed = 0;
		for (let next = this.after(this.#nextUtcMs); next <= utcMs && missed < COUNT_LIMIT; next = this.after(next)) {
			this.#nextUtcMs = next;
			missed++;
		}
		this.#dueUtcMs = missed === COUNT_LIMIT ? utcMs : this.#nextUtcMs;
		if (missed > 0) this.countMissed(missed);
	}

	private countMissed(count: number): void {
		this.missed += count;
		this.#options.missed?.(count);
	}

	/** Handles the end of a run; without a failure it was successful. */
	private ended(failure: Failure | undefined, nowMs: number, canRetry = true): void {
		const utcMs = this.utcMs;
		this.lastRunUtcMs = utcMs;
		this.lastError = failure?.code ?? "";
		if (failure?.error === METER_AUTH_FAILED) this.#refusedUntilMs = nowMs + REFUSED_MS;
		this.wait(nowMs);
		const delayMs = failure === undefined || !canRetry ? 0 : this.delayAfter(failure);
		if (delayMs === 0 || nowMs + delayMs + ROOM_MS > this.deadlineMs) return;
		this.#isRetry = true;
		this.deadlineMs = nowMs + delayMs;
		if (this.#nextUtcMs !== 0) this.#nextUtcMs = utcMs + delayMs;
	}

	/** Returns the delay before the retry after this failure; 0 for no retry. */
	private delayAfter(failure: Failure): number {
		if (failure.error === METER_AUTH_FAILED) return 0;
		if (failure === FAILURE_BUSY || failure === FAILURE_MEMORY) return BUSY_MS;
		return RETRY_MS[this.#failed++] ?? 0;
	}
}

/** Rounds up to whole seconds, so that a retry is never early. */
function putTime(kept: DataView, offset: number, utcMs: number): void {
	kept.setUint32(offset, Math.ceil(utcMs / 1000), true);
}

function timeAt(kept: DataView, offset: number): number {
	return kept.getUint32(offset, true) * 1000;
}
