/** `npm run emulate` without an emulator: command lines, flash, eFuses, and the state folder. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BOARDS, type Board, findBoard } from "../../hosts/esp32/boards.js";
import { decodeFactoryData } from "../../hosts/esp32/factory.js";
import { NodeText } from "../../hosts/node/platform.js";
import { EMULATED_CHIPS, newFuses } from "../../tools/emulate/chips.js";
import { BuildProgress, emulatedBoard, emulatedVariant } from "../../tools/emulate/firmware.js";
import { erasedFlash, fingerprint, flashBytes, readBuild, writeParts } from "../../tools/emulate/flash.js";
import { parseOptions } from "../../tools/emulate/options.js";
import { lacksChip, needQEMU, qemuCommand, type Run } from "../../tools/emulate/qemu.js";
import { openUnit } from "../../tools/emulate/state.js";
import { EMULATED_TIME_PORTS, madeFor, placesOf, sdkconfigOf } from "../../tools/sdk/esp32.js";

const BOARD = findBoard("esp32-devkitc");
/** Offset of factory_data in partitions-4mb.csv. */
const FACTORY_AT = 0x25000;

describe("npm run emulate: its parts", () => {
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "emulate-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	describe("the command line", () => {
		it("has the defaults of npm start", () => {
			const options = parseOptions(["--board", "esp32-devkitc"])!;
			assert.deepEqual([options.httpsPort, options.httpPort, options.building], [8443, 8080, "stale"]);
			assert.equal(options.board, BOARD);
			assert.deepEqual(options.meter, ["--baud-pace", "--protocol", "iec", "--profile", "programming"]);
			assert.deepEqual([options.settings, options.state, options.quiet], [[], undefined, false]);
		});

		for (const [given, meter] of [
			["--protocol p1", ["--baud-pace", "--protocol", "p1"]],
			["--protocol dlms --baud-pace", ["--protocol", "dlms", "--baud-pace"]],
			["--telegram 'my meter.hex' --echo", ["--baud-pace", "--telegram", "my meter.hex", "--echo"]],
			['--telegram="a b"', ["--baud-pace", "--telegram=a b"]],
			["none", undefined],
		] as const) {
			it(`accepts --meter "${given}" as one argument or as two`, () => {
				assert.deepEqual(parseOptions(["--board", "slzb-06", "--meter", given])!.meter, meter);
				assert.deepEqual(parseOptions([`--meter=${given}`, "--board", "slzb-06"])!.meter, meter);
			});
		}

		it("accepts settings as API paths with their bodies, in order", () => {
			const file = join(folder, "settings.json");
			writeFileSync(file, '{"meter/protocol": {"protocol": "sml"}, "hub": {"enabled": false}}');
			assert.deepEqual(parseOptions(["--board", "slzb-06", "--settings", file])!.settings, [
				["meter/protocol", { protocol: "sml" }],
				["hub", { enabled: false }],
			]);
		});

		for (const [text, message] of [
			["{", /can't be read as JSON/],
			["[]", /is not a JSON object/],
			['{"hub": 1}', /"hub" .* is not an API path with a JSON object/],
			['{"../x": {}}', /"\.\.\/x" .* is not an API path/],
		] as const) {
			it(`rejects settings that are ${text}`, () => {
				const file = join(folder, "settings.json");
				writeFileSync(file, text);
				assert.throws(() => parseOptions(["--board", "slzb-06", "--settings", file]), { message });
			});
		}

		for (const [args, message] of [
			[[], /^--board is missing/],
			[["--board", "toaster"], /^There is no board "toaster"/],
			[["--board", "slzb-06", "--https-port", "x"], /^--https-port is a number/],
			[["--board", "slzb-06", "--https-port", "9", "--http-port", "9"], /must differ/],
			[["--board", "slzb-06", "--rebuild", "--no-build"], /contradict/],
			[["--board", "slzb-06", "--state", ""], /^--state needs a path/],
			[["--board", "slzb-06", "--meter", "--port x"], /^--meter takes no --port/],
			[["--board", "slzb-06", "--meter", "--protocol p1 --help"], /^--meter takes no --help/],
			[["--board", "slzb-06", "--settings", "gone.json"], /gone\.json can't be read/],
			[["--frobnicate"], /frobnicate/],
		] as [string[], RegExp][]) {
			it(`rejects ${args.join(" ") || "an empty command line"}`, () => {
				assert.throws(() => parseOptions(args), { message });
			});
		}
	});

	describe("QEMU", () => {
		const order = { flash: "f,1.bin", fuses: "e.bin", httpsPort: 8443, httpPort: 8080, meterSocket: "m" };

		it("starts with flash, eFuses, a network that forwards the firmware's ports, and the meter at its UART", () => {
			const { program, args } = qemuCommand({ ...order, chip: "esp32", meterUART: 2 });
			assert.equal(program, "qemu-system-xtensa");
			const text = args.join(" ");
			assert.match(text, /^-M esp32 -display none -monitor none /);
			assert.match(text, / -drive file=f,,1\.bin,if=mtd,format=raw /);
			assert.match(text, / -drive file=e\.bin,if=none,format=raw,id=efuse /);
			assert.match(text, / -global driver=nvram\.esp32\.efuse,property=drive,value=efuse /);
			assert.match(
				text,
				/ -nic user,model=open_eth,hostfwd=tcp:127\.0\.0\.1:8443-:443,hostfwd=tcp:127\.0\.0\.1:8080-:80 /,
			);
			// The order is that of the UARTs: console, unused, meter.
			assert.match(text, / -serial stdio -serial null -serial unix:m,server=on,wait=off$/);
		});

		it("connects the radio's UART to its coprocessor, whichever UART the meter has", () => {
			for (const [meterUART, uart, serials] of [
				[1, 2, "stdio -serial unix:m,server=on,wait=off -serial tcp:127.0.0.1:7,reconnect=1"],
				[2, 1, "stdio -serial tcp:127.0.0.1:7,reconnect=1 -serial unix:m,server=on,wait=off"],
			] as const) {
				const { args } = qemuCommand({ ...order, chip: "esp32", meterUART, radio: { uart, port: 7 } });
				assert.ok(args.join(" ").endsWith(` -serial ${serials}`), args.join(" "));
			}
		});

		it("records the writes to the flash if it is asked to", () => {
			const text = qemuCommand({ ...order, chip: "esp32", meterUART: 1, flashLog: "log" }).args.join(" ");
			assert.match(text, / -D log -trace enable=m25p80_page_program -trace enable=m25p80_flash_erase$/);
		});

		it("is the program for RISC-V on a C3", () => {
			const { program, args } = qemuCommand({ ...order, chip: "esp32c3", meterUART: 1 });
			assert.equal(program, "qemu-system-riscv32");
			assert.match(args.join(" "), /^-M esp32c3 .* -serial stdio -serial unix:m,/);
		});

		const run = (more: Partial<Run>) => () => ({ status: 0, stdout: "", stderr: "", isThere: true, ...more });

		it("is reported as missing, with the official command that installs it", () => {
			assert.throws(() => needQEMU("esp32", run({ status: null, isThere: false })), {
				message: /^qemu-system-xtensa is not on the PATH\.\n.*idf_tools\.py" install qemu-xtensa qemu-riscv32/,
			});
		});

		it("must list the chip under its whole name", () => {
			const stdout = "Supported machines are:\nesp32s3 Espressif ESP32S3 machine\n";
			assert.match(lacksChip("esp32", run({ stdout }))!.reason, /has no machine esp32:/);
			assert.equal(lacksChip("esp32s3", run({ stdout })), undefined);
		});
	});

	it("gives each chip the same eFuses as idf.py qemu", () => {
		// ESP-IDF v6.0.1, tools/idf_py_actions/qemu_ext.py (Apache-2.0): revision 3 of the ESP32, revision 0.3 of the
		// others.
		const start = "00000000000000000000000000800000000000000000100000000000000000000000000000000000";
		assert.equal(Buffer.from(newFuses(EMULATED_CHIPS.esp32)).toString("hex"), start.padEnd(248, "0"));
		const others = "00000000000000000000000000000000000000000000000000000000000000000000000000000c00";
		for (const chip of ["esp32c3", "esp32s3"] as const)
			assert.equal(Buffer.from(newFuses(EMULATED_CHIPS[chip])).toString("hex"), others.padEnd(2048, "0"));
	});

	describe("the flash", () => {
		const files = { "boot.bin": 0x1000, "sub/app.bin": 0x30000 };

		function writeBuild(fill = 7): string {
			mkdirSync(join(folder, "build", "sub"), { recursive: true });
			const lines = Object.entries(files).map(([name, offset], index) => {
				writeFileSync(join(folder, "build", name), Buffer.alloc(5000, fill + index));
				return `0x${offset.toString(16)} ${name}`;
			});
			const options = "--flash-mode dio --flash-freq 40m --flash-size 4MB";
			writeFileSync(join(folder, "build", "flash_args"), `${options}\n${lines.join("\n")}\n`);
			return join(folder, "build");
		}

		it("has what ESP-IDF's flash_args lists, at the given offsets", () => {
			const parts = readBuild(writeBuild());
			assert.deepEqual(
				parts.map(({ offset, bytes }) => [offset, bytes.length, bytes[0]]),
				[
					[0x1000, 5000, 7],
					[0x30000, 5000, 8],
				],
			);
			const flash = erasedFlash(flashBytes(BOARD.partitions));
			writeParts(flash, parts);
			assert.equal(flash.length, 4 * 1024 * 1024);
			assert.deepEqual([flash[0], flash[0x1000], flash[0x1000 + 4999], flash[0x1000 + 5000]], [0xff, 7, 7, 0xff]);
		});

		it("rejects a list that it can't read", () => {
			writeBuild();
			writeFileSync(join(folder, "build", "flash_args"), "--flash-mode dio\nbootloader.bin\n");
			assert.throws(() => readBuild(join(folder, "build")), {
				message: /has a line without address and file: "bootloader\.bin"/,
			});
			writeFileSync(join(folder, "build", "flash_args"), "--flash-mode dio\n");
			assert.throws(() => readBuild(join(folder, "build")), { message: /lists no files/ });
			assert.throws(() => flashBytes("partitions.csv"), { message: /size of the flash/ });
		});

		it("erases whole sectors, keeps the rest, and rejects data that overlap or do not fit", () => {
			const flash = new Uint8Array(0x4000);
			writeParts(flash, [{ offset: 0x1800, bytes: Uint8Array.of(1) }]);
			assert.deepEqual([flash[0xfff], flash[0x1000], flash[0x1800], flash[0x1fff], flash[0x2000]], [0, 255, 1, 255, 0]);
			const two = [0, 1].map((offset) => ({ offset, bytes: new Uint8Array(2) }));
			assert.throws(() => writeParts(flash, two), { message: /overlaps/ });
			assert.throws(() => writeParts(flash, [{ offset: 0x3fff, bytes: new Uint8Array(2) }]), {
				message: /ends beyond/,
			});
		});

		it("has the factory data of a new unit, which are kept with all other data when another build is written", () => {
			const state = join(folder, "state");
			const unit = openUnit(state, BOARD, readBuild(writeBuild()));
			rmSync(join(state, "lock"));
			assert.deepEqual([unit.isNew, unit.isUpdated], [true, false]);
			assert.equal(statSync(unit.flash).mode & 0o777, 0o600);
			const flash = readFileSync(unit.flash);
			const factory = decodeFactoryData(flash.subarray(FACTORY_AT), new NodeText())!;
			assert.equal(factory.labelPassword, unit.labelPassword);
			assert.equal(factory.serial, unit.serial);
			assert.equal(factory.variant, BOARD.deviceId);
			flash[0x9000] = 42;
			writeFileSync(unit.flash, flash);

			const same = openUnit(state, BOARD, readBuild(writeBuild()));
			rmSync(join(state, "lock"));
			assert.deepEqual({ ...same }, { ...unit, isNew: false });

			const next = openUnit(state, BOARD, readBuild(writeBuild(9)));
			rmSync(join(state, "lock"));
			assert.deepEqual({ ...next }, { ...unit, isNew: false, isUpdated: true });
			const after = readFileSync(unit.flash);
			assert.deepEqual([after[0x9000], after[0x1000], after[0x30000]], [42, 9, 10]);
			assert.deepEqual(
				after.subarray(FACTORY_AT, FACTORY_AT + 0x1000),
				flash.subarray(FACTORY_AT, FACTORY_AT + 0x1000),
			);
		});

		it("belongs to one board, and a damaged state record is reported", () => {
			const state = join(folder, "state");
			const build = readBuild(writeBuild());
			const { flash } = openUnit(state, BOARD, build);
			const again = (board = BOARD) => {
				rmSync(join(state, "lock"));
				return openUnit(state, board, build);
			};
			assert.throws(() => again(findBoard("slzb-06")), { message: /has the flash of a esp32-devkitc/ });
			rmSync(flash);
			assert.throws(() => again(), { message: /flash\.bin is missing/ });
			writeFileSync(join(state, "unit.json"), "{");
			assert.throws(() => again(), { message: /unit\.json is damaged/ });
			rmSync(join(state, "lock"));
		});

		it("is identified by its contents and their offsets", () => {
			const bytes = Uint8Array.of(1);
			const prints = [[{ offset: 0, bytes }], [{ offset: 1, bytes }], [{ offset: 0, bytes: Uint8Array.of(2) }]];
			assert.equal(new Set(prints.map(fingerprint)).size, 3);
		});
	});

	describe("the firmware", () => {
		const version = "1.2.3";

		it("has the emulator's Ethernet and 8 MB of flash on every board, and otherwise the board's features", () => {
			for (const board of BOARDS) {
				const emulated = emulatedBoard(board);
				const { ethernet, flashMB, partitions, console, zigbee } = board;
				const same = { ethernet, flashMB, partitions, console, zigbee };
				assert.deepEqual({ ...emulated, ...same }, { ...board, ethernet, zigbee });
				assert.deepEqual([emulated.flashMB, emulated.partitions], [8, "partitions-8mb.csv"]);
				assert.equal(emulated.console, "uart");
				assert.equal(madeFor(emulated).constants["HAS_ETHERNET"], "true", board.name);
				assert.match(madeFor(emulated).modules["gateway/board"], /"?kind"?: "openeth"/);
			}
		});

		it("reaches a radio only by the lines of its UART, and keeps it on every board that has one", () => {
			for (const board of BOARDS) {
				const { zigbee } = emulatedBoard(board);
				if (board.zigbee === undefined) assert.equal(zigbee, undefined);
				else {
					const { uart, transmit, receive, ring } = board.zigbee;
					assert.deepEqual(zigbee, { uart, transmit, receive, ring });
				}
			}
		});

		it("asks this computer for the time first, and a chip's firmware asks the pool", () => {
			const servers = (board: Board) => madeFor(board).constants["TIME_SERVERS"];
			const near = EMULATED_TIME_PORTS.map((port) => `10.0.2.2:${port}`);
			assert.equal(servers(BOARD), '"pool.ntp.org,1.pool.ntp.org,2.pool.ntp.org"');
			assert.ok(servers(emulatedBoard(BOARD)).startsWith(`"${near.join()},pool.ntp.org,`));
		});

		it("is built in a folder next to the chip's firmware, with flash that does not use quad mode", () => {
			const variant = emulatedVariant(BOARD, "out");
			assert.equal(placesOf(variant).folder, join("out", "esp32-devkitc-emulated"));
			const text = sdkconfigOf({ ...variant, version });
			assert.match(text, /^CONFIG_ESPTOOLPY_FLASHMODE_DIO=y$/m);
			assert.match(text, /^CONFIG_ESPTOOLPY_FLASHMODE_QIO=n$/m);
			assert.doesNotMatch(sdkconfigOf({ board: BOARD, production: false, version }), /FLASHMODE_DIO/);
		});

		it("shows the minutes and ninja's steps during the build", async () => {
			const lines: string[] = [];
			const progress = new BuildProgress((text) => lines.push(text), 5);
			progress.read("[3/1045] Building C object x.o\n[12/1045] Building C object y.o\n");
			while (lines.length === 0) await sleep(5);
			progress.end();
			assert.equal(lines[0], "Building: 0.0 minutes, step 12 of 1045 …");
		});
	});
});
