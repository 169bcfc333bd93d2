/**
 * Network settings: each field, accepted and rejected values, and behaviour in the simulated air. `noRadioChecks` is
 * for a unit without a radio.
 */
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
const ETHERNET = "network/ethernet";
/** Members of the status that change only with the settings. */
const SETTINGS = ["hostname", "dhcp", "ntp_server", "wifi_enabled", "ap_ssid", "ap_enabled"];
const BENCH = { ssid: "bench", password: "bench-network", dhcp: true, apply: true };

/** Time in which settings are applied after their reply, ms. */
const APPLIED_MS = 2000;

export function networkChecks(gateway: () => TestGateway): void {
	describe("network", () => {
		let unit = "";
		const status = (): Promise<JSONObject> => gateway().read("network/status");

		async function settings(): Promise<unknown[]> {
			const shown = await status();
			return [...SETTINGS.map((name) => shown[name]), await gateway().read(FALLBACK)];
		}

		async function restart(damaged?: string): Promise<void> {
			await gateway().restartAndLogin(damaged);
		}

		/** Restores the settings of a new unit. */
		async function renew(): Promise<void> {
			await gateway().restartWithout("wifi");
			await gateway().restartWithout("network");
			await gateway().login();
		}

		async function refused(path: string, body: unknown, error: string, field: string): Promise<void> {
			const before = await settings();
			isError(await gateway().post(path, body), 400, error, field);
			assert.deepEqual(await settings(), before);
		}

		async function refusedValues(path: string, base: object, field: string, values: readonly unknown[]): Promise<void> {
			for (const value of values) await refused(path, { ...base, [field]: value }, "invalid_field", field);
		}

		before(async () => {
			gateway().plant(PASSWORD);
			gateway().plant(BENCH.password);
			await gateway().login();
			await renew();
			unit = gateway().hostname;
		});
		after(async () => {
			gateway().setAir("");
			await renew();
		});

		it("describes a new unit, whose only network is its own access point", async () => {
			assert.deepEqual(await status(), {
				ip: "192.168.4.1",
				netmask: "255.255.255.0",
				gateway: "192.168.4.1",
				hostname: unit,
				dhcp: false,
				ssid: unit,
				rssi: 0,
				channel: 1,
				authmode: 0,
				ap_mode: true,
				secure: true,
				ntp_server: "pool.ntp.org",
				ntp_last_sync: 0,
				ntp_last_error: null,
				wifi_enabled: true,
				wifi_temporary: false,
				wifi_ssid: "",
				wifi_dhcp: true,
				ap_ssid: unit,
				ap_enabled: false,
				ap_clients: 0,
				connected: false,
				wifi_last_error: null,
				interface: "access_point",
				ethernet: false,
				ethernet_enabled: false,
				ethernet_speed: 0,
				ethernet_mac: "",
				ethernet_last_error: null,
			});
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: true });
			assert.deepEqual(await gateway().read(ENABLED), { wifi_enabled: true, tx_power_dbm: 0 });
		});

		it("lists the networks within range", async () => {
			gateway().setAir("bench -48 6 bench-network\ncafe -30 1\n");
			assert.deepEqual(await gateway().read("network/scan"), {
				hostname: unit,
				networks: [
					{ ssid: "cafe", bssid: "02005e200001", rssi: -30, channel: 1, authmode: 0 },
					{ ssid: "bench", bssid: "02005e200006", rssi: -48, channel: 6, authmode: 3 },
				],
			});
		});

		it("transition: any network, by POST network/wifi with apply, to connecting after the reply; lost, and back", async () => {
			const reply = await gateway().write(WIFI, BENCH);
			assert.deepEqual([reply.ssid, reply.dhcp, reply.ip], ["bench", true, "0.0.0.0"]);
			const joined = await gateway().untilNetwork(({ connected }) => connected);
			const { ssid, rssi, channel, authmode, wifi_last_error } = joined;
			assert.deepEqual([ssid, rssi, channel, authmode, wifi_last_error], ["bench", -48, 6, 3, null]);
			assert.match(joined.ip, /^\d+\.\d+\.\d+\.\d+$/);
			assert.notEqual(joined.ip, "192.168.4.1");
			// A known network keeps its password when address or hostname change.
			const { apply, dhcp } = BENCH;
			await gateway().write(WIFI, { ssid, dhcp, apply, hostname: unit });
			// It leaves and joins again, too quickly to be seen on a busy computer.
			await gateway().pass(APPLIED_MS);
			await gateway().untilNetwork(({ connected }) => connected);
			isError(await gateway().post(WIFI, { ssid: "cafe", dhcp, apply }), 400, "missing_field", "password");
			gateway().setAir("cafe -30 1\n");
			// The radio has lost its network a moment before it reports the reason.
			const lost = await gateway().untilNetwork(({ wifi_last_error }) => wifi_last_error !== null);
			assert.equal(lost.connected, false);
			assert.match(lost.wifi_last_error, /^wifi\/(lost|not-found)$/);
			gateway().setAir("");
			await gateway().untilNetwork(({ connected }) => connected);
		});

		it("transition: radio enabled, by wifi-enabled false, to disabled after the reply, and on again", async () => {
			await gateway().write(WIFI, BENCH);
			await gateway().untilNetwork(({ connected }) => connected);
			assert.deepEqual(await gateway().write(ENABLED, { wifi_enabled: false }), {
				wifi_enabled: false,
				tx_power_dbm: 0,
			});
			const off = await gateway().untilNetwork(({ connected, ap_mode }) => !connected && !ap_mode);
			assert.deepEqual([off.ip, off.wifi_enabled], ["0.0.0.0", false]);
			assert.deepEqual((await gateway().read("network/scan")).networks, []);
			assert.deepEqual(await gateway().write(ENABLED, { wifi_enabled: true }), { wifi_enabled: true, tx_power_dbm: 0 });
			await gateway().untilNetwork(({ connected }) => connected);
			await renew();
		});

		it("stores a network, and replies as firmware 1.0.x did", async () => {
			const hostname = unit;
			const none = { ip: "0.0.0.0", netmask: "0.0.0.0", gateway: "0.0.0.0" };
			assert.deepEqual(await gateway().write(WIFI, DHCP), { ssid: "home", dhcp: true, hostname, ...none });
			const { password, ...shown } = STATIC;
			assert.deepEqual(await gateway().write(WIFI, STATIC), { ...shown, hostname });
			// With DHCP the gateway ignores the address fields.
			const along = { ...DHCP, ip: "", netmask: "1", gateway: "999.9.9.9", apply: false, other: [1] };
			assert.deepEqual(await gateway().write(WIFI, along), { ssid: "home", dhcp: true, hostname, ...none });
		});

		it("requires ssid, password and dhcp, and without DHCP the addresses", async () => {
			await refused(WIFI, {}, "missing_field", "ssid");
			for (const field of ["ssid", "dhcp"])
				await refused(WIFI, { ...DHCP, [field]: undefined }, "missing_field", field);
			await refused(WIFI, { ...DHCP, ssid: "another", password: undefined }, "missing_field", "password");
			for (const field of ["ip", "netmask", "gateway"])
				await refused(WIFI, { ...STATIC, [field]: undefined }, "missing_field", field);
			for (const field of ["dhcp", "apply"]) await refusedValues(WIFI, DHCP, field, NO_BOOLEAN);
		});

		it("accepts an SSID of 1 to 31 characters and up to 32 bytes", async () => {
			for (const ssid of ["s", "s".repeat(30), "s".repeat(31), "\u00e9".repeat(16), "\u{1f600}".repeat(8), ' a "\\ ']) {
				assert.equal((await gateway().write(WIFI, { ...DHCP, ssid })).ssid, ssid);
				assert.equal((await gateway().write(AP, { ap_ssid: ssid })).ap_ssid, ssid);
			}
			const bad = [...NO_TEXT, "", "s".repeat(32), "\u00e9".repeat(17), "\u{1f600}".repeat(9), "a\nb", "a\u0000"];
			await refusedValues(WIFI, DHCP, "ssid", bad);
			await refusedValues(AP, {}, "ap_ssid", bad);
		});

		it("accepts a password of 8 to 63 characters, or none for an open network", async () => {
			for (const password of ["", "p".repeat(8), "p".repeat(62), "p".repeat(63), "\u00fc".repeat(31)])
				await gateway().write(WIFI, { ...DHCP, password });
			for (const ap_password of ["p".repeat(8), "p".repeat(63)]) await gateway().write(AP, { ap_password });
			const bad = [...NO_TEXT, "p", "p".repeat(7), "p".repeat(64), "\u00fc".repeat(32), "pppp\tpppp"];
			await refusedValues(WIFI, DHCP, "password", bad);
			await refusedValues(AP, {}, "ap_password", [...bad, ""]);
		});

		it("accepts a hostname of 1 to 31 letters, digits and hyphens", async () => {
			for (const hostname of ["h", "9", "a-b", "A".repeat(31)]) {
				assert.equal((await gateway().write(WIFI, { ...DHCP, hostname })).hostname, hostname);
				assert.equal((await status()).hostname, hostname);
			}
			await gateway().renamed("A".repeat(31));
			assert.equal((await gateway().write(WIFI, DHCP)).hostname, "A".repeat(31));
			const bad = [...NO_TEXT, "", "-a", "a-", "-", "a_b", "a.b", "a b", "\u00fc", "h".repeat(32)];
			await refusedValues(WIFI, DHCP, "hostname", bad);
		});

		it("accepts only static addresses that a device can have", async () => {
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

		it("changes only those settings of the access point that the request has", async () => {
			await gateway().write(AP, { ap_ssid: "own", ap_password: PASSWORD, ap_enabled: false });
			assert.deepEqual(await gateway().write(AP, {}), { ap_ssid: "own", ap_enabled: false });
			for (const field of ["ap_enabled", "apply"]) await refusedValues(AP, {}, field, NO_BOOLEAN);
			await refused(AP, { ap_ssid: "other", ap_password: "short" }, "invalid_field", "ap_password");
			assert.equal((await status()).ap_ssid, "own");
		});

		it("turns the fallback access point on and off", async () => {
			for (const fallback_ap_enabled of [false, true]) {
				assert.deepEqual(await gateway().write(FALLBACK, { fallback_ap_enabled }), { fallback_ap_enabled });
				assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled });
			}
			for (const [path, field] of [
				[FALLBACK, "fallback_ap_enabled"],
				[ENABLED, "wifi_enabled"],
			] as const) {
				await refused(path, {}, "missing_field", field);
				await refusedValues(path, {}, field, NO_BOOLEAN);
			}
		});

		it("has no Ethernet port and can't turn one on, but stores settings for one", async () => {
			const dhcp = { ethernet_enabled: false, dhcp: true, ip: "", netmask: "", gateway: "", dns: "" };
			assert.deepEqual(await gateway().read(ETHERNET), dhcp);
			const { ssid: _, password, ...address } = STATIC;
			const fixed = { ...address, ethernet_enabled: false, dns: "192.168.1.2" };
			assert.deepEqual(await gateway().write(ETHERNET, fixed), fixed);
			isError(await gateway().post(ETHERNET, { ...dhcp, ethernet_enabled: true }), 501, "unsupported");
			assert.deepEqual(await gateway().read(ETHERNET), fixed);
			await gateway().write(ENABLED, { wifi_enabled: false });
			assert.deepEqual(await gateway().write(ENABLED, { wifi_enabled: true }), { wifi_enabled: true, tx_power_dbm: 0 });
			assert.deepEqual(await gateway().write(ETHERNET, { ethernet_enabled: false, dhcp: true }), dhcp);
		});

		it("survives a restart, and a damaged entry loses only its own settings", async () => {
			await gateway().write(WIFI, { ...STATIC, hostname: "cellar" });
			await gateway().write(AP, { ap_ssid: "own", ap_password: PASSWORD });
			await gateway().write(FALLBACK, { fallback_ap_enabled: false });
			await restart();
			const shown = await status();
			assert.deepEqual([shown.ssid, shown.dhcp, shown.hostname, shown.ap_ssid], ["home", false, "cellar", "own"]);
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: false });
			await restart("wifi");
			const { ssid, wifi_ssid, hostname, ap_ssid } = await status();
			assert.deepEqual([ssid, wifi_ssid, hostname, ap_ssid], ["own", "", unit, "own"]);
			await restart("network");
			assert.equal((await status()).ap_ssid, unit);
			assert.deepEqual(await gateway().read(FALLBACK), { fallback_ap_enabled: true });
			await gateway().write(WIFI, DHCP);
			await gateway().write(FALLBACK, { fallback_ap_enabled: false });
			assert.equal((await status()).wifi_ssid, "home");
		});
	});
}

export function noRadioChecks(gateway: () => TestGateway): void {
	describe("network without a radio", () => {
		const status = (): Promise<JSONObject> => gateway().read("network/status");

		it("is shown as off", async () => {
			const { ip, netmask, ap_mode, wifi_enabled, connected, rssi } = await status();
			assert.deepEqual([ip, netmask, rssi], ["0.0.0.0", "0.0.0.0", 0]);
			assert.deepEqual([ap_mode, wifi_enabled, connected], [false, false, false]);
			assert.deepEqual(await gateway().read(ENABLED), { wifi_enabled: false, tx_power_dbm: 0 });
			assert.equal((await gateway().read("system/status")).wifi_enabled, false);
			assert.deepEqual((await gateway().read("network/scan")).networks, []);
		});

		it("stores settings, but nothing of a request that would turn the radio on", async () => {
			assert.equal((await gateway().write(WIFI, DHCP)).ssid, "home");
			await gateway().write(AP, { ap_ssid: "own" });
			await gateway().write(ENABLED, { wifi_enabled: false });
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
	});
}
