/** Hours that the meter has filled into the history reach the hub's statistics. */
import assert from "node:assert/strict";
import { countersAt } from "../../tools/meter/steady-household.js";
import { StateServer, TOKEN } from "../hub/bed.js";
import { StatisticsServer } from "../hub/statistics-server.js";
import { BackfillBed, HOUR_MS, MINUTE_MS } from "./bed.js";

const HUB = { enabled: true, url: "http://192.0.2.7:8123", token: TOKEN, lang: "en", statistics: true };

describe("Statistics for the hub from a filled history", function () {
	this.timeout(60_000);

	let bed: BackfillBed;
	let changes: () => Map<number, number>;
	afterEach(() => bed.gateway.stop());

	/** Starts with some hours of statistics, and a meter with these rows. */
	async function start(rows: number): Promise<void> {
		const startMs = Date.parse("2026-10-30T06:00:00Z");
		bed = await BackfillBed.start({ startMs, protocol: "dlms", stored: { rows } });
		const server = new StatisticsServer(undefined);
		const serve = () => {
			const states = new StateServer(bed.gateway.world);
			states.upgrade = (peer, head) => server.upgrade(peer, head);
			states.serve(8123);
		};
		bed.gateway.onWorld = () => {
			bed.connect();
			serve();
		};
		serve();
		changes = () => {
			const id = [...server.rows.keys()].find((name) => name.endsWith("_import")) ?? assert.fail("no statistics");
			return server.changesOf("import", id.slice("smart_meter_gateway:".length, -"_import".length));
		};
		await bed.write("hub", HUB);
		await bed.pass(3 * HOUR_MS);
		const before = [...changes().keys()];
		assert.ok(before.length >= 2 && before.every((startS) => startS * 1000 >= startMs), before.join());
	}

	it("have the hours before the first reading once the filling has ended", async () => {
		await start(400);
		await bed.begin();
		await bed.end();
		await bed.pass(HOUR_MS);
		check(95);
	});

	it("have the hours that were filled until it was turned off, even if the hub was away then", async () => {
		await start(10_000);
		await bed.begin();
		while ((await bed.status()).days_done < 3) await bed.pass(MINUTE_MS);
		bed.gateway.setAir("cafe -70 1");
		await bed.pass(MINUTE_MS);
		await bed.write("meter/backfill", { enabled: false });
		await bed.gateway.restart();
		bed.gateway.setAir("");
		await bed.pass(HOUR_MS);
		check(70);
	});

	function check(least: number): void {
		const after = [...changes()];
		assert.ok(after.length > least, `${after.length} hours`);
		// The oldest stored row lies within the first hour, so the meter's own rows cover only a part of it.
		for (const [startS, change] of after.slice(1)) {
			const [from, to] = [startS * 1000, startS * 1000 + HOUR_MS].map((ms) => countersAt(ms).importWh);
			assert.ok(Math.abs(change - (to - from)) <= 12, `${new Date(startS * 1000).toISOString()}: ${change}`);
		}
	}
});
