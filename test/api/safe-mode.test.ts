/** Safe mode over HTTP: which routes work, which do not, and how it ends. */
import assert from "node:assert/strict";
import { iecVectors } from "../vectors.js";
import { isError } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const PANIC = Object.freeze({ cause: "panic", isFault: true });
const { telegram } = iecVectors().find(({ mode }) => mode === "C")!;

describe("Safe mode", function () {
	this.timeout(120_000);
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS });
		await gateway.connectMeter({ telegram });
		for (let i = 0; i < 3; i++) {
			assert.equal((await gateway.read("system/status")).safe_mode, undefined);
			await gateway.restart(undefined, PANIC);
			await gateway.login();
		}
	});
	afterEach(() => gateway.stop());

	it("is reported with its cause in the status and in the trace", async () => {
		assert.equal((await gateway.read("system/status")).safe_mode, "panic; panic; panic");
		assert.match(gateway.diagnosis, /^safe mode: .*panic; panic; panic/m);
	});

	it("keeps network, login, settings and page, but closes the meter's line and the UDP ports", async () => {
		assert.equal((await gateway.untilNetwork(({ connected }) => connected)).connected, true);
		// In mode D the gateway would otherwise listen to the meter all the time.
		await gateway.write("iec62056/config", { mode_d_enabled: true });
		await gateway.write("iec62056/control", { log_en: true, simulator_en: false });
		isError(await gateway.get("iec62056/read"), 501, "unsupported");
		isError(await gateway.post("meter/probe"), 501, "unsupported");
		assert.equal((await gateway.read("iec62056/last")).running, false);
		await gateway.pass(60_000);
		assert.equal(gateway.world.serial.meter.isOpen, false);
		assert.deepEqual(gateway.world.udp.ports, []);
		assert.equal((await gateway.get("/")).status, 200);
	});

	it("ends with a restart that the user requests", async () => {
		await gateway.post("system/reboot");
		await gateway.loginAfterReboot();
		assert.equal((await gateway.read("system/status")).safe_mode, undefined);
		assert.equal((await gateway.read("iec62056/read")).readings.length > 0, true);
		// The count of crashes has been reset: another crash counts as the first.
		await gateway.restart(undefined, PANIC);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).safe_mode, undefined);
	});

	it("allows a factory reset, and ends with it", async () => {
		const { storage } = gateway.world;
		// Progress of the hub, which sends nothing in safe mode.
		storage.set("hub_statistics", Uint8Array.of(1));
		await gateway.write("system/power_mode", { power_mode: 1 });
		assert.equal((await gateway.post("system/factory_reset")).status, 200);
		await gateway.loginAfterReboot();
		assert.ok(!storage.keys().includes("hub_statistics"));
		const { safe_mode, power_mode } = await gateway.read("system/status");
		assert.deepEqual([safe_mode, power_mode], [undefined, 0]);
	});

	it("ends by itself after an hour", async () => {
		await gateway.pass(59 * 60_000);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).safe_mode, "panic; panic; panic");
		await gateway.pass(60_000);
		await gateway.loginAfterReboot();
		assert.equal((await gateway.read("system/status")).safe_mode, undefined);
	});

	it("continues after a fault, and ends with a power cut", async () => {
		await gateway.restart(undefined, PANIC);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).safe_mode, "panic; panic; panic; panic");
		gateway.world.retained.lose();
		await gateway.restartAndLogin();
		assert.equal((await gateway.read("system/status")).safe_mode, undefined);
	});
});
