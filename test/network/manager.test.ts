import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { put, type Setting, type SettingField } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { Driver } from "../../modules/io/driver.js";
import {
	WIFI_LOST,
	WIFI_NO_ADDRESS,
	WIFI_NOT_FOUND,
	WIFI_WELL,
	WIFI_WRONG_PASSWORD,
} from "../../modules/network/failures.js";
import { NetworkManager } from "../../modules/network/manager.js";
import {
	APPLY_ACCESS_POINT,
	APPLY_FLAGS,
	APPLY_STATION,
	STATION_OFF,
	STATION_ONLINE,
} from "../../modules/network/policy.js";
import { ScanCursor } from "../../modules/network/scan.js";
import { AP_ENABLED, AP_SSID, FALLBACK_AP_ENABLED, WIFI_ENABLED } from "../../modules/parts/network/fields.js";
import { NetworkSettings } from "../../modules/parts/network/settings.js";
import { MemoryStorage } from "../config/memory-storage.js";

const text = new NodeText();
const S = 1000;

class Bed {
	readonly time = new VirtualTime();
	readonly air = new VirtualAir(this.time);
	readonly storage: MemoryStorage;
	readonly store: ConfigStore;
	readonly settings: NetworkSettings;
	readonly manager: NetworkManager;
	/** Exceptions caught by the guard, if `catches` is set. */
	readonly problems: unknown[] = [];
	catches = false;
	/** How often `networkChanged` was called. */
	changes = 0;

	constructor(
		storage = new MemoryStorage(),
		networks: Record<string, string> = { home: "home-secret", new: "new-secret" },
	) {
		this.storage = storage;
		for (const [ssid, password] of Object.entries(networks)) this.air.around.set(ssid, { password });
		this.store = new ConfigStore(storage, text, ENTRIES);
		this.settings = new NetworkSettings(this.store, {
			hostname: "gateway",
			accessPointKey: "access-point-key",
			isGentle: false,
		});
		// Exceptions fail the test, including changes of a machine outside its task.
		const driver = new Driver({ clock: this.time, timers: this.time, guard: (_part, run) => this.guard(run) });
		const world = { driver, text, trace: () => {} };
		this.manager = new NetworkManager(world, this.settings, {
			networkChanged: () => this.changes++,
		});
	}

	private guard(run: () => void): void {
		try {
			run();
		} catch (error) {
			if (!this.catches) throw error;
			this.problems.push(error);
		}
	}

	set(field: SettingField, value: Setting): void {
		this.store.change([put(field, value)]);
		this.manager.applySoon(field === AP_ENABLED || field === AP_SSID ? APPLY_ACCESS_POINT : APPLY_FLAGS);
	}

	join(ssid: string, password: string): void {
		this.settings.setStation({ ssid, password, dhcp: true });
		this.manager.applySoon(APPLY_STATION);
	}

	/** The active networks: the station's name, and "AP" for the access point. */
	get on(): string {
		const { manager, air } = this;
		assert.equal(manager.accessPointOn, air.radio?.accessPoint !== undefined);
		return [manager.station?.ssid ?? "-", manager.accessPointOn ? "AP" : ""].join(" ").trim();
	}

	/** Lets time pass; returns the networks that are active then. */
	onAfter(ms: number): string {
		this.time.advance(ms);
		return this.on;
	}

	start(): this {
		this.manager.start(this.air.port);
		return this;
	}

	/** A bed that has been told to join `home`. */
	static joining(networks?: Record<string, string>): Bed {
		const bed = new Bed(undefined, networks).start();
		bed.join("home", "home-secret");
		return bed;
	}

	/** A bed that has joined `home`, with the access point closed again. */
	static settled(networks?: Record<string, string>): Bed {
		const bed = Bed.joining(networks);
		assert.equal(bed.onAfter(200 * S), "home");
		return bed;
	}
}

