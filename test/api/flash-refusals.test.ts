/**
 * Flash that refuses writes, and flash with arbitrary contents. The gateway starts and reports the fault. A request
 * that stores something changes nothing and is answered 500, or changes everything.
 */

import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { expectFaults, expectFaultsInSuite } from "../faults.js";
import { flashRecords } from "../fuzz/flash-records.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { isError, type JSONObject, PASSWORD, vectorOf } from "./gateway.js";
import { lastingPair } from "./server-identity.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";
import { WALK } from "./walk.js";

const seed = seedOfRun();
const KEY = "000102030405060708090a0b0c0d0e0f";
const pair = lastingPair("gateway.example");
const CERTIFICATE = Buffer.from(pair.certificate).toString();
const CHAIN = Buffer.concat([pair.certificate, pair.key]);

/** A request that writes, and the route that shows its change. */
interface Write {
	readonly path: string;
	readonly body?: JSONObject | Uint8Array;
	readonly method?: string;
	readonly seenAt: string;
	prepare?(gateway: VirtualGateway): Promise<void>;
}

const WRITES: readonly Write[] = [
	{ path: "system/timezone", body: { timezone: "Europe/Berlin" }, seenAt: "system/timezone" },
	{ path: "system/power_mode", body: { power_mode: 1 }, seenAt: "system/power_mode" },
	{ path: "system/tokens", body: { name: "second" }, seenAt: "system/tokens" },
	{ path: "system/tokens/<first>", method: "DELETE", seenAt: "system/tokens" },
	{
		path: "system/password",
		body: { old_password: PASSWORD, new_password: "another-password" },
		seenAt: "system/status",
	},
	{ path: "meter/protocol", body: { protocol: "dlms" }, seenAt: "meter/protocol" },
	{ path: "iec62056/config", body: { baudrate_max: 600 }, seenAt: "iec62056/config" },
	{ path: "iec62056/control", body: { simulator_en: true }, seenAt: "iec62056/control" },
	{
		path: "iec62056/schedule",
		body: { enabled: true, period_unit: "minutes", period_value: 5 },
		seenAt: "iec62056/schedule",
	},
	{ path: "dlms/config", body: { auth: "low", block_cipher_key: KEY, password: "x" }, seenAt: "dlms/config" },
	{
		path: "dlms/obis",
		body: { entries: [{ code: [1, 0, 1, 7, 0, 255], class_id: 3, attribute: 2 }] },
		seenAt: "dlms/obis",
	},
	{ path: "dlms/config", body: { list_rows: "06=1.8.0" }, seenAt: "dlms/config" },
	{
		path: "zigbee/map",
		body: { mapping: [{ obis: "1.8.0", mode: 1, mapping_id: "07020000" }] },
		seenAt: "zigbee/map",
	},
	{
		path: "hub",
		body: { enabled: true, url: "http://hub.example", token: KEY, cert: CERTIFICATE },
		seenAt: "hub",
	},
	{ path: "network/wifi", body: { ssid: "other", password: "other-secret", dhcp: true }, seenAt: "network/status" },
	{ path: "network/ap", body: { ap_ssid: "mine", ap_password: "mine-secret" }, seenAt: "network/status" },
	{ path: "network/fallback-ap", body: { fallback_ap_enabled: false }, seenAt: "network/fallback-ap" },
	{
		path: "system/backup",
		body: { backup: 1, product: "smart-meter-gw", settings: { hub: { lang: "de" }, "dlms/config": { auth: "low" } } },
		seenAt: "dlms/config",
	},
	{ path: "network/wifi-enabled", body: { wifi_enabled: false }, seenAt: "network/wifi-enabled" },
	{ path: "system/certificate", body: CHAIN, seenAt: "system/certificate" },
	{
		path: "system/certificate/reset",
		seenAt: "system/certificate",
		prepare: async (gateway) => {
			assert.equal((await gateway.post("system/certificate", CHAIN)).status, 200);
			await gateway.loginAfterReboot();
		},
	},
];

