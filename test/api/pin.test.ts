/** The PIN of a meter's display, by HTTP, on virtual time. What the light is like: test/meter/pin.test.ts. */
import assert from "node:assert/strict";
import { isError, vectorOf } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");
const PIN = "90817263";

describe("POST meter/pin", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS });
		await gateway.login();
		await gateway.connectMeter({ telegram });
	});
	afterEach(() => gateway.stop());

	it("tells how long it takes, and has the line for so long", async () => {
		const { duration_ms } = await gateway.write("meter/pin", { pin: PIN });
		assert.equal(duration_ms, 2 * 2000 + 36 * 1000 + 7 * 4000 + 3000);
		await gateway.pass(duration_ms - 500);
		isError(await gateway.post("meter/probe"), 503, "busy");
		const again = await gateway.post("meter/pin", { pin: "1234" });
		isError(again, 409, "busy");
		assert.equal(again.headers.get("retry-after"), "5");
		// Who asks for a readout meanwhile waits for it.
		assert.equal((await gateway.read("iec62056/read")).status, 0);
		assert.equal((await gateway.write("meter/pin", { pin: "0000", flashes: 0 })).duration_ms, 12_000);
	});
	it("waits for nobody: 409 while a readout goes on", async () => {
		const reading = gateway.begin("GET", "iec62056/read");
		await gateway.pass(50);
		isError(await gateway.post("meter/pin", { pin: PIN }), 409, "busy");
		assert.equal((await reading.reply()).status, 200);
	});
	it("tells that the head's port can't be used", async () => {
		await gateway.connectMeter(undefined);
		const reply = await gateway.post("meter/pin", { pin: PIN });
		isError(reply, 500, "meter_error");
		assert.equal(JSON.parse(reply.text).code, "port");
		await gateway.connectMeter({ telegram });
		assert.equal((await gateway.read("iec62056/read")).status, 0);
	});
	it("takes no time with the simulator", async () => {
		await gateway.write("iec62056/control", { simulator_en: true });
		assert.equal((await gateway.write("meter/pin", { pin: PIN })).duration_ms, 0);
		assert.equal((await gateway.read("iec62056/read")).status, 0);
	});
	it("leaves the PIN nowhere: not in the settings, the backup, the logs or what is traced", async () => {
		await gateway.write("iec62056/control", { log_en: true });
		const { duration_ms } = await gateway.write("meter/pin", { pin: PIN });
		await gateway.pass(duration_ms);
		for (const path of ["iec62056/log", "system/log", "system/backup", "iec62056/last", "metrics"])
			assert.ok(!(await gateway.get(path)).text.includes(PIN), path);
		assert.deepEqual((await gateway.read("iec62056/log")).entries, []);
		assert.ok(!gateway.diagnosis.includes(PIN));
	});
});
