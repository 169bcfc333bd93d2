/**
 * Reads the meter at the scheduled times. The table shows the next state after each event.
 *
 *                start, settings   clock set        due            readout    failure                reader is busy
 *     OFF        WAITING (a)       –                –              –          –                      –
 *     WAITING    WAITING (a)       WAITING (b)      RUNNING (c)    –          –                      –
 *     RUNNING    WAITING (a)       –                –              WAITING    WAITING, RUNNING (d)   WAITING (e)
 *
 *     (a) OFF if automatic reading is disabled.
 *     (b) for the next time, recomputed by the new clock; due immediately if the old one has passed.
 *     (c) WAITING if the meter sends unsolicited telegrams: the run ends immediately, with success if one arrived
 *         since the previous time.
 *     (d) WAITING for a retry after RETRY_MS, if that leaves ROOM_MS before the next time; RUNNING if only the caller's
 *         time limit has passed and the reader's session continues.
 *     (e) for BUSY_MS, if that leaves ROOM_MS before the next time.
 *
 * Scheduled times may be missed without power, during a long readout, or because the clock was adjusted. A single run
 * makes up for all of them. No scheduled time is repeated if the clock is set back by up to half a period, but at most
 * an hour. As long as the clock is not set, periods are counted from the start, and a month has 30 days. After a
 * rejected password or key, the schedule pauses for REFUSED_MS or until settings change, because more attempts would
 * lock the meter.
 *
 * `keep()` saves the state before a sleep in SAVED_LENGTH bytes, and `start()` restores it. Numbers are little-endian,
 * and times are in Unix seconds:
 *
 *     offset  bytes  contents
 *     0       4      next time; 0 if the clock was not set
 *     4       4      last due time
 *     8       4      end of the pause after a rejected password or key
 *     12      4      end of the last run
 *     16      4      number of missed times
 *     20      1      number of failed tries for the last due time
 *     21      1      1: the next time is a retry
 */
import type { Task } from "../io/driver.js";
import type { Timed } from "../io/machine.js";
import { type Failure, METER_AUTH_FAILED } from "../readout/failure.js";
import type { Readout } from "../readout/readout.js";
import { nextMoment, type Recurrence } from "../time/recurrence.js";
import type { Offsets } from "../time/wall-clock.js";
import { FAILURE_BUSY, FAILURE_MEMORY, FAILURE_WAIT } from "./failures.js";
import type { ReadOutcomes } from "./outcomes.js";
import type { ReadCallback } from "./pending-reads.js";
import type { MeterDeps } from "./settings.js";

export interface ScheduledReader {
	/** Failure to report if no unsolicited telegram arrives in time; undefined if the gateway requests data. */
	readonly late: Failure | undefined;
	readonly running: boolean;
	readonly outcomes: Pick<ReadOutcomes, "readouts">;
	read(callback: ReadCallback): void;
	cancel(callback: ReadCallback): void;
}

export interface ScheduleOptions {
	readonly deps: Pick<MeterDeps, "driver" | "clock">;
	readonly zone: Offsets;
	readonly reader: ScheduledReader;
	plan(): Recurrence | undefined;
	missed?(count: number): void;
	readonly live?: { changed(): void };
}

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;
const RETRY_MS = Object.freeze([60_000, 240_000]);
const BUSY_MS = 5000;
/** Pause after a rejected password or key, ms. Most meters unlock within an hour. */
const REFUSED_MS = 3_600_000;
const ROOM_MS = 60_000;
/** Time by which the clock may be set back without repeating a scheduled time, ms. */
const SLACK_MS = 3_600_000;
/** Maximum number of missed times that are counted in one step. */
const COUNT_LIMIT = 1000;

