/** `npm start -- --hub-demo` shows the gateway's readings on the page of the stand-in for Home Assistant. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { OUR_METER, ProcessGateway } from "../../api/process-gateway.js";

const LIMIT_MS = 30_000;

describe("npm start -- --hub-demo", function () {
	this.timeout(2 * LIMIT_MS);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("node", { args: ["--hub-demo"], meterPath: OUR_METER });
	});
	after(() => gateway?.stop());

	it("sets hub and schedule, and shows the entities after a readout", async () => {
		const url = /on the page of the stand-in: (\S+)/.exec(gateway.diagnosis)?.[1];
		assert.ok(url, gateway.diagnosis);
		const { enabled, token_set, url: set } = await gateway.read("hub");
		assert.deepEqual([enabled, token_set, set], [true, true, url]);
		const { period_unit, period_value } = await gateway.read("iec62056/schedule");
		assert.deepEqual([period_unit, period_value], ["minutes", 1]);
		await gateway.read("iec62056/read");
		const limit = Date.now() + LIMIT_MS;
		for (;;) {
			const page = await (await fetch(url)).text();
			if (/Active energy import total.*sensor\.smgw_\w+_1_8_0.*\d kWh/s.test(page)) return;
			assert.ok(Date.now() < limit, page);
			await sleep(200);
		}
	});
});
