/** Both engines of `npm start`, side by side, since they wait for the clock: the beginning of a PIN, broken off. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isError } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { HiddenMeter, sendsAll } from "./hidden-meter.js";

async function breakOff(engine: EngineName): Promise<void> {
	const meter = await HiddenMeter.open({ pin: "0815" });
	let gateway: ProcessGateway | undefined;
	try {
		gateway = await ProcessGateway.start(engine, { meterPath: meter.port.path });
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "sml" });
		assert.equal(await sendsAll(gateway), false);
		await gateway.write("meter/pin", { pin: "9815", flashes: 1 });
		isError(await gateway.post("meter/probe"), 503, "busy");
		const reading = gateway.begin("GET", "iec62056/read");
		while (meter.display.flashes.length < 2) {
			await sleep(50);
			meter.display.isOpen(performance.now());
		}
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		// Who has asked meanwhile gets what the meter sends now.
		assert.equal((await reading.reply()).status, 200);
		assert.equal(await sendsAll(gateway), false);
		meter.checkFlashes();
	} finally {
		await gateway?.stop();
		await meter.close();
	}
}

describe("The PIN of a meter, at a pseudo-terminal", function () {
	this.timeout(60_000);
	it("is begun and broken off with either engine", async () => {
		await Promise.all((["node", "xs"] as const).map(breakOff));
	});
});
