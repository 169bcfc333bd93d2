/** Network settings, in a world without a radio: each field, what is stored, what is refused (decisions 34, 35, 40). */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";

const NO_BOOLEAN = [0, 1, "true", "", null, [], {}];
const NO_TEXT = [0, true, null, [], ["x"], {}];
const PASSWORD = "secret-of-the-network";
const DHCP = { ssid: "home", password: PASSWORD, dhcp: true };
const STATIC = { ...DHCP, dhcp: false, ip: "192.168.1.20", netmask: "255.255.255.0", gateway: "192.168.1.1" };
const WIFI = "network/wifi";
const AP = "network/ap";
const FALLBACK = "network/fallback-ap";
const ENABLED = "network/wifi-enabled";

export function networkChecks(gateway: () => TestGateway): void {
	describe("network", () => {
		const status = (): Promise<JSONObject> => gateway().read("network/status");

		async function restart(damaged?: string): Promise<void> {
			await gateway().restart(damaged);
			await gateway().login();
		}

		/** Settings of a new unit. */
		async function renew(): Promise<void> {
			await restart("wifi");
			await restart("network");
		}

		async function refused(path: string, body: unknown, error: string, field: string): Promise<void> {
			const before = await status();
			const fallback = await gateway().read(FALLBACK);
			isError(await gateway().post(path, body), 400, error, field);
			assert.deepEqual(await status(), before);
			assert.deepEqual(await gateway().read(FALLBACK), fallback);
		}

		async function refusedValues(path: string, base: object, field: string, values: readonly unknown[]): Promise<void> {
			for (const value of values) await refused(path, { ...base, [field]: value }, "invalid_field", field);
		}

		before(() => {
			gateway().plant(PASSWORD);
		});
		after(renew);

		it("tells of a new unit", async () => {
			const { hostname } = gateway();
			assert.deepEqual(await status(), {
				ip: "0.0.0.0",
				netmask: "0.0.0.0",
				gateway: "0.0.0.0",
				hostname,
				dhcp: true,
				ssid: "",
				rssi: 0,
				channel: 0,
				authmode: 0,
				ap_mode: false,
				secure: true,
				ntp_server: "pool.ntp.org",
				wifi_enabled: false,
				wifi_temporary: false,
				ap_ssid: hostname,
				ap_enabled: false,
				ap_clients: 0,
				connected: false,
				wifi_last_error: null,
			});
			assert.deepEqual(await gateway().read("network/scan"), { hostname, networks: [] });
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: true });
			assert.deepEqual(await gateway().read(ENABLED), { wifi_enabled: false });
		});

		it("keeps a network, and answers as firmware 1.0.x did", async () => {
			const { hostname } = gateway();
			const none = { ip: "0.0.0.0", netmask: "0.0.0.0", gateway: "0.0.0.0" };
			assert.deepEqual(await gateway().write(WIFI, DHCP), { ssid: "home", dhcp: true, hostname, ...none });
			const { password, ...shown } = STATIC;
			assert.deepEqual(await gateway().write(WIFI, STATIC), { ...shown, hostname });
			// What a page sends along with DHCP counts for nothing.
			const along = { ...DHCP, ip: "", netmask: "1", gateway: "999.9.9.9", apply: false, other: [1] };
			assert.deepEqual(await gateway().write(WIFI, along), { ssid: "home", dhcp: true, hostname, ...none });
		});

		it("needs ssid, password and dhcp, and without DHCP the addresses", async () => {
			await refused(WIFI, {}, "missing_field", "ssid");
			for (const field of ["ssid", "password", "dhcp"])
				await refused(WIFI, { ...DHCP, [field]: undefined }, "missing_field", field);
			for (const field of ["ip", "netmask", "gateway"])
				await refused(WIFI, { ...STATIC, [field]: undefined }, "missing_field", field);
			for (const field of ["dhcp", "apply"]) await refusedValues(WIFI, DHCP, field, NO_BOOLEAN);
		});

		it("has an SSID of 1 to 31 characters and up to 32 bytes", async () => {
			for (const ssid of ["s", "s".repeat(30), "s".repeat(31), "\u00e9".repeat(16), "\u{1f600}".repeat(8), ' a "\\ ']) {
				assert.equal((await gateway().write(WIFI, { ...DHCP, ssid })).ssid, ssid);
				assert.equal((await gateway().write(AP, { ap_ssid: ssid })).ap_ssid, ssid);
			}
			const bad = [...NO_TEXT, "", "s".repeat(32), "\u00e9".repeat(17), "\u{1f600}".repeat(9), "a\nb", "a\u0000"];
			await refusedValues(WIFI, DHCP, "ssid", bad);
			await refusedValues(AP, {}, "ap_ssid", bad);
		});

		it("has a password of 8 to 63 characters, or none for an open network", async () => {
			for (const password of ["", "p".repeat(8), "p".repeat(62), "p".repeat(63), "\u00fc".repeat(31)])
				await gateway().write(WIFI, { ...DHCP, password });
			for (const ap_password of ["p".repeat(8), "p".repeat(63)]) await gateway().write(AP, { ap_password });
			const bad = [...NO_TEXT, "p", "p".repeat(7), "p".repeat(64), "\u00fc".repeat(32), "pppp\tpppp"];
			await refusedValues(WIFI, DHCP, "password", bad);
			await refusedValues(AP, {}, "ap_password", [...bad, ""]);
		});

		it("has a hostname of 1 to 31 letters, digits and hyphens", async () => {
			for (const hostname of ["h", "9", "a-b", "A".repeat(31)]) {
				assert.equal((await gateway().write(WIFI, { ...DHCP, hostname })).hostname, hostname);
				assert.equal((await status()).hostname, hostname);
			}
			assert.equal((await gateway().write(WIFI, DHCP)).hostname, "A".repeat(31));
			const bad = [...NO_TEXT, "", "-a", "a-", "-", "a_b", "a.b", "a b", "\u00fc", "h".repeat(32)];
			await refusedValues(WIFI, DHCP, "hostname", bad);
		});

		it("has static addresses that a device can have", async () => {
			for (const [ip, netmask, address] of [
				["10.0.0.1", "255.0.0.0", "10.255.255.254"],
				["192.168.1.254", "255.255.255.0", "192.168.1.1"],
				["172.16.0.1", "255.255.255.252", "172.16.0.2"],
				["223.255.255.1", "255.255.128.0", "223.255.255.2"],
			]) {
				const reply = await gateway().write(WIFI, { ...STATIC, ip, netmask, gateway: address });
				assert.deepEqual([reply.ip, reply.netmask, reply.gateway], [ip, netmask, address]);
			}
			const none = [...NO_TEXT, "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.", "1..2.3", "a.b.c.d"];
			for (const field of ["ip", "netmask", "gateway"]) await refusedValues(WIFI, STATIC, field, none);
			const ips = ["192.168.1.0", "192.168.1.255", "0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "255.255.255.255"];
			await refusedValues(WIFI, STATIC, "ip", ips);
			const masks = ["0.0.0.0", "254.0.0.0", "255.255.255.254", "255.255.255.255", "255.0.255.0", "0.0.0.255"];
			await refusedValues(WIFI, STATIC, "netmask", masks);
			const gateways = ["192.168.1.20", "192.168.2.1", "192.168.0.255", "192.168.1.0", "192.168.1.255"];
			await refusedValues(WIFI, STATIC, "gateway", gateways);
		});

		it("changes of the access point what is given", async () => {
			await gateway().write(AP, { ap_ssid: "own", ap_password: PASSWORD, ap_enabled: false });
			assert.deepEqual(await gateway().write(AP, {}), { ap_ssid: "own", ap_enabled: false });
			for (const field of ["ap_enabled", "apply"]) await refusedValues(AP, {}, field, NO_BOOLEAN);
			await refused(AP, { ap_ssid: "other", ap_password: "short" }, "invalid_field", "ap_password");
			assert.equal((await status()).ap_ssid, "own");
		});

		it("switches the fallback and Wi-Fi", async () => {
			for (const fallback_ap_enabled of [false, true]) {
				assert.deepEqual(await gateway().write(FALLBACK, { fallback_ap_enabled }), { fallback_ap_enabled });
				assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled });
			}
			assert.deepEqual(await gateway().write(ENABLED, { wifi_enabled: false }), { wifi_enabled: false });
			for (const [path, field] of [
				[FALLBACK, "fallback_ap_enabled"],
				[ENABLED, "wifi_enabled"],
			] as const) {
				await refused(path, {}, "missing_field", field);
				await refusedValues(path, {}, field, NO_BOOLEAN);
			}
		});

		it("turns on nothing without a radio, and keeps nothing of such a request", async () => {
			await gateway().write(AP, { ap_ssid: "own" });
			for (const [path, body] of [
				[WIFI, { ...DHCP, ssid: "other", apply: true }],
				[AP, { ap_ssid: "other", ap_enabled: true }],
				[ENABLED, { wifi_enabled: true }],
			] as const) {
				const before = await status();
				isError(await gateway().post(path, body), 501, "unsupported");
				assert.deepEqual(await status(), before);
			}
			isError(await gateway().post(WIFI, { ...DHCP, ssid: "", apply: true }), 400, "invalid_field", "ssid");
		});

		it("survives a restart, and a damaged entry costs that entry", async () => {
			await gateway().write(WIFI, { ...STATIC, hostname: "cellar" });
			await gateway().write(AP, { ap_ssid: "own", ap_password: PASSWORD });
			await gateway().write(FALLBACK, { fallback_ap_enabled: false });
			await restart();
			const shown = await status();
			assert.deepEqual([shown.ssid, shown.dhcp, shown.hostname, shown.ap_ssid], ["home", false, "cellar", "own"]);
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: false });
			await restart("wifi");
			const { ssid, dhcp, hostname, ap_ssid } = await status();
			assert.deepEqual([ssid, dhcp, hostname, ap_ssid], ["", true, gateway().hostname, "own"]);
			await restart("network");
			assert.equal((await status()).ap_ssid, gateway().hostname);
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: true });
			await gateway().write(WIFI, DHCP);
			await gateway().write(FALLBACK, { fallback_ap_enabled: false });
			assert.equal((await status()).ssid, "home");
		});
	});
}
