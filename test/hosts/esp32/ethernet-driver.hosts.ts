/** The ESP32's layer over ESP-IDF's Ethernet: its calls and events, on a fake (ethernet-idf-fake). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

/** For each kind of port, the calls when it is created, and when its drivers are deleted. */
interface Kind {
	readonly name: string;
	readonly pins: readonly number[];
	readonly made: readonly string[];
	readonly ended: readonly string[];
	/** Calls before a restart of the chip. */
	readonly powerOff: readonly string[];
	/** Number of objects: handlers, interface, MAC, PHY, driver, glue, the running state, and those of this kind. */
	readonly things: number;
	readonly unused: readonly string[];
}

/** Number of calls that the peer makes fail, one at a time. */
const CALLS = 19;
const W5500_ONLY = ["isr_service", "spi_bus", "mac_w5500", "phy_w5500"];

const KINDS: readonly Kind[] = [
	{
		name: "rmii",
		pins: [1, 23, 18, 16, 0],
		made: ["mac_esp32 MDC 23 MDIO 18 clock from 0", "phy_generic 1, reset 16 then 100 ms, negotiation 100 ms"],
		ended: ["gpio 16 0"],
		powerOff: ["gpio 16 0"],
		things: 10,
		unused: [...W5500_ONLY, "mac_openeth"],
	},
	{
		name: "rmii",
		pins: [0, 23, 18, -1, 17],
		made: ["mac_esp32 MDC 23 MDIO 18 clock to 17", "phy_generic 0, reset -1 then 100 ms, negotiation 100 ms"],
		ended: [],
		powerOff: [],
		things: 10,
		unused: [...W5500_ONLY, "mac_openeth"],
	},
	{
		name: "w5500",
		pins: [41, 39, 42, 2, 38, 40],
		made: [
			"spi_bus 1 MISO 41 MOSI 39 SCLK 42 dma 3",
			"mac_w5500 INT 38 CS 2 20000000 Hz",
			"phy_w5500 1, reset 40 for 1000 us then 10 ms",
		],
		ended: ["gpio 40 0", "spi_bus_free"],
		powerOff: ["gpio 40 0"],
		things: 11,
		unused: ["mac_esp32", "mac_openeth", "phy_generic"],
	},
	{
		name: "openeth",
		pins: [],
		made: ["mac_openeth", "phy_generic 1, reset -1 then 0 ms, negotiation 100 ms"],
		ended: [],
		powerOff: [],
		things: 10,
		unused: [...W5500_ONLY, "mac_esp32"],
	},
];

for (const { name, pins, made, ended, powerOff, things, unused } of KINDS) {
	describe(`The ESP32's layer over ESP-IDF's Ethernet: ${name} ${pins.join(" ")}`, function () {
		this.timeout(60_000);
		/** Output of each step: the lines before the line with the step's name and its number of objects. */
		const steps = new Map<string, string[]>();
		const counts = new Map<string, number>();

		before(function () {
			needNative(this);
			const program = compileNative({
				sources: [
					"-Itest/hosts/esp32/ethernet-idf-fake",
					"test/hosts/esp32/ethernet-driver-peer.c",
					"test/hosts/esp32/ethernet-idf-fake/ethernet-idf-fake.c",
					"hosts/esp32/ethernet/ethernet-driver.c",
					`hosts/esp32/ethernet/ethernet-${name}.c`,
				],
				output: `ethernet-${name}-peer`,
			});
			const { status, stdout, stderr } = spawnSync(program, pins.map(String), { encoding: "utf8" });
			assert.equal(stderr, "");
			assert.equal(status, 0);
			let lines: string[] = [];
			for (const line of stdout.trim().split("\n")) {
				const match = /^-- (.*), (\d+) things$/.exec(line);
				if (match === null) lines.push(line.trim());
				else {
					steps.set(match[1], lines);
					counts.set(match[1], Number(match[2]));
					lines = [];
				}
			}
		});

		it("can be opened once, and creates nothing until it is started", () => {
			assert.deepEqual(steps.get("open"), []);
			assert.deepEqual(steps.get("open twice failed"), []);
			assert.deepEqual(steps.get("start unopened failed"), []);
			assert.equal(counts.get("open"), 0);
		});

		it("creates interface, drivers and glue with priority over Wi-Fi and its own hardware address, then starts", () => {
			assert.deepEqual(steps.get("start"), [
				"netif_init",
				"event_loop",
				"netif_new ETH_DEF 110",
				...made,
				"install",
				"set_mac a0..a5",
				"glue",
				"netif_attach",
				"set_hostname gateway",
				"dhcpc_stop",
				"dhcpc_start",
				"shutdown_handler",
				"start",
			]);
			assert.equal(counts.get("start"), things);
		});

		it("reports ESP-IDF's events with the interface's present address, not that of an old event", () => {
			assert.deepEqual(steps.get("events"), [
				"event link up 100 0",
				"event link up 10 0",
				"event addressed 0 a1",
				"event address lost 0 0",
				"event address lost 0 0",
				"event link lost 0 0",
			]);
		});

		it("changes the settings of a running port without touching the link", () => {
			assert.deepEqual(steps.get("start fixed"), [
				"set_hostname other",
				"dhcpc_stop",
				"set_ip_info a1 ff a2",
				"set_dns_info 0 a3",
			]);
			assert.deepEqual(steps.get("start by DHCP again"), ["set_hostname gateway", "dhcpc_stop", "dhcpc_start"]);
		});

		it("switches off the PHY before a restart, and on a stop deletes all that it has created", () => {
			assert.deepEqual(steps.get("shut down"), powerOff);
			const stopped = ["stop", "delete_glue", "uninstall", "delete_phy", "delete_mac", "netif_destroy", ...ended];
			assert.deepEqual(steps.get("stop"), stopped);
			assert.equal(counts.get("stop"), 0);
			assert.deepEqual(steps.get("nothing"), []);
			assert.deepEqual(steps.get("close"), stopped);
			assert.equal(counts.get("close"), 0);
		});

		it("leaves nothing behind when a call fails, and starts when the call works again", () => {
			const alone = [...counts.keys()].filter((step) => /^[a-z0-9_]+ failed$/.test(step));
			for (const step of alone) assert.equal(counts.get(step), 0, step);
			for (const call of unused) assert.equal(counts.get(call), 0, call);
			assert.equal(alone.length, CALLS - unused.length, alone.join());
			assert.equal(counts.get("start after all"), things);
			assert.equal(counts.get("settings in vain failed"), 0);
			assert.equal(counts.get("start at last"), things);
			assert.equal(counts.has("start closed failed"), true);
			assert.equal(counts.has("open again"), true);
		});
	});
}
