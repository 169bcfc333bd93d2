import assert from "node:assert/strict";
import fc from "fast-check";
import { VirtualRetained } from "../../hosts/node/virtual.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { CrashLoopGuard } from "../../modules/app/crash-loop-guard.js";
import { Driver } from "../../modules/io/driver.js";
import type { Ending } from "../../modules/io/host.js";
import { textCodec } from "../config/memory-storage.js";
import { expectFaults, guard } from "../faults.js";

const MINUTE_MS = 60_000;
const PANIC: Ending = { cause: "panic", isFault: true };
const WATCHDOG: Ending = { cause: "the watchdog of tasks", isFault: true };
const POWER: Ending = { cause: "power was switched on", isFault: false };

/** A unit that restarts repeatedly. */
class Unit {
	readonly retained = new VirtualRetained();
	time = new VirtualTime();
	starts: CrashLoopGuard | undefined;
	/** Times of the guard's requests for the restart that ends safe mode, ms. */
	left: number[] = [];

	/** Starts the unit after a program that ran for `ms` and ended by `ending`; returns the causes of safe mode. */
	start(ending: Ending | undefined, ms = 0): string {
		this.time.advance(ms);
		this.time = new VirtualTime();
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const user = { restartSoon: () => this.left.push(this.time.nowMs) };
		this.starts = new CrashLoopGuard({ driver, text: textCodec }, this.retained, ending, user);
		return this.starts.safeMode;
	}
}

describe("app/crash-loop-guard", () => {
	it("enters safe mode after three starts that each ended by a fault in their first minute, and names the causes", () => {
		const unit = new Unit();
		assert.equal(unit.start(POWER), "");
		assert.equal(unit.start(PANIC, 1000), "");
		assert.equal(unit.start(WATCHDOG, MINUTE_MS - 1), "");
		assert.equal(unit.start(PANIC, 0), "panic; the watchdog of tasks; panic");
	});

	it("does not count a start that has run for a minute", () => {
		const unit = new Unit();
		unit.start(POWER);
		for (let i = 0; i < 10; i++) assert.equal(unit.start(PANIC, MINUTE_MS), "");
	});

	it("does not count power cuts, requested restarts or starts after an unknown end, however many", () => {
		const unit = new Unit();
		for (let i = 0; i < 10; i++) assert.equal(unit.start(POWER, 100), "");
		for (let i = 0; i < 10; i++) {
			unit.starts!.plannedRestart();
			assert.equal(unit.start({ cause: "it was asked for", isFault: false }, 100), "");
		}
		for (let i = 0; i < 10; i++) assert.equal(unit.start(undefined, 100), "");
	});

	it("forgets a counted start after ten minutes; the minutes of a healthy start count too", () => {
		const unit = new Unit();
		unit.start(POWER);
		unit.start(PANIC, 100);
		unit.start(PANIC, 100);
		// A healthy start in between, with a late fault.
		assert.equal(unit.start(PANIC, 8 * MINUTE_MS), "");
		assert.equal(unit.start(PANIC, 100), "");
		assert.equal(unit.start(PANIC, 100), "");
		assert.equal(unit.start(PANIC, 100), "panic; panic; panic");
	});

	it("enters safe mode after three short starts within ten minutes although a healthy one was among them", () => {
		const unit = new Unit();
		unit.start(POWER);
		unit.start(PANIC, 100);
		unit.start(PANIC, 100);
		unit.start(PANIC, 3 * MINUTE_MS);
		assert.equal(unit.start(WATCHDOG, 100), "the watchdog of tasks; panic; panic");
	});

	it("ends safe mode with a requested restart, and with a loss of power", () => {
		const unit = new Unit();
		unit.start(POWER);
		for (let i = 0; i < 3; i++) unit.start(PANIC, 100);
		assert.notEqual(unit.starts!.safeMode, "");
		assert.notEqual(unit.start(PANIC, 100), "", "a fault in safe mode");
		unit.starts!.plannedRestart();
		assert.equal(unit.start(POWER, 100), "");
		for (let i = 0; i < 3; i++) unit.start(PANIC, 100);
		assert.notEqual(unit.starts!.safeMode, "");
		unit.retained.lose();
		assert.equal(unit.start(POWER, 100), "");
	});

	it("requests only one restart to end safe mode, after a healthy hour", () => {
		const unit = new Unit();
		unit.start(POWER);
		for (let i = 0; i < 3; i++) unit.start(PANIC, 100);
		unit.time.advance(60 * MINUTE_MS - 1);
		assert.deepEqual(unit.left, []);
		unit.time.advance(1);
		unit.time.advance(300 * MINUTE_MS);
		assert.deepEqual(unit.left, [60 * MINUTE_MS]);
	});

	it("has no deadline once its first minute is over and no counted start is left", () => {
		const unit = new Unit();
		unit.start(POWER);
		assert.equal(unit.starts!.deadlineMs, MINUTE_MS);
		unit.time.advance(MINUTE_MS);
		assert.equal(unit.starts!.deadlineMs, Number.POSITIVE_INFINITY);
		unit.start(PANIC, 100);
		unit.start(PANIC, 100);
		unit.time.advance(20 * MINUTE_MS);
		assert.equal(unit.starts!.deadlineMs, Number.POSITIVE_INFINITY);
	});

	it("cuts the text of the causes to 80 characters, whether each takes one, two or three bytes", () => {
		for (const character of ["x", "ä", "€"]) {
			const unit = new Unit();
			unit.start(POWER);
			for (let i = 0; i < 3; i++) unit.start({ cause: character.repeat(300), isFault: true }, 100);
			assert.equal(unit.starts!.safeMode, character.repeat(80));
			assert.ok(unit.retained.read()!.length <= unit.retained.size);
		}
	});

	it("starts with any content of the retained memory, and also if that memory cannot be written", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 256 }), (bytes) => {
				const unit = new Unit();
				if (bytes.length > 1) bytes[0] = 1;
				unit.retained.write(bytes);
				// An invalid record does not say that the previous start was short, so the first of the four may not count.
				for (let i = 0; i < 4; i++) unit.start(PANIC, 100);
				assert.notEqual(unit.starts!.safeMode, "");
			}),
		);
		expectFaults(/^fault: starts: Error: it refuses/);
		const unit = new Unit();
		unit.retained.write = () => {
			throw new Error("it refuses");
		};
		for (let i = 0; i < 4; i++) assert.equal(unit.start(PANIC, 100), "");
	});
});
