/** The peaks from a household's history, over real sockets, for each engine of `npm start`. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ProcessGateway } from "../api/process-gateway.js";
import { giveHistory, NOW } from "../browser/household.js";

const TELEGRAM = Buffer.from("/TST5METER\r\n\r\n1-0:1.8.0(000100.000*kWh)\r\n1-0:1.7.0(01.500*kW)\r\n!\r\n");

for (const engine of ["node", "xs"] as const) {
	describe(`peaks, engine ${engine}`, function () {
		this.timeout(120_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.start(engine, { args: ["--time", NOW] });
			await giveHistory(gateway);
			await gateway.connectMeter({ telegram: TELEGRAM, mode: "D", pushBaud: 2400, pushMs: 2000 });
			await gateway.write("iec62056/config", { mode_d_enabled: true });
		});
		after(() => gateway?.stop());
		afterEach(function () {
			if (this.currentTest?.state === "failed") console.error(gateway.diagnosis);
		});

		for (const [minutes, count, level] of [
			[15, 1, "quarters"],
			[60, 3, "hours"],
		] as const) {
			it(`are the highest of the history's ${level}, of ${count} days`, async () => {
				await gateway.write("peaks", { interval_mins: minutes, count });
				await gateway.read("iec62056/read");
				const { periods } = await gateway.read(`meter/history?period=${level}`);
				const days = new Map<string, number>();
				for (const { localtime, import_wh = 0, partial, gap, interpolated, meter_changed } of periods) {
					const day = localtime.slice(0, 10);
					if (!(partial || gap || interpolated || meter_changed) && day >= "2026-11")
						days.set(day, Math.max(days.get(day) ?? 0, (import_wh * 60) / minutes));
				}
				const expected = [...days.values()].sort((a, b) => b - a).slice(0, 3);
				let actual: number[] = [];
				for (let tries = 0; tries < 50 && actual.length === 0; tries++) {
					await sleep(100);
					actual = (await gateway.read("peaks/status")).highest.map((one: { mean_w: number }) => one.mean_w);
				}
				assert.deepEqual(actual, expected.slice(0, actual.length));
				assert.equal(actual.length, expected.length);
			});
		}
	});
}
