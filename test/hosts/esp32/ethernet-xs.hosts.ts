/** The ESP32's Ethernet port in JavaScript (ethernet.ts), with natives that record their calls. */
import assert from "node:assert/strict";
import { findBoard } from "../../../hosts/esp32/boards.js";
import type { EthernetPortSettings } from "../../../hosts/esp32/ethernet.js";
import type { Ethernet, EthernetSettings } from "../../../modules/io/ethernet.js";

type Row = EthernetPortSettings["row"];

const BY_DHCP: EthernetSettings = { hostname: "gateway" };

describe("The ESP32's Ethernet port in JavaScript", () => {
	const calls: unknown[][] = [];
	const natives: Record<string, (...args: unknown[]) => unknown> = {};
	const timers = new Map<number, { callback: () => void; ms: number }>();
	const reports: string[] = [];
	let createPort: (row: Row) => { port: Ethernet & { onEthernet(): void }; mac: string };

	before(async () => {
		const world = globalThis as Record<string, unknown>;
		world["Native"] = () => class {};
		world["native"] =
			(name: string) =>
			(...args: unknown[]) => {
				const short = name.replace(/xs_ethernet_?/, "");
				calls.push([short || "new", ...args]);
				return natives[short]?.(...args);
			};
		const { createEthernetPort } = await import("../../../hosts/esp32/ethernet.js");
		let lastId = 0;
		createPort = (row) => {
			const made = createEthernetPort({
				row,
				timers: {
					set(callback, ms) {
						timers.set(++lastId, { callback, ms: ms ?? 0 });
						return lastId;
					},
					clear: (id) => void timers.delete(id),
				},
				trace: (message) => void reports.push(message),
			});
			const port = new made.io({ ...made.pins, onChanged: () => void reports.push("changed") });
			return { port: port as Ethernet & { onEthernet(): void }, mac: made.mac };
		};
		delete world["Native"];
	});

	after(() => {
		delete (globalThis as Record<string, unknown>)["native"];
	});

	beforeEach(() => {
		Object.assign(natives, { start: () => true, mac: () => "02a1b2c3d4e5", get_speed: () => 0 });
		delete natives["get_address"];
		timers.clear();
		calls.length = reports.length = 0;
	});

	function open(row = findBoard("slzb-06").ethernet!) {
		const { port } = createPort(row);
		calls.length = 0;
		return port;
	}

	it("passes the pins of the board's row to the natives, and knows its hardware address", () => {
		const made = (row: Row) => {
			calls.length = 0;
			assert.equal(createPort(row).mac, "02a1b2c3d4e5");
			return calls.find(([name]) => name === "new")!.slice(2);
		};
		assert.deepEqual(made(findBoard("slzb-06").ethernet!), [1, 23, 18, 16, 0, -1]);
		assert.deepEqual(made(findBoard("uzg-01").ethernet!), [0, 23, 18, 5, 17, -1]);
		assert.deepEqual(made({ kind: "rmii", phy: 2, mdc: 4, mdio: 5, clock: 16 }), [2, 4, 5, -1, 16, -1]);
		assert.deepEqual(made(findBoard("slzb-06xu").ethernet!), [41, 39, 42, 2, 38, 40]);
		assert.deepEqual(made({ kind: "openeth" }), [-1, -1, -1, -1, -1, -1]);
	});

	it("passes all settings of a port at its start, with empty texts for missing ones", () => {
		const port = open();
		port.start(BY_DHCP);
		const address = { ip: "10.0.0.2", netmask: "255.0.0.0", gateway: "10.0.0.1", dns: "10.0.0.3" };
		port.start({ ...BY_DHCP, address });
		port.stop();
		assert.deepEqual(calls, [
			["start", "gateway", "", "", "", ""],
			["start", "gateway", "10.0.0.2", "255.0.0.0", "10.0.0.1", "10.0.0.3"],
			["stop"],
		]);
		assert.equal(timers.size, 0);
	});

	it("has a link if the port has a speed", () => {
		const port = open();
		assert.deepEqual([port.isLinked, port.speed, port.address], [false, 0, undefined]);
		const address = { ip: "10.0.0.2", netmask: "255.0.0.0", gateway: "10.0.0.1" };
		Object.assign(natives, { get_speed: () => 10, get_address: () => address });
		assert.deepEqual([port.isLinked, port.speed, port.address], [true, 10, address]);
	});

	it("reports a failed start, and repeats it until the port is stopped, closed or started with other settings", () => {
		natives["start"] = () => false;
		for (const end of ["stop", "close", "start"] as const) {
			const port = open();
			port.start(BY_DHCP);
			assert.deepEqual(reports, ["Ethernet: the port does not start"]);
			const [[id, { callback, ms }]] = [...timers];
			assert.equal(ms, 30_000);
			timers.delete(id);
			callback();
			assert.deepEqual(calls, [calls[0], calls[0]]);
			assert.equal(timers.size, 1);
			if (end === "start") natives["start"] = () => true;
			port[end]({ hostname: "other" });
			assert.equal(timers.size, 0, end);
			reports.length = 0;
		}
	});

	it("reports events until it is closed", () => {
		const port = open();
		port.onEthernet();
		port.close();
		port.close();
		port.onEthernet();
		assert.deepEqual(reports, ["changed"]);
		assert.deepEqual(calls, [["close"]]);
	});
});
