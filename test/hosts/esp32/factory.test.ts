import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	decodeFactoryData,
	encodeFactoryData,
	FACTORY_DATA_SIZE,
	FACTORY_PARTITION,
	type FactoryData,
	type FactoryDeps,
	hostnameOf,
	loadFactoryData,
	makeSecret,
	SETTINGS_AT,
} from "../../../hosts/esp32/factory.js";
import { NodeCrypto } from "../../../hosts/node/platform.js";
import { CUT_BEFORE, MemoryStorage, textCodec } from "../../config/memory-storage.js";

const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

const UNIT: FactoryData = {
	serial: "0123456789AB",
	variant: 0x0102,
	labelPassword: "7hKq2mWxRt4c",
	accessPointKey: "NnPp23456789",
	deviceKey: DEVICE_KEY,
};
const LONGEST: FactoryData = {
	serial: "Z".repeat(32),
	variant: 0xffff,
	labelPassword: "p".repeat(32),
	accessPointKey: "K".repeat(63),
	deviceKey: DEVICE_KEY,
};

const decode = (bytes: Uint8Array) => decodeFactoryData(bytes, textCodec);

/** Sets the CRC-32, by the table method, of a record that is invalid otherwise. */
function seal(record: Uint8Array): Uint8Array {
	const table = Array.from({ length: 256 }, (_, byte) => {
		let value = byte;
		for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
		return value >>> 0;
	});
	let crc = 0xffffffff;
	for (const byte of record.subarray(0, 168)) crc = (table[(crc ^ byte) & 0xff] ^ (crc >>> 8)) >>> 0;
	new DataView(record.buffer).setUint32(168, ~crc >>> 0, true);
	return record;
}

/** The unit's record with other bytes at `at`, and a matching CRC. */
function changed(at: number, ...bytes: number[]): Uint8Array {
	const record = encodeFactoryData(UNIT);
	record.set(bytes, at);
	return seal(record);
}

interface Bed extends FactoryDeps {
	readonly storage: MemoryStorage;
	readonly traced: string[];
	readonly printed: string[];
}

function bed(partition?: Uint8Array, storage = new MemoryStorage()): Bed {
	const traced: string[] = [];
	const printed: string[] = [];
	return {
		partition,
		storage,
		traced,
		printed,
		crypto: new NodeCrypto(),
		text: textCodec,
		mac: "34b7da0102ef",
		variant: 0x0102,
		trace: (message) => void traced.push(message),
		print: (message) => void printed.push(message),
	};
}

