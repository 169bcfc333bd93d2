/**
 * The board table against the chips' data sheets: each pin exists, suits its use, and has only one use on the board
 * (pin-rules.ts).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, type Board, findBoard, type UARTPins } from "../../../hosts/esp32/boards.js";
import { WIFI_TX_POWER } from "../../../modules/parts/network/fields.js";
import { withBoardTables } from "../../../tools/build/board-tables.js";
import { OMISSIONS, omissionsOf } from "../../../tools/sdk/omissions.js";
import { CHIPS, faultsOf, STRAPPING_EXCEPTIONS, usesOf } from "./pin-rules.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const HARDWARE = join(ROOT, "docs", "hardware.md");
const SETTINGS = join(ROOT, "hosts", "esp32", "sdkconfig");

const omitting = (name: string) => omissionsOf(findBoard(name)).length > 0;

describe("The board table", () => {
	it("is up to date in the tables of docs/hardware.md, with how each board is set up and reset, and what it lacks", () => {
		const text = readFileSync(HARDWARE, "utf8");
		assert.equal(text, withBoardTables(text), "npm run api -- --make");
		for (const { name } of BOARDS) assert.equal(text.split(`\n| \`${name}\``).length, omitting(name) ? 4 : 3, name);
	});

	it("has the row of a new board in each table, and that of a board whose pins have changed", () => {
		const text = readFileSync(HARDWARE, "utf8");
		const without = text.replace(/^\| `atom-lite`.*\n/gm, "");
		assert.equal(without.match(/atom-lite/g), null);
		assert.equal(withBoardTables(without), text);
		assert.equal(withBoardTables(text.replace("| 32 26 ", "| 26 32 ")), text);
	});

	it("permits only GPIOs for the head that the board leaves free, and those of its row", () => {
		for (const board of BOARDS) {
			const { others, receive, transmit } = board.meter;
			if (others === undefined) continue;
			assert.ok(others.includes(receive) && others.includes(transmit), board.name);
			const pairs = others.flatMap((one) => others.map((other) => [one, other] as const));
			for (const [one, other] of pairs) {
				if (one === other) continue;
				const meter = { ...board.meter, receive: one, transmit: other };
				assert.deepEqual(faultsOf({ ...board, meter }), [], `${board.name}: ${one}, ${other}`);
			}
		}
	});

	it("limits the transmit power to levels that the setting has", () => {
		for (const { name, transmitDBm } of BOARDS)
			if (transmitDBm !== undefined) assert.ok(transmitDBm > 0 && WIFI_TX_POWER.choices.includes(transmitDBm), name);
	});

	it("has all parts that can be left out in docs/hardware.md", () => {
		const [, section] = readFileSync(HARDWARE, "utf8").split("\n## What a firmware leaves out\n");
		const rows = section
			.split("\n## ", 1)[0]
			.split("\n")
			.filter((line) => line.startsWith("| `"))
			.map((line) => line.split("|").map((cell) => cell.trim()));
		const names = rows.filter((cells) => cells.length > 4);
		const codes = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(", ");
		assert.deepEqual(
			names.map(([, name]) => name),
			Object.keys(OMISSIONS).map((name) => codes([name])),
		);
	});

	for (const board of BOARDS) {
		const chip = CHIPS[board.chip];

		it(`${board.name}: uses pins that exist and are free`, () => {
			assert.deepEqual(faultsOf(board), []);
		});

		it(`${board.name}: uses existing UARTs, each once, and not that of the console`, () => {
			const ports = [board.meter, board.zigbee].filter((pins): pins is UARTPins => pins !== undefined);
			const numbers = ports.map(({ uart }) => uart);
			assert.equal(new Set(numbers).size, numbers.length);
			for (const uart of numbers) assert.ok(uart >= 1 && uart < chip.uarts, `UART ${uart}`);
			assert.equal(board.zigbee?.rts === undefined, board.zigbee?.cts === undefined);
		});

		it(`${board.name}: has valid names, numbers, partitions and voltage dividers`, () => {
			assert.match(board.name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
			assert.ok(board.model.length > 0 && board.model.length <= 40);
			assert.ok(board.manufacturer.length > 0 && board.manufacturer.length <= 32);
			assert.ok(Number.isInteger(board.deviceId) && board.deviceId >= 1 && board.deviceId <= 0xffff);
			assert.equal(board.partitions, board.flashMB < 8 ? "partitions-4mb.csv" : "partitions-8mb.csv");
			assert.ok(board.flashMB >= 4);
			assert.equal(board.cells > 0, board.battery !== undefined);
			for (const divider of [board.battery, board.usb]) assert.ok(divider === undefined || divider.ratio >= 1);
			assert.ok(Object.isFrozen(board));
			for (const part of Object.values(board)) assert.ok(Object.isFrozen(part));
		});
	}

	describe("has a reported fault in a row with", () => {
		const devkit = findBoard("esp32-devkitc");
		const slzb = findBoard("slzb-06");
		const lan8720 = findBoard("tubeszb-poe").ethernet!;
		const s3 = findBoard("slzb-06xu");
		const head = (transmit: number, receive: number) => ({ meter: { ...devkit.meter, transmit, receive } });
		const CASES: readonly (readonly [string, Board, ...string[]])[] = [
			[
				"Ethernet on the radio's pins: the China-GW's power and reset",
				{ ...findBoard("china-gw"), name: "own", ethernet: lan8720 },
				"zigbee reset on GPIO 12: read at reset",
				"Ethernet power on GPIO 12: read at reset",
				"GPIO 12: both zigbee reset and Ethernet power",
			],
			[
				"a head and a light on the RMII pins, as on every devkit",
				{ ...devkit, ethernet: slzb.ethernet! },
				"GPIO 25: both meter transmit and Ethernet RXD0",
				"GPIO 26: both meter receive and Ethernet RXD1",
				"GPIO 0: both Ethernet clock in and button",
				"GPIO 27: both Ethernet CRS_DV and led",
			],
			[
				"a radio on the pin of the clock output",
				{ ...slzb, name: "own", ethernet: { ...lan8720, power: 2, clock: 17 } as typeof lan8720 },
				"Ethernet power on GPIO 2: read at reset",
				"GPIO 17: both zigbee transmit and Ethernet clock out",
			],
			[
				"a clock at GPIO 0 that nothing switches off",
				{ ...slzb, ethernet: { kind: "rmii", phy: 1, mdc: 23, mdio: 18, clock: 0 } },
				"Ethernet: a PHY that gives the clock to GPIO 0 needs a power pin",
			],
			[
				"a PHY with an invalid address",
				{ ...slzb, ethernet: { ...slzb.ethernet, phy: 32 } as typeof lan8720 },
				"Ethernet: 32 is not an address of a PHY",
			],
			[
				"RMII on a chip without it",
				{ ...s3, meter: { ...s3.meter, transmit: 3 }, ethernet: { ...lan8720, mdc: 6, power: 7 } as typeof lan8720 },
				"meter transmit on GPIO 3: read at reset",
				"Ethernet TXD0 on GPIO 19: not usable on esp32s3",
				"Ethernet TXD1 on GPIO 22: not usable on esp32s3",
				"Ethernet RXD0 on GPIO 25: not usable on esp32s3",
				"Ethernet RXD1 on GPIO 26: not usable on esp32s3",
				"Ethernet CRS_DV on GPIO 27: not usable on esp32s3",
				"GPIO 21: both zigbee reset and Ethernet TX_EN",
				"GPIO 18: both zigbee receive and Ethernet MDIO",
				"GPIO 7: both meter receive and Ethernet power",
				"GPIO 17: both zigbee transmit and Ethernet clock out",
				"GPIO 19: both Ethernet TXD0 and USB console",
				"Ethernet: the esp32s3 has no RMII",
			],
			[
				"a W5500 on a pin of the radio",
				{ ...s3, ethernet: { ...s3.ethernet, interrupt: 15 } as typeof lan8720 },
				"GPIO 15: both zigbee cts and Ethernet INT",
			],
			["an emulator's Ethernet", { ...devkit, ethernet: { kind: "openeth" } }, "Ethernet: no board has an emulator's"],
			[
				"a head on the ROM's console pin and on the pin that sets the flash voltage",
				{ ...devkit, ...head(1, 12) },
				"meter receive on GPIO 12: read at reset",
				"GPIO 1: both meter transmit and console",
			],
			[
				"a console on UART 0, whose pins the maker uses for I2C",
				{ ...s3, console: "uart" },
				"console on GPIO 43: soldered to something else",
				"console on GPIO 44: soldered to something else",
			],
			[
				"a head on the pins of both consoles",
				{ ...findBoard("esp32s3-devkitc"), ...head(19, 44) },
				"meter transmit on GPIO 19: not usable on esp32s3",
				"GPIO 44: both meter receive and console",
				"GPIO 19: both meter transmit and USB console",
			],
			[
				"a head on UART 0's pins beside a USB console, with the ROM's boot messages",
				{ ...findBoard("esp32c6-devkitc"), console: "usb", ...head(16, 17) },
				"meter transmit on GPIO 16: the ROM's, for its boot messages",
			],
			[
				"a console on a USB port that the chip does not have",
				{ ...devkit, console: "usb" },
				"console: the esp32 has no USB port of its own",
			],
			[
				"a head that transmits on an input pin and receives on a flash pin",
				{ ...devkit, ...head(34, 9) },
				"meter transmit on GPIO 34: can't drive",
				"meter receive on GPIO 9: not usable on esp32",
			],
			[
				"a light to 3.3 V at GPIO 12 of a board that is bought",
				{ ...slzb, name: "own", led: { pin: 12, activeLow: true } },
				"led on GPIO 12: read at reset",
			],
			[
				"a pin that is soldered to something else, and a voltage on a pin without ADC 1",
				{ ...slzb, led: { pin: 12, activeLow: false }, battery: { pin: 15, ratio: 2 } },
				"led on GPIO 12: soldered to something else",
				"battery on GPIO 15: read at reset",
				"battery on GPIO 15: no input of ADC 1",
			],
		];
		for (const [title, board, ...faults] of CASES) {
			it(title, () => {
				assert.deepEqual(faultsOf(board), faults);
			});
		}
	});

	it("has exceptions to the rule of strapping pins only where a board needs one", () => {
		for (const [where, reason] of Object.entries(STRAPPING_EXCEPTIONS)) {
			const [name = "", pin] = where.split(" ");
			const board = findBoard(name);
			assert.ok(reason.length > 0);
			assert.ok(
				usesOf(board).some((use) => use.pin === Number(pin)),
				where,
			);
			assert.ok(
				faultsOf({ ...board, name: "own" }).some((fault) => fault.endsWith(`GPIO ${pin}: read at reset`)),
				where,
			);
		}
	});

	it("has no board with PSRAM, because PSRAM uses pins 16 and 17 of the ESP32, which boards use for a clock and a radio", () => {
		for (const file of readdirSync(SETTINGS)) {
			assert.doesNotMatch(readFileSync(join(SETTINGS, file), "utf8"), /^CONFIG_SPIRAM=y/m, file);
		}
	});

	it("divides each measured voltage so that it fits the range of the ADC", () => {
		// Upper end of the ADC's widest range on the chip where it is lowest, millivolts (data sheet of the ESP32-C3).
		const most = 2500;
		const volts = (board: Board) => [
			{ pin: board.battery, most: board.cells * 1650 },
			{ pin: board.usb, most: 5000 },
		];
		for (const board of BOARDS) {
			for (const input of volts(board)) {
				if (input.pin !== undefined) assert.ok(input.most / input.pin.ratio <= most, board.name);
			}
		}
	});

	it("names each board, and each hardware variant, once", () => {
		assert.equal(new Set(BOARDS.map(({ name }) => name)).size, BOARDS.length);
		assert.equal(new Set(BOARDS.map(({ deviceId }) => deviceId)).size, BOARDS.length);
	});

	it("has a board for each chip", () => {
		assert.deepEqual(new Set(BOARDS.map(({ chip }) => chip)), new Set(Object.keys(CHIPS)));
	});

	it("rejects an unknown board, and lists the known ones", () => {
		assert.equal(findBoard("zbbridge-p").chip, "esp32");
		assert.throws(() => findBoard("esp8266"), /There is no board "esp8266"\. Boards: esp32-devkitc, /);
	});
});
