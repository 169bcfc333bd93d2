/**
 * XS bindings of the ESP32 host's C, under the sanitizers, with fakes of ESP-IDF and of the engine (xs-fake). The fake
 * engine moves memory wherever the real engine may do so. The tests of the Linux host test the bindings in
 * hosts/native, in XS itself.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Console } from "../../../hosts/esp32/boards.js";
import {
	decodeFactoryData,
	encodeFactoryData,
	FACTORY_DATA_SIZE,
	type FactoryData,
} from "../../../hosts/esp32/factory.js";
import { textCodec } from "../../config/memory-storage.js";
import { compileNative, needNative, ROOT } from "../native/compile.js";
import { runPeer } from "../native/peer.js";

const HERE = "test/hosts/esp32";
const FLASH_SECTOR = 4096;
const ADDRESSES = ["native/ipv4-xs", "native/ipv4"];
const PARTITIONS = ["native/partition-xs", "esp32/partition"];

/** The peer of the console replaces these functions of libc and of the fake timers. */
const WRAPPED = "-Wl,--wrap=read,--wrap=open,--wrap=fsync,--wrap=esp_timer_start_once";

/** False for the C file of a fake that consists of headers only. */
const isThere = (option: string): boolean => option.startsWith("-") || existsSync(join(ROOT, option));

/** Compiles the peer `<name>.c` with the fakes in the folders `fakes` and with the tested C `files` of hosts. */
function compile(
	name: string,
	fakes: readonly string[],
	files: readonly string[],
	options: readonly string[] = [],
): string {
	return compileNative({
		sources: [
			"-Ihosts/native",
			"-Ihosts/esp32",
			...["xs-fake", ...fakes].flatMap((fake) => [`-I${HERE}/${fake}`, `${HERE}/${fake}/${fake}.c`]).filter(isThere),
			`${HERE}/${name}.c`,
			...files.map((file) => `hosts/${file}.c`),
			...options,
		],
		output: name,
		libraries: ["m"],
	});
}

describe("The ESP32's XS bindings", function () {
	this.timeout(120_000);

	before(function () {
		needNative(this);
	});

	describe("of a UART", () => {
		let program = "";
		before(() => {
			program = compile("uart-xs-peer", ["uart-fake"], ["esp32/uart-xs", "esp32/uart-core"]);
		});

		it("construct a port from their arguments, or throw and keep nothing", () => void runPeer(program, "constructs"));
		it("report nothing after close, and later calls do nothing", () => void runPeer(program, "closes"));
		it("close a port whose object is garbage collected", () => void runPeer(program, "is-destroyed"));
		it("may be closed during a callback", () => void runPeer(program, "closes-in-callback"));
		it("read and write no byte outside the buffer", () => void runPeer(program, "reads-and-writes"));
	});

	describe("of the Ethernet port", () => {
		let program = "";
		before(() => {
			const files = ["xs", "core"].map((name) => `esp32/ethernet/ethernet-${name}`);
			program = compile("ethernet-xs-peer", ["ethernet-fake", "binding-fake"], [...files, ...ADDRESSES]);
		});

		it("open the port, or throw and keep nothing", () => void runPeer(program, "constructs"));
		it("throw after close, and then report nothing", () => void runPeer(program, "closes"));
		it("may be called and closed during a callback", () => void runPeer(program, "calls-back"));
		it("accept host name and addresses of valid length only", () => void runPeer(program, "accepts-what-fits"));
	});

	describe("of the Wi-Fi radio", () => {
		let program = "";
		before(() => {
			const files = ["xs", "core", "events", "name"].map((name) => `esp32/wifi-${name}`);
			program = compile("wifi-xs-peer", ["wifi-fake", "binding-fake"], [...files, ...ADDRESSES]);
		});

		it("open the radio, or throw and keep nothing", () => void runPeer(program, "constructs"));
		it("throw after close, and then report nothing", () => void runPeer(program, "closes"));
		it("may be called and closed during a callback", () => void runPeer(program, "calls-back"));
		it("accept values that fit into the radio's fields, and reject longer ones", () =>
			void runPeer(program, "accepts-what-fits"));
		it("return each network of a scan, and no more", () => void runPeer(program, "scans"));
	});

	describe("of the store", () => {
		it("store, return and delete values, and throw for invalid ones", () => {
			runPeer(compile("storage-xs-peer", ["storage-fake"], ["esp32/storage-xs", "esp32/storage-nvs"]));
		});
	});

	describe("of partitions", () => {
		it("find our own data partitions, keep written data, and reject what the contract forbids", () => {
			runPeer(compile("partition-peer", ["partition-fake", "update-fake"], [...PARTITIONS, "esp32/update"]));
		});
	});

	describe("of OTA slots", () => {
		it("start a good image on trial, confirm it or return to the previous one, and keep the previous one meanwhile", () => {
			const files = [...PARTITIONS, "esp32/update", "esp32/update-xs"];
			runPeer(compile("update-peer", ["partition-fake", "update-fake"], files));
		});
	});

	describe("of the console", () => {
		/** Settings that ESP-IDF derives from those of sdkconfig/console-*.defaults (its components/esp_stdio/Kconfig). */
		const SETTINGS: Readonly<Record<Console, readonly string[]>> = {
			uart: ["UART"],
			usb: ["USB_SERIAL_JTAG", "USB_SERIAL_JTAG_ENABLED"],
			both: ["UART", "SECONDARY_USB_SERIAL_JTAG", "USB_SERIAL_JTAG_ENABLED"],
		};

		for (const [place, names] of Object.entries(SETTINGS))
			it(`on ${place} return the input up to the ring's size, write in one piece, and report nothing after close`, () => {
				const options = names.map((name) => `-DCONFIG_ESP_CONSOLE_${name}=1`);
				runPeer(compile("console-peer", ["binding-fake", "console-fake"], ["esp32/console"], [...options, WRAPPED]));
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

		it("make the light blink in the given pattern, for either active level", () => void runPeer(program, "light"));
		it("return the free heap, in total and in one piece", () => void runPeer(program, "memory"));
		it("allocate for TLS first from an ESP32's instruction memory, then from the heap", () =>
			void runPeer(program, "tls"));
		it("return how much of each stack was never used, as text without a line cut short", () =>
			void runPeer(program, "stacks"));
		it("report presses in order, once each", () => void runPeer(program, "button"));
		it("report a button that can't be watched", () => void runPeer(program, "no-button"));
		it("return no factory data without the partition, and zeros if it can't be read", () =>
			void runPeer(program, "factory"));

		it("find a settings file only if it is complete", () => void runPeer(program, "settings"));

		/** Factory data from a partition with this image. */
		function read(image: Uint8Array): FactoryData | undefined {
			const path = join(folder, "image.bin");
			const sector = new Uint8Array(FLASH_SECTOR).fill(0xff);
			sector.set(image);
			writeFileSync(path, sector);
			const record = Uint8Array.from(Buffer.from(runPeer(program, "factory", path), "hex"));
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

		it("return factory data with each field at its shortest and its longest", () => {
			for (const data of [unit(6, 8, 8, 0), unit(32, 8, 63, 0xffff), unit(6, 32, 8, 1), unit(32, 32, 63, 0xffff)]) {
				assert.deepEqual(read(encodeFactoryData(data)), data);
			}
		});

		it("return no factory data from a partition that is erased, cut off, or has a wrong bit", () => {
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
