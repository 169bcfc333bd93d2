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
class Bench implements ScheduledReader {
	readonly time: VirtualTime;
	readonly schedule: Schedule;
	plan: Recurrence | undefined = QUARTERS;
	late: Failure | undefined;
	running = false;
	readonly outcomes = { readouts: 0 };
	/** Times of requests by the bench's clock: HH:MM:SS. */
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
		const bench = new Bench();
		assert.equal(bench.next, "07:15:00");
		assert.equal(bench.schedule.lastRunUtcMs, 0);
		bench.time.advance(HOUR_MS);
		assert.deepEqual(bench.requests, ["07:15:00", "07:30:00", "07:45:00", "08:00:00"]);
		assert.equal(bench.next, "08:15:00");
		assert.equal(bench.schedule.lastRunUtcMs, Date.UTC(2026, 10, 22, 8, 0, 3));
		assert.equal(bench.schedule.lastError, "");
		assert.equal(bench.schedule.missed, 0);
	});

	it("repeats a failed readout after one minute and after four more, then waits for the next due time", () => {
		const bench = new Bench();
		bench.failures = [FAILURE_PORT, FAILURE_PORT, FAILURE_PORT, undefined];
		bench.time.advance(15 * MINUTE_MS);
		assert.equal(bench.next, "07:16:03", "the next attempt is reported as next");
		assert.equal(bench.schedule.lastError, FAILURE_PORT.code);
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:15:00", "07:16:03", "07:20:06", "07:30:00"]);
		assert.equal(bench.schedule.lastError, "");
		// After a success both repetitions are available again.
		bench.requests.length = 0;
		bench.failures = [FAILURE_PORT, FAILURE_PORT, undefined];
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:45:00"]);
		bench.time.advance(10 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:45:00", "07:46:03", "07:50:06"]);
	});

	it("does not repeat a readout shortly before the next due time", () => {
		const bench = new Bench(START_MS, 0, MINUTES);
		bench.failures = [FAILURE_PORT, FAILURE_PORT];
		bench.time.advance(3 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:02:00", "07:03:00", "07:04:00"]);
	});

	it("leaves a minute between the last repetition and the next due time", () => {
		const bench = new Bench(START_MS, 0, { ...MINUTES, minutes: 2 });
		bench.failures = [FAILURE_PORT, undefined];
		bench.time.advance(3 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:02:00", "07:04:00"]);
	});

	it("pauses for an hour after a meter has rejected the password, unless settings change", () => {
		const bench = new Bench();
		bench.failures = [DLMS_AUTHENTICATION, undefined];
		bench.time.advance(14 * MINUTE_MS + HOUR_MS);
		assert.deepEqual(bench.requests, ["07:15:00"]);
		assert.equal(bench.schedule.lastError, DLMS_AUTHENTICATION.code);
		assert.equal(bench.schedule.missed, 4);
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:15:00", "08:30:00"]);
		bench.failures = [DLMS_AUTHENTICATION, undefined];
		bench.time.advance(16 * MINUTE_MS);
		bench.schedule.reconfigure();
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests.slice(-2), ["08:45:00", "09:00:00"]);
	});

	it("waits a little while other requests need the memory, and does not count this as an attempt", () => {
		const bench = new Bench();
		bench.tookMs = 0;
		bench.failures = [FAILURE_MEMORY, FAILURE_MEMORY, FAILURE_MEMORY, FAILURE_PORT, undefined];
		bench.time.advance(20 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:15:00", "07:15:05", "07:15:10", "07:15:15", "07:16:15"]);
	});

	it("waits for a readout that exceeds the caller's limit, and counts the due times that pass meanwhile", () => {
		const bench = new Bench(START_MS, 0, MINUTES);
		bench.running = true;
		bench.tookMs = MINUTE_MS;
		bench.failures = [FAILURE_WAIT, FAILURE_WAIT, FAILURE_WAIT, undefined];
		bench.time.advance(5 * MINUTE_MS + 30 * SECOND_MS);
		assert.deepEqual(bench.requests, ["07:02:00", "07:03:00", "07:04:00", "07:05:00", "07:06:00"]);
		// 07:03, 07:04 and 07:05 were missed, 07:06 was not.
		assert.equal(bench.schedule.missed, 3);
	});

	/** Puts a bench to sleep; returns the one that wakes at `utcMs`. */
	function sleepUntil(before: Bench, utcMs: number): Bench {
		const kept = new DataView(new ArrayBuffer(SAVED_LENGTH));
		before.schedule.keep(kept);
		const { lastError } = before.schedule;
		return new Bench(utcMs, START_MS - DAY_MS, before.plan, kept, lastError);
	}

	it("neither misses nor repeats a readout if a sleep ends in time, and counts those missed in a longer sleep", () => {
		let bench = new Bench();
		bench.time.advance(10 * SECOND_MS);
		for (let i = 1; i <= 4; i++) {
			// The chip's timer may be a little early or late.
			bench = sleepUntil(bench, START_MS + (15 * i - 1) * MINUTE_MS + (i % 2 === 0 ? 200 : -200));
			bench.time.advance(10 * SECOND_MS);
			assert.deepEqual([bench.requests.length, bench.schedule.missed], [1, 0]);
		}
		assert.equal(bench.next, "08:15:00");
		const late = sleepUntil(bench, START_MS + 2 * HOUR_MS);
		late.time.advance(SECOND_MS);
		assert.deepEqual([late.requests.length, late.schedule.missed, late.notifiedMissed], [1, 3, 3]);
	});

	it("keeps its planned repetitions, and its pause after a rejected password, across a sleep", () => {
		const bench = new Bench();
		bench.failures = [FAILURE_PORT];
		bench.time.advance(14 * MINUTE_MS + 5 * SECOND_MS);
		assert.equal(bench.next, "07:16:03");
		const again = sleepUntil(bench, START_MS + 15 * MINUTE_MS);
		assert.equal(again.schedule.lastError, FAILURE_PORT.code);
		assert.equal(again.schedule.lastRunUtcMs, Date.UTC(2026, 10, 22, 7, 15, 3));
		again.failures = [FAILURE_PORT];
		again.time.advance(10 * SECOND_MS);
		assert.deepEqual(again.requests, ["07:16:03"]);
		assert.equal(again.next, "07:20:06");
		const refused = sleepUntil(again, START_MS + 19 * MINUTE_MS);
		refused.failures = [DLMS_AUTHENTICATION];
		refused.time.advance(15 * SECOND_MS);
		assert.deepEqual(refused.requests, ["07:20:06"]);
		const waiting = sleepUntil(refused, START_MS + 29 * MINUTE_MS);
		waiting.time.advance(HOUR_MS);
		assert.deepEqual([waiting.requests, waiting.schedule.missed], [["08:30:00"], 4]);
	});

	it("waits after a sleep for unsolicited data, because nothing was received during the sleep", () => {
		const bench = new Bench();
		bench.late = IEC_NO_TELEGRAM;
		const woken = sleepUntil(bench, START_MS + 14 * MINUTE_MS);
		woken.late = IEC_NO_TELEGRAM;
		woken.time.advance(SECOND_MS);
		assert.deepEqual([woken.requests, woken.schedule.isRunning], [["07:15:00"], true]);
		woken.time.advance(5 * SECOND_MS);
		assert.deepEqual([woken.schedule.isRunning, woken.schedule.lastError], [false, ""]);
	});

	it("treats the end of a sleep as the due time while the clock is not set", () => {
		const bench = new Bench(0);
		const woken = sleepUntil(bench, 0);
		woken.time.advance(SECOND_MS);
		assert.equal(woken.requests.length, 1);
	});

	it("can give up a readout, and continues at the next due time", () => {
		const bench = new Bench();
		bench.tookMs = HOUR_MS;
		bench.time.advance(15 * MINUTE_MS);
		bench.schedule.giveUp();
		assert.deepEqual([bench.schedule.isRunning, bench.next, bench.waiter], [false, "07:30:00", undefined]);
		bench.schedule.giveUp();
	});

	it("counts readouts missed while the gateway was off, and makes up for them with a single one", () => {
		const bench = new Bench(START_MS, START_MS - HOUR_MS);
		bench.time.advance(SECOND_MS);
		// 06:15, 06:30 and 06:45 were missed; the request is that of 07:00.
		assert.deepEqual(bench.requests, ["07:01:00"]);
		assert.equal(bench.schedule.missed, 3);
		assert.equal(bench.notifiedMissed, 3);
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:01:00", "07:15:00"]);
		assert.equal(bench.schedule.missed, 3);
	});

	it("misses nothing if it restarts between two due times", () => {
		const bench = new Bench(START_MS, START_MS - 30 * SECOND_MS);
		bench.time.advance(14 * MINUTE_MS);
		assert.deepEqual(bench.requests, ["07:15:00"]);
		assert.equal(bench.schedule.missed, 0);
	});

	it("counts at most a thousand missed readouts at once", () => {
		const bench = new Bench(START_MS, START_MS - 400 * DAY_MS, MINUTES);
		bench.time.advance(SECOND_MS);
		assert.deepEqual(bench.requests, ["07:01:00"]);
		assert.equal(bench.schedule.missed, 1000);
		assert.equal(bench.next, "00:00:00", "no next readout is reported while one runs");
		bench.time.advance(3 * SECOND_MS);
		assert.equal(bench.next, "07:02:00");
	});

	it("counts its period from the start while the clock is not set, then follows the clock", () => {
		const bench = new Bench(0);
		bench.time.advance(31 * MINUTE_MS);
		assert.equal(bench.schedule.nextRunUtcMs, 0);
		assert.deepEqual(bench.requests, ["900", "1803"]);
		bench.time.setUTC(START_MS);
		bench.schedule.clockChanged();
		assert.equal(bench.next, "07:15:00");
		assert.equal(bench.schedule.missed, 0);
		bench.time.advance(15 * MINUTE_MS);
		assert.equal(bench.requests.at(-1), "07:15:00");
	});

	it("makes up for a missed readout as soon as the clock is set", () => {
		const bench = new Bench(0, START_MS - HOUR_MS);
		bench.time.advance(10 * SECOND_MS);
		assert.deepEqual(bench.requests, []);
		bench.time.setUTC(START_MS);
		bench.schedule.clockChanged();
		bench.time.advance(SECOND_MS);
		assert.deepEqual(bench.requests, ["07:01:00"]);
		assert.equal(bench.schedule.missed, 3);
	});

	it("repeats nothing when the clock is set back a little, and is not blocked when it is set back far", () => {
		const bench = new Bench();
		bench.time.advance(14 * MINUTE_MS + 5 * SECOND_MS);
		assert.deepEqual(bench.requests, ["07:15:00"]);
		bench.time.setUTC(Date.UTC(2026, 10, 22, 7, 14, 50));
		bench.schedule.clockChanged();
		assert.equal(bench.next, "07:30:00");
		bench.time.setUTC(Date.UTC(2026, 10, 20, 3, 1));
		bench.schedule.clockChanged();
		assert.equal(bench.next, "03:15:00");
		assert.equal(bench.schedule.missed, 0);
	});

	it("starts over when the clock is set back by more than half a period", () => {
		for (const [backMinutes, next] of [
			[7, "07:30:00"],
			[9, "07:15:00"],
		] as const) {
			const bench = new Bench();
			bench.time.advance(15 * MINUTE_MS);
			bench.time.setUTC(START_MS + (15 - backMinutes) * MINUTE_MS);
			bench.schedule.clockChanged();
			assert.equal(bench.next, next, `${backMinutes} minutes`);
		}
	});

	it("pauses for an hour at most after a rejected password, whatever the clock shows after a sleep", () => {
		const bench = new Bench();
		bench.failures = [DLMS_AUTHENTICATION];
		bench.time.advance(16 * MINUTE_MS);
		const kept = new DataView(new ArrayBuffer(SAVED_LENGTH));
		bench.schedule.keep(kept);
		// Without the stored next due time a readout is due at once; the clock was set back by ten hours.
		kept.setUint32(0, 0, true);
		const next = new Bench(START_MS - 10 * HOUR_MS, 0, QUARTERS, kept);
		next.time.advance(HOUR_MS + 15 * MINUTE_MS);
		assert.equal(next.requests.length, 1, next.requests.join());
	});

	it("makes up once for due times that are skipped when the clock is set forward", () => {
		const bench = new Bench();
		bench.time.setUTC(START_MS + 2 * HOUR_MS);
		bench.schedule.clockChanged();
		bench.time.advance(MINUTE_MS);
		assert.deepEqual(bench.requests, ["09:01:00"]);
		assert.equal(bench.schedule.missed, 7);
		assert.equal(bench.next, "09:15:00");
	});

	it("requests nothing from a meter with unsolicited data: a received readout counts", () => {
		const bench = new Bench();
		bench.late = IEC_NO_TELEGRAM;
		bench.outcomes.readouts = 7;
		bench.outcomes.readouts++;
		bench.time.advance(15 * MINUTE_MS);
		assert.deepEqual(bench.requests, []);
		assert.equal(bench.schedule.lastError, "");
		bench.time.advance(15 * MINUTE_MS);
		assert.equal(bench.schedule.lastError, IEC_NO_TELEGRAM.code);
		assert.equal(bench.next, "07:45:00", "no repetition: the meter can't be read");
		bench.outcomes.readouts++;
		bench.time.advance(15 * MINUTE_MS);
		assert.equal(bench.schedule.lastError, "");
	});

	it("applies new settings at once, also when they remove the schedule", () => {
		const bench = new Bench();
		bench.plan = DAYS;
		bench.schedule.reconfigure();
		// Midnight in Berlin.
		assert.equal(bench.next, "23:00:00");
		bench.plan = undefined;
		bench.schedule.reconfigure();
		assert.equal(bench.schedule.nextRunUtcMs, 0);
		bench.time.advance(3 * DAY_MS);
		assert.deepEqual(bench.requests, []);
	});

	it("cancels its running request if new settings remove the schedule", () => {
		const bench = new Bench();
		bench.tookMs = HOUR_MS;
		bench.time.advance(14 * MINUTE_MS + SECOND_MS);
		assert.deepEqual(bench.requests, ["07:15:00"]);
		bench.plan = undefined;
		bench.schedule.reconfigure();
		assert.equal(bench.waiter, undefined);
		bench.time.advance(2 * HOUR_MS);
		assert.equal(bench.schedule.lastRunUtcMs, 0);
	});

	it("requests one readout at each due time of a year of daily readouts, across both clock changes", () => {
		const bench = new Bench(Date.UTC(2026, 0, 1), 0, DAYS);
		bench.time.advance(365 * DAY_MS);
		assert.equal(bench.requests.length, 365);
		assert.equal(bench.requests.filter((at) => at === "23:00:00").length, 365 - 210);
		assert.equal(bench.requests.filter((at) => at === "22:00:00").length, 210);
		assert.equal(bench.schedule.missed, 0);
	});
});
