/** A year by the schedule alone, each quarter of an hour: what scheduled-month.test.ts has for a month, and memory. */
import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS, LeftAlone } from "./scheduled-month.js";

const QUARTER_MS = HOUR_MS / 4;

describe("A year by the schedule alone", function () {
	this.timeout(1_200_000);

	it("has each quarter of an hour read once, and the sums that the meter counted", async () => {
		const left = new LeftAlone(Date.UTC(2026, 0, 1, 0, 5));
		const { gateway } = left;
		await left.begin({ enabled: true, period_unit: "minutes", period_value: 15 });
		const fromMs = left.nowMs;
		let silentMs = 0;
		for (let week = 0; week < 52; week++) {
			await gateway.pass(7 * DAY_MS + week * 60_000);
			if (week % 5 === 1) await gateway.restart();
			if (week === 20) left.exchange();
			if (week % 10 !== 4) continue;
			const before = left.nowMs;
			left.silence(true);
			await gateway.pass(7 * HOUR_MS);
			left.silence(false);
			silentMs += left.nowMs - before;
		}
		const quarters = new Set(left.signedOn.map((ms) => Math.floor(ms / QUARTER_MS)));
		assert.equal(quarters.size, left.signedOn.length, "none twice");
		const expected = (left.nowMs - fromMs - silentMs) / QUARTER_MS;
		assert.ok(Math.abs(quarters.size - expected) <= 12, `${quarters.size} of ${expected}`);
		for (const period of ["quarters", "hours", "days", "months"]) {
			const periods = await left.history(period);
			assert.ok(periods.length > 11, period);
			const whole = periods.filter(({ partial, gap, meter_changed }) => !partial && !gap && !meter_changed);
			assert.ok(whole.length > periods.length / 2, period);
			for (const one of whole) left.isTrue(one);
			for (let i = 1; i < periods.length; i++) assert.equal(periods[i].start, periods[i - 1].end);
		}
		assert.doesNotMatch(gateway.diagnosis, /^\s+at /m);
		assert.equal((await gateway.read("system/status")).schedule_missed, 0);
		await gateway.stop();
	});
});
