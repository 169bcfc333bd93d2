/** Begins and aborts the entry of a PIN with both engines of `npm start`, in parallel because they run in real time. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isError } from "../api/gateway.js";
import type { EngineName } from "../api/process-gateway.js";
import { sendsAll, withHiddenMeter } from "./hidden-meter.js";

const abortEntry = (engine: EngineName) =>
	withHiddenMeter(engine, { pin: "0815" }, async (gateway, meter) => {
		await gateway.write("meter/pin", { pin: "9815", flashes: 1 });
		isError(await gateway.post("meter/probe"), 503, "busy");
		const reading = gateway.begin("GET", "iec62056/read");
		while (meter.display.flashes.length < 2) {
			await sleep(50);
			meter.display.isOpen(performance.now());
		}
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		// A client that waits for a readout gets the values that the meter sends meanwhile.
		assert.equal((await reading.reply()).status, 200);
		assert.equal(await sendsAll(gateway), false);
		meter.checkFlashes();
	});

describe("The PIN of a meter, at a pseudo-terminal", function () {
	this.timeout(60_000);
	it("can be entered, and its entry aborted, with either engine", async () => {
		await Promise.all((["node", "xs"] as const).map(abortEntry));
	});
});
