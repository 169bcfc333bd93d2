/** Filling of the history from the meter's load profile, with simulated meters of both protocols in virtual time. */
import assert from "node:assert/strict";
import { type Counters, countersAt } from "../../tools/meter/steady-household.js";
import { isError, type JSONObject } from "../api/gateway.js";
import { BackfillBed, type BedOptions, DAY_MS, HOUR_MS, MINUTE_MS, YEAR_ROWS } from "./bed.js";

const START_MS = Date.parse("2026-11-20T06:00:00Z");
const QUARTER_MS = 900_000;
const HUNDRED_DAYS_ROWS = 9600;
const PROTOCOLS = ["dlms", "iec62056"] as const;

describe("Filling of the history", function () {
	this.timeout(120_000);
	let bed: BackfillBed;

	async function start(options: Partial<BedOptions> = {}): Promise<void> {
		bed = await BackfillBed.start({
			startMs: START_MS,
			protocol: "dlms",
			stored: { rows: YEAR_ROWS },
			...options,
		});
	}

	/** Fills to the end; returns the status and the days. */
	async function fill(): Promise<{ status: JSONObject; days: JSONObject[] }> {
		await bed.begin();
		const status = await bed.end();
		return { status, days: await bed.history("days") };
	}

	const missed = async () => (await bed.gateway.read("system/status")).schedule_missed;

	afterEach(() => bed.gateway.stop());

	for (const protocol of PROTOCOLS) {
		it(`fills a year of days with ${protocol}, and no scheduled readout is missed`, async function () {
			await start({ protocol });
			const before = await bed.status();
			assert.deepEqual([before.state, before.history_days, before.rows, before.minutes_left], ["off", 800, 0, null]);
			await bed.pass(QUARTER_MS + MINUTE_MS);
			const told = (await bed.status()).minutes_left * (365 / before.history_days);
			const { status, days } = await fill();
			assert.ok(Math.abs(status.minutes_done - told) < 0.15 * told, `${told} minutes were told`);
			this.test!.title += ` (${status.minutes_done} minutes of line at 9600 Bd)`;
			assert.deepEqual([status.ended, status.last_error], ["complete", ""]);
			assert.ok(status.rows > 35_000 && status.rows <= YEAR_ROWS, `${status.rows} rows`);
			assert.ok(days.length >= 365 && days.length <= 367, `${days.length} days`);
			for (const day of days.slice(1, -1)) {
				bed.isTrue(day);
				assert.equal(day.gap ?? day.partial ?? day.interpolated, undefined);
				if (day.end * 1000 <= START_MS) assert.equal(day.from_meter, true);
			}
			assert.equal(await missed(), 0);
			const months = await bed.history("months");
			assert.equal(months.length, 13);
			for (const month of months.slice(1, -1)) bed.isTrue(month);
		});

		it(`continues after restarts with ${protocol}`, async () => {
			await start({ protocol, stored: { rows: HUNDRED_DAYS_ROWS } });
			await bed.begin();
			await bed.pass(30 * MINUTE_MS);
			let rows = 0;
			for (let i = 0; i < 5; i++) {
				await bed.pass(MINUTE_MS + i * 7000);
				await bed.gateway.restart();
				const status = await bed.status();
				assert.ok(status.rows > rows && status.days_done > 0, JSON.stringify(status));
				rows = status.rows;
			}
			const { ended } = await bed.end();
			assert.equal(ended, "complete");
			const days = await bed.history("days");
			assert.ok(days.length >= 100, `${days.length} days`);
			for (const day of days.slice(1, -1)) bed.isTrue(day);
		});

		it(`gives rows around both clock changes of a year the right times with ${protocol}`, async () => {
			for (const at of ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]) {
				const changeMs = Date.parse(at);
				await start({ protocol, startMs: changeMs + 30 * HOUR_MS, stored: { rows: 400 } });
				await fill();
				const hours = await bed.history("hours");
				const changes = hours.filter(({ start }) => Math.abs(start * 1000 - changeMs) < 3 * HOUR_MS);
				assert.ok(changes.length >= 5, `${changes.length} hours`);
				for (const hour of hours.slice(1, -1)) {
					assert.equal(hour.end - hour.start, 3600);
					bed.isTrue(hour, 12);
				}
				if (at !== "2026-10-25T01:00:00Z") await bed.gateway.stop();
			}
		});

		it(`stores nothing from a profile without counters with ${protocol}`, async () => {
			await start({ protocol, stored: undefined });
			const { status, days } = await fill();
			assert.deepEqual([status.ended, status.rows], ["no_counters", 0]);
			assert.ok(days.every(({ from_meter }) => from_meter === undefined));
		});
	}

	for (const [what, options] of [
		["has no deviation of its clock from UTC", { line: "--zone-sign none" }],
		["sends the newest row first", { stored: { rows: 1000, isLastFirst: true } }],
		["sends five-minute rows", { stored: { rows: 3000, periodS: 300 } }],
		["has rows of hours", { stored: { rows: 250, periodS: 3600 } }],
		["has frames of a few bytes", { line: "--hdlc-info 32 --pdu 128", stored: { rows: 300 } }],
		["writes UTC", { protocol: "iec62056", zone: () => 0, digit: () => "2" }],
		["writes no season", { protocol: "iec62056", digit: () => "" }],
		["has winter time all year, with a season", { protocol: "iec62056", zone: () => 60, digit: () => "0" }],
		["sends parts for R6", { protocol: "iec62056", profile: { fault: "r6-only" } }],
	] as [string, Partial<BedOptions>][]) {
		it(`reads a meter that ${what}`, async () => {
			await start({ startMs: Date.parse("2026-10-30T06:00:00Z"), stored: { rows: 1000 }, ...options });
			const { status, days } = await fill();
			assert.equal(status.ended, "complete");
			assert.ok(days.length >= (options.line?.includes("pdu") ? 4 : 10), `${days.length} days`);
			for (const day of days.slice(1, -1)) bed.isTrue(day);
		});
	}

	it("corrects for the error of the meter's clock, and stops if it is wrong by hours", async () => {
		await start({ clockMs: 20 * MINUTE_MS, stored: { rows: 300 } });
		const { status, days } = await fill();
		assert.equal(status.ended, "complete");
		for (const day of days.slice(1, -1)) {
			// The meter's clock is 20 minutes wrong, so no row is exactly at midnight, and a day's energy is not exact.
			const found = day.import_wh;
			const [from, to] = [day.start, day.end].map((s) => countersAt(s * 1000).importWh);
			assert.ok(Math.abs(found - (to - from)) < 300, `${found} is not ${to - from}`);
		}
		await bed.gateway.stop();
		await start({ clockMs: 5 * HOUR_MS, stored: { rows: 300 } });
		assert.equal((await fill()).status.ended, "meter_clock");
	});

	it("fills a gap, and leaves what was measured as it is", async () => {
		await start({ stored: { rows: 3000 } });
		await bed.pass(3 * DAY_MS);
		await bed.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		await bed.pass(4 * DAY_MS);
		await bed.write("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 15 });
		await bed.pass(DAY_MS);
		const before = await bed.history("hours");
		const gap = before.find((period) => period.gap === true) ?? assert.fail("there is no gap");
		await fill();
		const after = await bed.history("hours");
		const measured = (periods: JSONObject[]) =>
			periods.filter(({ end, start, partial }) => partial === undefined && (end < gap.start || start > gap.end));
		const kept = measured(before).filter(({ start }) => start >= after[0].start);
		assert.ok(kept.length > 50);
		for (const period of kept) {
			const same = after.find(({ start }) => start === period.start);
			const { from_meter: _, ...rest } = same ?? assert.fail("a measured hour is gone");
			assert.deepEqual(rest, period);
		}
		assert.ok(after.every((period) => period.gap === undefined));
		const filled = after.filter(({ start, end }) => start >= gap.start && end <= gap.end);
		const sum = filled.reduce((total, { import_wh }) => total + import_wh, 0);
		assert.equal(sum, gap.import_wh);
		for (const period of filled.slice(1, -1)) assert.equal(period.from_meter, true);
	});

	it("drops one or a few consecutive rows whose counters can't be true", async () => {
		const wrong = (utcMs: number): Counters => {
			const quarter = Math.floor(utcMs / QUARTER_MS);
			if (quarter % 50 === 3) return { importWh: 0, exportWh: 0 };
			if (quarter % 70 === 9 || quarter % 70 === 10) return { importWh: 4_000_000_000, exportWh: 4_000_000_000 };
			return countersAt(utcMs);
		};
		await start({ stored: { rows: 1500, counters: wrong } });
		const { status, days } = await fill();
		assert.equal(status.ended, "complete");
		assert.ok(days.length >= 15, `${days.length} days`);
		for (const day of days.slice(1, -1)) bed.isTrue(day, 120);
	});

	it("bridges days without rows, and ends where the meter begins", async () => {
		const offFrom = START_MS - 9 * DAY_MS;
		const counters = (utcMs: number) =>
			utcMs > offFrom && utcMs < offFrom + 5 * DAY_MS ? undefined : countersAt(utcMs);
		await start({ stored: { rows: 2000, counters } });
		const { status, days } = await fill();
		assert.equal(status.ended, "complete");
		assert.ok(Math.abs(status.oldest * 1000 - (START_MS - 2000 * QUARTER_MS)) < 2 * HOUR_MS);
		assert.ok(days.some((day) => day.gap === true));
		assert.ok(days[0].start * 1000 < offFrom - 5 * DAY_MS);
	});

	it("ends at an exchange of the meter: where older rows have higher counters, or the history has another meter", async () => {
		const exchangeMs = START_MS - 10 * DAY_MS;
		const counters = (utcMs: number): Counters =>
			utcMs < exchangeMs ? { importWh: 90_000_000, exportWh: 80_000_000 } : countersAt(utcMs);
		await start({ stored: { rows: YEAR_ROWS, counters } });
		const { status } = await fill();
		assert.deepEqual([status.ended, status.minutes_left], ["meter_changed", 0]);
		assert.ok(Math.abs(status.oldest * 1000 - exchangeMs) <= QUARTER_MS, new Date(status.oldest * 1000).toISOString());
		await bed.gateway.stop();

		await start({ protocol: "iec62056", stored: { rows: YEAR_ROWS } });
		await bed.pass(DAY_MS);
		bed.serial = "99999999";
		await bed.pass(DAY_MS);
		const later = await fill();
		assert.equal(later.status.ended, "meter_changed");
		assert.equal(later.status.rows, 0);
	});

	it("repeats a piece that fails, with growing pauses", async () => {
		await start({ stored: { rows: 3000 } });
		await bed.begin();
		await bed.pass(32 * MINUTE_MS);
		const { rows } = await bed.status();
		bed.gateway.world.serial.meter.connect(undefined);
		await bed.pass(5 * HOUR_MS);
		const failed = await bed.status();
		assert.deepEqual([failed.state, failed.ended, failed.last_error], ["waiting", "", "hdlc/silence"]);
		bed.connect();
		// After 1, 2, 4 … 64 minutes the next pause is two hours.
		await bed.pass(10 * MINUTE_MS);
		assert.equal((await bed.status()).last_error, "hdlc/silence");
		assert.ok(rows > 0 && rows < 3000);
		assert.equal((await bed.end()).ended, "complete");
	});

	it("requests smaller pieces if the meter is read every minute, so that no scheduled readout is missed", async () => {
		await start({
			protocol: "iec62056",
			stored: { rows: 300 },
			schedule: { enabled: true, period_unit: "minutes", period_value: 1 },
		});
		const { status } = await fill();
		assert.equal(status.ended, "complete");
		assert.equal(await missed(), 0);
	});

	it("stops when disabled; when enabled again, it reads only what the history lacks", async () => {
		await start({ stored: { rows: 2000 } });
		await bed.begin();
		await bed.pass(30 * MINUTE_MS);
		await bed.write("meter/backfill", { enabled: false });
		const off = await bed.status();
		assert.deepEqual([off.state, off.rows], ["off", 0]);
		const { status } = await fill();
		assert.equal(status.ended, "complete");
		assert.ok(status.rows < 2000, `${status.rows} rows again`);
	});

	it("refuses a code that is not that of a profile, and ends if the meter has no such profile", async () => {
		await start();
		isError(
			await bed.gateway.request("POST", "meter/backfill", { body: { enabled: true, obis: "1-0:1.8.0" } }),
			400,
			"invalid_field",
			"obis",
		);
		await bed.begin({ obis: "1-0:99.9.0" });
		assert.equal((await bed.end()).ended, "no_profile");
	});
});
