/** Filling of the history under power cuts and refused writes, with more rows than the history keeps, and a wrong password. */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { expectFaults } from "../faults.js";
import { BackfillBed, DAY_MS, HOUR_MS, MINUTE_MS } from "./bed.js";

const START_MS = Date.parse("2026-11-20T06:00:00Z");
/** Three pieces. */
const ROWS = 200;
/** Operations of flash, from the first one for the first piece on, in which the power is cut; bytes still written. */
const CUTS = [
	[1, 0],
	[2, 5],
	[3, 40],
	[5, 0],
	[8, 5],
	[13, 40],
] as const;
const STEP_MS = 500;

describe("Faults while the history is filled", function () {
	this.timeout(120_000);
	let bed: BackfillBed;
	afterEach(() => bed.gateway.stop());

	/** Starts with the gateway just reading the first piece. */
	async function startReading(): Promise<void> {
		bed = await BackfillBed.start({ startMs: START_MS, protocol: "dlms", stored: { rows: ROWS } });
		await bed.begin();
		while ((await bed.status()).state !== "reading") await bed.pass(5000);
	}

	async function check(): Promise<void> {
		const status = await bed.end();
		assert.deepEqual([status.ended, status.last_error], ["complete", ""]);
		const days: JSONObject[] = await bed.history("days");
		assert.equal(days.length, 3);
		for (const day of days.slice(1, -1)) bed.isTrue(day);
		for (const hour of (await bed.history("hours")).slice(1, -1)) bed.isTrue(hour);
		assert.deepEqual(bed.gateway.world.flash.mistakes, []);
	}

	it("lose nothing when the power is cut in a write or an erase of a piece", async () => {
		expectFaults(/^fault: backfill: PowerCut/);
		for (const [operation, bytes] of CUTS) {
			await startReading();
			const { flash } = bed.gateway.world;
			flash.cutPowerAt(operation, bytes);
			while (flash.hasPower) await bed.pass(STEP_MS);
			await bed.gateway.losePower(2000);
			await check();
			await bed.gateway.stop();
		}
	});

	it("lose nothing when flash refuses writes for a while", async () => {
		expectFaults(/^fault: backfill: Error: the flash refuses/);
		await startReading();
		const { flash } = bed.gateway.world;
		flash.refusals = 2;
		await bed.pass(5 * MINUTE_MS);
		assert.equal(flash.refusals, 0);
		await check();
	});

	it("end with `full` once the history has all the days that it can keep, and lose none of them", async () => {
		bed = await BackfillBed.start({
			startMs: START_MS,
			protocol: "iec62056",
			stored: { rows: 1000, periodS: DAY_MS / 1000 },
		});
		await bed.begin();
		const { ended, oldest, history_days } = await bed.end();
		assert.deepEqual([ended, history_days], ["full", 800]);
		const days = await bed.history("days");
		assert.ok(days.length >= 799 && days.length <= 802, `${days.length} days`);
		for (const day of days.slice(1, -1)) bed.isTrue(day, 600);
		assert.ok(oldest * 1000 <= START_MS - 799 * DAY_MS, new Date(oldest * 1000).toISOString());
	});

	it("send a refused password again only after six hours", async () => {
		await startReading();
		await bed.pass(MINUTE_MS);
		await bed.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		bed.gateway.world.serial.meter.connect(undefined);
		await bed.write("dlms/config", { auth: "low", client_address: 32, password: "wrong" });
		bed.connect();
		await bed.write("meter/backfill", { enabled: false });
		await bed.write("meter/backfill", { enabled: true });
		await bed.pass(MINUTE_MS);
		assert.equal((await bed.status()).last_error, "dlms/authentication");
		const sent = () => bed.gateway.world.serial.meter.sentByGateway;
		const before = sent();
		await bed.pass(5.9 * HOUR_MS);
		assert.equal(sent(), before);
		await bed.pass(12 * MINUTE_MS);
		assert.ok(sent() > before);
	});
});
