import assert from "node:assert/strict";
import fc from "fast-check";
import { ENTRIES } from "../../modules/app/parts.js";
import { crc16 } from "../../modules/bytes/crc16.js";
import { settingLine } from "../../modules/config/report.js";
import {
	BOOLEAN,
	BYTES,
	CHOICE,
	type Entry,
	field,
	INTEGER,
	put,
	type Setting,
	type SettingField,
	TEXT,
} from "../../modules/config/schema.js";
import { ConfigStore, ENTRY_LIMIT } from "../../modules/config/store.js";
import { ACCESS, ACCESS_DIGEST, ACCESS_SALT } from "../../modules/parts/auth/fields.js";
import { HUB_TOKEN, HUB_URL } from "../../modules/parts/hub/fields.js";
import {
	CONTROL,
	CONTROL_LOG_EN,
	CONTROL_SIMULATOR_EN,
	IEC_SPEED,
	IEC_SPEED_BAUD,
	IEC_SPEED_METER_ID,
	IEC62056,
	IEC62056_BATTERY,
	IEC62056_BAUDRATE_MAX,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_MODE_D_BAUDRATE,
	METER,
	METER_PROTOCOL,
} from "../../modules/parts/meter/fields.js";
import { MQTT_URL } from "../../modules/parts/mqtt/fields.js";
import { WIFI_SSID } from "../../modules/parts/network/fields.js";
import { CUT_AFTER, CUT_BEFORE, MemoryStorage, POWER_ON, textCodec } from "./memory-storage.js";
import { putsOf, putValues } from "./put-values.js";

function open(storage: MemoryStorage): ConfigStore {
	return new ConfigStore(storage, textCodec, ENTRIES);
}

function valuesOf(store: ConfigStore, entry: Entry): Setting[] {
	return entry.fields.map((field) => store.get(field));
}

const SET: readonly Setting[] = [true, 4800, 19200, true, false, "12345678", "secret"];
const INITIAL: readonly Setting[] = IEC62056.fields.map((field) => field.initial!);

/**
 * Makes an entry of format 1 with version, items and check, as the table at the top of config/store.ts describes it.
 */
function sealed(version: number, ...items: readonly (readonly number[])[]): Uint8Array {
	const body = Uint8Array.from([1, version, ...items.flat()]);
	const check = crc16(body, 0, body.length);
	return Uint8Array.from([...body, check & 0xff, check >> 8]);
}

function item(id: number, ...value: readonly number[]): number[] {
	return [id, value.length >> 8, value.length & 0xff, ...value];
}

function double(value: number): number[] {
	const bytes = Buffer.alloc(8);
	bytes.writeDoubleBE(value);
	return [...bytes];
}

/** A table of one entry, as an older or newer firmware would have it. */
function table(version: number, fields: readonly Partial<SettingField>[]): readonly Entry[] {
	const full = fields.map((given) => ({
		entry: 0,
		id: 1,
		name: "x",
		kind: BOOLEAN,
		minimum: 0,
		maximum: 0,
		choices: [],
		characters: "",
		initial: undefined,
		secret: false,
		isPublic: false,
		...given,
	}));
	return [{ key: "grown", version, fields: full, isInternal: false }];
}

