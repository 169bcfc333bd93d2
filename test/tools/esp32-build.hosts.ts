/**
 * Builds for the chip, with stand-ins for mcconfig, ESP-IDF and esptool; also the partition tables and ESP-IDF
 * settings.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { PARTITION_SIZES } from "../../hosts/node/partitions.js";
import { madeFor, type Places, placesOf, sdkconfigOf } from "../../tools/sdk/esp32.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { SLOT_BYTES } from "../../tools/size/report.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/build.js");
const HOST = join(ROOT, "hosts", "esp32");
const KB = 1024;
const MB = 1024 * KB;

interface Entry {
	name: string;
	type: string;
	subtype: string;
	offset: number;
	size: number;
	flags: string;
}

function readTable(file: string): Entry[] {
	const lines = readFileSync(join(HOST, file), "utf8").split("\n");
	return lines
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => {
			const [name, type, subtype, offset, size, flags] = line.split(",").map((cell) => cell.trim());
			return { name, type, subtype, offset: Number(offset), size: Number(size), flags };
		});
}

describe("The partition tables", () => {
	const tables = [...new Set(BOARDS.map((board) => board.partitions))];

	for (const file of tables) {
		const table = readTable(file);
		const named = (name: string) => table.find((entry) => entry.name === name)!;

		describe(file, () => {
			it("fills the flash size in its name, in ascending order, aligned as ESP-IDF requires", () => {
				let end = 0x9000;
				for (const { name, type, offset, size } of table) {
					assert.ok(/^[a-z0-9_]{1,15}$/.test(name), name);
					assert.ok(offset >= end, `${name} begins before the end of the previous one`);
					assert.equal(offset % (type === "app" ? 64 * KB : 4 * KB), 0, name);
					assert.equal(size % (type === "app" ? 64 * KB : 4 * KB), 0, name);
					end = offset + size;
				}
				assert.equal(end, Number(/\d+/.exec(file)![0]) * MB);
				assert.equal(new Set(table.map(({ name }) => name)).size, table.length);
			});

			it("has the partitions and sizes that the firmware needs", () => {
				assert.deepEqual(
					["nvs", "otadata", "phy_init", "nvs_keys", "coredump"].map((name) => named(name).subtype),
					["nvs", "ota", "phy", "nvs_keys", "coredump"],
				);
				assert.equal(named("nvs").size, (file === "partitions-4mb.csv" ? 96 : 128) * KB);
				assert.equal(named("otadata").size, 8 * KB);
				assert.ok(named("factory_data").size >= 4 * KB);
				assert.ok(named("coredump").size >= 64 * KB);
				for (const name of ["log", "history"]) assert.equal(named(name).type, "data");
			});

			it("has two slots of one size, at least as large as the size report assumes", () => {
				const slots = table.filter(({ type }) => type === "app");
				assert.deepEqual(
					slots.map(({ name, subtype }) => [name, subtype]),
					["ota_0", "ota_1"].map((name) => [name, name]),
				);
				assert.equal(slots[0].size, slots[1].size);
				assert.ok(slots[0].size >= SLOT_BYTES);
			});

			it("encrypts secrets, readings and core dumps", () => {
				assert.deepEqual(
					table
						.filter(({ flags }) => flags === "encrypted")
						.map(({ name }) => name)
						.sort(),
					["coredump", "factory_data", "history", "log", "nvs_keys"],
				);
			});

			it("belongs only to boards with at least that much flash", () => {
				const needed = Number(/\d+/.exec(file)![0]);
				for (const board of BOARDS) if (board.partitions === file) assert.ok(board.flashMB >= needed, board.name);
			});
		});
	}

	it("of 4 MB have two slots of the size that the size report assumes, as large as possible", () => {
		const table = readTable("partitions-4mb.csv");
		for (const { type, size } of table) if (type === "app") assert.equal(size, SLOT_BYTES);
		const { size } = table.find(({ name }) => name === "coredump")!;
		assert.ok(4 * MB - size - (0x30000 + 2 * SLOT_BYTES) < 2 * 64 * KB);
	});

	it("are equal before the first slot, except for settings, log and history", () => {
		const fixed = (file: string) =>
			readTable(file).filter(({ offset }) => (offset >= 0x21000 && offset < 0x26000) || offset === 0x30000);
		const [small, large] = tables.map((file) => fixed(file).map(({ name, offset }) => [name, offset]));
		assert.deepEqual(small, large);
	});

	it("of 4 MB match the gateway's partitions on the PC hosts", () => {
		const own = readTable("partitions-4mb.csv").filter(({ subtype }) => subtype === "undefined");
		const sizes = Object.fromEntries(own.map(({ name, size }) => [name, size]));
		delete sizes["factory_data"];
		assert.deepEqual(PARTITION_SIZES, sizes);
		const [, text] = /partitions\[\] = \{(.*)\};/.exec(readFileSync(join(ROOT, "hosts/linux/partition.c"), "utf8"))!;
		const entries = [...text.matchAll(/\{ "(\w+)", (\w+) \}/g)].map(([, name, size]) => [name, Number(size)]);
		// Linux has both OTA slots as files; the idle one is the partition `update`.
		assert.deepEqual(Object.fromEntries(entries), { ...sizes, slot_0: SLOT_BYTES, slot_1: SLOT_BYTES });
	});
});

describe("The ESP-IDF settings", () => {
	const files = readdirSync(join(HOST, "sdkconfig")).filter((name) => name.endsWith(".defaults"));

	/** Settings by name; fails for a line that mcconfig would skip or cut. */
	function settings(text: string): Map<string, string> {
		const found = new Map<string, string>();
		for (const line of text.split("\n").filter((each) => each !== "" && !/^#( |$)(?!CONFIG_)/.test(each))) {
			const match = /^(CONFIG_[A-Z0-9_]+)=([^=]+)$/.exec(line);
			assert.ok(match, `mcconfig does not accept this line: ${line}`);
			assert.ok(!found.has(match[1]), `${match[1]} is set twice`);
			found.set(match[1], match[2]);
		}
		return found;
	}

	for (const file of files)
		it(`in ${file} are single lines that mcconfig accepts`, () => {
			assert.ok(settings(readFileSync(join(HOST, "sdkconfig", file), "utf8")).size > 0);
		});

	it("enable watchdogs, stack guards, image checks, rollback, and core dumps on every board", () => {
		for (const board of BOARDS) {
			const all = settings(sdkconfigOf({ board, production: false, version: "1.2.3" }));
			const on = ["ESP_INT_WDT", "ESP_TASK_WDT_EN", "ESP_TASK_WDT_INIT", "ESP_TASK_WDT_PANIC"].concat(
				["COMPILER_STACK_CHECK_MODE_NORM", "FREERTOS_CHECK_STACKOVERFLOW_CANARY"],
				["BOOTLOADER_APP_ROLLBACK_ENABLE", "ESP_COREDUMP_ENABLE_TO_FLASH", "UART_ISR_IN_IRAM"],
				[board.partitions === "partitions-4mb.csv" ? "ESPTOOLPY_FLASHSIZE_4MB" : "ESPTOOLPY_FLASHSIZE_8MB"],
			);
			for (const name of on) assert.equal(all.get(`CONFIG_${name}`), "y", name);
			assert.equal(all.get("CONFIG_BOOTLOADER_SKIP_VALIDATE_ALWAYS"), "n");
			assert.equal(all.get("CONFIG_APP_PROJECT_VER"), '"1.2.3"');
			assert.equal(all.get("CONFIG_NVS_ENCRYPTION"), undefined);
		}
	});

	it("put the console where the board's row says", () => {
		const used = {
			uart: ["UART_DEFAULT", "SECONDARY_NONE"],
			usb: ["USB_SERIAL_JTAG", "SECONDARY_NONE"],
			both: ["UART_DEFAULT", "SECONDARY_USB_SERIAL_JTAG"],
		};
		for (const board of BOARDS) {
			const all = settings(sdkconfigOf({ board, production: false, version: "1.2.3" }));
			const names = [...all.keys()].filter((name) => name.startsWith("CONFIG_ESP_CONSOLE_"));
			assert.deepEqual(
				names,
				used[board.console].map((name) => `CONFIG_ESP_CONSOLE_${name}`),
				board.name,
			);
			for (const name of names) assert.equal(all.get(name), "y", board.name);
			// Only the build needs them, so they take no flash.
			assert.doesNotMatch(madeFor(board).modules["gateway/board"]!, /\b(?:console|adapter|partitions|without): /);
		}
	});

	it("include the drivers of a board's Ethernet, and none on boards without Ethernet", () => {
		const drivers = ["USE_ESP32_EMAC", "USE_SPI_ETHERNET", "USE_OPENETH"];
		const used = { rmii: drivers[0], w5500: drivers[1], openeth: drivers[2], none: undefined };
		for (const ethernet of [...BOARDS.map((board) => board.ethernet), { kind: "openeth" } as const]) {
			const kind = ethernet?.kind ?? "none";
			const { ethernet: _own, ...plain } = BOARDS[0];
			const board = ethernet === undefined ? plain : { ...plain, ethernet };
			const all = settings(sdkconfigOf({ board, production: false, version: "1.2.3" }));
			const on = drivers.filter((name) => all.get(`CONFIG_ETH_${name}`) === "y");
			assert.deepEqual(on, used[kind] === undefined ? [] : [used[kind]], kind);
			for (const name of drivers.slice(0, 2))
				assert.ok(all.has(`CONFIG_ETH_${name}`), `${kind}: ${name} is on by itself`);
		}
	});

	it("for production encrypt the flash, and NVS in it", () => {
		const all = settings(sdkconfigOf({ board: BOARDS[0], production: true, version: "1.2.3" }));
		for (const name of ["NVS_ENCRYPTION", "SECURE_FLASH_ENC_ENABLED", "SECURE_FLASH_ENCRYPTION_MODE_RELEASE"])
			assert.equal(all.get(`CONFIG_${name}`), "y", name);
	});

	/**
	 * mcconfig accepts one word. C3: as ESP-IDF does for its own C (CONFIG_COMPILER_SAVE_RESTORE_LIBCALLS). C6: ESP-IDF
	 * has no functions for atomic variables, because the chip has the instructions; the SDK's rv32imc would call them.
	 */
	const C_FLAGS: ReadonlyMap<string, string> = new Map([
		["esp32c3", "-msave-restore"],
		["esp32c6", "-march=rv32imac_zicsr_zifencei"],
	]);

	it("have a folder of mcconfig's for each chip", () => {
		for (const chip of new Set(BOARDS.map((board) => board.chip))) {
			const manifest = JSON.parse(readFileSync(join(HOST, "chips", chip, "manifest.json"), "utf8"));
			const flags = C_FLAGS.get(chip);
			const own = flags === undefined ? {} : { C_FLAGS_SUBPLATFORM: flags };
			assert.deepEqual(manifest, { build: { ESP32_SUBCLASS: chip, ...own } });
		}
	});
});

