import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "./house-meter.js";
import { UnattendedGateway } from "./scheduled-month.js";

const START_MS = Date.UTC(2026, 9, 19, 22);
const HOURLY = { enabled: true, period_unit: "hours", period_value: 1, trigger_minute: 0 };

describe("A month of scheduled readouts", function () {
	this.timeout(120_000);
	let left: UnattendedGateway;
	/** Times when the meter fell silent, resumed, and was replaced. */
	let silentMs: number;
	let spokeMs: number;
	let exchangedMs: number;

	before(async () => {
		left = new UnattendedGateway(START_MS - 10 * 60_000);
		const { gateway } = left;
		await left.begin(HOURLY);
		await gateway.pass(5 * DAY_MS + HOUR_MS / 3);
		silentMs = left.nowMs;
		left.silence(true);
		await gateway.pass(5 * HOUR_MS);
		spokeMs = left.nowMs;
		left.silence(false);
		// These days include the end of summer time on 2026-10-25.
		await gateway.pass(3 * DAY_MS);
		await gateway.restart();
		await gateway.pass(7 * DAY_MS);
		exchangedMs = left.nowMs;
		left.exchange();
		await gateway.pass(16 * DAY_MS);
	});
	after(async () => {
		await left.gateway.stop();
	});

	it("reads once in each hour, except while the meter is silent", async () => {
		const hours = (fromMs: number, toMs: number) => Math.floor(toMs / HOUR_MS) - Math.floor(fromMs / HOUR_MS);
		const { signedOn } = left;
		assert.equal(left.readAt(silentMs, spokeMs).size, 0);
		assert.equal(left.readAt(0, silentMs).size, hours(START_MS - 1, silentMs));
		assert.equal(left.readAt(spokeMs, left.nowMs).size, hours(spokeMs, left.nowMs));
		// No hour is read twice.
		assert.equal(signedOn.length, new Set(signedOn.map((ms) => Math.floor(ms / HOUR_MS))).size);
		const status = await left.gateway.read("system/status").catch(async () => {
			await left.gateway.login();
			return await left.gateway.read("system/status");
		});
		assert.equal(status.schedule_missed, 0);
		assert.equal(status.schedule_error, "");
		assert.equal(status.schedule_next % 3600, 0);
	});

	it("records the days as the meter counted them, one of them with 25 hours, and without a gap between days", async () => {
		const days = await left.history("days");
		const whole = days.filter(({ partial, gap, meter_changed }) => !partial && !gap && !meter_changed);
		assert.ok(whole.length >= 28, `${whole.length}`);
		for (const day of whole) left.isTrue(day);
		const long = days.find(({ localtime }) => localtime.startsWith("2026-10-25"));
		assert.equal(long?.end - long?.start, 25 * 3600);
		for (let i = 1; i < days.length; i++) assert.equal(days[i].start, days[i - 1].end, "no gap between two periods");
	});

	it("records each hour of the last two weeks", async () => {
		const hours = await left.history("hours");
		assert.ok(hours.length > 13 * 24, `${hours.length}`);
		for (const hour of hours.filter(({ partial }) => !partial)) left.isTrue(hour);
	});

	it("notices that the meter was replaced", async () => {
		const marked = (await left.history("days")).filter(({ meter_changed }) => meter_changed);
		assert.equal(marked.length, 1);
		assert.ok(marked[0].start * 1000 < exchangedMs && exchangedMs < marked[0].end * 1000);
	});

	it("logs the beginning and the end of the silence, and the restart", async () => {
		await left.gateway.login();
		const logged = (await left.gateway.read("system/log")).events.map(({ event }: { event: string }) => event);
		for (const event of ["meter_failed", "meter_read", "started"])
			assert.ok(logged.includes(event), `${event}: ${logged}`);
	});
});
