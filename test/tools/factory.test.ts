import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createECDH } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { decodeFactoryData, type FactoryData, SETTINGS_AT } from "../../hosts/esp32/factory.js";
import { findPartition } from "../../tools/factory/partitions.js";
import { labelOf, makeUnit, writeUnit } from "../../tools/factory/unit.js";
import { textCodec } from "../config/memory-storage.js";
import { signed } from "../provision/signed.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/factory.js");
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

const table = (name: string) => readFileSync(join(ROOT, "hosts", "esp32", name), "utf8");

describe("npm run factory", () => {
	let folder = "";

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "factory-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	const run = (...args: string[]) =>
		spawnSync(process.execPath, [PROGRAM, "--out", folder, ...args], { encoding: "utf8" });
	const unitOf = (serial: string): FactoryData => {
		const unit = decodeFactoryData(readFileSync(join(folder, `${serial}.bin`)), textCodec);
		assert.ok(unit);
		return unit;
	};

	it("makes an image that the firmware reads, and a label with the same data", () => {
		const { status, stdout, stderr } = run(
			"--serial",
			"ab12cd34",
			"--board",
			"esp32c3-devkitm",
			"--port",
			"/dev/ttyUSB0",
		);
		assert.deepEqual([status, stderr], [0, ""]);
		const image = readFileSync(join(folder, "AB12CD34.bin"));
		assert.equal(image.length, 4096);
		assert.ok(image.subarray(172).every((byte) => byte === 0xff));
		const unit = unitOf("AB12CD34");
		assert.equal(unit.serial, "AB12CD34");
		assert.equal(unit.variant, findBoard("esp32c3-devkitm").deviceId);
		const label = readFileSync(join(folder, "AB12CD34.txt"), "utf8");
		assert.equal(label, labelOf(unit, findBoard("esp32c3-devkitm")));
		assert.match(label, /^Serial number {2}AB12CD34$/m);
		assert.match(label, /^Wi-Fi {10}smgw-12cd34$/m);
		assert.ok(label.includes(`\nWi-Fi key      ${unit.accessPointKey}\n`));
		assert.ok(label.includes(`\nUser           admin\nPassword       ${unit.labelPassword}\n`));
		assert.ok(label.includes(`WIFI:T:WPA;S:smgw-12cd34;P:${unit.accessPointKey};;\n`));
		const { offset } = findPartition(table("partitions-4mb.csv"), "factory_data");
		const last = stdout.trimEnd().split("\n").at(-1)!;
		assert.equal(
			last,
			`esptool --chip esp32c3 --port /dev/ttyUSB0 write-flash 0x${offset.toString(16)} ${join(folder, "AB12CD34.bin")}`,
		);
		for (const secret of [unit.labelPassword, unit.accessPointKey]) assert.ok(!stdout.includes(secret));
	});

	it("gives each unit its own secrets and key", () => {
		const units = ["UNIT01", "UNIT02", "UNIT03"].map((serial) => {
			assert.equal(run("--serial", serial).status, 0);
			return unitOf(serial);
		});
		const secrets = units.flatMap(({ labelPassword, accessPointKey, deviceKey }) => [
			labelPassword,
			accessPointKey,
			Buffer.from(deviceKey!).toString("hex"),
		]);
		assert.equal(new Set(secrets).size, 9);
		// Throws unless this is a private key of the curve.
		for (const { deviceKey } of units) createECDH("prime256v1").setPrivateKey(deviceKey!);
	});

	it("makes the files readable by their owner only", () => {
		assert.equal(run("--serial", "UNIT01").status, 0);
		for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
	});

	it("never overwrites a file of a unit", () => {
		assert.equal(run("--serial", "UNIT01").status, 0);
		const before = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
		for (const serial of ["UNIT01", "unit01"]) {
			const { status, stderr, stdout } = run("--serial", serial);
			assert.deepEqual([status, stdout], [1, ""]);
			assert.match(stderr, /UNIT01\.bin is there already: unit UNIT01 has its factory data\.\n$/);
		}
		assert.deepEqual(
			readdirSync(folder).map((name) => readFileSync(join(folder, name))),
			before,
		);
	});

	it("puts a signed settings file behind the data, if it fits", () => {
		const file = join(folder, "s.smgs");
		writeFileSync(file, signed({ later: "x".repeat(3600) }, 1));
		assert.equal(run("--serial", "UNIT01", "--settings", file).status, 0);
		const image = readFileSync(join(folder, "UNIT01.bin"));
		const settings = readFileSync(file);
		assert.equal(image.length, 4096);
		assert.ok(image.subarray(SETTINGS_AT, SETTINGS_AT + settings.length).equals(settings));
		assert.ok(image.subarray(SETTINGS_AT + settings.length).every((byte) => byte === 0xff));
		writeFileSync(file, signed({ later: "x".repeat(4000) }, 1));
		assert.match(run("--serial", "UNIT02", "--settings", file).stderr, /room for 3840/);
		writeFileSync(file, "{}");
		assert.match(run("--serial", "UNIT02", "--settings", file).stderr, /not a settings file/);
	});

	it("writes nothing if the label already exists", () => {
		writeFileSync(join(folder, "UNIT01.txt"), "printed");
		assert.equal(run("--serial", "UNIT01").status, 1);
		assert.deepEqual(readdirSync(folder), ["UNIT01.txt"]);
	});

	it("deletes the image again if the label can't be written", () => {
		const board = BOARDS[0];
		const unit = makeUnit("UNIT01", board);
		const unprintable = {
			...board,
			get model(): string {
				throw new Error("no model");
			},
		};
		assert.throws(() => writeUnit(folder, unit, unprintable), /no model/);
		assert.deepEqual(readdirSync(folder), []);
	});

	for (const [what, args, message] of [
		["no serial number", [], /^--serial is missing/],
		["a short serial number", ["--serial", "ABC12"], /^--serial is 6 to 32 of 0-9 and A-Z, not "ABC12"\.$/m],
		["a long serial number", ["--serial", "A".repeat(33)], /^--serial is 6 to 32/],
		["a serial number that names another folder", ["--serial", "../UNIT01"], /^--serial is 6 to 32/],
		["an unknown board", ["--serial", "UNIT01", "--board", "esp8266"], /^There is no board "esp8266"\./],
		["an unknown option", ["--serial", "UNIT01", "--key", "x"], /--key/],
	] as const) {
		it(`rejects ${what}`, () => {
			const { status, stderr, stdout } = run(...args);
			assert.deepEqual([status, stdout], [2, ""]);
			assert.match(stderr, message);
			assert.deepEqual(readdirSync(folder), []);
		});
	}

	it("explains its options and names the boards", () => {
		const { status, stdout } = run("--help");
		assert.equal(status, 0);
		for (const word of ["--serial", "--board", "--out", "--port", ...BOARDS.map(({ name }) => name)])
			assert.ok(stdout.includes(word), word);
	});
});