describe(`The gateway on flash that refuses writes (SEED=${seed})`, function () {
	this.timeout(60_000);
	expectFaultsInSuite(/^fault: flash: \w+: the flash refuses/);

	for (const write of WRITES) {
		const { path, method = "POST", body, seenAt } = write;
		it(`${method} ${path} replies 500 and changes nothing, or changes everything, whichever write is refused`, async () => {
			let refused = 0;
			for (let nth = 1; nth < 30; nth++) {
				const storage = new VirtualStorage();
				const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
				await write.prepare?.(gateway);
				const first = await gateway.write("system/tokens", { name: "first" });
				const where = path.replace("<first>", first.id);
				const before = await gateway.read(seenAt);
				const flashBefore = contents(storage);
				const writesBefore = storage.writes;
				storage.refuseAt(nth);
				const reply = await gateway.request(method, where, body === undefined ? {} : { body });
				const wasRefused = storage.refusals === 0;
				storage.refusals = 0;
				// The whole change is already in flash and will be moved to its place.
				if (wasRefused && reply.status === 200 && path === "dlms/config")
					assert.equal((await gateway.read("system/status")).storage_state, "refused");
				assert.ok(reply.status === 200 || wasRefused, `${reply.status} without a refused write: ${reply.text}`);
				if (reply.status !== 200) {
					isError(reply, 500, "internal");
					assert.match(JSON.parse(reply.text).message, /flash memory refused/);
					assert.deepEqual(changing(await gateway.read(seenAt)), changing(before), `write ${nth}`);
					// Flash may have accepted a later write, which removed the rest of the refused file; the state is
					// then "ok".
					const state = /hub|certificate$/.test(path) ? /refused|ok/ : /refused/;
					assert.match((await gateway.read("system/status")).storage_state, state);
					if (nth === 1) assert.deepEqual(contents(storage), flashBefore);
					const again = await gateway.request(method, where, body === undefined ? {} : { body });
					assert.equal(again.status, 200, again.text);
					refused++;
				}
				await gateway.stop();
				if (!wasRefused) {
					assert.ok(storage.writes > writesBefore, "nothing was written");
					break;
				}
			}
			assert.ok(refused > 0, "no refused write was answered with 500");
		});
	}

	it("replies 200 to certificate/reset without an installed certificate, since there is nothing to write", async () => {
		const storage = new VirtualStorage();
		const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
		const before = contents(storage);
		storage.refusals = Number.POSITIVE_INFINITY;
		const { custom, reboot } = await gateway.write("system/certificate/reset", undefined);
		assert.deepEqual([custom, reboot], [false, false]);
		assert.deepEqual(contents(storage), before);
		await gateway.stop();
	});

	it("starts as a new unit, accepts the login, and reports the fault", async () => {
		const storage = new VirtualStorage();
		storage.refusals = Number.POSITIVE_INFINITY;
		const gateway = await VirtualGateway.loggedIn("ap", { utcMs: START_UTC_MS, storage });
		const status = await gateway.read("system/status");
		assert.deepEqual([status.storage_state, status.password_default], ["refused", true]);
		isError(await gateway.post("system/power_mode", { power_mode: 1 }), 500, "internal");
		assert.deepEqual(await gateway.read("system/power_mode"), { power_mode: 0 });
		storage.refusals = 0;
		await gateway.write("system/power_mode", { power_mode: 1 });
		assert.equal((await gateway.read("system/status")).storage_state, "ok");
		await gateway.stop();
	});

	it("reads the meter even if it can't store what it has learned about it", async () => {
		const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");
		const storage = new VirtualStorage();
		const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
		storage.refusals = Number.POSITIVE_INFINITY;
		// The reader ends at a lower speed, which it stores.
		for (const faults of [{}, { wrongBCC: 3 }, {}]) {
			await gateway.connectMeter({ telegram, faults });
			const { status, text } = await gateway.get("iec62056/read");
			assert.equal(status, 200, text);
			await gateway.untilIdle();
		}
		assert.equal((await gateway.read("system/status")).storage_state, "refused");
		isError(await gateway.post("iec62056/control", { log_en: true }), 500, "internal");
		await gateway.stop();
	});

	it("reports a factory reset that flash refuses, and never starts half erased", async () => {
		for (const nth of [1, 2, 3, 4, 6]) {
			const storage = new VirtualStorage();
			const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
			await gateway.write("system/power_mode", { power_mode: 1 });
			storage.refuseAt(nth);
			storage.refusals = Number.POSITIVE_INFINITY;
			isError(await gateway.post("system/factory_reset"), 500, "internal");
			await gateway.loginAfterReboot();
			const isMarked = nth > 1;
			assert.deepEqual(await gateway.read("system/power_mode"), { power_mode: isMarked ? 0 : 1 });
			storage.refusals = 0;
			assert.equal((await gateway.post("system/factory_reset")).status, 200);
			assert.deepEqual(storage.keys(), []);
			await gateway.loginAfterReboot();
			assert.deepEqual(await gateway.read("system/power_mode"), { power_mode: 0 });
			await gateway.stop();
		}
	});

	it("has no key of any kind left in flash when the reply to a factory reset is sent", async () => {
		const storage = new VirtualStorage();
		const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
		for (const { path, body, method = "POST" } of WRITES) {
			if (method !== "POST" || ["system/password", "system/certificate/reset"].includes(path)) continue;
			assert.equal((await gateway.post(path, body)).status, 200, path);
		}
		for (const key of ["own_0_0", "tls_0_0", "hub_cert_0_0"]) assert.ok(storage.get(key), key);
		const zeroed = new Set<string>();
		const set = storage.set.bind(storage);
		storage.set = (key, value) => {
			if (value.length > 0 && value.every((byte) => byte === 0)) zeroed.add(key);
			set(key, value);
		};
		const keys = storage.keys();
		const reply = await gateway.post("system/factory_reset");
		assert.equal(reply.status, 200);
		assert.deepEqual(storage.keys(), []);
		assert.deepEqual([...zeroed].sort(), keys);
		await gateway.stop();
	});
});

