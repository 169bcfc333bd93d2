/**
 * XS bindings of the ESP32 host's C, under the sanitizers, on fakes of ESP-IDF and of the engine (xs-fake), which moves
 * memory wherever the real one may. Bindings in hosts/native are tested in XS itself, by the tests of the Linux host.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	decodeFactoryData,
	encodeFactoryData,
	FACTORY_DATA_SIZE,
	type FactoryData,
} from "../../../hosts/esp32/factory.js";
import { textCodec } from "../../config/memory-storage.js";
import { compileNative, needNative, ROOT } from "../native/compile.js";

const HERE = "test/hosts/esp32";
const FLASH_SECTOR = 4096;
const ADDRESSES = ["native/ipv4-xs", "native/ipv4"];
const PARTITIONS = ["native/partition-xs", "esp32/partition"];

/** Some fakes are a header only. */
const isThere = (option: string): boolean => option.startsWith("-") || existsSync(join(ROOT, option));

/** Compiles a peer with its fakes of ESP-IDF (folders) and the tested C of hosts/esp32. */
function compile(name: string, fakes: readonly string[], files: readonly string[]): string {
	return compileNative({
		sources: [
			"-Ihosts/native",
			"-Ihosts/esp32",
			...["xs-fake", ...fakes].flatMap((fake) => [`-I${HERE}/${fake}`, `${HERE}/${fake}/${fake}.c`]).filter(isThere),
			`${HERE}/${name}.c`,
			...files.map((file) => `hosts/${file}.c`),
		],
		output: name,
		libraries: ["m"],
	});
}

