import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { DLMS_AUTHENTICATION } from "../../modules/dlms/failures.js";
import { IEC_NO_TELEGRAM } from "../../modules/iec62056-21/failures.js";
import { Driver } from "../../modules/io/driver.js";
import { FAILURE_MEMORY, FAILURE_PORT, FAILURE_WAIT } from "../../modules/meter/failures.js";
import type { ReadCallback } from "../../modules/meter/pending-reads.js";
import { SAVED_LENGTH, Schedule, type ScheduledReader } from "../../modules/meter/schedule.js";
import type { Failure } from "../../modules/readout/failure.js";
import type { Recurrence } from "../../modules/time/recurrence.js";
import { zoneOf } from "../time/zones.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 22, 7, 1);
const QUARTERS: Recurrence = { minutes: 15, originMinutes: 0, months: 0, day: 1 };
const MINUTES: Recurrence = { minutes: 1, originMinutes: 0, months: 0, day: 1 };
const DAYS: Recurrence = { minutes: 1440, originMinutes: 0, months: 0, day: 1 };

/** A schedule, with a reader that records its requests and returns the results that the test sets. */
class Bed implements ScheduledReader {
	readonly time: VirtualTime;
	readonly schedule: Schedule;
	plan: Recurrence | undefined = QUARTERS;
	late: Failure | undefined;
	running = false;
	readonly outcomes = { readouts: 0 };
	/** Times of requests by the bed's clock: HH:MM:SS. */
	readonly requests: string[] = [];
	/** Results of the next readouts; success if empty. */
	failures: (Failure | undefined)[] = [];
	tookMs = 3 * SECOND_MS;
	waiter: ReadCallback | undefined;
	/** Number of missed readouts in the last notification. */
	notifiedMissed = 0;

	/** `utcMs` 0: the clock is not set. */
	constructor(utcMs = START_MS, lastUtcMs = 0, plan: Recurrence | undefined = QUARTERS, kept?: DataView, error = "") {
		this.plan = plan;
		this.time = new VirtualTime();
		if (utcMs !== 0) this.time.setUTC(utcMs);
		const guard = (_part: string, run: () => void) => run();
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const world = { driver, clock: this.time };
		const missed = (count: number) => {
			this.notifiedMissed += count;
		};
		this.schedule = new Schedule({
			deps: world,
			zone: zoneOf("Europe/Berlin"),
			reader: this,
			plan: () => this.plan,
			missed,
		});
		this.schedule.start(lastUtcMs, kept, error);
	}

	pass(ms: number): this {
		this.time.advance(ms);
		return this;
	}

	read(waiter: ReadCallback): void {
		this.requests.push(this.time.utcMs() === undefined ? `${this.time.nowMs / SECOND_MS}` : this.clock);
		this.waiter = waiter;
		const failure = this.failures.shift();
		this.time.set(() => {
			if (this.waiter !== waiter) return;
			this.waiter = undefined;
			if (failure === undefined) this.outcomes.readouts++;
			waiter.finished(undefined, failure);
		}, this.tookMs);
	}

	cancel(waiter: ReadCallback): void {
		if (this.waiter === waiter) this.waiter = undefined;
	}

	get clock(): string {
		return new Date(this.time.utcMs() ?? 0).toISOString().slice(11, 19);
	}

	get next(): string {
		return new Date(this.schedule.nextRunUtcMs).toISOString().slice(11, 19);
	}
}

