/** The whole of it with both engines of `npm start`, side by side, since they wait for the clock. */
import assert from "node:assert/strict";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { enterPIN, HiddenMeter, sendsAll } from "./hidden-meter.js";

async function open(engine: EngineName): Promise<void> {
	const meter = await HiddenMeter.open({ pin: "0815", needsInf: true });
	let gateway: ProcessGateway | undefined;
	try {
		gateway = await ProcessGateway.start(engine, { meterPath: meter.port.path });
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "sml" });
		assert.equal(await sendsAll(gateway), false);
		await enterPIN(gateway, { pin: "0815", inf: 8 });
		assert.equal(await sendsAll(gateway), true);
		assert.deepEqual([meter.display.entered, meter.display.switched], [["0815"], ["InF"]]);
	} finally {
		await gateway?.stop();
		await meter.close();
	}
}

describe("The PIN of a meter and its InF, at a pseudo-terminal", function () {
	this.timeout(180_000);
	it("open what it sends with either engine", async () => {
		await Promise.all((["node", "xs"] as const).map(open));
	});
});