describe("config/store", () => {
	it("starts with the initial values and writes nothing for them", () => {
		const storage = new MemoryStorage();
		const store = open(storage);
		assert.deepEqual(valuesOf(store, IEC62056), INITIAL);
		assert.deepEqual(store.get(ACCESS_DIGEST), new Uint8Array(0));
		assert.equal(putValues(store, CONTROL, [false, false]), false);
		assert.equal(storage.writes, 0);
		assert.deepEqual(store.damaged, []);
	});

	it("keeps what was set over a restart, entry by entry", () => {
		const storage = new MemoryStorage();
		const digest = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
		const store = open(storage);
		assert.equal(putValues(store, IEC62056, SET), true);
		assert.equal(putValues(store, METER, ["dlms"]), true);
		assert.equal(putValues(store, ACCESS, ["00ff", digest.slice(), false]), true);
		assert.equal(putValues(store, IEC_SPEED, [2400, "ELS5\\@V9.30 "]), true);
		for (const view of [store, open(storage)]) {
			assert.deepEqual(valuesOf(view, IEC62056), SET);
			assert.equal(view.get(METER_PROTOCOL), "dlms");
			assert.equal(view.get(ACCESS_SALT), "00ff");
			assert.deepEqual(view.get(ACCESS_DIGEST), digest);
			assert.equal(view.get(IEC_SPEED_BAUD), 2400);
			assert.equal(view.get(IEC_SPEED_METER_ID), "ELS5\\@V9.30 ");
			assert.equal(view.get(CONTROL_SIMULATOR_EN), false);
			assert.deepEqual(view.damaged, []);
		}
	});

	it("writes the bytes that the header of config/store.ts describes", () => {
		const storage = new MemoryStorage();
		putValues(open(storage), IEC62056, [undefined, undefined, 300, undefined, undefined, "7 a"]);
		const expected = sealed(
			2,
			item(1, 0),
			item(2, ...double(2400)),
			item(3, ...double(300)),
			item(4, 0),
			item(5, 0),
			item(6, 0x37, 0x20, 0x61),
			item(7),
		);
		assert.deepEqual(storage.get("iec62056"), expected);
	});

	it("keeps the settings that a change leaves out", () => {
		const store = open(new MemoryStorage());
		putValues(store, IEC62056, SET);
		assert.equal(putValues(store, IEC62056, [undefined, undefined, 600]), true);
		assert.deepEqual(valuesOf(store, IEC62056), [true, 4800, 600, true, false, "12345678", "secret"]);
		assert.equal(putValues(store, IEC62056, []), false);
	});

	it("doesn't write when nothing changes", () => {
		const storage = new MemoryStorage();
		const store = open(storage);
		putValues(store, IEC62056, SET);
		putValues(store, ACCESS, ["00", new Uint8Array(32).fill(7), false]);
		storage.writes = 0;
		assert.equal(putValues(store, IEC62056, SET), false);
		assert.equal(putValues(store, ACCESS, ["00", new Uint8Array(32).fill(7), false]), false);
		assert.equal(putValues(open(storage), IEC62056, SET), false);
		assert.equal(storage.writes, 0);
		assert.equal(putValues(store, ACCESS, ["00", new Uint8Array(32).fill(8)]), true);
		assert.equal(storage.writes, 1);
	});

	it("refuses a whole change for one value that isn't allowed or one unknown field", () => {
		const storage = new MemoryStorage();
		const store = open(storage);
		assert.throws(() => putValues(store, IEC62056, [true, 4800, 299]), RangeError);
		assert.throws(() => putValues(store, IEC62056, [true, 4801]), RangeError);
		const unheard = field<boolean>({ entry: CONTROL_LOG_EN.entry, id: 9, name: "unheard", kind: BOOLEAN });
		assert.throws(() => store.change([put(CONTROL_LOG_EN, true), put(unheard, true)]), RangeError);
		assert.throws(() => putValues(store, METER, ["DLMS"]), RangeError);
		assert.deepEqual(valuesOf(store, IEC62056), INITIAL);
		assert.equal(storage.writes, 0);
	});

	it("never shows a secret or personal data in an error or a report", () => {
		const store = open(new MemoryStorage());
		const lines = () => {
			const collected: string[] = [];
			for (let line = settingLine(store, textCodec, 0); line !== undefined; ) {
				collected.push(line);
				line = settingLine(store, textCodec, collected.length);
			}
			return collected;
		};
		assert.ok(lines().includes("access.digest: "));
		assert.ok(lines().includes("mqtt.topic: smgw"));
		putValues(store, ACCESS, ["00ff", new Uint8Array(32).fill(0xab), false]);
		putValues(store, IEC62056, SET);
		store.change([put(HUB_URL, "https://home.example:8123"), put(HUB_TOKEN, "abab"), put(WIFI_SSID, "abab")]);
		store.change([put(MQTT_URL, "abab171")]);
		const report = lines();
		assert.equal(
			report.length,
			ENTRIES.reduce((sum, entry) => sum + entry.fields.length, 0),
		);
		for (const line of [
			"access.digest: ***",
			"access.salt: *** (4 characters)",
			"iec62056.baudrate_max: 19200",
			"iec62056.mode_d_enabled: true",
			"hub.url: https://*** (25 characters)",
			"hub.token: ***",
			"wifi.ssid: *** (4 characters)",
			"mqtt.url: *** (7 characters)",
		])
			assert.ok(report.includes(line), line);
		assert.doesNotMatch(report.join("\n"), /abab|171|example/);
		assert.throws(
			() => putValues(store, ACCESS, ["00", new Uint8Array(33).fill(0xab)]),
			(error: Error) => !/ab|171/.test(error.message),
		);
	});

	it("has the old entry or the new one in flash after a power cut, and the old one in memory until a restart", () => {
		for (const power of [CUT_BEFORE, CUT_AFTER]) {
			const storage = new MemoryStorage();
			const store = open(storage);
			putValues(store, IEC62056, SET);
			storage.power = power;
			assert.throws(() => putValues(store, IEC62056, INITIAL), /power cut/);
			assert.deepEqual(valuesOf(store, IEC62056), SET);
			storage.power = POWER_ON;
			assert.deepEqual(valuesOf(open(storage), IEC62056), power === CUT_BEFORE ? SET : INITIAL);
		}
	});

	it("erases all or nothing, wherever the power is cut, and keeps the mark until the other data are erased too", () => {
		// Steps: writing the mark, zeros and deletion for each of the two entries, deleting the mark.
		const steps = 1 + 2 * 2 + 1;
		for (let cut = 0; cut <= steps; cut++) {
			const storage = new MemoryStorage();
			const store = open(storage);
			putValues(store, IEC62056, SET);
			putValues(store, CONTROL, [true, true]);
			storage.stepsLeft = cut;
			const erase = () => {
				store.erase();
				store.endErasure();
			};
			if (cut < steps) assert.throws(erase, /power cut/);
			else erase();
			storage.stepsLeft = Number.POSITIVE_INFINITY;
			const next = open(storage);
			assert.deepEqual(valuesOf(next, IEC62056), cut === 0 ? SET : INITIAL, `cut before step ${cut}`);
			assert.equal(next.get(CONTROL_LOG_EN), cut === 0);
			assert.equal(next.wasErasing, cut > 0 && cut < steps);
			if (cut > 0) assert.deepEqual([...storage.values.keys()], next.wasErasing ? ["erasing"] : []);
			if (next.wasErasing) next.endErasure();
			assert.equal(open(storage).wasErasing, false);
		}
	});

	it("changes several entries together or not at all, wherever the power is cut", () => {
		const changes = [...putsOf(IEC62056, SET), ...putsOf(METER, []), ...putsOf(CONTROL, [true, true])];
		// Steps: writing both together, writing each, deleting the record of both.
		const steps = 4;
		for (let cut = 0; cut <= steps; cut++) {
			const storage = new MemoryStorage();
			storage.stepsLeft = cut;
			// The first step makes the change permanent, whatever happens to the others.
			if (cut === 0) assert.throws(() => open(storage).change(changes), /power cut/);
			else assert.equal(open(storage).change(changes), true);
			storage.stepsLeft = Number.POSITIVE_INFINITY;
			for (const next of [open(storage), open(storage)]) {
				assert.deepEqual(valuesOf(next, IEC62056), cut === 0 ? INITIAL : SET, `cut before step ${cut}`);
				assert.equal(next.get(CONTROL_LOG_EN), cut > 0);
				assert.deepEqual(next.damaged, []);
			}
			assert.deepEqual([...storage.values.keys()].sort(), cut === 0 ? [] : ["control", "iec62056"]);
		}
	});

	it("refuses a whole change of several entries for one bad value, and writes nothing if no value changes", () => {
		const storage = new MemoryStorage();
		const store = open(storage);
		const bad = putsOf(CONTROL, [true, 1]);
		assert.throws(() => store.change([...putsOf(IEC62056, SET), ...bad]), RangeError);
		assert.equal(putValues(store, IEC62056, INITIAL), false);
		assert.equal(storage.writes, 0);
		assert.deepEqual(valuesOf(store, IEC62056), INITIAL);
	});

	it("discards a damaged change of several entries", () => {
		const storage = new MemoryStorage();
		putValues(open(storage), IEC62056, SET);
		for (const bytes of [[], [1], [8, 1, 2, 3], new Array<number>(50).fill(7)]) {
			storage.values.set("together", Uint8Array.from(bytes));
			assert.deepEqual(valuesOf(open(storage), IEC62056), SET);
			assert.deepEqual([...storage.values.keys()], ["iec62056"]);
		}
	});

	it("writes nothing more once it was erased, until the next start", () => {
		const storage = new MemoryStorage();
		const store = open(storage);
		putValues(store, CONTROL, [true, true]);
		store.erase();
		assert.throws(() => putValues(store, CONTROL, [false, false]), /erased/);
		assert.deepEqual([...storage.values.keys()], ["erasing"]);
		store.endErasure();
		assert.deepEqual([...storage.values.keys()], []);
		assert.ok(putValues(open(storage), CONTROL, [true, true]));
	});

	it("reports an entry cut at any byte as damaged, and no other entry", () => {
		const storage = new MemoryStorage();
		putValues(open(storage), IEC62056, SET);
		putValues(open(storage), CONTROL, [true, true]);
		const whole = storage.get("iec62056")!;
		for (let length = 0; length < whole.length; length++) {
			storage.values.set("iec62056", whole.slice(0, length));
			const store = open(storage);
			assert.deepEqual(store.damaged, ["iec62056"], `cut at ${length}`);
			assert.deepEqual(valuesOf(store, IEC62056), INITIAL);
			assert.equal(store.get(CONTROL_LOG_EN), true);
		}
	});

	it("reports an entry with a flipped bit, an extra byte or garbage as damaged", () => {
		const storage = new MemoryStorage();
		putValues(open(storage), IEC62056, SET);
		const whole = storage.get("iec62056")!;
		const bad: Uint8Array[] = [
			new Uint8Array(0),
			new Uint8Array(4),
			new Uint8Array(4000).fill(255),
			Uint8Array.of(...whole, 0),
		];
		for (let bit = 0; bit < whole.length * 8; bit++) {
			const flipped = whole.slice();
			flipped[bit >> 3] ^= 1 << (bit & 7);
			bad.push(flipped);
		}
		for (const bytes of bad) {
			storage.values.set("iec62056", bytes);
			const store = open(storage);
			assert.deepEqual(store.damaged, ["iec62056"], Buffer.from(bytes).toString("hex"));
			assert.deepEqual(valuesOf(store, IEC62056), INITIAL);
		}
	});

	it("starts with any bytes under any key, and can then write and read", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, seal) => {
				const storage = new MemoryStorage();
				for (const entry of ENTRIES) storage.values.set(entry.key, seal ? sealed(bytes[0] ?? 0, [...bytes]) : bytes);
				const store = open(storage);
				for (const entry of ENTRIES) assert.equal(entry.fields.length, valuesOf(store, entry).length);
				putValues(store, IEC62056, SET);
				assert.deepEqual(valuesOf(open(storage), IEC62056), SET);
			}),
		);
	});

	it("counts an entry as sound once it is rewritten, even with the same value", () => {
		const storage = new MemoryStorage();
		storage.values.set("control", Uint8Array.of(9, 9, 9));
		const store = open(storage);
		assert.equal(putValues(store, CONTROL, [false]), false);
		assert.equal(storage.writes, 1);
		assert.deepEqual(store.damaged, []);
		assert.deepEqual(open(storage).damaged, []);
	});

	it("reports an entry of an unknown format as damaged", () => {
		const storage = new MemoryStorage();
		const bytes = sealed(1, item(1, 1)).slice(0, -2);
		bytes[0] = 2;
		const check = crc16(bytes, 0, bytes.length);
		storage.values.set("control", Uint8Array.of(...bytes, check & 255, check >> 8));
		assert.deepEqual(open(storage).damaged, ["control"]);
	});

	it("uses the initial value if an item is missing, out of range or malformed", () => {
		const cases: readonly (readonly number[])[] = [
			item(3, ...double(299)),
			item(3, ...double(19201)),
			item(3, ...double(1e9)),
			item(3, ...double(600.5)),
			item(3, ...double(Number.NaN)),
			item(3, ...double(600).slice(0, 7)),
			item(3),
			item(2, ...double(301)),
			item(1, 2),
			item(1, 1, 1),
			item(1),
			item(6, 0x2e),
			item(6, 0xff, 0xfe),
			item(6, ...new Array<number>(33).fill(0x30)),
			[],
		];
		for (const bytes of cases) {
			const storage = new MemoryStorage();
			storage.values.set("iec62056", sealed(1, bytes, item(4, 1)));
			const store = open(storage);
			assert.deepEqual(store.damaged, bytes.length === 0 ? [] : ["iec62056"], String(bytes));
			assert.deepEqual(valuesOf(store, IEC62056), [false, 2400, 9600, true, false, "", ""], String(bytes));
		}
	});

	it("accepts both ends of a range from flash", () => {
		for (const baud of [300, 19200]) {
			const storage = new MemoryStorage();
			storage.values.set("iec62056", sealed(1, item(3, ...double(baud))));
			assert.equal(open(storage).get(IEC62056_BAUDRATE_MAX), baud);
		}
	});

	it("reports an entry with items that overrun it as damaged", () => {
		for (const items of [[1], [1, 0], [1, 0, 2, 1], [1, 0xff, 0xff, 1], [...item(1, 1), 4, 0]]) {
			const storage = new MemoryStorage();
			storage.values.set("control", sealed(1, items));
			assert.deepEqual(open(storage).damaged, ["control"], String(items));
		}
	});

	it("keeps its values over an upgrade, with the new fields at their initial values", () => {
		const storage = new MemoryStorage();
		const old = table(1, [{ id: 1, kind: INTEGER, maximum: 9, initial: 1 }]);
		putValues(new ConfigStore(storage, textCodec, old), old[0], [7]);
		const fresh = table(2, [
			{ id: 2, kind: TEXT, maximum: 5, characters: "az", initial: "abc" },
			{ id: 1, kind: INTEGER, maximum: 9, initial: 1 },
		]);
		const store = new ConfigStore(storage, textCodec, fresh);
		assert.deepEqual(valuesOf(store, fresh[0]), ["abc", 7]);
		putValues(store, fresh[0], ["x"]);
		assert.equal(storage.get("grown")![1], 2);
	});

	it("keeps a newer firmware's settings through a downgrade that changes the others", () => {
		const storage = new MemoryStorage();
		const newer = table(2, [
			{ id: 9, kind: BYTES, maximum: 40 },
			{ id: 1, kind: INTEGER, maximum: 9, initial: 1 },
			{ id: 5, kind: CHOICE, choices: ["a", "b"], initial: "a" },
		]);
		const older = table(1, [{ id: 1, kind: INTEGER, maximum: 9, initial: 1 }]);
		putValues(new ConfigStore(storage, textCodec, newer), newer[0], [Uint8Array.of(1, 2, 3), 7, "b"]);
		const downgraded = new ConfigStore(storage, textCodec, older);
		assert.deepEqual(valuesOf(downgraded, older[0]), [7]);
		putValues(downgraded, older[0], [8]);
		putValues(downgraded, older[0], [9]);
		putValues(new ConfigStore(storage, textCodec, older), older[0], [3]);
		assert.deepEqual(valuesOf(new ConfigStore(storage, textCodec, newer), newer[0]), [Uint8Array.of(1, 2, 3), 3, "b"]);
	});

	it("drops unknown items rather than a setting when an entry gets full", () => {
		const older = table(1, [{ id: 1, kind: TEXT, maximum: 900, characters: "az", initial: "" }]);
		for (const [room, kept] of [
			[900, true],
			[899, false],
		] as const) {
			const storage = new MemoryStorage();
			const unknown = new Array<number>(ENTRY_LIMIT - 2 - 2 - 3 - 3 - room).fill(5);
			storage.values.set("grown", sealed(2, item(7, ...unknown)));
			const store = new ConfigStore(storage, textCodec, older);
			putValues(store, older[0], ["z".repeat(900)]);
			assert.equal(store.get(older[0].fields[0]), "z".repeat(900));
			const bytes = storage.get("grown")!;
			assert.equal(bytes.length, kept ? ENTRY_LIMIT : 2 + 3 + 900 + 2);
			assert.deepEqual(new ConfigStore(storage, textCodec, older).damaged, []);
		}
	});

	it("drops unknown items rather than a setting when entries that change together exceed one value", () => {
		const field = { kind: INTEGER, maximum: 9, initial: 1 };
		const entries = [table(1, [field])[0], { ...table(1, [{ ...field, entry: 1 }])[0], key: "other" }];
		// Each entry has two versions, the setting's item (4 bytes) and a CRC, after two lengths (3 bytes) and its key. A
		// CRC of all entries follows.
		const room = ENTRY_LIMIT - 2 * (3 + 2 + 4 + 2) - "grownother".length - 2;
		for (const [length, kept] of [
			[room, true],
			[room + 1, false],
		] as const) {
			const storage = new MemoryStorage();
			const unknown = [item(7, 5), item(7, ...new Array<number>(length - 4 - 3).fill(5))];
			for (const [i, { key }] of entries.entries()) storage.values.set(key, sealed(2, unknown[i]));
			const store = new ConfigStore(storage, textCodec, entries);
			store.change(entries.map(({ fields: [setting] }) => ({ field: setting, value: 7 })));
			for (const [i, { key, fields }] of entries.entries()) {
				assert.equal(store.get(fields[0]), 7);
				assert.deepEqual(storage.get(key), sealed(1, item(1, 7), kept ? unknown[i] : []));
			}
		}
	});

	it("returns what was set before a restart, for random numbers, choices, texts and booleans", () => {
		const address = fc.string({
			unit: fc.constantFrom(..."0123456789 ABCxyz"),
			maxLength: 32,
		});
		fc.assert(
			fc.property(
				fc.integer({ min: 300, max: 19200 }),
				fc.constantFrom(300, 600, 1200, 2400, 4800, 9600, 19200),
				address,
				fc.boolean(),
				(ceiling, speed, text, battery) => {
					const storage = new MemoryStorage();
					putValues(open(storage), IEC62056, [battery, speed, ceiling, battery, !battery, text]);
					const store = open(storage);
					assert.equal(store.get(IEC62056_BAUDRATE_MAX), ceiling);
					assert.equal(store.get(IEC62056_MODE_D_BAUDRATE), speed);
					assert.equal(store.get(IEC62056_DEVICE_ADDRESS), text);
					assert.equal(store.get(IEC62056_BATTERY), battery);
				},
			),
		);
	});
});
