/** Black-box checks of system/version, status, power_mode and reboot. */
import assert from "node:assert/strict";
import { DEFAULT_CONFIG, isError, type TestGateway } from "./gateway.js";

export function systemChecks(gateway: () => TestGateway): void {
	describe("GET system/version", () => {
		it("describes the firmware, the page, the device and the build", async () => {
			const version = await gateway().read("system/version");
			assert.deepEqual(Object.keys(version), [
				"firmware",
				"frontend",
				"device",
				"build_number",
				"upgrade_url",
				"report_available",
			]);
			for (const part of [version.firmware, version.frontend]) {
				assert.deepEqual(Object.keys(part), ["version", "date", "time"]);
				assert.match(part.version, /^\d+\.\d+\.\d+/);
				assert.match(part.date, /^20\d\d-\d\d-\d\d$/);
				assert.match(part.time, /^\d\d:\d\d:\d\d$/);
			}
			const { device } = version;
			const names = ["manufacturer", "model", "serial", "product", "maker"];
			assert.deepEqual(Object.keys(device), [
				"manufacturer_id",
				"device_id",
				...names,
				"security_contact",
				"support_end",
			]);
			assert.equal(device.manufacturer_id, 0xfff1);
			assert.ok(Number.isInteger(device.device_id));
			for (const name of names) assert.ok(device[name].length > 0, name);
			assert.equal(typeof device.security_contact, "string");
			assert.equal(version.build_number, Number(version.firmware.version.split(".")[2].replace(/-.*/, "")));
			assert.equal(typeof version.upgrade_url, "string");
		});
	});

	describe("GET system/status", () => {
		it("shows supply, clock and states", async () => {
			const status = await gateway().read("system/status");
			for (const name of ["battery_voltage", "usb_voltage", "battery_status", "device_temperature", "timestamp"])
				assert.equal(typeof status[name], "number", name);
			for (const name of ["battery_powered", "clock_valid", "password_default"])
				assert.equal(typeof status[name], "boolean", name);
			assert.equal(status.power_mode, 0);
			assert.equal(status.clock_valid, true);
			assert.match(status.localtime, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
			assert.equal(Math.abs(Date.parse(status.localtime) / 1000 - status.timestamp), 0);
			assert.deepEqual([status.zigbee_enabled, status.zigbee_state], [false, "absent"]);
			assert.equal(status.wifi_enabled, true);
			assert.deepEqual([status.home_hub_enabled, status.hub_state], [false, "off"]);
			assert.ok(Number.isInteger(status.meter_readouts) && status.meter_readouts >= 0);
			assert.match(status.meter_state, /^(idle|ok|reading|port|iec62056-21\/[a-z-]+)$/);
		});
	});

	describe("system/power_mode", () => {
		it("accepts 0, 1 and 2, shows them here and in the status, and keeps them after a restart", async () => {
			for (const power_mode of [1, 2, 0, 2]) {
				assert.deepEqual(await gateway().write("system/power_mode", { power_mode }), { power_mode });
				assert.deepEqual(await gateway().read("system/power_mode"), { power_mode });
				assert.equal((await gateway().read("system/status")).power_mode, power_mode);
			}
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read("system/power_mode"), { power_mode: 2 });
			await gateway().write("system/power_mode", { power_mode: 0 });
		});
		it("rejects anything else, and keeps its value", async () => {
			for (const power_mode of [-1, 3, 1.5, 1e300, "1", true, null, [], {}])
				isError(await gateway().post("system/power_mode", { power_mode }), 400, "invalid_field", "power_mode");
			isError(await gateway().post("system/power_mode", {}), 400, "missing_field", "power_mode");
			assert.deepEqual(await gateway().read("system/power_mode"), { power_mode: 0 });
		});
	});

	describe("POST system/factory_reset", () => {
		it("transition: running, by factory_reset, to defaults, without the owner's settings, sessions, password and network", async () => {
			const before = await gateway().read("system/challenge", { token: null });
			await gateway().write("iec62056/config", { device_address: "42", baudrate_max: 2400 });
			await gateway().write("system/power_mode", { power_mode: 1 });
			await gateway().write("network/wifi", { ssid: "home", password: "home-secret", dhcp: true });
			const { token } = gateway();
			const { serial } = (await gateway().read("system/version")).device;
			const reply = await gateway().post("system/factory_reset");
			assert.equal(reply.status, 200);
			assert.equal(reply.text, "");
			isError(await gateway().get("iec62056/config", { token }), 401, "unauthorized");
			await gateway().rebooted();
			isError(await gateway().get("iec62056/config", { token }), 401, "unauthorized");
			await gateway().login();
			assert.deepEqual(await gateway().read("iec62056/config"), DEFAULT_CONFIG);
			assert.deepEqual(await gateway().read("system/power_mode"), { power_mode: 0 });
			assert.equal((await gateway().read("system/status")).password_default, true);
			const { wifi_ssid, ap_mode, connected } = await gateway().read("network/status");
			assert.deepEqual([wifi_ssid, ap_mode, connected], ["", true, false]);
			assert.equal((await gateway().read("system/version")).device.serial, serial);
			const after = await gateway().read("system/challenge", { token: null });
			assert.notEqual(after.salt, before.salt);
		});
	});

	describe("POST system/reboot", () => {
		it("transition: running, by reboot, to restarting: sessions are gone, settings are kept", async () => {
			await gateway().write("iec62056/config", { device_address: "42" });
			const { token } = gateway();
			const reply = await gateway().post("system/reboot");
			assert.equal(reply.status, 200);
			assert.equal(reply.text, "");
			assert.equal(reply.headers.get("content-length"), "0");
			await gateway().rebooted();
			isError(await gateway().get("iec62056/config", { token }), 401, "unauthorized");
			await gateway().login();
			assert.equal((await gateway().read("iec62056/config")).device_address, "42");
			assert.equal((await gateway().read("system/status")).clock_valid, true);
		});
	});
}
