import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { BYTES } from "../../modules/config/schema.js";
import { Driver, type Task } from "../../modules/io/driver.js";
import { ERASE_SIZE } from "../../modules/io/flash.js";
import type { CablePolicy } from "../../modules/network/cable.js";
import {
	LIMIT_MS,
	LOOK_MS,
	Trial,
	type TrialHost,
	type TrialParts,
	YOUNG_MS,
} from "../../modules/parts/update/trial.js";

const STATION = {
	ssid: "home",
	bssid: "",
	rssi: -50,
	channel: 1,
	authmode: 3,
	ip: "192.0.2.1",
	netmask: "",
	gateway: "",
};
const HOME = { ssid: "home", password: "", hostname: "gateway" };

describe("ota/trial", () => {
	let time: VirtualTime;
	let trial: Trial;
	let drive: Task;
	/** Actions, each with its time in ms. */
	let done: string[];
	let missing: string;
	let refusals: number;
	let logged: string[];

	beforeEach(() => {
		time = new VirtualTime();
		time.advance(5000);
		[done, missing, refusals] = [[], "", 0];
		const guard = (_part: string, run: () => void) => {
			try {
				run();
			} catch (error) {
				done.push((error as Error).message);
			}
		};
		const driver = new Driver({ clock: time, timers: time, guard });
		const startMs = time.nowMs;
		const act = (what: string) => {
			if (refusals-- > 0) throw new Error(`refused ${what}`);
			done.push(`${what} ${time.nowMs - startMs}`);
		};
		const host: TrialHost = {
			info: { firmwareVersion: "1.2.3" },
			update: { confirm: () => act("confirm"), rollBack: () => act(`give up: ${missing}`) },
		};
		logged = [];
		trial = new Trial(host, partsOf(), startMs);
		drive = driver.register("trial", trial);
	});

	/** Parts of a gateway; the one that `missing` names does not work. */
	function partsOf(): TrialParts {
		const entries = () => (missing === "settings" ? ["hub", "access"] : ["hub"]);
		return {
			config: {
				get damaged() {
					return entries();
				},
				get: ({ kind }) => (kind === BYTES ? new Uint8Array(missing === "login" ? 0 : 32) : "0123") as never,
			},
			events: { note: ({ name }, detail) => logged.push(`${name} ${detail}`) },
			serving: {
				get httpPort() {
					return missing === "server" ? 0 : 80;
				},
			},
			networkSettings: { wifiEnabled: true, station: HOME, accessPointEnabled: false },
			network: {
				get address() {
					return missing === "network" ? undefined : STATION;
				},
				cable: undefined,
				accessPointOn: true,
				clients: 0,
			},
		};
	}

	const restarting = () => drive.update(() => trial.prove());

	it("confirms a working firmware after a minute, once", () => {
		time.advance(YOUNG_MS - 1);
		assert.deepEqual(done, []);
		time.advance(1);
		assert.deepEqual(done, [`confirm ${YOUNG_MS}`]);
		assert.deepEqual(logged, ["update_confirmed 1.2.3"]);
		missing = "network";
		time.advance(2 * LIMIT_MS);
		restarting();
		assert.deepEqual(done, [`confirm ${YOUNG_MS}`]);
	});

	it("waits for a missing part until the last moment", () => {
		missing = "network";
		time.advance(LIMIT_MS - 1);
		assert.deepEqual(done, []);
		missing = "";
		time.advance(1);
		assert.deepEqual(done, [`confirm ${LIMIT_MS}`]);
	});

	it("confirms as soon as all parts work", () => {
		missing = "server";
		time.advance(3 * YOUNG_MS + 1);
		missing = "";
		time.advance(LOOK_MS);
		assert.deepEqual(done, [`confirm ${3 * YOUNG_MS + LOOK_MS}`]);
	});

	for (const what of ["settings", "login", "server", "network"]) {
		it(`rolls back after ten minutes without ${what}`, () => {
			missing = what;
			time.advance(LIMIT_MS);
			assert.deepEqual(done, [`give up: ${what} ${LIMIT_MS}`]);
			assert.deepEqual(logged, [`update_failed ${what}`]);
		});
	}

	it("rolls back only once", () => {
		missing = "login";
		time.advance(LIMIT_MS);
		assert.deepEqual(done, [`give up: login ${LIMIT_MS}`]);
		missing = "";
		time.advance(LIMIT_MS);
		restarting();
		assert.equal(done.length, 1);
	});

	it("confirms at a requested restart if all parts work", () => {
		missing = "network";
		restarting();
		assert.deepEqual(done, []);
		missing = "";
		restarting();
		assert.deepEqual(done, ["confirm 0"]);
		time.advance(LIMIT_MS);
		assert.equal(done.length, 1);
	});

	it("leaves the firmware unconfirmed at a requested restart without all parts, so that the previous firmware starts", () => {
		const slots = new VirtualSlots({ size: 8 * ERASE_SIZE });
		const crypto = new NodeCrypto();
		const start = () => slots.start(crypto, () => assert.fail("it rolls back by the restart alone"));
		for (const what of ["settings", ""]) {
			const image = makeSimulatorImage({ version: "2.0.0", size: ERASE_SIZE });
			const before = start();
			before.slot.erase(0, ERASE_SIZE);
			before.slot.write(0, image);
			before.activate(image.length);
			const update = start();
			missing = what;
			new Trial({ update, info: { firmwareVersion: "2.0.0" } }, partsOf(), time.nowMs).prove();
			assert.equal(start().image?.version, what === "" ? "2.0.0" : undefined);
		}
	});

	it("repeats the confirmation until flash accepts it", () => {
		refusals = 2;
		time.advance(YOUNG_MS + 2 * LOOK_MS);
		assert.deepEqual(done, ["refused confirm", "refused confirm", `confirm ${YOUNG_MS + 2 * LOOK_MS}`]);
	});

	it("repeats the confirmation every 5 s even after the ten minutes, and rolls back once if a part fails then", () => {
		const count = (LIMIT_MS - YOUNG_MS) / LOOK_MS + 3;
		refusals = count;
		time.advance(LIMIT_MS + 2 * LOOK_MS);
		assert.deepEqual(done, Array(count).fill("refused confirm"));
		missing = "network";
		time.advance(LIMIT_MS);
		assert.deepEqual(done.slice(count), [`give up: network ${LIMIT_MS + 3 * LOOK_MS}`]);
	});

	it("leaves the firmware running if it can't roll back", () => {
		missing = "network";
		refusals = 1;
		time.advance(LIMIT_MS);
		assert.deepEqual(done, ["refused give up: network"]);
		missing = "";
		time.advance(LIMIT_MS);
		assert.equal(done.length, 1);
	});

	it("knows whether the network works", () => {
		const own = { wifiEnabled: true, station: undefined, accessPointEnabled: false };
		const home = { ...own, station: HOME };
		const off = { address: undefined, cable: undefined, accessPointOn: false, clients: 0 };
		const open = { ...off, accessPointOn: true };
		const cabled = { ...open, cable: { isUsed: true } as CablePolicy };
		const unplugged = { ...off, cable: { isUsed: false } as CablePolicy };
		const cases: [boolean, TrialParts["networkSettings"], TrialParts["network"], string][] = [
			[true, home, undefined, "no radio"],
			[true, { ...home, wifiEnabled: false }, off, "Wi-Fi is off"],
			[true, home, { ...off, address: STATION }, "in the network"],
			[false, home, off, "not in the network"],
			[false, home, open, "only the fallback access point"],
			[true, home, { ...open, clients: 1 }, "the fallback access point with a client"],
			[true, { ...home, accessPointEnabled: true }, open, "the access point that the owner has enabled"],
			[true, own, open, "no network, and the access point"],
			[false, own, off, "no network, and no access point"],
			[true, { ...own, wifiEnabled: false }, { ...cabled, address: STATION }, "a cable with an address"],
			[false, { ...own, wifiEnabled: false }, cabled, "a cable without an address, Wi-Fi off"],
			[false, own, cabled, "a cable without an address, and an access point"],
			[true, { ...own, wifiEnabled: false }, unplugged, "no cable, Wi-Fi off"],
		];
		const host = { info: { firmwareVersion: "" }, update: { confirm: () => {}, rollBack: () => {} } };
		for (const [works, networkSettings, network, what] of cases) {
			const one = new Trial(host, { ...partsOf(), networkSettings, network }, 0);
			assert.equal(one.prove(), works ? "" : "network", what);
		}
	});
});
