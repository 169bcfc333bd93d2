import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver, type ScheduledMachine } from "../../modules/io/driver.js";
import type { Timed } from "../../modules/io/machine.js";
import { expectFaults, guard } from "../faults.js";

/** A machine that is due at the time that the test sets, and records its calls. */
class Alarm implements ScheduledMachine {
	deadlineMs = Number.POSITIVE_INFINITY;
	drain?: (nowMs: number) => void;
	readonly calls: number[] = [];

	set(deadlineMs: number): void {
		this.deadlineMs = deadlineMs;
	}

	advance(nowMs: number): void {
		this.calls.push(nowMs);
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}
}

describe("io/driver", () => {
	let time: VirtualTime;
	/** `timers`: number of timers set so far; `live`: number of those that have neither fired nor been cleared. */
	let timers: number;
	let live: number;
	let driver: Driver;

	beforeEach(() => {
		time = new VirtualTime();
		timers = live = 0;
		driver = new Driver({
			clock: time,
			timers: {
				set: (callback, delayMs) => {
					timers++;
					live++;
					return time.set(() => {
						live--;
						callback();
					}, delayMs);
				},
				clear: (id) => {
					live--;
					time.clear(id);
				},
			},
			guard,
		});
	});

	it("advances a machine at its deadline, and not before", () => {
		const alarm = new Alarm();
		const drive = driver.register("alarm", alarm);
		drive.update(() => alarm.set(100));
		time.advance(99);
		assert.deepEqual(alarm.calls, []);
		time.advance(1);
		assert.deepEqual(alarm.calls, [100]);
		time.advance(1000);
		assert.deepEqual(alarm.calls, [100]);
	});

	it("wakes once for a deadline between two milliseconds, because the clock has whole ones", () => {
		for (const deadlineMs of [100.00000001, 100.5, 100.99]) {
			const alarm = new Alarm();
			const task = driver.register("alarm", alarm);
			timers = 0;
			const sinceMs = time.monotonicMs();
			task.update(() => alarm.set(sinceMs + deadlineMs));
			time.advance(200);
			assert.deepEqual(alarm.calls, [sinceMs + 101]);
			assert.equal(timers, 1);
			task.stop();
		}
	});

	it("advances a machine that already has a deadline when it is registered", () => {
		const alarm = new Alarm();
		alarm.set(5);
		driver.register("alarm", alarm);
		time.advance(5);
		assert.deepEqual(alarm.calls, [5]);
	});

	it("serves many machines with one timer, each at its own time", () => {
		const alarms = [300, 100, 200, 100].map((deadlineMs) => {
			const alarm = new Alarm();
			driver.register("alarm", alarm).update(() => alarm.set(deadlineMs));
			return alarm;
		});
		time.advance(1000);
		assert.deepEqual(
			alarms.map(({ calls }) => calls),
			[[300], [100], [200], [100]],
		);
		// The timer was set for 300, then for 100, and again for 200 and 300.
		assert.equal(timers, 4);
	});

	it("keeps its timer when a deadline moves later, and sets it again when it fires", () => {
		const alarm = new Alarm();
		const drive = driver.register("alarm", alarm);
		for (let deadlineMs = 100; deadlineMs <= 200; deadlineMs++) drive.update(() => alarm.set(deadlineMs));
		assert.equal(timers, 1);
		time.advance(1000);
		assert.deepEqual(alarm.calls, [200]);
	});

	it("returns to the host between two calls of a machine that is due again at once", () => {
		let left = 3;
		const ticks: number[] = [];
		const machine: Timed = {
			get deadlineMs() {
				return left > 0 ? 0 : Number.POSITIVE_INFINITY;
			},
			advance: () => {
				left--;
				ticks.push(timers);
			},
		};
		driver.register("eager", machine);
		time.advance(1);
		assert.equal(left, 0);
		assert.equal(new Set(ticks).size, 3);
	});

	it("drains after each change, and again if the drain has changed the machine, before it sets its timer", () => {
		const alarm = new Alarm();
		let drains = 0;
		const drive = driver.register("alarm", alarm);
		alarm.drain = () => {
			drains++;
			if (drains < 3) drive.update((nowMs) => alarm.set(nowMs + 10 * drains));
		};
		assert.equal(
			drive.update(() => "given back"),
			"given back",
		);
		assert.equal(drains, 3);
		assert.equal(drive.deadlineMs, 20);
	});

	it("drains after a change that throws, and passes the exception to the caller", () => {
		const faults = expectFaults(/^fault: alarm: Error: no\n/);
		const alarm = new Alarm();
		let drained = 0;
		const drive = driver.register("alarm", alarm);
		alarm.drain = () => drained++;
		const fail = (): void => {
			alarm.set(7);
			throw new Error("no");
		};
		assert.throws(() => drive.update(fail), /^Error: no$/);
		assert.equal(drained, 1);
		drive.fromHost(fail);
		assert.equal(faults.length, 1);
		time.advance(7);
		assert.deepEqual(alarm.calls, [7]);
	});

	it("logs that a machine was changed outside of an update, and continues", () => {
		const faults = expectFaults(/^fault: alarm: Error: a machine was changed past its driver\n/);
		const alarm = new Alarm();
		const drive = driver.register("alarm", alarm);
		alarm.set(50);
		drive.update(() => {});
		assert.equal(faults.length, 1);
		time.advance(50);
		assert.deepEqual(alarm.calls, [50]);
		assert.equal(faults.length, 1);
	});

	it("does nothing more for a stopped machine, even if another machine stops it in the same pass", () => {
		const first = new Alarm();
		const drive = driver.register("first", first);
		const second: Timed = {
			deadlineMs: 10,
			advance(this: { deadlineMs: number }) {
				this.deadlineMs = Number.POSITIVE_INFINITY;
				drive.stop();
			},
		};
		driver.register("second", second);
		drive.update(() => first.set(10));
		time.advance(100);
		drive.fromHost(() => assert.fail("it was stopped"));
		assert.deepEqual(first.calls, []);
	});

	it("sets no timer of more than a day, and none for a machine that is never due", () => {
		const delays: number[] = [];
		const set = (callback: () => void, delayMs: number) => {
			delays.push(delayMs);
			return time.set(callback, delayMs);
		};
		const far = new Driver({ clock: time, timers: { set, clear: (id) => time.clear(id) }, guard: (_, run) => run() });
		const alarm = new Alarm();
		far.register("never", alarm);
		assert.deepEqual(delays, []);
		const monthly = new Alarm();
		monthly.set(30 * 86_400_000);
		far.register("monthly", monthly);
		time.advance(40 * 86_400_000);
		assert.deepEqual(monthly.calls, [30 * 86_400_000]);
		assert.equal(Math.max(...delays), 86_400_000);
	});

	it("has no timer without a registered machine", () => {
		const alarm = new Alarm();
		const drive = driver.register("alarm", alarm);
		drive.update(() => alarm.set(10));
		drive.stop();
		drive.stop();
		assert.equal(live, 0);
	});
});
