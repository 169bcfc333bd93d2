/** Ethernet and radio together, in virtual time: which of them is used, and when the access point is open. */

import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualCable } from "../../hosts/node/virtual-cable.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { Driver } from "../../modules/io/driver.js";
import type { EthernetOptions } from "../../modules/io/ethernet.js";
import type { WiFiOptions, WiFiPort } from "../../modules/io/wifi.js";
import { CablePolicy } from "../../modules/network/cable.js";
import { NetworkManager } from "../../modules/network/manager.js";
import { APPLY_FLAGS, APPLY_STATION } from "../../modules/network/policy.js";
import { AP_ENABLED, ETHERNET_ENABLED, WIFI_ENABLED } from "../../modules/parts/network/fields.js";
import { NetworkSettings } from "../../modules/parts/network/settings.js";
import { MemoryStorage } from "../config/memory-storage.js";

const text = new NodeText();
const S = 1000;
const CABLE_IP = "192.0.2.30";
const WIFI_IP = "192.0.2.20";

class Bed {
	readonly time = new VirtualTime();
	readonly air = new VirtualAir(this.time, { home: { password: "home-secret" } });
	readonly cable: VirtualCable;
	readonly store = new ConfigStore(new MemoryStorage(), text, ENTRIES);
	readonly settings = new NetworkSettings(this.store, {
		hostname: "gateway",
		accessPointKey: "access-point-key",
		isGentle: false,
	});
	readonly manager: NetworkManager;
	/** Number of radios opened so far; `open` counts those open now. */
	opened = 0;
	open = 0;
	/** Number of further attempts to open the radio that fail. */
	refusals = 0;
	/** Exceptions caught by the guard. */
	readonly problems: string[] = [];
	/** The address at each call of `networkChanged`. */
	readonly addresses: string[] = [];

	constructor(isIn = true, isConfigured = true) {
		this.cable = new VirtualCable(isIn);
		if (isConfigured) {
			this.settings.setStation({ ssid: "home", password: "home-secret", dhcp: true });
			this.settings.keepStation();
		}
		const guard = (_part: string, run: () => void) => {
			try {
				run();
			} catch (error) {
				this.problems.push((error as Error).message);
			}
		};
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const user = { networkChanged: () => this.addresses.push(this.manager.address?.ip ?? "-") };
		this.manager = new NetworkManager({ driver, text, trace: () => {} }, this.settings, user, CablePolicy);
	}

	start(): this {
		this.manager.start(this.#radio(), this.cable.port(this.time));
		return this;
	}

	pass(ms: number): this {
		this.time.advance(ms);
		this.check();
		return this;
	}

	/** State as text: the interface with the address in use, or "-", then "radio" and "AP" if they are on. */
	get now(): string {
		const { manager } = this;
		const by = manager.cable?.address !== undefined ? "cable" : "wifi";
		const address = manager.address === undefined ? "-" : by;
		return [address, this.open > 0 ? "radio" : "", manager.accessPointOn ? "AP" : ""].join(" ").trimEnd();
	}

	set(field: typeof ETHERNET_ENABLED, value: boolean): this {
		this.store.change([put(field, value)]);
		if (field === ETHERNET_ENABLED) this.manager.applyCableSoon();
		else this.manager.applySoon(APPLY_FLAGS);
		return this;
	}

	/** Checks the invariants. */
	private check(): void {
		const { manager } = this;
		assert.deepEqual(this.problems, []);
		assert.ok(this.open <= 1);
		assert.equal(this.addresses.at(-1) ?? "-", manager.address?.ip ?? "-");
		if (this.open === 0)
			assert.deepEqual([manager.isOn, manager.accessPointOn, manager.station], [false, false, undefined]);
		else assert.equal(manager.accessPointOn, this.air.radio?.accessPoint !== undefined);
	}

	#radio(): WiFiPort {
		const { port } = this.air;
		const bed = this;
		return {
			...port,
			io: class extends port.io {
				constructor(options: WiFiOptions) {
					if (bed.refusals > 0) {
						bed.refusals--;
						throw new Error("out of memory");
					}
					super(options);
					bed.opened++;
					bed.open++;
				}
				override close(): void {
					super.close();
					bed.open--;
				}
			},
		};
	}
}