export const SAVED_LENGTH = 24;
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
	deadlineMs = Number.POSITIVE_INFINITY;
	/** Scheduled time, Unix ms; 0 as long as the clock is not set. */
	#nextUtcMs = 0;
	#dueUtcMs = 0;
	#isRetry = false;
	#failed = 0;
	#refusedUntilMs = 0;
	#readouts = 0;
	/** True from a sleep to the next run. That run waits for a new unsolicited telegram. */
	#hasSlept = false;
	lastRunUtcMs = 0;
	/** Failure code of the last run; "" after a success. */
	lastError = "";
	missed = 0;

	constructor(options: ScheduleOptions) {
		this.#options = options;
		this.#task = options.deps.driver.register("schedule", this);
	}

	/** Unix ms; 0 if no run is planned, or if the clock is not set. */
	get nextRunUtcMs(): number {
		return this.#state === STATE_WAITING ? this.#nextUtcMs : 0;
	}

	/**
	 * `lastUtcMs`: time of the last readout before the start; 0 if unknown. `saved`, `error`: state and failure code
	 * before a sleep.
	 */
	start(lastUtcMs: number, saved?: DataView, error = ""): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = lastUtcMs;
			this.apply(nowMs);
			this.lastError = error;
			if (saved !== undefined) this.restore(saved, nowMs);
		});
	}

	keep(saved: DataView): void {
		const utcMs = this.utcMs;
		const refusedMs = this.#refusedUntilMs - this.#options.deps.driver.nowMs();
		putTime(saved, NEXT_OFFSET, this.#state === STATE_WAITING ? this.#nextUtcMs : 0);
		putTime(saved, DUE_OFFSET, this.#dueUtcMs);
		putTime(saved, REFUSED_OFFSET, refusedMs > 0 && utcMs > 0 ? utcMs + refusedMs : 0);
		putTime(saved, LAST_RUN_OFFSET, this.lastRunUtcMs);
		saved.setUint32(MISSED_OFFSET, this.missed, true);
		saved.setUint8(FAILED_OFFSET, this.#failed);
		saved.setUint8(RETRY_OFFSET, Number(this.#isRetry));
	}

	get isRunning(): boolean {
		return this.#state === STATE_RUNNING;
	}

	giveUp(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			this.#options.reader.cancel(this);
			this.onRunEnd(FAILURE_WAIT, nowMs, false);
		});
	}

	reconfigure(): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = this.#refusedUntilMs = 0;
			this.apply(nowMs);
		});
	}

	clockChanged(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_WAITING) return;
			// If the clock was set forward, the scheduled time may have passed.
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
			// The host's timer may be slightly faster than its clock.
			this.deadlineMs = nowMs + this.#nextUtcMs - utcMs;
			return;
		}
		if (!this.#isRetry) this.begin(utcMs);
		const { reader } = this.#options;
		const { late, outcomes } = reader;
		const { readouts } = outcomes;
		if (late !== undefined && !this.#hasSlept)
			this.onRunEnd(readouts === this.#readouts ? late : undefined, nowMs, false);
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

	finished(_readout: Readout | undefined, failure: Failure | undefined): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			const { reader } = this.#options;
			// The session may run for ten minutes, but a caller is notified after one.
			if (failure === FAILURE_WAIT && reader.running) reader.read(this);
			else this.onRunEnd(failure, nowMs);
		});
	}

	private get utcMs(): number {
		return this.#options.deps.clock.utcMs() ?? 0;
	}

	private apply(nowMs: number): void {
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

	private restore(saved: DataView, nowMs: number): void {
		if (this.#state !== STATE_WAITING) return;
		const utcMs = this.utcMs;
		this.#hasSlept = true;
		this.#dueUtcMs = timeAt(saved, DUE_OFFSET);
		this.lastRunUtcMs = timeAt(saved, LAST_RUN_OFFSET);
		this.missed = saved.getUint32(MISSED_OFFSET, true);
		this.#failed = saved.getUint8(FAILED_OFFSET);
		this.#isRetry = saved.getUint8(RETRY_OFFSET) === 1;
		const refusedUtcMs = timeAt(saved, REFUSED_OFFSET);
		if (refusedUtcMs > 0) this.#refusedUntilMs = nowMs + Math.min(REFUSED_MS, refusedUtcMs - utcMs);
		// If the clock was not set before the sleep, the wake-up is the scheduled time.
		this.#nextUtcMs = utcMs === 0 ? 0 : timeAt(saved, NEXT_OFFSET) || utcMs;
		this.deadlineMs = nowMs + Math.max(0, this.#nextUtcMs - utcMs);
	}

	private wait(nowMs: number): void {
		this.#state = STATE_WAITING;
		this.#isRetry = false;
		const utcMs = this.utcMs;
		this.#nextUtcMs = utcMs === 0 ? 0 : this.nextAfter(this.baseAt(utcMs));
		this.deadlineMs = nowMs + (utcMs === 0 ? this.periodMs : Math.max(0, this.#nextUtcMs - utcMs));
		this.#options.live?.changed();
	}

	private baseAt(utcMs: number): number {
		const dueUtcMs = this.#dueUtcMs;
		if (dueUtcMs === 0) return utcMs;
		const slackMs = Math.min(SLACK_MS, (this.nextAfter(dueUtcMs) - dueUtcMs) / 2);
		return dueUtcMs > utcMs + slackMs ? utcMs : dueUtcMs;
	}

	private nextAfter(utcMs: number): number {
		const { zone } = this.#options;
		return this.#plan === undefined ? Number.POSITIVE_INFINITY : nextMoment(this.#plan, zone, utcMs);
	}

	private get periodMs(): number {
		const { minutes = 0, months = 0 } = this.#plan ?? {};
		return months > 0 ? months * MONTH_MS : minutes * MINUTE_MS;
	}

	private begin(utcMs: number): void {
		this.#failed = 0;
		if (this.#nextUtcMs === 0) return;
		let missed = 0;
		for (
			let next = this.nextAfter(this.#nextUtcMs);
			next <= utcMs && missed < COUNT_LIMIT;
			next = this.nextAfter(next)
		) {
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

	private onRunEnd(failure: Failure | undefined, nowMs: number, canRetry = true): void {
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

	private delayAfter(failure: Failure): number {
		if (failure.error === METER_AUTH_FAILED) return 0;
		if (failure === FAILURE_BUSY || failure === FAILURE_MEMORY) return BUSY_MS;
		return RETRY_MS[this.#failed++] ?? 0;
	}
}

/** Writes a time, rounded up to whole seconds, so that a retry is never early. */
function putTime(saved: DataView, offset: number, utcMs: number): void {
	saved.setUint32(offset, Math.ceil(utcMs / 1000), true);
}

function timeAt(saved: DataView, offset: number): number {
	return saved.getUint32(offset, true) * 1000;
}
