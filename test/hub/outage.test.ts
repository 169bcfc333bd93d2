/** A day without network in virtual time: what the meter counted meanwhile reaches the hub's statistics. */
import assert from "node:assert/strict";
import { countersAt } from "../../tools/meter/steady-household.js";
import { BackfillBed, DAY_MS, HOUR_MS, MINUTE_MS } from "../backfill/bed.js";
import { StateServer, TOKEN } from "./bed.js";
import { StatisticsServer } from "./statistics-server.js";

const START_MS = Date.parse("2026-11-20T06:00:00Z");
const QUARTER_MS = 900_000;
const HUB = { enabled: true, url: "http://192.0.2.7:8123", token: TOKEN, lang: "en", statistics: true };

/** Counters that change at quarter hours only, so that a readout some seconds later has them exactly. */
const counters = (utcMs: number) => countersAt(Math.floor(utcMs / QUARTER_MS) * QUARTER_MS);

describe("A day without network", function () {
	this.timeout(60_000);

	it("leaves no gap in the hub's statistics, and their sum is the meter's counter", async () => {
		const bed = await BackfillBed.start({ startMs: START_MS, protocol: "iec62056", stored: undefined, counters });
		const { gateway } = bed;
		const states = new StateServer(gateway.world);
		const server = new StatisticsServer(states);
		states.serve(8123);
		const rows = (key: string) => {
			const id = [...server.rows.keys()].find((name) => name.endsWith(`_${key}`)) ?? assert.fail("no statistics");
			return server.rowsOf(key, id.slice("smart_meter_gateway:".length, -`_${key}`.length));
		};
		await bed.write("hub", HUB);
		await bed.pass(4 * HOUR_MS);
		gateway.setAir("cafe -70 1");
		// The loss is noticed within a minute.
		await bed.pass(MINUTE_MS);
		const { requests } = states;
		const sent = rows("import").length;
		await bed.pass(DAY_MS);
		assert.deepEqual([states.requests, rows("import").length], [requests, sent]);
		gateway.setAir("");
		await bed.pass(HOUR_MS + QUARTER_MS);
		assert.ok(states.requests > requests);
		for (const [key, register] of [
			["import", "importWh"],
			["export", "exportWh"],
		] as const) {
			// The first row has the sum before the first hour.
			const [, ...hours] = rows(key);
			assert.equal(hours.length, 4 + 24 + 1);
			for (const [i, [startS, { sum }]] of hours.entries()) {
				assert.equal(startS, hours[0][0] + i * 3600);
				assert.equal(Math.round(sum * 1000), counters(startS * 1000 + HOUR_MS)[register]);
			}
		}
		await gateway.stop();
	});
});
