/** The ESP32's layer over ESP-IDF's Wi-Fi: its calls and events, on a fake (wifi-idf-fake). */
import assert from "node:assert/strict";
import { stepsOf, usePeer } from "../native/peer.js";

describe("The ESP32's layer over ESP-IDF's Wi-Fi", function () {
	this.timeout(60_000);
	/** The lines of output before each step's own line. */
	let steps: ReadonlyMap<string, readonly string[]>;
	const run = usePeer({
		sources: [
			"-Itest/hosts/esp32/wifi-idf-fake",
			"test/hosts/esp32/wifi-driver-peer.c",
			"test/hosts/esp32/wifi-idf-fake/idf-fake.c",
			"hosts/esp32/wifi-driver.c",
			"hosts/esp32/entropy.c",
		],
		output: "wifi-driver-peer",
	});

	before(() => {
		steps = stepsOf(run());
	});

	/** Calls that configure a new driver. */
	const configured = (country: string) => [
		"set_storage 1",
		`set_country ${country} 1`,
		"set_mode 3",
		"set_config access point - 0123abcd0123abcd0123abcd0123abcd authmode 3 clients 4",
	];
	const made = (country: string) => ["noise off", "init nvs 0", "noise on", ...configured(country)];
	const givenBack = ["stop", "deinit", "noise on"];

	it("creates interfaces once and a driver at each start, stores nothing in flash, and never opens the access point without a password", () => {
		assert.deepEqual(steps.get("open failed"), [
			"create station",
			"create access point",
			"dhcps_stop access point",
			"dhcps_option access point 1 114 http://192.168.4.1/",
			"dhcps_start access point",
			...made("DE"),
			"noise off",
			...givenBack,
		]);
		assert.deepEqual(steps.get("open"), ["0 handlers", ...made("DE")]);
	});

	it("frees its memory when it is closed, and can be opened again in the same run", () => {
		assert.deepEqual(steps.get("close"), [...givenBack, "0 handlers"]);
		assert.deepEqual(steps.get("open again"), made("FR"));
		assert.deepEqual(steps.get("station of the second radio"), ["set_mode 1", "noise off", "start", "set_ps 0"]);
		assert.equal(steps.get("joined by the second radio")?.at(-1), "connect");
		assert.deepEqual(steps.get("close at last"), ["noise off", ...givenBack]);
	});

	it("reuses a driver that could not be deleted, and drops one that does not work", () => {
		assert.deepEqual(steps.get("close in vain"), ["stop"]);
		assert.deepEqual(steps.get("open with the driver that stayed"), configured("DE"));
		assert.deepEqual(steps.get("close with a driver that stays"), givenBack);
		assert.deepEqual(steps.get("open with it"), configured("DE"));
		assert.deepEqual(steps.get("open without memory failed"), ["noise off", "init nvs 0", "noise on"]);
		assert.deepEqual(steps.get("open halfway failed"), [...made("DE"), "noise off", ...givenBack]);
		assert.deepEqual(steps.get("open after all"), made("DE"));
	});

	it("registers its event handlers when it is opened, removes them when it is closed, and can't be opened twice", () => {
		assert.deepEqual(steps.get("open twice failed"), []);
		assert.deepEqual(steps.get("station"), [
			"7 handlers",
			"set_mode 1",
			"noise off",
			"start",
			"set_ps 0",
			"set_max_tx_power 34",
		]);
		assert.deepEqual(steps.get("power"), ["set_max_tx_power 82"]);
	});

	it("joins with the weakest allowed security and the given access point, channel and address", () => {
		assert.deepEqual(steps.get("joined openly"), [
			"set_hostname station gateway",
			"dhcpc_start station",
			"set_config station home '' bssid 0 00 channel 0 scan 1 authmode 0",
			"connect",
		]);
		assert.deepEqual(steps.get("joined by WPA"), [
			"set_hostname station gateway",
			"dhcpc_start station",
			"set_config station home 'password' bssid 1 09 channel 11 scan 0 authmode 3",
			"connect",
		]);
		assert.deepEqual(steps.get("joined with an address")?.slice(1, 4), [
			"dhcpc_stop station",
			"set_ip_info station a1 ff a2",
			"set_dns_info station 0 a3",
		]);
		assert.equal(steps.get("joined in vain failed")?.at(-1), "disconnect");
	});

	it("reports ESP-IDF's events, except roaming within the network", () => {
		assert.deepEqual(steps.get("both")?.slice(0, -3), [
			"event associated 0 0 0",
			"event addressed 0 0 a1",
			"event address lost 0 0 0",
			"event ended 15 0 0",
			"event scanned 0 1 0",
			"event scanned 0 0 0",
			"event clients 0 0 0",
			"event clients 0 0 0",
		]);
		assert.deepEqual(steps.get("both")?.slice(-3), ["set_mode 3", "set_ps 0", "set_max_tx_power 82"]);
		assert.deepEqual(steps.get("access point"), ["set_config access point device 12345678 authmode 3 clients 4"]);
	});

	it("returns all networks of a scan, and knows its own network and clients", () => {
		assert.deepEqual(steps.get("off"), [
			"network network 3 -50 3",
			"network network 2 -50 3",
			"network network 1 -50 3",
			"clear_ap_list",
			"in 1 32 bytes, 2 clients",
			"channel 13",
			"channel 0",
			"0 clients",
			"in 0",
			"scan_stop",
			"stop",
			"noise on",
		]);
	});

	it("feeds the ADC's noise to the random generator whenever the radio is off, and only then", () => {
		assert.deepEqual(steps.get("begin"), ["noise on"]);
		assert.deepEqual(steps.get("off again"), ["stop"]);
		assert.deepEqual(steps.get("station failed"), ["set_mode 1", "noise off", "start", "noise on"]);
		assert.deepEqual(steps.get("station after all"), [
			"set_mode 1",
			"noise off",
			"start",
			"set_ps 0",
			"set_max_tx_power 82",
		]);
		assert.deepEqual(steps.get("off in vain failed"), ["stop"]);
		assert.deepEqual(steps.get("station as before"), ["set_mode 1", "start", "set_ps 0", "set_max_tx_power 82"]);
	});
});
