/** The ESP32's Wi-Fi radio in JavaScript (wifi.ts), with natives that record their calls. */
import assert from "node:assert/strict";
import type { StationOptions, WiFi, WiFiPort } from "../../../modules/io/wifi.js";

type Bindings = Record<string, (...args: unknown[]) => unknown>;

const HOME: StationOptions = { ssid: "home", password: "password", hostname: "gateway" };

describe("The ESP32's Wi-Fi radio in JavaScript", () => {
	const calls: unknown[][] = [];
	const natives: Bindings = {};
	const timers = new Map<number, () => void>();
	const reports: unknown[][] = [];
	let port: WiFiPort;
	let radio: WiFi & { onWiFi(kind: number, value: number): void };

	before(async () => {
		const world = globalThis as Record<string, unknown>;
		world["Native"] = () => class {};
		world["native"] =
			(name: string) =>
			(...args: unknown[]) => {
				calls.push([name.replace("xs_wifi_", ""), ...args]);
				return natives[name.replace("xs_wifi_", "")]?.(...args);
			};
		natives["mac"] = () => "00a1b2c3d4e5";
		const { createWiFiPort } = await import("../../../hosts/esp32/wifi.js");
		let lastId = 0;
		port = createWiFiPort({
			accessPointKey: "12345678",
			country: "01",
			transmitDBm: 8,
			timers: {
				set(callback) {
					timers.set(++lastId, callback);
					return lastId;
				},
				clear: (id) => void timers.delete(id),
			},
			trace: (message) => reports.push([message]),
		});
		delete world["Native"];
	});

	after(() => {
		delete (globalThis as Record<string, unknown>)["native"];
	});

	beforeEach(() => {
		for (const name of Object.keys(natives)) delete natives[name];
		timers.clear();
		const record =
			(what: string) =>
			(...args: unknown[]) =>
				void reports.push([what, ...args]);
		radio = new port.io({
			...port.pins,
			onConnected: record("connected"),
			onDisconnected: record("disconnected"),
			onScanned: record("scanned"),
			onClients: record("clients"),
		}) as typeof radio;
		calls.length = reports.length = 0;
	});

	it("passes all settings of a station to the natives, with empty texts for missing ones", () => {
		radio.connect(HOME);
		radio.connect({
			...HOME,
			bssid: "00a1b2c3d4e5",
			channel: 11,
			address: { ip: "10.0.0.2", netmask: "255.0.0.0", gateway: "10.0.0.1", dns: "10.0.0.3" },
		});
		assert.deepEqual(calls, [
			["connect", "home", "password", "", 0, "gateway", "", "", "", ""],
			["connect", "home", "password", "00a1b2c3d4e5", 11, "gateway", "10.0.0.2", "255.0.0.0", "10.0.0.1", "10.0.0.3"],
		]);
		assert.deepEqual([port.mac, port.accessPointKey, timers.size], ["00a1b2c3d4e5", "12345678", 0]);
	});

	it("waits a limited time for the radio to leave a network, counted from the last call", () => {
		natives["connect"] = natives["disconnect"] = natives["scan"] = () => true;
		radio.connect(HOME);
		radio.disconnect();
		assert.equal(radio.scan(), true);
		assert.equal(timers.size, 1);
		for (const fire of timers.values()) fire();
		assert.deepEqual(calls.at(-1), ["leave_overdue"]);
		timers.clear();
		radio.disconnect();
		natives["connect"] = () => false;
		radio.connect(HOME);
		assert.equal(timers.size, 0);
		radio.scan();
		assert.equal(timers.size, 1);
	});

	it("reports events until it is closed", () => {
		radio.onWiFi(1, 0);
		radio.onWiFi(2, 15);
		radio.onWiFi(3, 1);
		radio.onWiFi(3, 0);
		radio.onWiFi(4, 2);
		assert.deepEqual(reports, [
			["connected"],
			["disconnected", 15],
			["scanned", true],
			["scanned", false],
			["clients", 2],
		]);
		natives["disconnect"] = () => true;
		radio.disconnect();
		radio.close();
		radio.close();
		radio.onWiFi(1, 0);
		assert.equal(reports.length, 5);
		assert.equal(timers.size, 0);
		assert.equal(calls.filter(([name]) => name === "close").length, 1);
	});

	it("reports that the access point does not start", () => {
		natives["start_access_point"] = () => true;
		radio.startAccessPoint({ ssid: "device", password: "12345678" });
		assert.deepEqual(reports, []);
		natives["start_access_point"] = () => false;
		radio.startAccessPoint({ ssid: "device", password: "12345678" });
		assert.deepEqual(reports, [["Wi-Fi: the access point does not start"]]);
	});
});
