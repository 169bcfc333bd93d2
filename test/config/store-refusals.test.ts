/**
 * The settings store on flash that refuses writes: at a start, in a change, in a factory reset; and on arbitrary
 * records.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { PowerCut, VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { crc16 } from "../../modules/bytes/crc16.js";
import type { Entry, Setting } from "../../modules/config/schema.js";
import { secureErase } from "../../modules/config/secure-erase.js";
import { ConfigStore } from "../../modules/config/store.js";
import { CONTROL, IEC62056, IEC62056_DEVICE_ADDRESS, METER } from "../../modules/parts/meter/fields.js";
import { textCodec } from "./memory-storage.js";
import { putsOf, putValues } from "./put-values.js";

const open = (storage: VirtualStorage) => new ConfigStore(storage, textCodec, ENTRIES);
const valuesOf = (store: ConfigStore, entry: Entry): Setting[] => entry.fields.map((field) => store.get(field));
const allOf = (store: ConfigStore) => ENTRIES.map((entry) => valuesOf(store, entry));

const SET: readonly Setting[] = [true, 4800, 19200, true, false, "12345678", "secret"];
/** Changes of three entries. */
const CHANGES = [...putsOf(IEC62056, SET), ...putsOf(METER, ["dlms"]), ...putsOf(CONTROL, [true, true])];

function sealed(body: Uint8Array): Uint8Array {
	const check = crc16(body, 0, body.length);
	return Uint8Array.of(...body, check & 0xff, check >> 8);
}

/** Makes the record that config/store.ts writes to change several entries at once. */
function together(...parts: readonly (readonly [key: Uint8Array, entry: Uint8Array])[]): Uint8Array {
	const bytes = parts.flatMap(([key, entry]) => [key.length, ...key, entry.length >> 8, entry.length & 0xff, ...entry]);
	return sealed(Uint8Array.from(bytes));
}

const ascii = (text: string) => Uint8Array.from(Buffer.from(text));

/** Flash after a change of three entries that was cut after `steps` writes. */
function cutAfter(steps: number): VirtualStorage {
	const storage = new VirtualStorage();
	storage.cutPowerAt(steps + 1, false);
	try {
		open(storage).change(CHANGES);
	} catch (error) {
		assert.ok(error instanceof PowerCut);
	}
	storage.powerUp();
	return storage;
}

/** Initial values of the other fields of METER. */
const LINE = Object.freeze([false, false, -1, -1]);

describe("config/store on flash that refuses", () => {
	it("starts with the values of an unfinished change, and finishes it when flash accepts writes again", () => {
		for (let steps = 1; steps <= 4; steps++) {
			const storage = cutAfter(steps);
			storage.refusals = Number.POSITIVE_INFINITY;
			for (let starts = 0; starts < 2; starts++) {
				assert.deepEqual(valuesOf(open(storage), IEC62056), SET, `${steps} steps`);
				assert.deepEqual(valuesOf(open(storage), METER), ["dlms", 0, ...LINE]);
			}
			const store = open(storage);
			if (steps < 4) assert.throws(() => putValues(store, IEC62056, [false]), /refuses/);
			storage.refusals = 0;
			putValues(store, METER, ["iec62056", 0, ...LINE]);
			for (const one of [store, open(storage)]) {
				assert.deepEqual(valuesOf(one, METER), ["iec62056", 0, ...LINE]);
				assert.deepEqual(valuesOf(one, IEC62056), SET);
			}
			assert.deepEqual(storage.keys(), ["control", "iec62056", "meter"]);
		}
	});

	it("changes all or nothing, in memory and in flash, whichever write is refused, and accepts the next change", () => {
		for (let nth = 1; nth <= 5; nth++) {
			const storage = new VirtualStorage();
			const store = open(storage);
			putValues(store, CONTROL, [false, true]);
			const before = allOf(store);
			storage.refuseAt(nth);
			let made = true;
			try {
				store.change(CHANGES);
			} catch (error) {
				assert.match(String(error), /refuses/);
				made = false;
			}
			assert.equal(made, nth > 1, `write ${nth}`);
			if (made) assert.deepEqual(valuesOf(store, IEC62056), SET);
			else assert.deepEqual(allOf(store), before);
			assert.deepEqual(allOf(open(storage.copy())), allOf(store), `write ${nth}`);
			putValues(store, IEC62056, [false]);
			assert.deepEqual(allOf(open(storage)), allOf(store));
		}
	});

	it("counts as erased once the mark is in flash, and completes the erase at the next start", () => {
		for (let nth = 1; nth <= 8; nth++) {
			const storage = new VirtualStorage();
			const store = open(storage);
			store.change(CHANGES);
			const before = allOf(store);
			storage.refuseAt(nth);
			storage.refusals = nth === 1 ? 3 : 1;
			let threw = false;
			try {
				store.erase();
			} catch {
				threw = true;
			}
			assert.equal(store.isErased, !threw || nth > 1, `write ${nth}`);
			assert.deepEqual(allOf(store), before);
			storage.refusals = 0;
			const next = open(storage);
			if (nth > 1) assert.deepEqual(allOf(next), allOf(open(new VirtualStorage())), `write ${nth}`);
			if (nth > 1) {
				assert.deepEqual(storage.keys(), ["erasing"]);
				next.endErasure();
				assert.deepEqual(storage.keys(), []);
			}
			if (store.isErased) assert.throws(() => putValues(store, METER, ["dlms"]), /erased/);
			else assert.ok(putValues(store, CONTROL, [false, false]));
		}
	});

	it("erases everything although there is no room for the mark", () => {
		const storage = new VirtualStorage();
		const store = open(storage);
		store.change(CHANGES);
		storage.capacity = 0;
		store.erase();
		assert.ok(store.isErased);
		assert.deepEqual(storage.keys(), ["erasing"]);
		store.endErasure();
		assert.deepEqual(storage.keys(), []);
	});

	it("starts as erased while the mark exists and flash refuses writes, and changes nothing before all is erased", () => {
		const storage = new VirtualStorage();
		open(storage).change(CHANGES);
		storage.set("erasing", new Uint8Array(0));
		storage.refusals = Number.POSITIVE_INFINITY;
		const store = open(storage);
		assert.deepEqual(allOf(store), allOf(open(new VirtualStorage())));
		assert.throws(() => putValues(store, METER, ["dlms"]), /refuses/);
		storage.refusals = 0;
		putValues(store, METER, ["dlms"]);
		assert.deepEqual(storage.keys(), ["meter"]);
		assert.deepEqual(allOf(open(storage)), allOf(store));
	});

	it("starts with the initial values, and reports all entries as damaged, when nothing can be read", () => {
		const storage = new VirtualStorage();
		open(storage).change(CHANGES);
		storage.get = () => {
			throw new Error("the value can't be read");
		};
		const store = open(storage);
		assert.deepEqual(allOf(store), allOf(open(new VirtualStorage())));
		for (const entry of ENTRIES) assert.ok(store.damaged.includes(entry.key), entry.key);
	});
});

