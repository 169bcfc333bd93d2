/**
 * Reads simulated meters that send TIC at the speed of their line (`npm run meter` with a paced pseudo-terminal), with
 * either engine.
 */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

for (const engine of ["node", "xs"] as const) {
	describe(`meters that send TIC, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine, { isAhead: true });
		});
		after(() => gateway.stop());

		for (const [mode, baudrate] of [
			["standard", 9600],
			["historic", 1200],
		] as const) {
			it(`are read in the ${mode} form, at the speed that the gateway finds`, async () => {
				await gateway.write("meter/protocol", { protocol: "iec62056" });
				await gateway.connectProgram(["--protocol", "tic", "--tic-mode", mode, "--baud-pace", "--quiet"]);
				await gateway.write("meter/protocol", { protocol: "tic" });
				const readout = await gateway.read("iec62056/read");
				assert.deepEqual(
					[readout.protocol, readout.mode, readout.baudrate, readout.status, readout.meter_id],
					["TIC", "", baudrate, 0, "041876543210"],
				);
				const { value1_unit, value1_number, en } = readout.readings.find(({ obis }: JSONObject) => obis === "9.7.0");
				assert.deepEqual([value1_unit, en], ["VA", "Apparent power import"]);
				// Around noon the simulated house exports, and imports nothing.
				assert.ok(value1_number >= 0 && value1_number < 20_000, `${value1_number} VA`);
				const counters = readout.readings.filter(
					({ obis, value1_unit: unit }: JSONObject) => /^1.8./.test(String(obis)) && unit === "Wh",
				);
				assert.ok(
					counters.some(({ value1_number: counter }: JSONObject) => Number(counter) > 1000),
					"no counter",
				);
			});
		}
	});
}