describe("Factory data", () => {
	it("are read as they were written", () => {
		const { deviceKey, ...keyless } = UNIT;
		for (const unit of [UNIT, LONGEST]) assert.deepEqual(decode(encodeFactoryData(unit)), unit);
		assert.deepEqual(decode(encodeFactoryData(keyless)), { ...keyless, deviceKey: undefined });
	});

	it("are encoded at the documented offsets", () => {
		const record = encodeFactoryData(UNIT);
		assert.equal(record.length, FACTORY_DATA_SIZE);
		const text = (start: number, end: number) => Buffer.from(record.subarray(start, end)).toString("latin1");
		assert.equal(text(0, 8), "SMGF\x01\0\x02\x01");
		assert.equal(text(8, 40), "0123456789AB".padEnd(32, "\0"));
		assert.equal(text(40, 72), "7hKq2mWxRt4c".padEnd(32, "\0"));
		assert.equal(text(72, 136), "NnPp23456789".padEnd(64, "\0"));
		assert.deepEqual(record.slice(136, 168), DEVICE_KEY);
		assert.deepEqual(record, seal(record.slice()));
	});

	it("are read from the beginning of longer data, and not from shorter data", () => {
		const record = encodeFactoryData(UNIT);
		const partition = new Uint8Array(4096).fill(0xff);
		partition.set(record);
		assert.deepEqual(decode(partition), UNIT);
		for (let length = 0; length < record.length; length++) assert.equal(decode(record.subarray(0, length)), undefined);
	});

	it("have the partition and the length that factory-data.c reads", () => {
		const path = join(dirname(fileURLToPath(import.meta.url)), "../../../..", "hosts/esp32/factory-data.c");
		const source = readFileSync(path, "utf8");
		assert.ok(source.includes(`RECORD_SIZE = ${FACTORY_DATA_SIZE}, SETTINGS_AT = ${SETTINGS_AT}, `));
		assert.ok(source.includes(`ESP_PARTITION_SUBTYPE_ANY, "${FACTORY_PARTITION}")`));
	});

	it("are rejected if any bit is wrong", () => {
		const record = encodeFactoryData(UNIT);
		for (let bit = 0; bit < record.length * 8; bit++) {
			const damaged = record.slice();
			damaged[bit >> 3] ^= 1 << (bit & 7);
			assert.equal(decode(damaged), undefined, `byte ${bit >> 3}, bit ${bit & 7}`);
		}
		for (let at = 0; at < record.length; at++) {
			const damaged = record.slice();
			damaged[at] ^= 0xff;
			assert.equal(decode(damaged), undefined, `byte ${at}`);
		}
	});

	it("are not found in erased or zeroed flash", () => {
		for (const byte of [0xff, 0]) assert.equal(decode(new Uint8Array(4096).fill(byte)), undefined);
	});

	it("are rejected if they violate a rule, though their checksum is right", () => {
		assert.deepEqual(decode(changed(0)), UNIT);
		const cases: Record<string, Uint8Array> = {
			"another layout": changed(4, 2),
			"a layout beyond 255": changed(5, 1),
			"a serial number of 5 characters": changed(8 + 5, 0, 0, 0, 0, 0, 0, 0),
			"a serial number with a small letter": changed(8, 0x61),
			"a password of 7 characters": changed(40 + 7, 0, 0, 0, 0, 0),
			"a blank in the password": changed(40, 0x20),
			"characters after the end": changed(40 + 20, 0x41),
			"a key of 7 characters": changed(72 + 7, 0, 0, 0, 0, 0),
			"a key of 64 characters": changed(72, ...new Array(64).fill(0x41)),
			"a character beyond ASCII": changed(72, 0xc3, 0xa9),
		};
		for (const [what, record] of Object.entries(cases)) assert.equal(decode(record), undefined, what);
		const shortest = decode(changed(8 + 6, 0, 0, 0, 0, 0, 0));
		assert.equal(shortest?.serial, "012345");
	});

	it("are not written if they violate a rule", () => {
		const refused = (change: Partial<FactoryData>, message: RegExp) =>
			assert.throws(() => encodeFactoryData({ ...UNIT, ...change }), { name: "RangeError", message });
		for (const serial of ["", "01234", "0".repeat(33), "0123456789ab", "0123-4567"])
			refused({ serial }, /A serial number is/);
		for (const labelPassword of ["", "a".repeat(7), "a".repeat(33), "pass word", "passwörter"])
			refused({ labelPassword }, /A label password is/);
		for (const accessPointKey of ["", "a".repeat(7), "a".repeat(64), "key;key;key"])
			refused({ accessPointKey }, /A Wi-Fi key is/);
		for (const variant of [-1, 0x10000, 1.5, Number.NaN]) refused({ variant }, /A hardware variant is/);
		for (const length of [0, 31, 33]) refused({ deviceKey: new Uint8Array(length) }, /A device key has 32 bytes/);
	});
});

describe("The secrets of a unit", () => {
	it("have 12 characters without look-alikes, each equally likely", () => {
		const { random } = bed().crypto;
		const counts = new Map<string, number>();
		for (let round = 0; round < 5000; round++) {
			const secret = makeSecret(random);
			assert.match(secret, /^[2-9A-HJ-NP-Za-hjkmnp-z]{12}$/);
			for (const character of secret) counts.set(character, (counts.get(character) ?? 0) + 1);
		}
		const expected = 60000 / counts.size;
		assert.equal(counts.size, 55);
		for (const [character, count] of counts) assert.ok(Math.abs(count - expected) < 250, `${character}: ${count}`);
	});
});

