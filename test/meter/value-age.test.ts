/** The age limit of momentary values: when a meter that sends by itself counts as silent. */
import assert from "node:assert/strict";
import { OFTEN_MS, SELDOM_MS, ValueAge } from "../../modules/meter/value-age.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Feeds telegrams at these intervals; returns the age limit after the last one, or -1 if the meter was silent before. */
function limitAfter(intervals: readonly number[], firstMs = OFTEN_MS): number {
	const age = new ValueAge();
	let nowMs = 0;
	age.heard(firstMs, nowMs);
	for (const interval of intervals) {
		nowMs += interval;
		if (nowMs >= age.dueMs) return -1;
		age.heard(firstMs, nowMs);
	}
	return age.dueMs - nowMs;
}

const times = (count: number, interval: number): number[] => new Array(count).fill(interval);

describe("meter/value-age", () => {
	it("has no limit before the first telegram", () => {
		assert.equal(new ValueAge().dueMs, Number.POSITIVE_INFINITY);
	});
	it("is three intervals, but at least 30 s", () => {
		assert.equal(limitAfter(times(60, SECOND)), 30 * SECOND);
		assert.equal(limitAfter(times(60, 10 * SECOND)), 30 * SECOND);
		assert.equal(limitAfter(times(60, 20 * SECOND)), MINUTE);
		assert.equal(limitAfter(times(60, 15 * MINUTE), SELDOM_MS), 45 * MINUTE);
		assert.equal(limitAfter(times(5, 24 * HOUR), SELDOM_MS), -1, "the first day of a meter that pushes once a day");
		assert.equal(limitAfter([]), 3 * MINUTE);
	});
	it("is longer than the pause between two bursts of telegrams", () => {
		for (const burst of [1, 2, 4, 8]) {
			const hour = [...times(burst - 1, SECOND), HOUR];
			assert.ok(
				limitAfter(
					times(20, 0).flatMap(() => hour),
					SELDOM_MS,
				) > HOUR,
				`${burst} telegrams`,
			);
		}
	});
	it("follows a meter that sends less often from now on, and soon forgets a long silence", () => {
		const age = new ValueAge();
		let nowMs = 0;
		const eachSecond = (count: number) => {
			for (let i = 0; i < count; i++) {
				nowMs += SECOND;
				age.heard(OFTEN_MS, nowMs);
			}
		};
		eachSecond(60);
		let silences = 0;
		for (let i = 0; i < 60; i++) {
			nowMs += 5 * MINUTE;
			if (nowMs >= age.dueMs && age.isOver(0, nowMs)) silences++;
			age.heard(OFTEN_MS, nowMs);
		}
		assert.ok(silences > 0 && silences < 8, `${silences} silences`);
		assert.equal(age.dueMs - nowMs, 15 * MINUTE);
		eachSecond(30);
		nowMs += 9 * HOUR;
		assert.equal(age.isOver(0, nowMs), true);
		age.heard(OFTEN_MS, nowMs);
		assert.ok(age.dueMs - nowMs < 2 * MINUTE, `${age.dueMs - nowMs} ms after a night`);
	});
	it("is the schedule's limit at the time when it ends, if the gateway asks", () => {
		const age = new ValueAge();
		age.asked(10 * MINUTE, 0);
		assert.equal(age.dueMs, 10 * MINUTE);
		assert.equal(age.isOver(HOUR, 10 * MINUTE), false);
		assert.equal(age.dueMs, HOUR);
		assert.equal(age.isOver(HOUR, HOUR), true);
		assert.equal(age.dueMs, Number.POSITIVE_INFINITY);
		age.asked(Number.POSITIVE_INFINITY, HOUR);
		assert.equal(age.dueMs, Number.POSITIVE_INFINITY);
	});
});
