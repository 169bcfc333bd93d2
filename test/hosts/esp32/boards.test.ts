/**
 * The board table held against the chips' data sheets: each pin is there, can do what it is used for, and belongs to
 * nobody else on the board.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, type Board, type Chip, findBoard, type UARTPins } from "../../../hosts/esp32/boards.js";

const HARDWARE = join(dirname(fileURLToPath(import.meta.url)), "../../../..", "docs", "hardware.md");

/** Numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

interface ChipPins {
	/** GPIOs that modules lead out and that neither flash, PSRAM nor USB needs. */
	readonly usable: readonly number[];
	/** Of those, the ones that can't drive, and pull to no side. */
	readonly inputOnly: readonly number[];
	/** Read at reset: what hangs on them may keep the chip from starting. */
	readonly strapping: readonly number[];
	/** Inputs of ADC 1; ADC 2 is the radio's. */
	readonly adc1: readonly number[];
	/** TX and RX of the console, UART 0. */
	readonly console: readonly number[];
	readonly uarts: number;
}

const CHIPS: Record<Chip, ChipPins> = {
	esp32: {
		// 6 to 11: flash. 20, 24, 28 to 31: not there. 37, 38: not led out.
		usable: [...range(0, 5), ...range(12, 19), 21, 22, 23, 25, 26, 27, ...range(32, 36), 39],
		inputOnly: range(34, 39),
		strapping: [0, 2, 5, 12, 15],
		adc1: range(32, 39),
		console: [1, 3],
		uarts: 3,
	},
	esp32s3: {
		// 19, 20: USB. 26 to 32: flash. 33 to 37: PSRAM with eight lines.
		usable: [...range(0, 18), 21, ...range(38, 48)],
		inputOnly: [],
		strapping: [0, 3, 45, 46],
		adc1: range(1, 10),
		console: [43, 44],
		uarts: 3,
	},
	esp32c3: {
		// 11 to 17: flash. 18, 19: USB.
		usable: [...range(0, 10), 20, 21],
		inputOnly: [],
		strapping: [2, 8, 9],
		adc1: range(0, 4),
		console: [20, 21],
		uarts: 2,
	},
	esp32c6: {
		// 10, 11, 14: not on every package. 12, 13: USB. 24 to 30: flash.
		usable: [...range(0, 9), ...range(15, 23)],
		inputOnly: [],
		strapping: [4, 5, 8, 9, 15],
		adc1: range(0, 6),
		console: [16, 17],
		uarts: 2,
	},
};

/** RMII of a LAN8720 is wired to these pins of every ESP32, and its clock to one of two. */
const LAN8720 = [18, 19, 21, 22, 23, 25, 26, 27];
const CLOCK_IN = 0;
const CLOCK_OUT = 17;

/** What else is soldered to pins of the boards that are bought. */
const TAKEN: Record<string, readonly number[]> = {
	"slzb-06": [...LAN8720, CLOCK_IN, 16, 12],
	"wt32-eth01": [...LAN8720, CLOCK_IN, 16],
	"tubeszb-eth-usb": LAN8720,
	"tubeszb-poe": LAN8720,
	"tubeszb-poe-2022": LAN8720,
	"tubeszb-poe-2023": [...LAN8720, CLOCK_OUT, 12],
	"uzg-01": [...LAN8720, CLOCK_OUT, 5, 12],
	"esp32-poe-zigbee": [...LAN8720, CLOCK_OUT, 12],
	"china-gw": [...LAN8720, CLOCK_OUT],
	// Buzzer, second LED, I2C.
	"zbbridge-p": [4, 2, 25, 26],
	// Second LED, I2C, Ethernet by SPI, USB switches and sensors.
	"slzb-06xu": [45, 43, 44, 41, 39, 42, 2, 38, 40, 1, 47, 48, 4, 5],
	// And the second radio.
	"slzb-mrxu": [45, 43, 44, 41, 39, 42, 2, 38, 40, 1, 47, 48, 4, 5, 10, 8, 11, 12, 9, 13],
};

interface Use {
	readonly what: string;
	readonly pin: number;
	/** Driven by the chip. */
	readonly output: boolean;
	/** Our choice, not the board's maker's. */
	readonly chosen: boolean;
	readonly analog?: boolean;
}