describe("The partition of the factory data", () => {
	for (const name of new Set(BOARDS.map(({ partitions }) => partitions))) {
		it(`is in ${name}, in whole sectors`, () => {
			const { offset, size } = findPartition(table(name), "factory_data");
			assert.ok(size >= 4096);
			assert.deepEqual([offset % 4096, size % 4096], [0, 0]);
		});
	}

	it("is found in a table with any notation of numbers", () => {
		const line = (offset: string, size: string, flags = "") =>
			findPartition(
				`# factory_data, comment\nnvs, data, nvs, 1, 2,\n factory_data ,data, 0x40, ${offset}, ${size},${flags}\n`,
				"factory_data",
			);
		const expected = { name: "factory_data", offset: 0x3f0000, size: 4096 };
		assert.deepEqual(line("0x3F0000", "0x1000"), expected);
		assert.deepEqual(line("4128768", "4K"), expected);
		assert.deepEqual(line("4032k", "4096", " encrypted"), expected);
		assert.deepEqual(line("1M", "4K", "readonly:encrypted").offset, 1 << 20);
	});

	it("is reported if missing", () => {
		assert.throws(() => findPartition("nvs, data, nvs, 0x9000, 0x1000,\n", "factory_data"), /has no "factory_data"\./);
		assert.throws(() => findPartition("factory_data, data, 0x40, , 4K,\n", "factory_data"), /no offset and size\./);
	});
});