describe("wifi/manager with a cable", () => {
	it("does not open the radio while a cable is connected", () => {
		const bed = new Bed().start().pass(4 * S);
		assert.deepEqual([bed.now, bed.manager.address?.ip, bed.addresses], ["cable", CABLE_IP, [CABLE_IP]]);
		assert.deepEqual([bed.pass(3600 * S).now, bed.opened], ["cable", 0]);
		assert.equal(bed.manager.usesDHCP, true);
	});

	it("waits 5 s for a cable at the start, and then acts like a unit without Ethernet", () => {
		const bed = new Bed(false).start().pass(5 * S - 1);
		assert.deepEqual([bed.now, bed.opened], ["-", 0]);
		assert.equal(bed.pass(1).now, "- radio");
		assert.deepEqual([bed.pass(3 * S).now, bed.manager.address?.ip], ["wifi radio", WIFI_IP]);
		bed.air.around.clear();
		assert.equal(bed.pass(200 * S).now, "- radio AP", "the network is lost, and no cable was ever connected");
	});

	it("uses Wi-Fi after the link was lost for 30 s, and the cable again once it has an address", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.cable.isIn = false;
		assert.equal(bed.pass(30 * S).now, "-");
		assert.equal(bed.pass(4 * S).now, "wifi radio");
		bed.cable.isIn = true;
		bed.pass(2 * S);
		assert.deepEqual([bed.manager.cable?.isLinked, bed.now], [true, "wifi radio"]);
		assert.equal(bed.pass(2 * S).now, "cable");
		assert.deepEqual(bed.addresses, [CABLE_IP, "-", WIFI_IP, CABLE_IP]);
	});

	it("keeps using a cable that is connected again within 30 s", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.cable.isIn = false;
		bed.pass(20 * S);
		bed.cable.isIn = true;
		assert.deepEqual([bed.pass(10 * S).now, bed.opened], ["cable", 0]);
	});

	it("does not leave Wi-Fi for a cable without DHCP, and uses Wi-Fi if there is no DHCP at the start", () => {
		const bed = new Bed(false).start().pass(20 * S);
		assert.equal(bed.now, "wifi radio");
		bed.cable.givesAddress = false;
		bed.cable.isIn = true;
		assert.deepEqual([bed.pass(3600 * S).now, bed.opened], ["wifi radio", 1]);
		bed.cable.givesAddress = true;
		assert.equal(bed.pass(5 * S).now, "cable");
		const silent = new Bed();
		silent.cable.givesAddress = false;
		silent.start().pass(31 * S);
		assert.equal(silent.now, "-");
		silent.pass(5 * S);
		assert.equal(silent.now, "wifi radio");
	});

	it("keeps the access point of a unit without network and cable open until the cable has an address", () => {
		const bed = new Bed(false, false).start().pass(6 * S);
		assert.equal(bed.now, "- radio AP");
		bed.cable.givesAddress = false;
		bed.cable.isIn = true;
		assert.equal(
			bed.pass(100 * S).now,
			"- radio AP",
			"the user may be connected to it, and a cable without an address is of no use",
		);
		bed.cable.givesAddress = true;
		assert.equal(bed.pass(5 * S).now, "cable");
	});

	it("opens no access point by itself once a cable was used", () => {
		for (const isConfigured of [false, true]) {
			const bed = new Bed(true, isConfigured);
			bed.store.change([put(AP_ENABLED, true)]);
			bed.start().pass(10 * S);
			bed.air.around.clear();
			bed.cable.isIn = false;
			assert.equal(bed.pass(3600 * S).now, isConfigured ? "- radio" : "-");
		}
	});

	it("opens the access point for ten minutes when the button is pressed, with a cable and without one", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.manager.bringUp();
		assert.equal(bed.pass(5 * S).now, "cable radio AP");
		assert.deepEqual([bed.manager.isTemporary, bed.manager.address?.ip], [true, CABLE_IP]);
		assert.equal(bed.manager.station?.ip, WIFI_IP, "Wi-Fi is joined too");
		assert.equal(bed.pass(594 * S).now, "cable radio AP");
		assert.deepEqual([bed.pass(1 * S).now, bed.manager.isTemporary], ["cable", false]);
		bed.cable.isIn = false;
		bed.air.around.clear();
		assert.equal(bed.pass(60 * S).now, "- radio");
		bed.manager.bringUp();
		assert.equal(bed.pass(1).now, "- radio AP");
		assert.equal(bed.pass(600 * S).now, "- radio");
	});

	it("opens the access point when the button is pressed on a unit without settings whose cable gets no address", () => {
		const bed = new Bed(true, false);
		bed.cable.givesAddress = false;
		bed.start().pass(100 * S);
		assert.equal(bed.now, "-");
		bed.manager.bringUp();
		assert.equal(bed.pass(1).now, "- radio AP");
		bed.settings.setStation({ ssid: "home", password: "home-secret", dhcp: true });
		bed.manager.applySoon(APPLY_STATION);
		assert.equal(bed.pass(600 * S).now, "wifi radio", "the settings made there are used from then on");
	});

	it("ignores the cable while Ethernet is off, and when it is on again keeps Wi-Fi until the cable has an address", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.set(ETHERNET_ENABLED, false).pass(10 * S);
		assert.deepEqual([bed.now, bed.cable.ethernet?.wanted], ["wifi radio", undefined]);
		bed.air.around.clear();
		assert.equal(bed.pass(200 * S).now, "- radio AP");
		bed.air.around.set("home", { password: "home-secret" });
		assert.equal(bed.pass(300 * S).now, "wifi radio");
		bed.cable.givesAddress = false;
		bed.set(ETHERNET_ENABLED, true).pass(100 * S);
		assert.equal(bed.now, "wifi radio");
		bed.cable.givesAddress = true;
		assert.equal(bed.pass(5 * S).now, "cable");
	});

	it("opens the access point only when the button is pressed if Ethernet and Wi-Fi are off", () => {
		const bed = new Bed(true, false).start().pass(10 * S);
		bed
			.set(WIFI_ENABLED, false)
			.set(ETHERNET_ENABLED, false)
			.pass(3600 * S);
		assert.equal(bed.manager.isOn, false);
		bed.manager.bringUp();
		assert.equal(bed.pass(1).now, "- radio AP");
	});

	it("ends a running scan when the cable takes over", () => {
		const bed = new Bed(false).start().pass(20 * S);
		let answers = 0;
		bed.cable.isIn = true;
		bed.pass(1 * S);
		const waiter = { scanned: (networks: Uint8Array | undefined) => (answers += networks === undefined ? 1 : 100) };
		assert.equal(bed.manager.scan(waiter), true);
		assert.deepEqual([bed.pass(2 * S).now, answers], ["cable", 1]);
		assert.equal(bed.manager.scan(waiter), false);
	});

	it("tries once a minute to open a radio that could not be opened", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.refusals = 2;
		bed.cable.isIn = false;
		bed.time.advance(31 * S);
		assert.deepEqual(bed.problems.splice(0), ["out of memory"]);
		bed.time.advance(59 * S);
		bed.manager.bringUp();
		assert.deepEqual([bed.problems.splice(0), bed.refusals], [[], 1]);
		bed.time.advance(61 * S);
		assert.deepEqual([bed.problems.splice(0), bed.refusals], [["out of memory"], 0]);
		bed.pass(61 * S);
		assert.equal(bed.open, 1);
	});

	it("uses Wi-Fi if the Ethernet port can't be opened or started", () => {
		for (const failing of ["constructor", "start"]) {
			const bed = new Bed();
			const port = bed.cable.port(bed.time);
			const io = class extends port.io {
				constructor(options: EthernetOptions) {
					super(options);
					if (failing === "constructor") throw new Error("no PHY answers");
				}
				override start(): void {
					throw new Error("no PHY answers");
				}
			};
			bed.manager.start(bed.air.port, { ...port, io });
			assert.deepEqual(bed.problems.splice(0), ["no PHY answers"]);
			bed.time.advance(10 * S);
			assert.equal(bed.manager.address?.ip, WIFI_IP);
		}
	});

	it("reports a change of the interface that keeps the address", () => {
		const bed = new Bed(false);
		Object.assign(bed.cable, { lease: { ip: WIFI_IP, netmask: "255.255.255.0", gateway: "192.0.2.1" } });
		bed.start().pass(20 * S);
		bed.cable.isIn = true;
		assert.deepEqual([bed.pass(5 * S).now, bed.addresses], ["cable", [WIFI_IP, WIFI_IP]]);
	});

	it("closes the radio and the Ethernet port when it is stopped", () => {
		const bed = new Bed().start().pass(10 * S);
		bed.manager.bringUp();
		bed.pass(5 * S);
		bed.manager.stop();
		assert.deepEqual([bed.open, bed.cable.ethernet?.isClosed], [0, true]);
		bed.time.advance(3600 * S);
		assert.deepEqual([bed.manager.address, bed.problems], [undefined, []]);
	});
});
