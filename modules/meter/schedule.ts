/**
 * Reads the meter by itself, at the times of the schedule (API decision 30). For gateway.ts; how is the reader's.
 *
 *              start, settings   clock set        due            readout    failure                reader is busy
 *   OFF        WAITING (a)       –                –              –          –                      –
 *   WAITING    WAITING (a)       WAITING (b)      RUNNING (c)    –          –                      –
 *   RUNNING    WAITING (a)       –                –              WAITING    WAITING, RUNNING (d)   WAITING (e)
 *
 *   (a) OFF where nothing is read by itself.  (b) for the next time by the new clock; at once, for one that has gone by.
 *   (c) Where the meter sends by itself: WAITING, and it went well if anything has come since the time before.  (d) It is
 *   tried again RETRY_MS later, if there is room before the next time; RUNNING while the reader itself goes on.  (e) for
 *   BUSY_MS, if there is room.
 *
 * Times that went by while the gateway was off, the clock was put forward or a readout took longer are counted as missed
 * and made up for by one run at once; never by more. A clock that is put back by less than half a period, an hour at
 * most, brings no time a second time. While the clock is not set, a period is counted from the start, a month as 30 days.
 * A run that falls into a readout by hand takes part in it. A meter that refuses the password or the keys locks itself after
 * a few more attempts: it is not tried again for REFUSED_MS, unless settings change; the times in that are missed.
 *
 * A device that sleeps between its times ends with each sleep: `keep` and `start` carry over what is waited for, what has
 * failed, and what is told of the last run, in KEPT_LENGTH bytes, little-endian, times in Unix seconds:
 *
 *   offset  bytes  what
 *   0       4      the time that is waited for; 0: the clock was not set
 *   4       4      the time that has been due last
 *   8       4      until then the meter is not asked
 *   12      4      end of the last run
 *   16      4      times without a run
 *   20      1      tries that have failed
 *   21      1      1: what is waited for is another try
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

/** The reader, as far as it is asked (reader.ts). */
export interface ScheduledReader {
	/** Where the meter sends by itself: what is wrong when nothing has come in time. */
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
	/** As the settings are now; undefined: nothing is read by itself. */
	plan(): Recurrence | undefined;
	/** So many times have gone by without a run. */
	missed?(count: number): void;
	/** Is told that the next time is another. */
	readonly live?: { changed(): void };
}

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;
/** From a failure to the next try: the first, the second. */
const RETRY_MS = Object.freeze([60_000, 240_000]);
/** Other requests have the memory or the reader. */
const BUSY_MS = 5000;
/** Within an hour most meters have forgotten a wrong password. */
const REFUSED_MS = 3_600_000;
/** A try must begin this long before the next time. */
const ROOM_MS = 60_000;
/** The most that a clock is put back without the times being new ones. */
const SLACK_MS = 3_600_000;
/** Missed ones are counted up to here at once. */
const COUNT_LIMIT = 1000;