describe(`The gateway on flash with arbitrary records with valid checksums (SEED=${seed})`, function () {
	this.timeout(60_000);

	it("starts, reports damaged records, answers GET requests, accepts writes, and can be reset", async () => {
		expectFaults(/^fault: flash: \w+: the flash refuses/);
		const random = new SeededRandom(seed);
		let damaged = 0;
		for (let i = 0; i < 60; i++) {
			const storage = new VirtualStorage();
			for (const [key, value] of flashRecords(random)) storage.set(key, value);
			// The account is that of a new unit, because an arbitrary account would allow no login.
			storage.delete("access");
			if (i % 3 === 0) storage.refusals = Number.POSITIVE_INFINITY;
			const gateway = new VirtualGateway("ap", { utcMs: START_UTC_MS, storage });
			const what = `round ${i}: ${storage.keys().map((key) => `${key} ${Buffer.from(storage.get(key)!).toString("hex")}`)}`;
			storage.refusals = 0;
			await gateway.login();
			const { storage_state } = await gateway.read("system/status");
			if (storage_state !== "ok") damaged++;
			for (const { method, path } of WALK) {
				// The virtual world has no manufacturer's key for a report.
				if (method !== "GET" || /read$|profile$|scan$|send$|diagnostic$/.test(path)) continue;
				const { status } = await gateway.get(path, path.endsWith("challenge") ? { token: null } : {});
				// If flash refused to store the gateway's own certificate, there is none to download.
				const isMissing = path === "system/certificate/file" && i % 3 === 0;
				assert.equal(status, isMissing ? 404 : 200, `${path}, ${what}`);
			}
			await gateway.write("system/power_mode", { power_mode: 2 });
			assert.equal((await gateway.post("system/factory_reset")).status, 200, what);
			for (const { key } of ENTRIES) assert.equal(storage.get(key), undefined, what);
			gateway.checkTraces();
			await gateway.stop();
		}
		assert.ok(damaged > 30, `${damaged} of 60 rounds reported damage`);
	});
});

/** The reply without the members that change by themselves. */
function changing({ localtime, timestamp, storage_state, rssi, ...rest }: JSONObject): JSONObject {
	return rest;
}

function contents(storage: VirtualStorage): string {
	return storage
		.keys()
		.map((key) => `${key} ${Buffer.from(storage.get(key)!).toString("hex")}`)
		.join("\n");
}