describe("wifi/manager", () => {
	it("opens the access point with the unit's key while nothing is configured", () => {
		const bed = new Bed().start();
		assert.equal(bed.on, "- AP");
		assert.deepEqual(bed.air.radio?.accessPoint, { ssid: "gateway", password: "access-point-key" });
		bed.set(FALLBACK_AP_ENABLED, false);
		assert.equal(bed.onAfter(3600 * S), "- AP");
		assert.equal(bed.air.radio?.connects, 0);
	});
	it("joins 1.5 s after the request, while the access point is open, and closes the access point two minutes later", () => {
		const bed = Bed.joining();
		bed.time.advance(1499);
		assert.equal(bed.air.radio?.connects, 0);
		bed.time.advance(1);
		assert.equal(bed.air.radio?.connects, 1);
		assert.equal(bed.onAfter(2500), "home AP");
		assert.equal(bed.settings.onTrial, false);
		assert.equal(bed.onAfter(120 * S - 1), "home AP");
		assert.equal(bed.onAfter(1), "home");
		assert.equal(bed.manager.lastError, WIFI_WELL);
	});
	it("returns to the previous network after 45 s without an address, and reports why", () => {
		for (const [ssid, password, error] of [
			["new", "wrong-secret", WIFI_WRONG_PASSWORD],
			["absent", "any-secret", WIFI_NOT_FOUND],
			["mute", "mute-secret", WIFI_NO_ADDRESS],
		] as const) {
			const bed = Bed.settled();
			bed.air.around.set("mute", { password: "mute-secret", givesAddress: false });
			bed.join(ssid, password);
			assert.equal(bed.onAfter(1500 + 45 * S - 1), "-");
			assert.equal(bed.settings.station?.ssid, ssid);
			assert.equal(bed.onAfter(1 + 2500), "home");
			assert.equal(bed.settings.station?.ssid, "home");
			assert.equal(bed.settings.station?.password, "home-secret");
			assert.equal(bed.manager.lastError, error, ssid);
			bed.join("new", "new-secret");
			assert.equal(bed.onAfter(10 * S), "new");
			assert.equal(bed.manager.lastError, WIFI_WELL);
		}
	});
	it("returns to the access point if there was no network before", () => {
		const bed = new Bed().start();
		bed.join("new", "wrong-secret");
		assert.equal(bed.onAfter(20 * S), "- AP");
		assert.equal(bed.onAfter(60 * S), "- AP");
		assert.equal(bed.manager.state, STATION_OFF);
		assert.equal(bed.settings.station, undefined);
		assert.equal(bed.manager.lastError, WIFI_WRONG_PASSWORD);
	});
	it("continues the trial after a power cut", () => {
		const bed = Bed.settled();
		bed.join("new", "wrong-secret");
		bed.time.advance(10 * S);
		bed.manager.stop();
		const after = new Bed(bed.storage).start();
		assert.equal(after.onAfter(50 * S), "home");
	});
	it("keeps the last network that worked while other networks fail", () => {
		const bed = Bed.settled();
		bed.join("absent", "any-secret");
		bed.time.advance(5 * S);
		bed.join("new", "wrong-secret");
		assert.equal(bed.onAfter(60 * S), "home");
	});
	it("retries a lost network more and more slowly, and joins it again", () => {
		const bed = Bed.settled();
		bed.set(FALLBACK_AP_ENABLED, false);
		bed.time.advance(2 * S);
		bed.air.around.delete("home");
		const before = bed.air.radio!.connects;
		bed.time.advance(6 * S);
		assert.equal(bed.manager.lastError, WIFI_LOST);
		// Each attempt takes 2 s to fail; the delays are 1, 2, 4 … 60 s.
		bed.time.advance(1 * S + 2 * S + 2 * S + 2 * S + 4 * S + 2 * S);
		assert.equal(bed.air.radio!.connects - before, 3);
		bed.time.advance(3600 * S);
		const tries = bed.air.radio!.connects - before;
		assert.ok(tries > 55 && tries < 75, String(tries));
		assert.equal(bed.on, "-");
		bed.air.around.set("home", { password: "home-secret" });
		assert.equal(bed.onAfter(65 * S), "home");
		assert.equal(bed.manager.lastError, WIFI_WELL);
	});
	it("opens the access point after 90 s without its network, and closes it two minutes after the return", () => {
		const bed = Bed.settled();
		bed.air.around.delete("home");
		assert.equal(bed.onAfter(6 * S + 90 * S - 1), "-");
		assert.equal(bed.onAfter(1), "- AP");
		bed.air.around.set("home", { password: "home-secret" });
		while (bed.manager.state !== STATION_ONLINE) bed.time.advance(100);
		assert.equal(bed.on, "home AP");
		assert.equal(bed.onAfter(119 * S), "home AP");
		assert.equal(bed.onAfter(1 * S), "home");
	});
	it("opens no access point for a lost network if the fallback is off, and closes it when the fallback is turned off", () => {
		const bed = Bed.settled();
		bed.set(FALLBACK_AP_ENABLED, false);
		bed.air.around.delete("home");
		assert.equal(bed.onAfter(600 * S), "-");
		bed.set(FALLBACK_AP_ENABLED, true);
		assert.equal(bed.onAfter(2 * S), "- AP");
		bed.set(FALLBACK_AP_ENABLED, false);
		assert.equal(bed.onAfter(2 * S), "-");
	});
	it("keeps an enabled access point open, with its new name", () => {
		const bed = Bed.settled();
		bed.set(AP_ENABLED, true);
		assert.equal(bed.onAfter(600 * S), "home AP");
		bed.set(AP_SSID, "own");
		bed.time.advance(2 * S);
		assert.equal(bed.air.radio?.accessPoint?.ssid, "own");
		bed.set(AP_ENABLED, false);
		assert.equal(bed.onAfter(2 * S), "home");
	});
	it("turns Wi-Fi off and on", () => {
		const bed = Bed.settled();
		bed.set(WIFI_ENABLED, false);
		assert.equal(bed.onAfter(1499), "home");
		assert.equal(bed.onAfter(1), "-");
		assert.equal(bed.air.radio?.wanted, undefined);
		assert.equal(bed.onAfter(3600 * S), "-");
		bed.set(WIFI_ENABLED, true);
		assert.equal(bed.onAfter(5 * S), "home");
	});
	it("is turned on by hand for ten minutes, even if it is disabled", () => {
		const bed = Bed.settled();
		bed.set(WIFI_ENABLED, false);
		bed.time.advance(10 * S);
		bed.manager.bringUp();
		assert.equal(bed.manager.isTemporary, true);
		assert.equal(bed.onAfter(5 * S), "home AP");
		assert.equal(bed.onAfter(595 * S), "-");
		assert.equal(bed.manager.isTemporary, false);
	});
	it("passes the static address and the hostname to the radio", () => {
		const bed = new Bed().start();
		const [ip, netmask, gateway] = ["10.0.0.2", "255.255.255.0", "10.0.0.1"];
		const address = { ip, netmask, gateway };
		bed.settings.setStation({ ssid: "home", password: "home-secret", dhcp: false, ...address, hostname: "cellar" });
		bed.manager.applySoon(APPLY_STATION);
		bed.time.advance(5 * S);
		const expected = { ...address, dns: gateway };
		assert.deepEqual(bed.air.radio?.wanted?.address, expected);
		assert.equal(bed.air.radio?.wanted?.hostname, "cellar");
		assert.equal(bed.manager.station?.ip, "10.0.0.2");
	});
	it("scans once for all clients, notifies each once, and none that has cancelled", () => {
		const bed = new Bed(undefined, { home: "home-secret", "caf\u00e9": "" }).start();
		const results: string[][] = [];
		const waiter = () => ({
			scanned: (networks: Uint8Array | undefined) => {
				const names: string[] = [];
				const cursor = new ScanCursor(networks ?? new Uint8Array(0), text);
				while (cursor.next())
					names.push(`${cursor.ssid} ${cursor.bssid} ${cursor.rssi} ${cursor.channel} ${cursor.authmode}`);
				results.push(names);
			},
		});
		const cancelled = waiter();
		for (const one of [waiter(), cancelled, waiter()]) assert.equal(bed.manager.scan(one), true);
		bed.manager.cancelScan(cancelled);
		bed.time.advance(3 * S);
		const found = ["home 02005e200006 -50 6 3", "caf\u00e9 02005e200006 -50 6 0"];
		assert.deepEqual(results, [found, found]);
		assert.equal(bed.air.radio?.scans, 1);
		for (let i = 0; i < 8; i++) assert.equal(bed.manager.scan(waiter()), true);
		assert.equal(bed.manager.scan(waiter()), false);
	});
	it("does not join while it scans, interrupts joining for a scan, and joins afterwards", () => {
		const bed = Bed.joining();
		bed.time.advance(1 * S);
		assert.equal(bed.manager.scan({ scanned: () => {} }), true);
		bed.time.advance(1 * S);
		assert.equal(bed.air.radio?.connects, 0);
		bed.time.advance(2 * S);
		assert.equal(bed.air.radio?.connects, 1);
		assert.equal(bed.manager.scan({ scanned: () => {} }), true);
		assert.equal(bed.air.radio?.wanted, undefined);
		bed.time.advance(2 * S);
		assert.equal(bed.air.radio?.connects, 1);
		bed.time.advance(4 * S);
		assert.equal(bed.air.radio?.connects, 2);
		assert.equal(bed.on, "home AP");
	});
	it("continues joining at once if the radio refuses the scan that interrupted it", () => {
		const bed = Bed.joining();
		bed.time.advance(2 * S);
		bed.air.radio!.scan = () => false;
		assert.equal(bed.manager.scan({ scanned: () => {} }), false);
		assert.equal(bed.onAfter(2500 - 1), "- AP");
		assert.equal(bed.onAfter(1), "home AP");
	});
	it("reports that it is online, and stays so, if flash refuses to store the network", () => {
		const bed = Bed.joining();
		bed.time.advance(2 * S);
		bed.catches = true;
		bed.storage.stepsLeft = 0;
		const { changes } = bed;
		bed.time.advance(2 * S);
		assert.equal(bed.problems.length, 1);
		assert.equal(bed.on, "home AP");
		assert.equal(bed.changes, changes + 1);
		assert.equal(bed.onAfter(200 * S), "home");
		assert.equal(bed.problems.length, 1);
	});
	it("confirms only the network that it has joined, not one stored for the next start", () => {
		const bed = new Bed().start();
		bed.join("new", "new-secret");
		bed.time.advance(2 * S);
		bed.settings.setStation({ ssid: "absent", password: "any-secret", dhcp: true });
		bed.time.advance(10 * S);
		assert.equal(bed.manager.station?.ssid, "new");
		assert.deepEqual([bed.settings.station?.ssid, bed.settings.onTrial], ["absent", true]);
		// The same holds if only the password differs.
		bed.join("home", "home-secret");
		bed.time.advance(2 * S);
		bed.settings.setStation({ ssid: "home", password: "another-secret", dhcp: true });
		bed.time.advance(10 * S);
		assert.deepEqual([bed.manager.station?.ssid, bed.settings.onTrial], ["home", true]);
	});
	it("tries a network that was stored during the trial of another one once that trial has failed", () => {
		const bed = Bed.settled();
		bed.join("absent", "any-secret");
		bed.time.advance(2 * S);
		bed.settings.setStation({ ssid: "new", password: "new-secret", dhcp: true });
		assert.equal(bed.onAfter(45 * S - 600), "-");
		bed.time.advance(4 * S);
		assert.equal(bed.manager.station?.ssid, "new");
		assert.equal(bed.settings.onTrial, false);
	});
	it("tries frequently again after it was turned off and on", () => {
		const bed = Bed.settled();
		bed.air.around.delete("home");
		bed.time.advance(600 * S);
		bed.set(WIFI_ENABLED, false);
		bed.time.advance(2 * S);
		const before = bed.air.radio!.connects;
		bed.set(WIFI_ENABLED, true);
		// Attempts: at once; after 2 s to fail and 1 s; after 2 s to fail and 2 s.
		bed.time.advance(1500 + 8 * S);
		assert.equal(bed.air.radio!.connects - before, 3);
	});
	it("tries frequently again after it was online", () => {
		const bed = Bed.settled();
		bed.air.around.delete("home");
		bed.time.advance(600 * S);
		bed.air.around.set("home", { password: "home-secret" });
		assert.equal(bed.onAfter(70 * S), "home AP");
		bed.air.around.delete("home");
		while (bed.manager.state === STATION_ONLINE) bed.time.advance(100);
		const before = bed.air.radio!.connects;
		// Attempts: after 1 s; after 2 s to fail and 2 s. The last one takes 2 s to fail.
		bed.time.advance(7 * S);
		assert.equal(bed.air.radio!.connects - before, 2);
	});
	it("opens its access point without a network, and joins a network in reach, after any random events", () => {
		for (let seed = 1; seed <= 60; seed++) walk(seed);
	});
});