describe("npm run build, flash, monitor", function () {
	// Each test starts several programs.
	this.timeout(120_000);
	const board = findBoard("esp32c3-devkitm");
	let folder = "";
	let production: Places;
	let order: string[];

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "gateway-build-"));
		production = placesOf({ board, production: true, out: join(folder, "out") });
		order = ["--board", board.name, "--production", "--out", join(folder, "out")];
		for (const path of ["sdk/xs/includes", "sdk/build/bin/lin/release", "idf", "bin"])
			mkdirSync(join(folder, path), { recursive: true });
		for (const path of ["sdk/xs/includes/xs.h", "idf/export.sh"]) writeFileSync(join(folder, path), "");
		program("bin/idf.py", 'echo "idf.py $*" >> "$CALLS"');
		program("bin/python", 'echo "python $* in $PWD" >> "$CALLS"');
	});

	beforeEach(() => {
		rmSync(production.folder, { recursive: true, force: true });
		rmSync(join(folder, "calls"), { force: true });
		mcconfig(`mkdir -p ${dirname(production.image)}; echo image > ${production.image}`);
	});

	after(() => rmSync(folder, { recursive: true, force: true }));

	/** Writes a shell script in place of a program. */
	function program(path: string, text: string): void {
		writeFileSync(join(folder, path), `#!/bin/sh\n${text}\n`);
		chmodSync(join(folder, path), 0o755);
	}

	function mcconfig(text: string): void {
		program("sdk/build/bin/lin/release/mcconfig", `echo "mcconfig $* in $PWD" >> "$CALLS"\n${text}`);
	}

	function run(args: readonly string[], change: Record<string, string | undefined> = {}) {
		const env = {
			...process.env,
			CALLS: join(folder, "calls"),
			// Halves the time; the script is not tested here.
			GATEWAY_PLAIN: "all",
			MODDABLE: join(folder, "sdk"),
			IDF_PATH: join(folder, "idf"),
			PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
			...change,
		};
		return spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8", env });
	}

	/** The commands that were called, except the query of ESP-IDF's version. */
	function calls(): string[] {
		const path = join(folder, "calls");
		if (!existsSync(path)) return [];
		const lines = readFileSync(path, "utf8").trim().split("\n");
		return lines.filter((line) => line !== "idf.py --version");
	}

	it("builds with mcconfig's target that flashes nothing and ends no programs", () => {
		const { status, stdout, stderr } = run(["build", ...order]);
		assert.equal(status, 0, stderr);
		assert.equal(
			calls()[0],
			`mcconfig -m -p esp32:./chips/esp32c3 -t build -o ${production.output} ${production.folder}/manifest.json in ${HOST}`,
		);
		assert.ok(stdout.includes(production.image) && stdout.includes("npm run flash"));
		// A seller reads about licences before locking a chip.
		assert.ok(stdout.indexOf("docs/selling.md") < stdout.indexOf("npm run flash"));
		assert.ok(stdout.includes("docs/selling.md"));
	});

	it("links to the page for sellers in docs/flashing.md, before its first text about fuses, and in docs/release.md", () => {
		const flashing = readFileSync(join(ROOT, "docs/flashing.md"), "utf8");
		const at = flashing.indexOf("](selling.md)");
		assert.ok(at > 0 && at < flashing.indexOf("burns fuses"));
		assert.match(readFileSync(join(ROOT, "docs/release.md"), "utf8"), /\]\(selling\.md\)/);
	});

	it("passes the script, the board, its flash and its settings to mcconfig", () => {
		run(["build", ...order]);
		const text = readFileSync(join(production.folder, "manifest.json"), "utf8");
		const { build, config, include, modules, preload } = JSON.parse(text);
		assert.deepEqual(include, [join(HOST, "manifest.json")]);
		assert.deepEqual([modules, preload], [{ main: "./main" }, ["main"]]);
		const script = readFileSync(join(production.folder, "main.js"), "utf8");
		assert.match(script, /native\("xs_factory_data_read"\)/);
		assert.ok(script.includes(`name: "${board.name}"`));
		assert.match(config.version, /^\d+\.\d+\.\d+$/);
		assert.ok(Math.abs(config.builtUtcMs - Date.now()) < 60_000);
		assert.equal(build.PARTITIONS_FILE, join(HOST, board.partitions));
		const settings = readFileSync(join(build.SDKCONFIGPATH, "sdkconfig.defaults"), "utf8");
		assert.equal(settings, sdkconfigOf({ board, production: true, version: config.version }));
		const options = readFileSync(build.C_INCLUDES.slice(1), "utf8");
		assert.ok(options.includes(`-I${join(folder, "idf")}/components/lwip/include\n`) && !options.includes("$("));
	});

	it("deletes the list of names and the compiled C if the script has changed, because names may get other numbers", () => {
		const made = dirname(production.project);
		const kept = [join(made, "modules", "mc.xsi"), join(made, "led.c.o")];
		const build = () => {
			mkdirSync(join(made, "modules"), { recursive: true });
			for (const path of kept) writeFileSync(path, "");
			run(["build", ...order]);
			return kept.map((path) => existsSync(path));
		};
		assert.deepEqual(build(), [false, false]);
		assert.deepEqual(build(), [true, true]);
		writeFileSync(join(production.folder, "main.js"), "");
		assert.deepEqual(build(), [false, false]);
	});

	for (const [what, path] of [
		["the compiler's options", "c-options"],
		["ESP-IDF's settings", "sdkconfig/sdkconfig.defaults"],
	] as const)
		it(`compiles everything again if ${what} have changed, and only then`, () => {
			const kept = join(production.output, "kept");
			run(["build", ...order]);
			writeFileSync(kept, "");
			run(["build", ...order]);
			assert.ok(existsSync(kept));
			writeFileSync(join(production.folder, path), "of before");
			assert.equal(run(["build", ...order]).status, 0);
			assert.ok(!existsSync(kept));
		});

	it("fails if mcconfig, ESP-IDF, the linker or our own C reports an error or warning, and leaves no output", () => {
		const because = (text: string, expected: RegExp) => {
			mcconfig(`mkdir -p ${production.project}; : > ${production.project}/sdkconfig.h; ${text}`);
			const { status, stderr } = run(["build", ...order]);
			assert.equal(status, 1);
			assert.match(stderr, expected);
			assert.ok(!existsSync(production.output), "the next build would continue from this output");
		};
		because("echo no such module >&2; exit 3", /no such module[\s\S]*mcconfig has failed/);
		because("exit 0", /ESP-IDF has failed/);
		const tooLarge = "Error: All app partitions are too small for binary xs_esp32.bin size 0x1e25f0:";
		because(
			`mkdir -p ${dirname(production.image)}; : > ${production.image}; echo "${tooLarge}"; echo "ninja failed with exit code 1"`,
			/too small for binary[^\n]*\nninja failed with exit code 1\nESP-IDF has failed/,
		);
		because(
			`mkdir -p ${dirname(production.image)}; : > ${production.image}; echo "### warning: m: a: no const"`,
			/m: a: no const\nThe build has warnings/,
		);
		const warning = `${HOST}/system.c:99:33: warning: passing argument 3 discards 'const'`;
		because(
			`mkdir -p ${dirname(production.image)}; : > ${production.image}; echo "${warning}" >&2`,
			/system\.c:99:33: warning: .*\nThe build has warnings/,
		);
	});

	it("accepts compiler warnings in third-party C", () => {
		const warnings = ["/sdk/xs/sources/xsRun.c:12:3: warning: unused", "/idf/components/hosts.c:1:1: warning: unused"];
		const image = `mkdir -p ${dirname(production.image)}; : > ${production.image}`;
		mcconfig(`${image}; echo "${warnings.join("\n")}" >&2`);
		assert.equal(run(["build", ...order]).status, 0);
	});

	it("flashes and monitors the build, and nothing else", () => {
		assert.match(run(["flash", ...order]).stderr, /Run: npm run build -- --board esp32c3-devkitm/);
		run(["build", ...order]);
		assert.equal(run(["flash", ...order, "--port", "/dev/ttyUSB7"]).status, 0);
		assert.equal(run(["monitor", ...order]).status, 0);
		const build = join(production.project, "build");
		assert.deepEqual(calls().slice(1), [
			`python -m esptool --chip esp32c3 --port /dev/ttyUSB7 --baud 460800 write-flash @flash_args in ${build}`,
			`idf.py -C ${production.project} monitor`,
		]);
	});

	it("says what to do if the SDK or ESP-IDF is missing", () => {
		const messageOf = (change: Record<string, string | undefined>) => {
			const { status, stderr } = run(["build", ...order], change);
			assert.equal(status, 1);
			return stderr;
		};
		assert.match(messageOf({ MODDABLE: undefined }), /\$MODDABLE is not set.*npm run doctor/);
		assert.match(messageOf({ IDF_PATH: undefined }), /\$IDF_PATH is not set.*npm run doctor/);
		assert.match(messageOf({ IDF_PATH: "/nowhere" }), /no ESP-IDF in \/nowhere/);
		assert.match(messageOf({ PATH: dirname(process.execPath) }), /export\.sh/);
	});

	it("exits with 2 for a bad command line, and lists the boards", () => {
		for (const args of [[], ["erase"], ["build"], ["build", "--board", "toaster"], ["flash", ...order, "--force"]]) {
			const { status, stderr } = run(args);
			assert.equal(status, 2, args.join(" "));
			assert.ok(stderr.includes("Boards: ") && stderr.includes(board.name));
		}
		assert.deepEqual(calls(), []);
		assert.equal(run(["build", "--help"]).status, 0);
	});
});
