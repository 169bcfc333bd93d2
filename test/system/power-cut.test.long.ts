/**
 * Power cuts before and after every flash operation while settings are written through the API. After the next start,
 * all settings are either those before or those after the write, and the device serves.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { encodeHex } from "../../modules/bytes/hex.js";
import { ConfigStore } from "../../modules/config/store.js";
import type { JSONObject } from "../api/gateway.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { textCodec } from "../config/memory-storage.js";
import { expectFaults } from "../faults.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { byRun } from "../runs.js";

/** Path and body of a POST. */
type Write = readonly [path: string, body: JSONObject];

function someWrite(random: SeededRandom): Write {
	const pick = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)];
	const flag = () => random.below(2) === 0;
	const key = () => Buffer.from(random.bytes(16)).toString("hex");
	const object = () => ({ code: [1, 0, random.below(100), 7, 0, 255], class_id: 3, attribute: 2 });
	const writes: readonly (() => Write)[] = [
		() => ["system/timezone", { timezone: pick("", "Europe/Berlin", "Europe/Warsaw", "America/New_York") }],
		() => ["system/power_mode", { power_mode: random.below(3) }],
		() => ["meter/protocol", { protocol: pick("iec62056", "dlms") }],
		() => ["iec62056/config", { baudrate_max: 300 + random.below(18_901), battery: flag() }],
		() => ["iec62056/control", { simulator_en: flag(), log_en: flag() }],
		() => ["iec62056/schedule", { enabled: flag(), period_unit: "minutes", period_value: pick(1, 5, 10, 15, 30) }],
		() => ["dlms/config", { auth: pick("none", "low"), client_address: random.below(128) }],
		() => ["dlms/config", { use_encryption: flag(), password: key(), block_cipher_key: key(), auth_key: key() }],
		() => ["dlms/obis", { entries: pick([], [object()]) }],
		() => ["zigbee/map", { mapping: pick([], [{ obis: "1.8.0", mode: 1, mapping_id: "07020000" }]) }],
		() => ["hub", { enabled: true, url: `http://hub-${random.below(1000)}.example`, token: key() }],
		() => ["hub", { enabled: false }],
		() => ["network/wifi", { ssid: `home-${random.below(1000)}`, password: key(), dhcp: true }],
		() => ["network/ap", { ap_ssid: `own-${random.below(1000)}`, ap_password: key() }],
		() => ["network/fallback-ap", { fallback_ap_enabled: flag() }],
	];
	return pick(...writes)();
}

/** All settings that a gateway started with this flash has, as text. */
function settingsIn(storage: VirtualStorage): string {
	const store = new ConfigStore(storage.copy(), textCodec, ENTRIES);
	assert.deepEqual(store.damaged, []);
	const lines: string[] = [];
	for (const entry of ENTRIES) {
		for (const field of entry.fields) {
			const value = store.get(field);
			const text = value instanceof Uint8Array ? Buffer.from(encodeHex(value)).toString() : String(value);
			lines.push(`${entry.key}.${field.name} ${text}`);
		}
	}
	return lines.join("\n");
}

/** Starts a gateway with this flash and logs in. */
async function start(storage: VirtualStorage): Promise<VirtualGateway> {
	const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage });
	return gateway;
}

/** Makes `count` writes and cuts the power at every step of each; returns the number of cuts. */
async function cutEveryStep(count: number, seed: number): Promise<number> {
	expectFaults(/^fault: flash: \w+: (power cut|no power)/);
	const random = new SeededRandom(seed);
	let storage = new VirtualStorage();
	await (await start(storage)).stop();
	let cuts = 0;
	for (let i = 0; i < count; i++) {
		const [path, body] = someWrite(random);
		const what = `SEED=${seed}, write ${i}: ${path} ${JSON.stringify(body)}`;
		const done = storage.copy();
		const gateway = await start(done);
		const before = settingsIn(done);
		const writesBefore = done.writes;
		assert.equal((await gateway.post(path, body)).status, 200, what);
		const steps = done.writes - writesBefore;
		await gateway.stop();
		const after = settingsIn(done);
		for (let step = 1; step <= steps; step++) {
			for (const keepsNew of [false, true]) {
				cuts++;
				const cut = storage.copy();
				const victim = await start(cut);
				cut.cutPowerAt(step, keepsNew);
				await victim.post(path, body);
				await victim.stop();
				cut.powerUp();
				const found = settingsIn(cut);
				const where = `${what}, cut ${keepsNew ? "after" : "before"} step ${step} of ${steps}`;
				assert.ok(found === before || found === after, `${where}\n${found}`);
				const next = await start(cut);
				assert.equal((await next.post(path, body)).status, 200, where);
				await next.stop();
				assert.equal(settingsIn(cut), after, where);
			}
		}
		storage = done;
	}
	return cuts;
}

const seed = seedOfRun();
const WRITES = byRun({ test: 40, long: 1000 });

describe(`Settings when the power is cut (SEED=${seed})`, () => {
	it(`are the old or the new ones after a cut at every step of ${WRITES} writes`, async function () {
		this.test!.title += ` (${await cutEveryStep(WRITES, seed)} cuts)`;
	});
});
