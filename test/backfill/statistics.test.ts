/** Hours that the meter has filled into the history reach the hub's statistics. */
import assert from "node:assert/strict";
import { countersAt } from "../../tools/meter/steady-household.js";
import { StateServer, TOKEN } from "../homeassistant/bench.js";
import { StatisticsServer } from "../homeassistant/statistics-server.js";
import { BackfillBench, HOUR_MS } from "./bench.js";

const HUB = { enabled: true, url: "http://192.0.2.7:8123", token: TOKEN, lang: "en", statistics: true };

describe("Statistics for the hub from a filled history", function () {
	this.timeout(60_000);

	it("have the hours before the first reading once the filling has ended", async () => {
		const startMs = Date.parse("2026-10-30T06:00:00Z");
		const bench = await BackfillBench.start({ startMs, protocol: "dlms", stored: { rows: 400 } });
		const states = new StateServer(bench.gateway.world);
		const server = new StatisticsServer(states);
		states.serve(8123);
		const changes = () => {
			const id = [...server.rows.keys()].find((name) => name.endsWith("_import")) ?? assert.fail("no statistics");
			return server.changesOf("import", id.slice("smart_meter_gateway:".length, -"_import".length));
		};
		await bench.write("hub", HUB);
		await bench.pass(3 * HOUR_MS);
		const before = [...changes().keys()];
		assert.ok(before.length >= 2 && before.every((startS) => startS * 1000 >= startMs), before.join());
		await bench.begin();
		await bench.end();
		await bench.pass(HOUR_MS);
		const after = [...changes()];
		assert.ok(after.length > 95, `${after.length} hours`);
		// The oldest stored row lies within the first hour, so the meter's own rows cover only a part of it.
		for (const [startS, change] of after.slice(1)) {
			const [from, to] = [startS * 1000, startS * 1000 + HOUR_MS].map((ms) => countersAt(ms).importWh);
			assert.ok(Math.abs(change - (to - from)) <= 12, `${new Date(startS * 1000).toISOString()}: ${change}`);
		}
		await bench.gateway.stop();
	});
});
