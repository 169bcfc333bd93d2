/** The firmware on Linux begins to enter the PIN of a meter. */
import assert from "node:assert/strict";
import type { ProcessGateway } from "../api/process-gateway.js";
import { enterPIN, HiddenMeter, sendsAll } from "./hidden-meter.js";
import { PageAndUpload, startUploadable } from "./page-and-upload.js";

describe("The PIN of a meter, entered by the firmware on Linux during page loads and an upload", function () {
	this.timeout(120_000);
	let meter: HiddenMeter;
	let gateway: ProcessGateway;

	before(async () => {
		meter = await HiddenMeter.open({ pin: "0403" });
		gateway = await startUploadable("linux", { meterPath: meter.port.path });
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "sml" });
	});
	after(async () => {
		await gateway?.stop();
		await meter?.close();
	});

	it("is entered with flashes that a meter can detect", async function () {
		assert.equal(await sendsAll(gateway), false);
		const load = new PageAndUpload(gateway);
		await enterPIN(gateway, { pin: "0403" }, () => load.go());
		const done = await load.end();
		assert.equal(await sendsAll(gateway), true, gateway.diagnosis);
		meter.checkFlashes();
		assert.deepEqual([meter.display.entered, meter.display.flashes.length], [["0403"], 9]);
		const darkMs = Math.max(meter.longestDarkMs(2, 4), meter.longestDarkMs(6, 3));
		this.test!.title += ` (${Math.round(darkMs)} ms of dark within a digit at most, ${done})`;
	});
	it("can be aborted", async () => {
		await gateway.write("meter/pin", { pin: "0403" });
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		// One flash in the menu has no visible effect yet.
		assert.equal(await sendsAll(gateway), true);
	});
});