describe("config/store with arbitrary records with correct checksums", () => {
	it("discards a change of several entries with a key not in UTF-8, an invalid entry, or lengths past its end", () => {
		const good = (() => {
			const storage = new VirtualStorage();
			putValues(open(storage), METER, ["dlms"]);
			return storage.get("meter")!;
		})();
		for (const record of [
			together([Uint8Array.of(0xff, 0xfe), good], [ascii("iec62056"), Uint8Array.of(1, 2, 3)]),
			together([ascii("meter"), Uint8Array.of(9, 9, 9)]),
			together([ascii("iec62056"), good.slice(0, -1)], [ascii("meter"), good]),
			sealed(Uint8Array.of(200, 1, 2)),
			sealed(Uint8Array.of(1, 0x61, 0xff, 0xff)),
			sealed(Uint8Array.of(1)),
		]) {
			const storage = new VirtualStorage();
			putValues(open(storage), IEC62056, SET);
			storage.set("together", record);
			const store = open(storage);
			assert.deepEqual(valuesOf(store, IEC62056), SET);
			assert.deepEqual(valuesOf(store, METER), ["iec62056", 0, ...LINE]);
			assert.deepEqual(store.damaged, ["together"]);
			assert.deepEqual(storage.keys(), ["iec62056"]);
		}
	});

	it("applies only the known entries of a change of several entries", () => {
		const storage = new VirtualStorage();
		putValues(open(storage), METER, ["dlms"]);
		const good = storage.get("meter")!;
		storage.delete("meter");
		storage.set("together", together([ascii("own_0_0"), good], [ascii("erasing"), good], [ascii("meter"), good]));
		const store = open(storage);
		assert.deepEqual(valuesOf(store, METER), ["dlms", 0, ...LINE]);
		assert.deepEqual(store.damaged, []);
		assert.deepEqual(storage.keys(), ["meter"]);
	});

	it("reports an entry with an item that the field doesn't allow, uses its other items, and counts it as sound once it is rewritten", () => {
		const storage = new VirtualStorage();
		const address = [IEC62056_DEVICE_ADDRESS.id, 0, 2, 0xc3, 0x28];
		storage.set("iec62056", sealed(Uint8Array.of(1, 1, 4, 0, 1, 1, ...address)));
		const store = open(storage);
		assert.deepEqual(store.damaged, ["iec62056"]);
		assert.deepEqual(valuesOf(store, IEC62056), [false, 2400, 9600, true, false, "", ""]);
		assert.ok(storage.get("iec62056")!.includes(0xc3));
		putValues(store, IEC62056, [false]);
		assert.deepEqual(store.damaged, []);
		assert.deepEqual(open(storage).damaged, []);
	});

	it("starts with any bytes with a correct checksum under every key, and can then write and read", () => {
		const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
		fc.assert(
			fc.property(anyBytes, anyBytes, fc.boolean(), (body, record, refuses) => {
				const storage = new VirtualStorage();
				for (const entry of ENTRIES) storage.set(entry.key, sealed(body));
				storage.set("together", sealed(record));
				if (refuses) storage.refusals = Number.POSITIVE_INFINITY;
				const store = open(storage);
				storage.refusals = 0;
				putValues(store, IEC62056, SET);
				assert.deepEqual(valuesOf(open(storage), IEC62056), SET);
			}),
		);
	});
});

describe("config/secure-erase", () => {
	it("writes zeros of the same length before it deletes", () => {
		const storage = new VirtualStorage();
		const written: Uint8Array[] = [];
		const set = storage.set.bind(storage);
		storage.set = (key, value) => {
			written.push(value.slice());
			set(key, value);
		};
		storage.set("own_0_0", ascii("PRIVATE KEY"));
		secureErase(storage, "own_0_0");
		assert.deepEqual(written, [ascii("PRIVATE KEY"), new Uint8Array(11)]);
		assert.deepEqual(storage.keys(), []);
		secureErase(storage, "own_0_0");
		assert.equal(written.length, 2);
	});

	it("deletes although flash refuses the zeros, and throws if it refuses the deletion too", () => {
		const storage = new VirtualStorage();
		storage.set("own_0_0", ascii("PRIVATE KEY"));
		storage.refusals = 1;
		secureErase(storage, "own_0_0");
		assert.deepEqual(storage.keys(), []);
		storage.set("own_0_0", ascii("PRIVATE KEY"));
		storage.refusals = 2;
		assert.throws(() => secureErase(storage, "own_0_0"), /refuses/);
	});
});
