/** Meters that are asked by KMP and M-Bus, at the speed of their line, read by the whole gateway. */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";

const KINDS: readonly (readonly [what: string, options: readonly string[], protocol: string, unit: string])[] = [
	["KMP", ["--protocol", "kmp"], "KMP", "GJ"],
	["M-Bus", ["--protocol", "mbus"], "M-Bus", "kWh"],
	["M-Bus, asleep and in two frames", ["--protocol", "mbus", "--sleeps", "--two-frames"], "M-Bus", "kWh"],
];

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) {
	describe(`meters of heat, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine);
		});
		after(() => gateway?.stop());

		for (const [what, options, protocol, unit] of KINDS) {
			it(`are read by ${what}`, async () => {
				await gateway.write("meter/protocol", { protocol: "iec62056" });
				await gateway.connectProgram([...options, "--baud-pace", "--quiet"]);
				await gateway.write("meter/protocol", { protocol: options[1] });
				const readout = await gateway.read("iec62056/read");
				assert.deepEqual([readout.protocol, readout.mode, readout.status], [protocol, "", 0]);
				const find = (code: string) => readout.readings.find(({ obis_long }: JSONObject) => obis_long === code);
				const heat = find("6-0:1.0.0");
				assert.deepEqual([heat.value1_unit, heat.en], [unit, "Heat energy"]);
				assert.ok(heat.value1_number > 100);
				const flow = find("6-0:10.0.0");
				assert.equal(flow.value1_unit, "\u00b0C");
				assert.ok(flow.value1_number > 60 && flow.value1_number < 75);
			});
		}
	});
}