function run(program: string, ...args: string[]): string {
	const { status, signal, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
	assert.equal(stderr, "", args.join(" "));
	assert.deepEqual([status, signal], [0, null], args.join(" "));
	return stdout;
}

describe("the ESP32's faces for XS", function () {
	this.timeout(120_000);

	before(function () {
		needNative(this);
	});

	describe("of a UART", () => {
		let program = "";
		before(() => {
			program = compile("uart-xs-peer", ["uart-fake"], ["esp32/uart-xs", "esp32/uart-core"]);
		});

		it("make a port of their arguments, or throw and keep nothing", () => void run(program, "constructs"));
		it("tell nothing after close, and what is called then does nothing", () => void run(program, "closes"));
		it("close a port whose object is gone", () => void run(program, "is-destroyed"));
		it("may be closed by what they tell", () => void run(program, "closes-when-told"));
		it("read and write no byte beyond the buffer", () => void run(program, "reads-and-writes"));
	});

	describe("of the Ethernet port", () => {
		let program = "";
		before(() => {
			const files = ["xs", "core"].map((name) => `esp32/ethernet/ethernet-${name}`);
			program = compile("ethernet-xs-peer", ["ethernet-fake", "binding-fake"], [...files, ...ADDRESSES]);
		});

		it("open the port, or throw and keep nothing", () => void run(program, "constructs"));
		it("throw after close, and tell nothing then", () => void run(program, "closes"));
		it("may be called and closed by what they tell", () => void run(program, "is-told"));
		it("take host name and addresses that fit, and no others", () => void run(program, "takes-what-fits"));
	});

	describe("of the radio for Wi-Fi", () => {
		let program = "";
		before(() => {
			const files = ["xs", "core", "events", "name"].map((name) => `esp32/wifi-${name}`);
			program = compile("wifi-xs-peer", ["wifi-fake", "binding-fake"], [...files, ...ADDRESSES]);
		});

		it("open the radio, or throw and keep nothing", () => void run(program, "constructs"));
		it("throw after close, and tell nothing then", () => void run(program, "closes"));
		it("may be called and closed by what they tell", () => void run(program, "is-told"));
		it("take what fits into the radio's fields, and no more", () => void run(program, "takes-what-fits"));
		it("give each network of a scan, and none beyond", () => void run(program, "scans"));
	});

	describe("of the store", () => {
		it("keep, give and delete values, and throw for what can't be one", () => {
			run(compile("storage-xs-peer", ["storage-fake"], ["esp32/storage-xs", "esp32/storage-nvs"]));
		});
	});

	describe("of partitions", () => {
		it("find those of our own data, keep what is written, and refuse what the contract refuses", () => {
			run(compile("partition-peer", ["partition-fake", "update-fake"], [...PARTITIONS, "esp32/update"]));
		});
	});

	describe("of slots for firmware", () => {
		it("start a good image on trial, confirm it or give it up, and keep the way back", () => {
			const files = [...PARTITIONS, "esp32/update", "esp32/update-xs"];
			run(compile("update-peer", ["partition-fake", "update-fake"], files));
		});
	});

	describe("of the console", () => {
		it("give what came, up to the ring's size, write in one piece, and tell nothing once closed", () => {
			run(compile("console-peer", ["binding-fake", "console-fake"], ["esp32/console"]));
		});
	});

	describe("of light, button and factory data", () => {
		let program = "";
		let folder = "";
		before(() => {
			folder = mkdtempSync(join(tmpdir(), "faces-"));
			const files = ["led", "power-button", "power-debounce", "factory-data", "free-heap", "tls-memory"].map(
				(name) => `esp32/${name}`,
			);
			program = compile("xs-peer", ["binding-fake"], files);
		});
		after(() => rmSync(folder, { recursive: true, force: true }));

		it("let the light blink as they are told, whichever level it shines at", () => void run(program, "light"));
		it("tell what is free of the heap, in all and in one piece", () => void run(program, "memory"));
		it("give TLS an ESP32's memory for code first, and the heap's after that", () => void run(program, "tls"));
		it("tell how much of each stack was never used, in whole lines", () => void run(program, "stacks"));
		it("tell of presses in their order, once each", () => void run(program, "button"));
		it("say that a button can't be watched", () => void run(program, "no-button"));
		it("give no factory data without their partition, and zeros when it can't be read", () =>
			void run(program, "factory"));

		/** Factory data of a partition with this image. */
		function read(image: Uint8Array): FactoryData | undefined {
			const path = join(folder, "image.bin");
			const sector = new Uint8Array(FLASH_SECTOR).fill(0xff);
			sector.set(image);
			writeFileSync(path, sector);
			const record = Uint8Array.from(Buffer.from(run(program, "factory", path), "hex"));
			assert.deepEqual(record, sector.slice(0, FACTORY_DATA_SIZE));
			return decodeFactoryData(record, textCodec);
		}

		const unit = (serial: number, password: number, key: number, variant: number): FactoryData => ({
			serial: "Z".repeat(serial),
			variant,
			labelPassword: "p".repeat(password),
			accessPointKey: "K".repeat(key),
			deviceKey: new Uint8Array(32).fill(variant & 1 ? 0xff : 0x01),
		});

		it("give factory data with each field at its shortest and its longest", () => {
			for (const data of [unit(6, 8, 8, 0), unit(32, 8, 63, 0xffff), unit(6, 32, 8, 1), unit(32, 32, 63, 0xffff)]) {
				assert.deepEqual(read(encodeFactoryData(data)), data);
			}
		});

		it("give none of a partition that is erased, cut off, or has a bit that is wrong", () => {
			const record = encodeFactoryData(unit(32, 32, 63, 0xffff));
			assert.equal(read(new Uint8Array(0)), undefined);
			for (const length of [1, 4, 6, 8, 40, 72, 136, 168, 171]) assert.equal(read(record.slice(0, length)), undefined);
			for (const at of [0, 4, 6, 8, 39, 40, 71, 72, 134, 135, 136, 167, 168, 171]) {
				const wrong = record.slice();
				wrong[at] ^= 1 << (at % 8);
				assert.equal(read(wrong), undefined, `byte ${at}`);
			}
		});
	});
});