describe("meter/schedule", () => {
	it("reads at each due time, and reports the next due time and the last result", () => {
		const bed = new Bed();
		assert.equal(bed.next, "07:15:00");
		assert.equal(bed.schedule.lastRunUtcMs, 0);
		assert.deepEqual(bed.pass(HOUR_MS).requests, ["07:15:00", "07:30:00", "07:45:00", "08:00:00"]);
		assert.equal(bed.next, "08:15:00");
		assert.equal(bed.schedule.lastRunUtcMs, Date.UTC(2026, 10, 22, 8, 0, 3));
		assert.equal(bed.schedule.lastError, "");
		assert.equal(bed.schedule.missed, 0);
	});

	it("repeats a failed readout after one minute and after four more, then waits for the next due time", () => {
		const bed = new Bed();
		bed.failures = [FAILURE_PORT, FAILURE_PORT, FAILURE_PORT, undefined];
		assert.equal(bed.pass(15 * MINUTE_MS).next, "07:16:03", "the next attempt is reported as next");
		assert.equal(bed.schedule.lastError, FAILURE_PORT.code);
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests, ["07:15:00", "07:16:03", "07:20:06", "07:30:00"]);
		assert.equal(bed.schedule.lastError, "");
		// After a success both repetitions are available again.
		bed.requests.length = 0;
		bed.failures = [FAILURE_PORT, FAILURE_PORT, undefined];
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests, ["07:45:00"]);
		assert.deepEqual(bed.pass(10 * MINUTE_MS).requests, ["07:45:00", "07:46:03", "07:50:06"]);
	});

	it("does not repeat a readout shortly before the next due time", () => {
		const bed = new Bed(START_MS, 0, MINUTES);
		bed.failures = [FAILURE_PORT, FAILURE_PORT];
		assert.deepEqual(bed.pass(3 * MINUTE_MS).requests, ["07:02:00", "07:03:00", "07:04:00"]);
	});

	it("leaves a minute between the last repetition and the next due time", () => {
		const bed = new Bed(START_MS, 0, { ...MINUTES, minutes: 2 });
		bed.failures = [FAILURE_PORT, undefined];
		assert.deepEqual(bed.pass(3 * MINUTE_MS).requests, ["07:02:00", "07:04:00"]);
	});

	it("pauses for an hour after a meter has rejected the password, unless settings change", () => {
		const bed = new Bed();
		bed.failures = [DLMS_AUTHENTICATION, undefined];
		assert.deepEqual(bed.pass(14 * MINUTE_MS + HOUR_MS).requests, ["07:15:00"]);
		assert.equal(bed.schedule.lastError, DLMS_AUTHENTICATION.code);
		assert.equal(bed.schedule.missed, 4);
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests, ["07:15:00", "08:30:00"]);
		bed.failures = [DLMS_AUTHENTICATION, undefined];
		bed.time.advance(16 * MINUTE_MS);
		bed.schedule.reconfigure();
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests.slice(-2), ["08:45:00", "09:00:00"]);
	});

	it("waits a little while other requests need the memory, and does not count this as an attempt", () => {
		const bed = new Bed();
		bed.tookMs = 0;
		bed.failures = [FAILURE_MEMORY, FAILURE_MEMORY, FAILURE_MEMORY, FAILURE_PORT, undefined];
		assert.deepEqual(bed.pass(20 * MINUTE_MS).requests, ["07:15:00", "07:15:05", "07:15:10", "07:15:15", "07:16:15"]);
	});

	it("waits for a readout that exceeds the caller's limit, and counts the due times that pass meanwhile", () => {
		const bed = new Bed(START_MS, 0, MINUTES);
		bed.running = true;
		bed.tookMs = MINUTE_MS;
		bed.failures = [FAILURE_WAIT, FAILURE_WAIT, FAILURE_WAIT, undefined];
		bed.pass(5 * MINUTE_MS + 30 * SECOND_MS);
		assert.deepEqual(bed.requests, ["07:02:00", "07:03:00", "07:04:00", "07:05:00", "07:06:00"]);
		// 07:03, 07:04 and 07:05 were missed, 07:06 was not.
		assert.equal(bed.schedule.missed, 3);
	});

	/** Puts a test bed to sleep; returns the one that wakes at `utcMs`. */
	function sleepUntil(before: Bed, utcMs: number): Bed {
		const kept = new DataView(new ArrayBuffer(SAVED_LENGTH));
		before.schedule.keep(kept);
		const { lastError } = before.schedule;
		return new Bed(utcMs, START_MS - DAY_MS, before.plan, kept, lastError);
	}

	it("neither misses nor repeats a readout if a sleep ends in time, and counts those missed in a longer sleep", () => {
		let bed = new Bed();
		bed.time.advance(10 * SECOND_MS);
		for (let i = 1; i <= 4; i++) {
			// The chip's timer may be a little early or late.
			bed = sleepUntil(bed, START_MS + (15 * i - 1) * MINUTE_MS + (i % 2 === 0 ? 200 : -200));
			assert.deepEqual([bed.pass(10 * SECOND_MS).requests.length, bed.schedule.missed], [1, 0]);
		}
		assert.equal(bed.next, "08:15:00");
		const late = sleepUntil(bed, START_MS + 2 * HOUR_MS);
		assert.deepEqual([late.pass(SECOND_MS).requests.length, late.schedule.missed, late.notifiedMissed], [1, 3, 3]);
	});

	it("keeps its planned repetitions, and its pause after a rejected password, across a sleep", () => {
		const bed = new Bed();
		bed.failures = [FAILURE_PORT];
		assert.equal(bed.pass(14 * MINUTE_MS + 5 * SECOND_MS).next, "07:16:03");
		const again = sleepUntil(bed, START_MS + 15 * MINUTE_MS);
		assert.equal(again.schedule.lastError, FAILURE_PORT.code);
		assert.equal(again.schedule.lastRunUtcMs, Date.UTC(2026, 10, 22, 7, 15, 3));
		again.failures = [FAILURE_PORT];
		assert.deepEqual(again.pass(10 * SECOND_MS).requests, ["07:16:03"]);
		assert.equal(again.next, "07:20:06");
		const refused = sleepUntil(again, START_MS + 19 * MINUTE_MS);
		refused.failures = [DLMS_AUTHENTICATION];
		assert.deepEqual(refused.pass(15 * SECOND_MS).requests, ["07:20:06"]);
		const waiting = sleepUntil(refused, START_MS + 29 * MINUTE_MS);
		assert.deepEqual([waiting.pass(HOUR_MS).requests, waiting.schedule.missed], [["08:30:00"], 4]);
	});

	it("waits after a sleep for unsolicited data, because nothing was received during the sleep", () => {
		const bed = new Bed();
		bed.late = IEC_NO_TELEGRAM;
		const woken = sleepUntil(bed, START_MS + 14 * MINUTE_MS);
		woken.late = IEC_NO_TELEGRAM;
		assert.deepEqual([woken.pass(SECOND_MS).requests, woken.schedule.isRunning], [["07:15:00"], true]);
		assert.deepEqual([woken.pass(5 * SECOND_MS).schedule.isRunning, woken.schedule.lastError], [false, ""]);
	});

	it("treats the end of a sleep as the due time while the clock is not set", () => {
		const bed = new Bed(0);
		const woken = sleepUntil(bed, 0);
		assert.equal(woken.pass(SECOND_MS).requests.length, 1);
	});

	it("can give up a readout, and continues at the next due time", () => {
		const bed = new Bed();
		bed.tookMs = HOUR_MS;
		bed.time.advance(15 * MINUTE_MS);
		bed.schedule.giveUp();
		assert.deepEqual([bed.schedule.isRunning, bed.next, bed.waiter], [false, "07:30:00", undefined]);
		bed.schedule.giveUp();
	});

	it("counts readouts missed while the gateway was off, and makes up for them with a single one", () => {
		const bed = new Bed(START_MS, START_MS - HOUR_MS);
		bed.time.advance(SECOND_MS);
		// 06:15, 06:30 and 06:45 were missed; the request is that of 07:00.
		assert.deepEqual(bed.requests, ["07:01:00"]);
		assert.equal(bed.schedule.missed, 3);
		assert.equal(bed.notifiedMissed, 3);
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests, ["07:01:00", "07:15:00"]);
		assert.equal(bed.schedule.missed, 3);
	});

	it("misses nothing if it restarts between two due times", () => {
		const bed = new Bed(START_MS, START_MS - 30 * SECOND_MS);
		assert.deepEqual(bed.pass(14 * MINUTE_MS).requests, ["07:15:00"]);
		assert.equal(bed.schedule.missed, 0);
	});

	it("counts at most a thousand missed readouts at once", () => {
		const bed = new Bed(START_MS, START_MS - 400 * DAY_MS, MINUTES);
		assert.deepEqual(bed.pass(SECOND_MS).requests, ["07:01:00"]);
		assert.equal(bed.schedule.missed, 1000);
		assert.equal(bed.next, "00:00:00", "no next readout is reported while one runs");
		assert.equal(bed.pass(3 * SECOND_MS).next, "07:02:00");
	});

	it("counts its period from the start while the clock is not set, then follows the clock", () => {
		const bed = new Bed(0);
		assert.equal(bed.pass(31 * MINUTE_MS).schedule.nextRunUtcMs, 0);
		assert.deepEqual(bed.requests, ["900", "1803"]);
		bed.time.setUTC(START_MS);
		bed.schedule.clockChanged();
		assert.equal(bed.next, "07:15:00");
		assert.equal(bed.schedule.missed, 0);
		assert.equal(bed.pass(15 * MINUTE_MS).requests.at(-1), "07:15:00");
	});

	it("makes up for a missed readout as soon as the clock is set", () => {
		const bed = new Bed(0, START_MS - HOUR_MS);
		assert.deepEqual(bed.pass(10 * SECOND_MS).requests, []);
		bed.time.setUTC(START_MS);
		bed.schedule.clockChanged();
		assert.deepEqual(bed.pass(SECOND_MS).requests, ["07:01:00"]);
		assert.equal(bed.schedule.missed, 3);
	});

	it("repeats nothing when the clock is set back a little, and is not blocked when it is set back far", () => {
		const bed = new Bed();
		assert.deepEqual(bed.pass(14 * MINUTE_MS + 5 * SECOND_MS).requests, ["07:15:00"]);
		bed.time.setUTC(Date.UTC(2026, 10, 22, 7, 14, 50));
		bed.schedule.clockChanged();
		assert.equal(bed.next, "07:30:00");
		bed.time.setUTC(Date.UTC(2026, 10, 20, 3, 1));
		bed.schedule.clockChanged();
		assert.equal(bed.next, "03:15:00");
		assert.equal(bed.schedule.missed, 0);
	});

	it("starts over when the clock is set back by more than half a period", () => {
		for (const [backMinutes, next] of [
			[7, "07:30:00"],
			[9, "07:15:00"],
		] as const) {
			const bed = new Bed();
			bed.time.advance(15 * MINUTE_MS);
			bed.time.setUTC(START_MS + (15 - backMinutes) * MINUTE_MS);
			bed.schedule.clockChanged();
			assert.equal(bed.next, next, `${backMinutes} minutes`);
		}
	});

	it("pauses for an hour at most after a rejected password, whatever the clock shows after a sleep", () => {
		const bed = new Bed();
		bed.failures = [DLMS_AUTHENTICATION];
		bed.time.advance(16 * MINUTE_MS);
		const kept = new DataView(new ArrayBuffer(SAVED_LENGTH));
		bed.schedule.keep(kept);
		// Without the stored next due time a readout is due at once; the clock was set back by ten hours.
		kept.setUint32(0, 0, true);
		const next = new Bed(START_MS - 10 * HOUR_MS, 0, QUARTERS, kept);
		assert.equal(next.pass(HOUR_MS + 15 * MINUTE_MS).requests.length, 1, next.requests.join());
	});

	it("makes up once for due times that are skipped when the clock is set forward", () => {
		const bed = new Bed();
		bed.time.setUTC(START_MS + 2 * HOUR_MS);
		bed.schedule.clockChanged();
		assert.deepEqual(bed.pass(MINUTE_MS).requests, ["09:01:00"]);
		assert.equal(bed.schedule.missed, 7);
		assert.equal(bed.next, "09:15:00");
	});

	it("requests nothing from a meter with unsolicited data: a received readout counts", () => {
		const bed = new Bed();
		bed.late = IEC_NO_TELEGRAM;
		bed.outcomes.readouts = 7;
		bed.outcomes.readouts++;
		assert.deepEqual(bed.pass(15 * MINUTE_MS).requests, []);
		assert.equal(bed.schedule.lastError, "");
		assert.equal(bed.pass(15 * MINUTE_MS).schedule.lastError, IEC_NO_TELEGRAM.code);
		assert.equal(bed.next, "07:45:00", "no repetition: the meter can't be read");
		bed.outcomes.readouts++;
		assert.equal(bed.pass(15 * MINUTE_MS).schedule.lastError, "");
	});

	it("applies new settings at once, also when they remove the schedule", () => {
		const bed = new Bed();
		bed.plan = DAYS;
		bed.schedule.reconfigure();
		// Midnight in Berlin.
		assert.equal(bed.next, "23:00:00");
		bed.plan = undefined;
		bed.schedule.reconfigure();
		assert.equal(bed.schedule.nextRunUtcMs, 0);
		assert.deepEqual(bed.pass(3 * DAY_MS).requests, []);
	});

	it("cancels its running request if new settings remove the schedule", () => {
		const bed = new Bed();
		bed.tookMs = HOUR_MS;
		assert.deepEqual(bed.pass(14 * MINUTE_MS + SECOND_MS).requests, ["07:15:00"]);
		bed.plan = undefined;
		bed.schedule.reconfigure();
		assert.equal(bed.waiter, undefined);
		assert.equal(bed.pass(2 * HOUR_MS).schedule.lastRunUtcMs, 0);
	});

	it("requests one readout at each due time of a year of daily readouts, across both clock changes", () => {
		const bed = new Bed(Date.UTC(2026, 0, 1), 0, DAYS);
		assert.equal(bed.pass(365 * DAY_MS).requests.length, 365);
		assert.equal(bed.requests.filter((at) => at === "23:00:00").length, 365 - 210);
		assert.equal(bed.requests.filter((at) => at === "22:00:00").length, 210);
		assert.equal(bed.schedule.missed, 0);
	});
});
