import assert from "node:assert/strict";
import { expectFaults } from "../faults.js";
import { isError, type JSONObject, PASSWORD } from "./gateway.js";
import { LAN_CLIENT, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

describe("GET system/log", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(() => gateway.stop());

	async function events(): Promise<string[]> {
		const log = await gateway.read("system/log");
		return log.events.map(({ event, detail }: JSONObject) => `${event} ${detail}`.trim());
	}

	it("shows the start and the login", async () => {
		const log = await gateway.read("system/log");
		assert.equal(log.dropped, 0);
		assert.deepEqual(
			log.events.map(({ event }: JSONObject) => event),
			["started", "login"],
		);
		const [started, login] = log.events;
		assert.equal(started.detail, "power was switched on");
		assert.deepEqual([login.detail, login.count], [LAN_CLIENT, 1]);
		assert.ok(login.time >= START_UTC_MS / 1000 && login.uptime <= log.uptime);
	});

	it("requires a token of full scope", async () => {
		const { token } = await gateway.write("system/tokens", { name: "wall", scope: "read" });
		isError(await gateway.get("system/log", { token: null }), 401, "unauthorized");
		isError(await gateway.get("system/log", { token }), 403, "forbidden_scope");
	});

	it("shows changed settings, tokens, refused logins, restarts and a failed readout", async () => {
		await gateway.write("meter/protocol", { protocol: "dlms" });
		const { id } = await gateway.write("system/tokens", { name: "hub" });
		await gateway.request("DELETE", `system/tokens/${id}`);
		await gateway.post("system/login", { username: "admin", password: "wrong-password" });
		await gateway.get("iec62056/read");
		await gateway.post("system/reboot", {});
		await gateway.loginAfterReboot();
		const shown = await events();
		for (const expected of [
			"settings_changed meter",
			"token_made hub",
			`token_revoked ${id}`,
			`login_refused ${LAN_CLIENT}`,
			"restart",
		])
			assert.ok(shown.includes(expected), `${expected}: ${shown.join(", ")}`);
		assert.ok(
			shown.some((text) => text.startsWith("meter_failed ")),
			`${shown}`,
		);
		assert.equal(shown.filter((text) => text.startsWith("started")).length, 2);
	});

	it("has one entry when the meter fails repeatedly, and one when it is read again", async () => {
		await gateway.connectMeter(undefined);
		for (let i = 0; i < 3; i++) await gateway.get("iec62056/read");
		await gateway.write("iec62056/control", { simulator_en: true });
		for (let i = 0; i < 3; i++) await gateway.read("iec62056/read");
		const shown = (await events()).filter((text) => text.startsWith("meter"));
		assert.deepEqual(shown, ["meter_failed port", "meter_read"]);
	});

	it("contains no secret that was ever sent", async () => {
		const canary = "canary-4711";
		await gateway.post("system/login", { username: canary, password: canary });
		await gateway.post("system/password", { old_password: canary, new_password: canary });
		await gateway.write("dlms/config", { auth: "low", password: canary });
		await gateway.write("hub", { enabled: true, url: "http://hub.local:8123", token: canary });
		await gateway.write("network/wifi", { ssid: canary, password: canary, dhcp: true });
		await gateway.post("system/password", { old_password: PASSWORD, new_password: canary });
		const { text } = await gateway.get("system/log");
		assert.ok(!text.includes(canary), text);
		assert.ok(!text.includes(PASSWORD));
	});

	it("contains nothing from before a factory reset that a power cut interrupted", async () => {
		await gateway.write("meter/protocol", { protocol: "dlms" });
		expectFaults(/^fault: flash: \w+: (power cut|no power)/);
		gateway.world.storage.cutPowerAt(2, false);
		await gateway.get("system/version");
		await gateway.post("system/factory_reset", {}).catch(() => undefined);
		gateway.world.storage.powerUp();
		await gateway.restart();
		// The start repeats the reset, and restarts again.
		await gateway.loginAfterReboot();
		assert.deepEqual(
			(await events()).map((text) => text.split(" ")[0]),
			["storage_refused", "restart", "started", "restart", "started", "login"],
		);
	});

	it("contains nothing from before a factory reset", async () => {
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.post("system/factory_reset", {});
		await gateway.loginAfterReboot();
		const shown = await events();
		assert.deepEqual(
			shown.map((text) => text.split(" ")[0]),
			["restart", "started", "login"],
		);
	});
});
