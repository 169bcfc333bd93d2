/** Network routes with a simulated radio: what a client sees while the gateway changes its network. */
import assert from "node:assert/strict";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { isError, succeeded } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const HOME = { ssid: "home", password: "home-secret", dhcp: true, apply: true };

describe("The API with a radio", () => {
	let gateway: VirtualGateway;
	let air: VirtualAir;

	beforeEach(async () => {
		const wifi = (timers: VirtualTime) => {
			air = new VirtualAir(timers, { home: { password: "home-secret", rssi: -61, channel: 11 } });
			return air.port;
		};
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, wifi });
		for (const secret of ["home-secret", "access-point-key", "own-ap-secret"]) gateway.plant(secret);
	});
	afterEach(() => gateway.stopChecked());

	const status = () => gateway.read("network/status");
	const joinHome = async (ms: number) => {
		await gateway.write("network/wifi", HOME);
		await gateway.pass(ms);
	};

	it("shows the access point of a new unit", async () => {
		const { ip, netmask, ap_mode, rssi, wifi_enabled, connected, ...shown } = await status();
		assert.deepEqual([ip, netmask, ap_mode, rssi, wifi_enabled], ["192.168.4.1", "255.255.255.0", true, 0, true]);
		assert.equal(connected, false);
		assert.deepEqual([shown.ssid, shown.channel, shown.dhcp], [shown.ap_ssid, 1, false]);
		assert.notEqual(shown.ssid, "");
	});
	it("shows whether DHCP is in use, not what is stored for the next start", async () => {
		const fixed = { ...HOME, dhcp: false, ip: "192.0.2.77", netmask: "255.255.255.0", gateway: "192.0.2.1" };
		await joinHome(5000);
		assert.equal((await status()).dhcp, true);
		await gateway.write("network/wifi", { ...fixed, apply: false });
		assert.deepEqual([(await status()).ip, (await status()).dhcp], ["192.0.2.20", true]);
		await gateway.write("network/wifi", fixed);
		await gateway.pass(5000);
		assert.deepEqual([(await status()).ip, (await status()).dhcp], ["192.0.2.77", false]);
		await gateway.write("network/wifi", { ...HOME, apply: false });
		assert.equal((await status()).dhcp, false);
		await gateway.restartAndLogin();
		await gateway.pass(5000);
		assert.deepEqual([(await status()).ip, (await status()).dhcp], ["192.0.2.20", true]);
	});
	it("shows name and channel of the network while connected, and those of the access point after it is lost", async () => {
		await joinHome(5000);
		const own = async () => {
			const { ssid, channel, rssi, ap_mode } = await status();
			return [ssid, channel, rssi, ap_mode];
		};
		assert.deepEqual(await own(), ["home", 11, -61, true]);
		await gateway.pass(150_000);
		assert.deepEqual(await own(), ["home", 11, -61, false]);
		air.around.delete("home");
		await gateway.pass(20_000);
		assert.deepEqual(await own(), ["home", 0, 0, false]);
		await gateway.pass(150_000);
		assert.deepEqual(await own(), [(await status()).ap_ssid, 1, 0, true]);
	});
	it("stores a network, replies, and joins it afterwards", async () => {
		await gateway.write("network/wifi", HOME);
		assert.equal(air.radio?.connects, 0);
		await gateway.pass(5000);
		const shown = await status();
		const { ip, ssid, rssi, channel, authmode, connected, ap_mode } = shown;
		assert.deepEqual([ip, ssid, rssi, channel, authmode], ["192.0.2.20", "home", -61, 11, 3]);
		assert.deepEqual([connected, ap_mode, shown.wifi_last_error], [true, true, null]);
		assert.equal((await gateway.write("network/wifi", { ...HOME, apply: false })).ip, "192.0.2.20");
		await gateway.pass(150_000);
		assert.equal((await status()).ap_mode, false);
	});
	it("joins a network that was set without apply only at the next start", async () => {
		await gateway.write("network/wifi", { ...HOME, apply: false });
		await gateway.pass(60_000);
		assert.equal(air.radio?.connects, 0);
		await gateway.restartAndLogin();
		await gateway.pass(5000);
		assert.equal((await status()).connected, true);
	});
	it("tries a network that is stored for the next start, even if the current network was lost before", async () => {
		await joinHome(10_000);
		for (const awayMs of [30_000, 200_000]) {
			await gateway.write("network/wifi", { ...HOME, ssid: "other", apply: false });
			air.around.delete("home");
			await gateway.pass(awayMs);
			air.around.set("home", { password: "home-secret" });
			await gateway.pass(120_000);
			await gateway.login();
			assert.equal((await status()).ssid, "home");
			await gateway.restart();
			await gateway.pass(30_000);
			assert.equal(air.radio?.wanted?.ssid ?? "other", "other");
			await gateway.pass(150_000);
			await gateway.login();
			const { ssid, connected, wifi_last_error } = await status();
			assert.deepEqual([ssid, connected, wifi_last_error], ["home", true, "wifi/not-found"]);
		}
	});
	it("tries a network that was stored during the trial of another, and returns to the last network that worked", async () => {
		await joinHome(10_000);
		await gateway.write("network/wifi", { ...HOME, ssid: "second" });
		await gateway.pass(5000);
		await gateway.write("network/wifi", { ...HOME, ssid: "third", apply: false });
		air.around.set("third", { password: "home-secret" });
		await gateway.pass(60_000);
		assert.equal((await status()).ssid, "third");
		await gateway.write("network/wifi", { ...HOME, ssid: "fourth" });
		await gateway.pass(5000);
		await gateway.write("network/wifi", { ...HOME, ssid: "fifth", apply: false });
		await gateway.pass(120_000);
		assert.deepEqual([(await status()).ssid, (await status()).connected], ["third", true]);
	});
	it("does not confirm a network between a factory reset and its restart", async () => {
		await joinHome(3500);
		await gateway.post("system/factory_reset");
		await gateway.loginAfterReboot();
		assert.equal((await status()).wifi_ssid, "");
		assert.doesNotMatch(gateway.diagnosis, /erased/);
	});
	it("reports why a network was given up", async () => {
		await joinHome(5000);
		await gateway.write("network/wifi", { ...HOME, password: "not-its-secret" });
		await gateway.pass(60_000);
		const { ssid, connected, wifi_last_error } = await status();
		assert.deepEqual([ssid, connected, wifi_last_error], ["home", true, "wifi/wrong-password"]);
	});
	it("scans once for two clients", async () => {
		const [one, two] = [gateway.begin("GET", "network/scan"), gateway.begin("GET", "network/scan")];
		const wanted = {
			hostname: "gateway",
			networks: [{ ssid: "home", bssid: "02005e20000b", rssi: -61, channel: 11, authmode: 3 }],
		};
		assert.deepEqual(succeeded(await one.reply()), wanted);
		assert.deepEqual(succeeded(await two.reply()), wanted);
		assert.equal(air.radio?.scans, 1);
	});
	it("lists at most twenty networks, even with the longest names", async () => {
		air.around.clear();
		for (let i = 0; i < 25; i++) air.around.set(`${"\u00fc".repeat(14)}${String(i).padStart(3, "0")}`, {});
		const scan = await gateway.read("network/scan");
		assert.equal(scan.networks.length, 20);
		assert.ok(scan.networks.every(({ ssid }: { ssid: string }) => air.around.has(ssid)));
	});
	it("scans while it joins a network, and joins it afterwards", async () => {
		await joinHome(2000);
		assert.equal(air.radio?.connects, 1);
		assert.equal((await gateway.read("network/scan")).networks.length, 1);
		await gateway.pass(5000);
		assert.equal(air.radio?.connects, 2);
		assert.equal((await status()).connected, true);
	});
	it("replies 503 when the radio can't scan", async () => {
		air.radio!.scan = () => false;
		isError(await gateway.get("network/scan"), 503, "busy");
	});
	it("changes its access point and turns it on", async () => {
		await joinHome(200_000);
		const own = { ap_ssid: "own", ap_password: "own-ap-secret", ap_enabled: true, apply: true };
		assert.deepEqual(await gateway.write("network/ap", own), { ap_ssid: "own", ap_enabled: true });
		await gateway.pass(2000);
		assert.deepEqual(air.radio?.accessPoint, { ssid: "own", password: "own-ap-secret" });
		assert.equal((await status()).ap_mode, true);
	});
	it("turns Wi-Fi off after the reply, and lists no networks then", async () => {
		assert.deepEqual(await gateway.write("network/wifi-enabled", { wifi_enabled: false }), {
			wifi_enabled: false,
			tx_power_dbm: 0,
		});
		await gateway.pass(2000);
		const { wifi_enabled, ap_mode, ip } = await status();
		assert.deepEqual([wifi_enabled, ap_mode, ip], [false, false, "0.0.0.0"]);
		assert.deepEqual((await gateway.read("network/scan")).networks, []);
	});
	it("limits the transmit power at once, and to 8 dBm after low voltage and in safe mode", async () => {
		const power = async () => [air.radio?.transmitDBm, (await gateway.read("system/status")).low_voltage];
		assert.deepEqual(await power(), [0, undefined]);
		await gateway.write("network/wifi-enabled", { wifi_enabled: true, tx_power_dbm: 18 });
		isError(
			await gateway.post("network/wifi-enabled", { wifi_enabled: true, tx_power_dbm: 9 }),
			400,
			"invalid_field",
			"tx_power_dbm",
		);
		await gateway.pass(2000);
		assert.deepEqual(await power(), [18, undefined]);
		const lowVoltage = { cause: "the voltage was too low", isFault: true, isLowVoltage: true };
		for (const [ending, ...wanted] of [
			[lowVoltage, 8, true],
			[{ cause: "panic", isFault: true }, 18, undefined],
			[{ cause: "panic", isFault: true }, 8, undefined],
		] as const) {
			await gateway.restart(undefined, ending);
			await gateway.login();
			assert.deepEqual(await power(), wanted);
		}
		assert.match(gateway.diagnosis, /^safe mode/m);
		await gateway.write("network/wifi-enabled", { wifi_enabled: true, tx_power_dbm: 5 });
		await gateway.pass(2000);
		assert.deepEqual(await power(), [5, undefined]);
	});
	it("transition: access point off, by a network that can't be joined, to on, if the fallback is enabled", async () => {
		for (const fallback_ap_enabled of [true, false]) {
			await gateway.write("network/fallback-ap", { fallback_ap_enabled });
			air.around.set("home", { password: "home-secret" });
			await joinHome(200_000);
			assert.deepEqual([(await status()).connected, (await status()).ap_mode], [true, false]);
			air.around.delete("home");
			await gateway.pass(60_000);
			assert.deepEqual([(await status()).connected, (await status()).ap_mode], [false, false]);
			await gateway.pass(60_000);
			assert.equal((await status()).ap_mode, fallback_ap_enabled);
		}
	});
	it("forgets the network, the host name and the fallback setting at a factory reset", async () => {
		await gateway.write("network/wifi", { ...HOME, hostname: "cellar" });
		await gateway.write("network/fallback-ap", { fallback_ap_enabled: false });
		await gateway.pass(5000);
		await gateway.post("system/factory_reset");
		await gateway.loginAfterReboot();
		await gateway.pass(5000);
		const { wifi_ssid, hostname, ap_mode, connected } = await status();
		assert.deepEqual([wifi_ssid, hostname, ap_mode, connected], ["", "gateway", true, false]);
		assert.deepEqual(await gateway.read("network/fallback-ap"), { fallback_ap_enabled: true });
	});
});