/**
 * Random events. Then there is no network, and the access point must be open. Then both networks are in reach, and the
 * device joins one.
 */
function walk(seed: number): void {
	const random = new SeededRandom(seed);
	const pick = (count: number) => random.bytes(1)[0] % count;
	const bed = Bed.settled({ home: "home-secret" });
	const events = [
		() => bed.air.around.delete("home"),
		() => bed.air.around.set("home", { password: "home-secret" }),
		() => bed.air.around.set("new", { password: "new-secret", givesAddress: pick(2) === 0 }),
		() => bed.air.around.delete("new"),
		() => bed.join("new", pick(2) === 0 ? "new-secret" : "wrong-secret"),
		() => bed.join("home", "home-secret"),
		() => bed.set(FALLBACK_AP_ENABLED, pick(2) === 0),
		() => bed.set(WIFI_ENABLED, pick(2) === 0),
		() => bed.set(AP_ENABLED, pick(2) === 0),
		() => bed.manager.scan({ scanned: () => {} }),
		() => bed.manager.bringUp(),
	];
	for (let i = 0; i < 60; i++) {
		events[pick(events.length)]();
		bed.time.advance(pick(200) * pick(200) * 5);
		assert.equal(bed.air.radio?.accessPoint !== undefined, bed.manager.accessPointOn, `seed ${seed}`);
		if (!bed.manager.isOn) assert.equal(bed.on, "-", `seed ${seed}`);
	}
	bed.set(WIFI_ENABLED, true);
	bed.set(FALLBACK_AP_ENABLED, true);
	bed.air.around.delete("home");
	bed.air.around.delete("new");
	bed.time.advance(300 * S);
	assert.equal(bed.on, "- AP", `seed ${seed}`);
	bed.air.around.set("home", { password: "home-secret" });
	bed.air.around.set("new", { password: "new-secret" });
	bed.time.advance(300 * S);
	assert.notEqual(bed.manager.station, undefined, `seed ${seed}`);
}