function usesOf(board: Board): Use[] {
	const bought = board.name in TAKEN || board.name === "sls-classic";
	const uses: Use[] = [
		{ what: "meter transmit", pin: board.meter.transmit, output: true, chosen: true },
		{ what: "meter receive", pin: board.meter.receive, output: false, chosen: true },
	];
	const add = (what: string, pin: number | undefined, rest: Omit<Use, "what" | "pin">) => {
		if (pin !== undefined) uses.push({ what, pin, ...rest });
	};
	const { zigbee } = board;
	add("zigbee transmit", zigbee?.transmit, { output: true, chosen: !bought });
	add("zigbee receive", zigbee?.receive, { output: false, chosen: !bought });
	add("zigbee rts", zigbee?.rts, { output: true, chosen: !bought });
	add("zigbee cts", zigbee?.cts, { output: false, chosen: !bought });
	add("zigbee reset", zigbee?.reset, { output: true, chosen: !bought });
	add("zigbee boot", zigbee?.boot, { output: true, chosen: !bought });
	add("zigbee select", zigbee?.select, { output: true, chosen: !bought });
	// The boot button of a devkit is on a strapping pin, and so it is on the S3 boards.
	add("button", board.button, { output: false, chosen: false });
	add("led", board.led?.pin, { output: true, chosen: !bought });
	add("battery", board.battery?.pin, { output: false, chosen: true, analog: true });
	add("usb", board.usb?.pin, { output: false, chosen: true, analog: true });
	return uses;
}

/** The board's row of the table in docs/hardware.md, a blank between words. */
function rowOf(board: Board): string {
	const { meter, zigbee, button, led, battery, usb } = board;
	const more = [
		button === undefined ? "" : `button ${button}`,
		led === undefined ? "" : `LED ${led.pin}`,
		zigbee?.select === undefined ? "" : `radio select ${zigbee.select}`,
		zigbee?.rts === undefined ? "" : `RTS ${zigbee.rts}, CTS ${zigbee.cts}`,
		battery === undefined ? "" : `${board.cells} cells ${battery.pin}, USB ${usb!.pin}, each by 1:${battery.ratio}`,
	];
	const cells = [
		`\`${board.name}\``,
		`${board.manufacturer} ${board.model}`,
		`${board.chip}, ${board.flashMB} MB`,
		`${meter.transmit} ${meter.receive}`,
		zigbee === undefined ? "" : `${zigbee.transmit} ${zigbee.receive}, ${zigbee.reset} ${zigbee.boot}`,
		more.filter((text) => text !== "").join("; "),
	];
	return `| ${cells.join(" | ")} |`.replace(/ +/g, " ");
}

describe("board table", () => {
	it("stands in docs/hardware.md as it is", () => {
		const lines = readFileSync(HARDWARE, "utf8")
			.split("\n")
			.map((line) => line.replace(/ +/g, " "));
		const rows = lines.filter((line) => /^\| `[^|]*` \| [^|]* \| esp32\w*, \d+ MB \|/.test(line));
		assert.deepEqual(rows, BOARDS.map(rowOf));
	});

	for (const board of BOARDS) {
		const chip = CHIPS[board.chip];
		const uses = usesOf(board);

		it(`${board.name}: uses pins that the chip has and nobody else needs`, () => {
			for (const { what, pin, output, chosen, analog } of uses) {
				const at = `${what} on GPIO ${pin}`;
				assert.ok(chip.usable.includes(pin), `${at}: not usable on ${board.chip}`);
				assert.ok(!chip.console.includes(pin), `${at}: the console's`);
				assert.ok(!TAKEN[board.name]?.includes(pin), `${at}: soldered to something else`);
				assert.ok(!(output && chip.inputOnly.includes(pin)), `${at}: can't drive`);
				assert.ok(!(chosen && chip.strapping.includes(pin)), `${at}: read at reset`);
				assert.ok(!analog || chip.adc1.includes(pin), `${at}: no input of ADC 1`);
			}
			const pins = uses.map(({ pin }) => pin);
			assert.equal(new Set(pins).size, pins.length, `a pin is used twice: ${pins.join(" ")}`);
		});

		it(`${board.name}: has UARTs of its own beside the console's`, () => {
			const ports = [board.meter, board.zigbee].filter((pins): pins is UARTPins => pins !== undefined);
			const numbers = ports.map(({ uart }) => uart);
			assert.equal(new Set(numbers).size, numbers.length);
			for (const uart of numbers) assert.ok(uart >= 1 && uart < chip.uarts, `UART ${uart}`);
			assert.equal(board.zigbee?.rts === undefined, board.zigbee?.cts === undefined);
		});

		it(`${board.name}: has what the rest wants of a board`, () => {
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

	it("brings what is measured below what an ADC takes", () => {
		// The least of the four chips at its widest range, millivolts (data sheet of the ESP32-C3).
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

	it("knows no board that isn't there, and says which are", () => {
		assert.equal(findBoard("zbbridge-p").chip, "esp32");
		assert.throws(() => findBoard("esp8266"), /There is no board "esp8266"\. Boards: esp32-devkitc, /);
	});
});