/** Bytes of `keep`. */
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
	/** When it is due, monotonic ms. For the driver. */
	deadlineMs = Number.POSITIVE_INFINITY;
	/** The time of the schedule that is due next, or runs, Unix ms; 0 while the clock is not set. */
	#nextUtcMs = 0;
	/** The time of the schedule that has been due last, Unix ms; 0: none by this clock. */
	#dueUtcMs = 0;
	/** What is waited for is another try at the time that was due. */
	#isRetry = false;
	/** Tries that have failed at that time. */
	#failed = 0;
	/** Until then the meter is not asked, monotonic ms. */
	#refusedUntilMs = 0;
	/** Readouts of the reader when a time was due last. */
	#readouts = 0;
	/** What a meter has sent by itself since the time before was not heard: it is waited for. */
	#hasSlept = false;
	/** Unix ms of the end of the last run; 0: none, or the clock was not set. */
	lastRunUtcMs = 0;
	/** Code of what was wrong with the last run; empty: nothing. */
	lastError = "";
	/** Times without a run since the start. */
	missed = 0;

	constructor(options: ScheduleOptions) {
		this.#options = options;
		this.#task = options.deps.driver.register("schedule", this);
	}

	/** Unix ms of the next run, which may be one that is tried again; 0 where there is none or the clock is not set. */
	get nextRunUtcMs(): number {
		return this.#state === STATE_WAITING ? this.#nextUtcMs : 0;
	}

	/**
	 * From now on. `lastUtcMs`: of the last readout that is known from before the start; 0: none is. `kept`: as of before the
	 * sleep that has ended just now, with the code of what was wrong then.
	 */
	start(lastUtcMs: number, kept?: DataView, error = ""): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = lastUtcMs;
			this.settle(nowMs);
			this.lastError = error;
			if (kept !== undefined) this.restore(kept, nowMs);
		});
	}

	/** Writes KEPT_LENGTH bytes, for `start` after a sleep. */
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

	/** The meter is being asked because a time was due. */
	get isRunning(): boolean {
		return this.#state === STATE_RUNNING;
	}

	/** The run that goes on takes too long. */
	giveUp(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			this.#options.reader.cancel(this);
			this.ended(FAILURE_WAIT, nowMs, false);
		});
	}

	/** The settings of the schedule are other ones, or the zone, or how the meter is asked. */
	reconfigure(): void {
		this.#task.update((nowMs) => {
			this.#dueUtcMs = this.#refusedUntilMs = 0;
			this.settle(nowMs);
		});
	}

	/** The clock was set. */
	clockChanged(): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_WAITING) return;
			// A clock that is put forward passes over what is waited for.
			if (this.#nextUtcMs !== 0 && this.#nextUtcMs <= this.utcMs) this.deadlineMs = nowMs;
			else this.wait(nowMs);
		});
	}

	stop(): void {
		this.#options.reader.cancel(this);
		this.#task.stop();
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const utcMs = this.utcMs;
		if (utcMs < this.#nextUtcMs) {
			// The host's timer and its clock may differ by a little.
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

	/** For the reader: the readout is there, or why there is none. */
	finished(_readout: Readout | undefined, failure: Failure | undefined): void {
		this.#task.update((nowMs) => {
			if (this.#state !== STATE_RUNNING) return;
			const { reader } = this.#options;
			// It has a minute for those who ask, and up to ten for the meter.
			if (failure === FAILURE_WAIT && reader.running) reader.read(this);
			else this.ended(failure, nowMs);
		});
	}

	private get utcMs(): number {
		return this.#options.deps.clock.utcMs() ?? 0;
	}

	/** Goes by the settings as they are. */
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

	/** Goes on as before the sleep. */
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
		// Without a clock the end of the sleep is the time itself.
		this.#nextUtcMs = utcMs === 0 ? 0 : timeAt(kept, NEXT_OFFSET) || utcMs;
		this.deadlineMs = nowMs + Math.max(0, this.#nextUtcMs - utcMs);
	}

	/** Waits for the next time. */
	private wait(nowMs: number): void {
		this.#state = STATE_WAITING;
		this.#isRetry = false;
		const utcMs = this.utcMs;
		this.#nextUtcMs = utcMs === 0 ? 0 : this.after(this.baseAt(utcMs));
		this.deadlineMs = nowMs + (utcMs === 0 ? this.periodMs : Math.max(0, this.#nextUtcMs - utcMs));
		this.#options.live?.changed();
	}

	/** The time after which the next one is looked for. */
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

	/** Only where there is a plan. */
	private get periodMs(): number {
		const { minutes = 0, months = 0 } = this.#plan ?? {};
		return months > 0 ? months * MONTH_MS : minutes * MINUTE_MS;
	}

	/** A time is due: those that have gone by with it are missed. */
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

	/** A run is over; without a failure it went well. */
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

	/** From this failure to the next try; 0: there is none. */
	private delayAfter(failure: Failure): number {
		if (failure.error === METER_AUTH_FAILED) return 0;
		if (failure === FAILURE_BUSY || failure === FAILURE_MEMORY) return BUSY_MS;
		return RETRY_MS[this.#failed++] ?? 0;
	}
}

/** A try again may be due between two seconds: not too soon. */
function putTime(kept: DataView, offset: number, utcMs: number): void {
	kept.setUint32(offset, Math.ceil(utcMs / 1000), true);
}

function timeAt(kept: DataView, offset: number): number {
	return kept.getUint32(offset, true) * 1000;
}
