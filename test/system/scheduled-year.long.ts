/**
 * A year of scheduled readouts in each quarter of an hour: like scheduled-month.test.ts, but with outages, power cuts
 * during writes to flash, two replaced meters, and a check of memory. `SEED=n` repeats a run.
 */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SeededRandom } from "../../hosts/node/random.js";
import type { JSONObject } from "../api/gateway.js";
import { expectFaultsInSuite } from "../faults.js";
import { DAY_MS, HOUR_MS } from "./house-meter.js";
import { UnattendedGateway } from "./scheduled-month.js";

const MINUTE_MS = 60_000;
const QUARTER_MS = HOUR_MS / 4;
/** Least number of days between two faults; up to one day is added at random. */
const CALM_DAYS = 6;
const YEAR_MS = 370 * DAY_MS;
const SEED = Number(process.env.SEED ?? 1);
/** Limit of growth. A leak in each readout would exceed it within the year; the data of this test takes half of it. */
const GROWTH_LIMIT_BYTES = 2_000_000;

/** Bytes that live objects take. */
function liveBytes(): number {
	setFlagsFromString("--expose-gc");
	runInNewContext("gc")();
	return process.memoryUsage().heapUsed;
}

describe(`A year of scheduled readouts (SEED=${SEED})`, function () {
	expectFaultsInSuite(/^fault: \w+: PowerCut/);
	this.timeout(1_200_000);
	const random = new SeededRandom(SEED);
	let left: UnattendedGateway;
	let fromMs = 0;
	/**
	 * Times in which a scheduled readout may be missing or repeated: the meter was silent, or the gateway had no power.
	 */
	const troubled: [fromMs: number, toMs: number][] = [];
	let exchanges = 0;
	let cuts = 0;
	const usedBytes: number[] = [];

	async function recordTrouble(what: () => Promise<void>): Promise<void> {
		const before = left.nowMs;
		await what();
		troubled.push([before, left.nowMs]);
	}

	/** A power outage; the gateway counts the missed readouts, and makes up for them with a single one. */
	async function outage(offMs: number): Promise<void> {
		const { gateway } = left;
		const offFromMs = left.nowMs;
		await gateway.losePower(offMs);
		const runs = left.signedOn.length;
		const missed = Math.floor(left.nowMs / QUARTER_MS) - Math.floor(offFromMs / QUARTER_MS);
		await gateway.pass(MINUTE_MS);
		assert.equal(left.signedOn.length - runs, Math.min(missed, 1), "made up for by one run");
		await gateway.login();
		assert.equal((await gateway.read("system/status")).schedule_missed, Math.max(0, missed - 1));
	}

	/** A power cut in one of the next writes, at a random byte. */
	async function cut(): Promise<void> {
		const { gateway } = left;
		const { flash } = gateway.world;
		flash.cutPowerAt(1 + random.below(3), random.below(32));
		for (let i = 0; i < 96 && flash.hasPower; i++) await gateway.pass(QUARTER_MS);
		assert.equal(flash.hasPower, false);
		cuts++;
		await gateway.losePower(random.below(20) * MINUTE_MS);
		await gateway.pass(QUARTER_MS);
	}

	async function silence(restarts: boolean): Promise<void> {
		left.silence(true);
		await left.gateway.pass((1 + random.below(5)) * HOUR_MS);
		if (restarts) await left.gateway.restart();
		await left.gateway.pass((1 + random.below(5)) * HOUR_MS);
		left.silence(false);
		// An earlier attempt may still be running.
		await left.gateway.pass(QUARTER_MS);
	}

	before(async () => {
		left = new UnattendedGateway(Date.UTC(2026, 0, 1, 0, 5));
		const { gateway } = left;
		await left.begin({ enabled: true, period_unit: "minutes", period_value: 15 });
		fromMs = left.nowMs;
		for (let week = 0; left.nowMs < fromMs + YEAR_MS; week++) {
			await gateway.pass(CALM_DAYS * DAY_MS + random.below(24 * 60) * MINUTE_MS);
			// Waits until a time between two scheduled readouts.
			await gateway.pass(QUARTER_MS - (left.nowMs % QUARTER_MS) + (3 + random.below(10)) * MINUTE_MS);
			const kind = week % 6;
			if (kind === 0) await gateway.restart();
			else if (kind === 1) await recordTrouble(() => outage(random.below(30 * 60) * MINUTE_MS));
			else if (kind === 2) await recordTrouble(cut);
			else if (kind === 3) await recordTrouble(() => silence(false));
			else if (kind === 4) await recordTrouble(() => silence(true));
			else await recordTrouble(() => outage(random.below(10) * MINUTE_MS));
			if (week === 20 || week === 40) {
				left.exchange();
				exchanges++;
			}
			if (kind === 0) usedBytes.push(liveBytes());
		}
		await gateway.restart();
		await gateway.pass(DAY_MS);
	});
	after(async () => {
		assert.deepEqual(left.gateway.world.flash.mistakes, []);
		await left.gateway.stop();
	});

	it("reads once in each quarter of an hour", async () => {
		const runs = new Map<number, number>();
		for (const ms of left.signedOn) {
			const quarter = Math.floor(ms / QUARTER_MS);
			runs.set(quarter, (runs.get(quarter) ?? 0) + 1);
		}
		let calm = 0;
		for (let quarter = Math.ceil(fromMs / QUARTER_MS); (quarter + 1) * QUARTER_MS < left.nowMs; quarter++) {
			const startMs = quarter * QUARTER_MS;
			const isTroubled = troubled.some(([from, to]) => from < startMs + QUARTER_MS && to > startMs);
			if (!isTroubled) {
				calm++;
				assert.equal(runs.get(quarter), 1, new Date(startMs).toISOString());
			} else assert.ok((runs.get(quarter) ?? 0) <= 2, new Date(startMs).toISOString());
		}
		assert.ok(calm > (0.95 * YEAR_MS) / QUARTER_MS, `${calm}`);
		assert.ok(cuts > 5);
		await left.gateway.login();
		assert.equal((await left.gateway.read("system/status")).schedule_missed, 0);
	});

	/** How far a reading may be from the boundary of a period and still serve as its boundary, s (docs/history.md). */
	const levels = Object.entries({ quarters: 60, hours: 240, days: 900, months: 900 });
	for (const [period, offS] of levels) {
		it(`has ${period} as the meter counted them, each of which begins at the end of the previous one`, async () => {
			const periods = await left.history(period);
			assert.ok(periods.length > 11);
			for (let i = 1; i < periods.length; i++) assert.equal(periods[i].start, periods[i - 1].end);
			const known = periods.filter(
				({ partial, meter_changed, interpolated }) => !(partial || meter_changed || interpolated),
			);
			assert.ok(known.length > periods.length * 0.6, `${known.length} of ${periods.length}`);
			for (const one of known) {
				const [startMs, endMs] = [one.start * 1000 - QUARTER_MS, one.end * 1000 + QUARTER_MS];
				const isTroubled = troubled.some(([from, to]) => from < endMs && to > startMs);
				left.isTrue(one, isTroubled ? offS : 0);
			}
		});
	}

	it("has the same sum over days and over months, and notices each replaced meter", async () => {
		const sumOf = (periods: JSONObject[]) => periods.reduce((sum, { import_wh }) => sum + import_wh, 0);
		const days = await left.history("days");
		const months = await left.history("months");
		assert.equal(days[0].start, months[0].start);
		assert.equal(days.at(-1)?.end, months.at(-1)?.end);
		assert.equal(sumOf(days), sumOf(months));
		assert.equal(days.filter(({ meter_changed }) => meter_changed).length, exchanges);
		const long = days
			.filter(({ start, end, gap }) => !gap && (end - start) * 1000 !== DAY_MS)
			.map(({ end, start }) => end - start);
		assert.deepEqual(long.slice(1, -1).sort(), [23 * 3600, 25 * 3600], "the days on which clocks change");
	});

	it("holds less than 2 MB more at the end than after seven weeks", () => {
		const [, early] = usedBytes;
		const late = usedBytes.at(-1)!;
		assert.ok(late - early < GROWTH_LIMIT_BYTES, usedBytes.map((bytes) => Math.round(bytes / 1000)).join(" "));
	});
});
