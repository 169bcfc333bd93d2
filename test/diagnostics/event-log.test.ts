import assert from "node:assert/strict";
import fc from "fast-check";
import { PARTITION_SIZES } from "../../hosts/node/partitions.js";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { WRITES_A_DAY } from "../../modules/diagnostics/event-flash.js";
import { EventCursor, EventLog, MEMORY_LIMIT } from "../../modules/diagnostics/event-log.js";
import { DETAIL_LIMIT, timeAt, UNIT, uptimeAt } from "../../modules/diagnostics/event-record.js";
import {
	EVENT_LOGIN,
	EVENT_LOGIN_REFUSED,
	EVENT_METER_FAILED,
	EVENT_STARTED,
} from "../../modules/diagnostics/events.js";
import { expectFaults } from "../faults.js";
import { START_MS, Unit } from "./unit.js";

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

describe("diagnostics/event-log", () => {
	it("lists events with their times, the oldest first", () => {
		const unit = new Unit();
		unit.log.note(EVENT_STARTED, "power was switched on");
		unit.time.advance(90 * SECOND_MS);
		unit.log.note(EVENT_LOGIN, "192.168.1.20");
		assert.deepEqual(unit.shown, ["started power was switched on", "login 192.168.1.20"]);
		const bytes = unit.log.copy();
		const cursor = new EventCursor(bytes);
		cursor.next();
		cursor.next();
		assert.equal(timeAt(bytes, cursor.at), START_MS / 1000 + 90);
		assert.equal(uptimeAt(bytes, cursor.at), 90);
		assert.equal(cursor.next(), false);
	});

	it("gives times since its start, even if the clock continues over a restart", () => {
		const unit = new Unit();
		unit.time.advance(500 * SECOND_MS);
		unit.log = new EventLog({ clock: unit.time, trace: () => undefined }, undefined);
		unit.time.advance(3 * SECOND_MS);
		unit.log.note(EVENT_LOGIN);
		assert.equal(uptimeAt(unit.log.copy(), 0), 3);
		assert.equal(unit.log.uptimeS, 3);
	});

	it("counts an event that recurs within ten minutes, and keeps the time of the last one", () => {
		const unit = new Unit();
		for (let i = 0; i < 500; i++) {
			unit.log.note(EVENT_LOGIN_REFUSED, "10.0.0.1");
			unit.log.note(EVENT_LOGIN_REFUSED, "10.0.0.2");
			unit.time.advance(SECOND_MS);
		}
		assert.deepEqual(unit.shown, ["login_refused 10.0.0.1 x500", "login_refused 10.0.0.2 x500"]);
		assert.equal(uptimeAt(unit.log.copy(), 0), 499);
		unit.time.advance(601 * SECOND_MS);
		unit.log.note(EVENT_LOGIN_REFUSED, "10.0.0.1");
		assert.deepEqual(unit.shown.at(-1), "login_refused 10.0.0.1");
		for (let i = 0; i < 70_000; i++) unit.log.note(EVENT_LOGIN, "x");
		assert.equal(unit.shown.at(-1), "login x x65535", "the count stops at 65535");
	});

	it("measures the ten minutes by its uptime while the clock is unset, set, or set back", () => {
		const unit = new Unit();
		const hourMs = 3_600_000;
		const shownAt = (utcMs: number | undefined) => {
			if (utcMs !== undefined) unit.time.setUTC(utcMs);
			unit.log.note(EVENT_LOGIN);
			unit.time.advance(SECOND_MS);
			const bytes = unit.log.copy();
			return [unit.shown, timeAt(bytes, 0), uptimeAt(bytes, 0)];
		};
		unit.time = new VirtualTime();
		unit.log = new EventLog({ clock: unit.time, trace: () => undefined }, undefined);
		assert.deepEqual(shownAt(undefined), [["login"], 0, 0]);
		assert.deepEqual(shownAt(START_MS), [["login x2"], START_MS / 1000, 1]);
		assert.deepEqual(shownAt(START_MS + hourMs), [["login x3"], (START_MS + hourMs) / 1000, 2]);
		assert.deepEqual(shownAt(START_MS - hourMs), [["login x4"], (START_MS - hourMs) / 1000, 3]);
		unit.time.advance(601 * SECOND_MS);
		unit.time.setUTC(START_MS);
		unit.log.note(EVENT_LOGIN);
		assert.deepEqual(unit.shown, ["login x4", "login"]);
	});

	it("accepts any detail: truncates a long one, and replaces all but printable ASCII by question marks", () => {
		const unit = new Unit();
		unit.log.note(EVENT_LOGIN, "ä\n\u{1f600}x");
		assert.match(unit.shown[0], /^login \?\?\?+x$/);
		unit.log.note(EVENT_METER_FAILED, "y".repeat(1000));
		assert.equal(unit.shown[1], `meter_failed ${"y".repeat(DETAIL_LIMIT)}`);
	});

	it("drops the oldest events when its memory is full, and counts them", () => {
		const unit = new Unit();
		for (let i = 0; i < 200; i++) unit.log.note(EVENT_LOGIN, `client ${i}`);
		assert.ok(unit.log.copy().length <= MEMORY_LIMIT);
		const left = unit.shown.length;
		assert.equal(unit.log.dropped, 200 - left);
		assert.equal(unit.shown[0], `login client ${200 - left}`);
		assert.equal(unit.shown.at(-1), "login client 199");
	});

	it("keeps events over a restart, and counts them separately from those after the restart", () => {
		const unit = new Unit();
		unit.log.note(EVENT_STARTED);
		unit.log.note(EVENT_LOGIN, "a");
		unit.start();
		unit.log.note(EVENT_STARTED);
		unit.log.note(EVENT_LOGIN, "a");
		assert.deepEqual(unit.shown, ["started", "login a", "started", "login a"]);
		assert.equal(unit.log.dropped, 0);
	});

	it("has the newest events after each restart, however often the flash was filled", () => {
		const unit = new Unit();
		for (let i = 0; i < 2000; i++) {
			unit.time.advance((DAY_MS / WRITES_A_DAY) * 1.01);
			unit.log.note(EVENT_LOGIN, `client ${i}`);
			if (i % 97 !== 0) continue;
			unit.start();
			assert.equal(unit.shown.at(-1), `login client ${i}`);
			const first = Number(unit.shown[0].split(" ")[2]);
			assert.deepEqual(
				unit.shown,
				Array.from({ length: i - first + 1 }, (_, index) => `login client ${first + index}`),
			);
			assert.ok(i < 50 || unit.shown.length > 40);
		}
		assert.deepEqual(unit.traces, []);
		assert.deepEqual(unit.flash.mistakes, []);
	});

	it("erases flash no more often than its budget permits, with three events a minute for 30 days", () => {
		const unit = new Unit();
		const days = 30;
		for (let i = 0; i < days * 24 * 60; i++) {
			for (let j = 0; j < 3; j++) unit.log.note(EVENT_METER_FAILED, `a long enough detail ${i} ${j}`);
			unit.time.advance(60 * SECOND_MS);
		}
		assert.ok(unit.flash.operations < days * WRITES_A_DAY * 1.05 + 100, `${unit.flash.operations} operations`);
		const erases = unit.flash.open("log")!.erases;
		// With a detail of two units each, a sector holds up to 85 events.
		for (const count of erases) assert.ok(count <= (days * WRITES_A_DAY) / 85 / erases.length + 2, `${erases}`);
		// At this rate ten years use only a part of the 100 000 erases that flash endures.
		assert.ok((Math.max(...erases) / days) * 3653 < 50_000);
	});

	it("counts starts by cause over restarts, from the records of starts only", () => {
		const unit = new Unit();
		const { flash } = unit;
		const start = (cause: string) => {
			unit.start();
			const before = flash.operations;
			unit.log.note(EVENT_STARTED, cause);
			assert.ok(flash.operations - before <= 3, "more writes than the record and at most a new sector");
		};
		for (let i = 1; i <= 300; i++) {
			start("power was switched on");
			assert.equal(unit.log.starts.get("power was switched on"), i);
		}
		const many = "x".repeat(DETAIL_LIMIT);
		start(`${many}yz`);
		start("");
		start(`${many}!`);
		assert.deepEqual(
			[...unit.log.starts],
			[
				["power was switched on", 300],
				[many, 2],
				["", 1],
			],
		);
		assert.equal(unit.shown.at(-1), `started ${many}`, "each start is a separate event in the log");
		for (let i = 0; i < 100; i++) start(`cause ${i}`);
		assert.equal(unit.log.starts.size, 13);
		assert.ok(unit.log.starts.get("other")! > 80);
		unit.log.erase();
		assert.equal(unit.log.starts.size, 0);
	});

	it("counts a cause from 1 again when no record of it is left in flash", () => {
		const unit = new Unit();
		for (let i = 0; i < 3; i++) {
			unit.start();
			unit.log.note(EVENT_STARTED, "panic");
		}
		for (let i = 0; i < 300; i++) {
			unit.time.advance((DAY_MS / WRITES_A_DAY) * 1000);
			unit.log.note(EVENT_LOGIN, `client ${i}`);
		}
		assert.equal(unit.log.starts.get("panic"), 3, "the count is kept until the next start");
		unit.start();
		unit.log.note(EVENT_STARTED, "panic");
		assert.equal(unit.log.starts.get("panic"), 1);
	});

	it("keeps earlier events over a power cut at any byte of any write or erase, and continues", () => {
		expectFaults(/^fault: log: PowerCut/);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 320 }), fc.integer({ min: 0, max: 64 }), fc.nat(), (at, bytes, seed) => {
				const unit = new Unit(new VirtualFlash(seed));
				unit.flash.cutPowerAt(at, bytes);
				let kept = -1;
				for (let i = 0; i < 300; i++) {
					unit.time.advance(100 * SECOND_MS);
					unit.log.note(EVENT_LOGIN, `client ${i}`);
					if (unit.traces.length > 0) break;
					kept = i;
				}
				unit.flash.powerUp();
				unit.traces.length = 0;
				unit.start();
				const { shown } = unit;
				const numbers = shown.map((text) => Number(/^login client (\d+)$/.exec(text)?.[1] ?? assert.fail(text)));
				for (let i = 1; i < numbers.length; i++) assert.equal(numbers[i], numbers[i - 1] + 1, `${numbers}`);
				// Only the sector that was being erased, the older one, may be lost.
				if (kept >= 0) assert.ok((numbers.at(-1) ?? -1) >= kept, `${kept}: ${numbers}`);
				for (let i = 1000; i < 1200; i++) {
					unit.time.advance(100 * SECOND_MS);
					unit.log.note(EVENT_LOGIN, `client ${i}`);
				}
				unit.start();
				assert.equal(unit.shown.at(-1), "login client 1199");
				assert.deepEqual(unit.flash.mistakes, []);
			}),
			{ numRuns: 300 },
		);
	});

	it("starts with any bytes in its flash", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), fc.nat(7000), fc.boolean(), (bytes, at, isUsed) => {
				const unit = new Unit();
				if (isUsed) for (let i = 0; i < 30; i++) unit.log.note(EVENT_LOGIN, `client ${i}`);
				unit.flash.open("log")!.bytes.set(bytes, at);
				unit.start();
				for (let i = 0; i < 3; i++) unit.log.note(EVENT_LOGIN, `after ${i}`);
				assert.deepEqual(unit.shown.slice(-3), ["login after 0", "login after 1", "login after 2"]);
			}),
			{ numRuns: 200 },
		);
	});

	it("works in memory, without an exception, if flash refuses writes or does not exist", () => {
		const unit = new Unit();
		expectFaults(/^fault: log: Error: the flash refuses/);
		unit.flash.refusals = 1000;
		unit.log.note(EVENT_LOGIN, "a");
		assert.deepEqual(unit.shown, ["login a"]);
		const bare = new EventLog({ clock: unit.time, trace: () => assert.fail() }, undefined);
		bare.note(EVENT_STARTED);
		assert.equal(bare.copy().length, UNIT);
	});

	it("erases all events at a factory reset, in memory and in flash", () => {
		const unit = new Unit();
		for (let i = 0; i < 100; i++) unit.log.note(EVENT_LOGIN, `client ${i}`);
		unit.log.erase();
		assert.deepEqual(unit.shown, []);
		assert.ok(unit.flash.open("log")!.bytes.every((byte) => byte === 0xff));
		unit.start();
		assert.deepEqual(unit.shown, []);
		unit.log.note(EVENT_STARTED);
		unit.start();
		assert.deepEqual(unit.shown, ["started"]);
	});

	it("has room for at least two sectors in its partition", () => {
		assert.ok(PARTITION_SIZES.log >= 2 * 4096);
	});
});