describe("The unit's factory data at the start", () => {
	it("are read from the partition, and nothing is printed", () => {
		const world = bed(encodeFactoryData(UNIT));
		assert.deepEqual(loadFactoryData(world), UNIT);
		assert.deepEqual([world.traced, world.printed, world.storage.writes], [[], [], 0]);
	});

	it("are used even if they are for another hardware variant, which is logged", () => {
		const world = bed(encodeFactoryData({ ...UNIT, variant: 9 }));
		assert.equal(loadFactoryData(world).serial, UNIT.serial);
		assert.deepEqual(world.traced, ["factory data: of hardware variant 9, not 258"]);
		assert.deepEqual(world.printed, []);
	});

	for (const [what, partition] of [
		["no partition", undefined],
		["an erased partition", new Uint8Array(FACTORY_DATA_SIZE).fill(0xff)],
	] as const) {
		it(`are created if there is ${what}, and do not change; their secrets are printed but not logged`, () => {
			const world = bed(partition);
			const made = loadFactoryData(world);
			assert.equal(made.serial, "34B7DA0102EF");
			assert.equal(made.variant, 0x0102);
			assert.notEqual(made.labelPassword, made.accessPointKey);
			assert.deepEqual(world.traced, []);
			assert.deepEqual(world.printed, [
				`No factory data. Wi-Fi smgw-0102ef, key ${made.accessPointKey}; user admin, password ${made.labelPassword}`,
			]);
			const next = bed(partition, world.storage);
			assert.deepEqual(loadFactoryData(next), { ...made, deviceKey: undefined });
			assert.deepEqual(next.printed, world.printed);
			assert.equal(world.storage.writes, 1);
		});
	}

	for (const [what, damage] of [
		["of one bit", (record: Uint8Array) => record.with(50, record[50] ^ 4)],
		["that left zeros", (record: Uint8Array) => record.fill(0)],
		["that left a single byte", (record: Uint8Array) => record.fill(0xff, 0, 171)],
	] as const) {
		it(`are created after damage ${what}, and their secrets not printed, because anyone may see the console`, () => {
			const world = bed(damage(encodeFactoryData(UNIT)));
			const made = loadFactoryData(world);
			assert.equal(made.serial, "34B7DA0102EF");
			assert.notEqual(made.labelPassword, UNIT.labelPassword);
			assert.deepEqual(world.printed, []);
			assert.deepEqual(world.traced, [
				"factory data: damaged. The label's password and Wi-Fi key don't hold until they are written again (npm run factory).",
			]);
			// The next start uses the same data, and prints nothing either.
			const next = bed(world.partition, world.storage);
			assert.deepEqual(loadFactoryData(next), { ...made, deviceKey: undefined });
			assert.deepEqual([next.printed, next.traced], [[], world.traced]);
		});
	}

	it("are created again if those in flash are damaged or belong to another chip", () => {
		const storage = new MemoryStorage();
		const first = loadFactoryData(bed(undefined, storage));
		const [key, value] = [...storage.values][0];
		storage.values.set(
			key,
			value.map((byte, at) => (at === 45 ? byte ^ 1 : byte)),
		);
		const second = loadFactoryData(bed(undefined, storage));
		assert.notEqual(second.labelPassword, first.labelPassword);
		const third = loadFactoryData({ ...bed(undefined, storage), mac: "34b7da0102f0" });
		assert.equal(third.serial, "34B7DA0102F0");
		assert.notEqual(third.labelPassword, second.labelPassword);
	});

	it("are valid for one start if flash can't be written", () => {
		const storage = new MemoryStorage();
		storage.power = CUT_BEFORE;
		const world = bed(undefined, storage);
		const made = loadFactoryData(world);
		assert.equal(made.serial, "34B7DA0102EF");
		assert.deepEqual(world.traced, ["factory data: can't be kept, the next start makes others: power cut"]);
		assert.ok(!world.traced.join().includes(made.labelPassword));
	});
});

describe("The name of a unit", () => {
	it("is the end of its serial number", () => {
		assert.equal(hostnameOf("34B7DA0102EF"), "smgw-0102ef");
		assert.equal(hostnameOf("ABCDEF"), "smgw-abcdef");
	});
});
