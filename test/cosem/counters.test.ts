import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { ConfigStore } from "../../modules/config/store.js";
import { InvocationCounters, makeCipher } from "../../modules/cosem/counters.js";
import { textCodec } from "../config/memory-storage.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { dlmsSettings } from "../meter/reader-bed.js";
import { AK, GUEK } from "./meters.js";

const TITLE = Uint8Array.from(Buffer.from("SMG12345"));
const crypto = new NodeCrypto();

function countersIn(storage: VirtualStorage, key: Uint8Array = GUEK): InvocationCounters {
	return new InvocationCounters(storage, crypto, key, TITLE);
}

function keyOf(i: number): Uint8Array {
	return new Uint8Array(16).fill(i);
}

/** Uses `count` counters as an association does; returns them. */
function use(counters: InvocationCounters, count: number): number[] {
	const settings = dlmsSettings({ encryptionKey: GUEK, authenticationKey: AK, title: TITLE });
	const cipher = makeCipher(settings, crypto, counters);
	const used: number[] = [];
	for (let i = 0; i < count; i++) {
		if (!cipher.has(1) && !(counters.extend(cipher) && cipher.has(1))) break;
		used.push(cipher.counter);
		const request = Uint8Array.of(0xc0, 1, 0xc1);
		cipher.seal(request, 0, request.length, new Uint8Array(40), 0);
	}
	counters.raise(cipher.counter);
	return used;
}

describe("invocation counters", () => {
	const seed = seedOfRun();

	it("are unknown at first, and continue above the stored value after each start", () => {
		const storage = new VirtualStorage();
		const first = countersIn(storage);
		assert.deepEqual([first.known, first.next], [false, 1]);
		assert.deepEqual(use(first, 3), [1, 2, 3]);
		assert.deepEqual(use(first, 2), [4, 5]);
		const second = countersIn(storage);
		assert.deepEqual([second.known, second.next], [true, 101]);
		assert.deepEqual(
			use(second, 150),
			Array.from({ length: 150 }, (_, i) => 101 + i),
		);
		// The second block of a session is longer.
		assert.equal(countersIn(storage).next, 1201);
	});
	it("are not written before one is used", () => {
		const storage = new VirtualStorage();
		countersIn(storage).raise(5000);
		assert.equal(storage.writes, 0);
	});
	it("never decrease, and end at 32 bits", () => {
		const storage = new VirtualStorage();
		const counters = countersIn(storage);
		counters.raise(2 ** 32 - 50);
		counters.raise(7);
		assert.equal(use(counters, 100).length, 50);
		const next = countersIn(storage);
		assert.equal(next.next, 2 ** 32);
		assert.deepEqual(use(next, 1), []);
	});
	it("are stored by key and title; the least recently used key is forgotten", () => {
		const storage = new VirtualStorage();
		for (let i = 0; i < 16; i++) assert.ok(countersIn(storage, keyOf(i)).reserve());
		assert.ok(countersIn(storage, keyOf(0)).reserve());
		assert.equal(countersIn(storage, keyOf(0)).next, 201);
		countersIn(storage, keyOf(99)).reserve();
		for (let i = 0; i < 16; i++) assert.equal(countersIn(storage, keyOf(i)).known, i !== 1, `key ${i}`);
		assert.equal(new InvocationCounters(storage, crypto, keyOf(99), GUEK.subarray(0, 8)).known, false);
	});
	it("survive a factory reset", () => {
		const storage = new VirtualStorage();
		use(countersIn(storage), 1);
		new ConfigStore(storage, textCodec, ENTRIES).erase();
		assert.equal(countersIn(storage).next, 101);
	});
	it("are unknown if their record is damaged", () => {
		for (const damage of [0, 5, 11, 13]) {
			const storage = new VirtualStorage();
			use(countersIn(storage), 1);
			const value = storage.get("dlms_counters")!;
			value[damage] ^= 1;
			storage.set("dlms_counters", value);
			assert.equal(countersIn(storage).known, false);
		}
		const storage = new VirtualStorage();
		storage.set("dlms_counters", new Uint8Array(7));
		assert.equal(countersIn(storage).known, false);
	});
	it("are not used if flash is full", () => {
		const storage = new VirtualStorage();
		storage.capacity = 10;
		assert.deepEqual(use(countersIn(storage), 1), []);
	});
	it(`are never used twice, however often the power fails (SEED=${seed})`, () => {
		const random = new SeededRandom(seed);
		const storage = new VirtualStorage();
		const seen = new Set<number>();
		let cuts = 0;
		for (let start = 0; start < 500; start++) {
			const counters = countersIn(storage);
			if (random.below(3) > 0) storage.cutPowerAt(1 + random.below(3), random.below(2) === 0);
			for (let i = 0; i < 3; i++) {
				for (const counter of use(counters, random.below(130))) {
					assert.ok(!seen.has(counter), `${counter} is used again`);
					seen.add(counter);
				}
			}
			try {
				storage.get("dlms_counters");
			} catch {
				cuts++;
			}
			storage.powerUp();
		}
		assert.ok(seen.size > 10_000 && cuts > 100, `${seen.size} counters, ${cuts} cuts`);
	});
});
