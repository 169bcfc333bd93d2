/**
 * Rules for rows of the board table, from the chips' data sheets and from facts about the boards for sale. `faultsOf`
 * lists the faults of a row.
 */
import type { Board, Chip, RMIIPins, W5500Pins } from "../../../hosts/esp32/boards.js";

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/**
 * Level that a strapping pin needs at the end of the reset, so that the chip starts its firmware and can be flashed.
 */
type StrapLevel = "high" | "low" | "any";

export interface ChipPins {
	/** GPIOs that modules lead out, without those of flash, PSRAM or USB. */
	readonly usable: readonly number[];
	/** GPIOs without an output driver and pull resistors. */
	readonly inputOnly: readonly number[];
	readonly strapping: Readonly<Record<number, StrapLevel>>;
	/** Inputs of ADC 1; the radio uses ADC 2. */
	readonly adc1: readonly number[];
	/** TX and RX of UART 0. The ROM sends its boot messages there, wherever the console is. */
	readonly uart0: readonly [number, number];
	/** D- and D+ of the chip's own USB port; undefined if it has none. */
	readonly usb?: readonly [number, number];
	readonly uarts: number;
}

/** Data sheets, chapters "Boot Configurations" and "Pins". */
export const CHIPS: Record<Chip, ChipPins> = {
	esp32: {
		// 6 to 11: flash. 20, 24, 28 to 31: absent. 37, 38: not led out.
		usable: [...range(0, 5), ...range(12, 19), 21, 22, 23, 25, 26, 27, ...range(32, 36), 39],
		inputOnly: range(34, 39),
		// 0: low starts the ROM's boot loader, which also needs 2 low. 12: high sets the flash to 1.8 V, and a module
		// with flash for 3.3 V does not start. 5 and 15: timing of the SDIO slave and boot messages.
		strapping: { 0: "high", 2: "low", 5: "any", 12: "low", 15: "any" },
		adc1: range(32, 39),
		uart0: [1, 3],
		uarts: 3,
	},
	esp32s3: {
		// 19, 20: USB. 26 to 32: flash. 33 to 37: octal PSRAM.
		usable: [...range(0, 18), 21, ...range(38, 48)],
		inputOnly: [],
		// 0: as on the ESP32, with 46 low. 45: high sets the flash to 1.8 V. 3: JTAG.
		strapping: { 0: "high", 3: "any", 45: "low", 46: "low" },
		adc1: range(1, 10),
		uart0: [43, 44],
		usb: [19, 20],
		uarts: 3,
	},
	esp32c3: {
		// 11 to 17: flash. 18, 19: USB.
		usable: [...range(0, 10), 20, 21],
		inputOnly: [],
		strapping: { 2: "high", 8: "high", 9: "high" },
		adc1: range(0, 4),
		uart0: [21, 20],
		usb: [18, 19],
		uarts: 2,
	},
	esp32c6: {
		// 10, 11, 14: not on every package. 12, 13: USB. 24 to 30: flash.
		usable: [...range(0, 9), ...range(15, 23)],
		inputOnly: [],
		strapping: { 4: "any", 5: "any", 8: "high", 9: "high", 15: "any" },
		adc1: range(0, 6),
		uart0: [16, 17],
		usb: [12, 13],
		uarts: 2,
	},
};

/** RMII of the ESP32 (ESP-IDF, components/soc/esp32/emac_periph.c), the only chip here with RMII. */
const RMII_OUTPUTS = { TX_EN: 21, TXD0: 19, TXD1: 22 };
const RMII_INPUTS = { RXD0: 25, RXD1: 26, CRS_DV: 27 };

/** Second LED, I2C, LEDs of the Ethernet socket, USB switches and sensors. */
const SMLIGHT_S3 = [45, 43, 44, 1, 47, 48, 4, 5];
const SECOND_RADIO = [10, 8, 11, 12, 9, 13];

/** Pins that boards for sale use in addition to their rows. */
export const TAKEN: Readonly<Record<string, readonly number[]>> = {
	// Mode of the LEDs (XZG, src/const/hw.cpp).
	"slzb-06": [12],
	"uzg-01": [12],
	// A LAN8720 that is not in the row.
	"china-gw": [18, 19, 21, 22, 23, 25, 26, 27, 17],
	// Buzzer, second LED, I2C.
	"zbbridge-p": [4, 2, 25, 26],
	"slzb-06xu": SMLIGHT_S3,
	"slzb-mrxu": [...SMLIGHT_S3, ...SECOND_RADIO],
	"slzb-mr4u": [...SMLIGHT_S3, ...SECOND_RADIO],
	// SD card.
	"esp32-poe": [2, 14, 15],
	"t-internet-poe": [2, 13, 14, 15],
	// LED.
	"esp32c3-supermini": [8],
	"lolin-c3-mini": [7],
	// Infrared LED, LED, and the flash of the ESP32-PICO-D4.
	"atom-lite": [12, 27, 16, 17],
	// Infrared LED, and the display that only the AtomS3 has.
	atoms3: [4, 15, 16, 17, 21],
	// SD card, LED.
	"esp32-s3-eth": [4, 5, 6, 7, 21],
	// SD card.
	"t-eth-lite-s3": [5, 6, 7, 42],
};

const OLIMEX_POWER =
	"The maker switches the PHY's supply with this pin and holds it low until the chip drives it: these boards start.";

/**
 * Strapping pins that the manufacturer's wiring uses although a rule forbids it. A key is a board and a pin; its value
 * is the reason for the exception.
 */
export const STRAPPING_EXCEPTIONS: Readonly<Record<string, string>> = {
	"tubeszb-poe 12": OLIMEX_POWER,
	"tubeszb-poe-2022 12": OLIMEX_POWER,
	"tubeszb-poe-2023 12": OLIMEX_POWER,
	"esp32-poe-zigbee 12": OLIMEX_POWER,
	"esp32-poe 12": OLIMEX_POWER,
	"wt32-eth01-no-radio 5": "The maker's RXD. Its level at reset only sets the timing of the SDIO slave.",
	"china-gw 12": "The reset of the radio. With a pull-up there the chip would not start, so the board can have none.",
	"slzb-06xu 46": "An LED at 3.3 V. High matters only beside GPIO 0 low: with the button held at reset, by USB alone.",
	"slzb-mrxu 46": "As with slzb-06xu.",
	"slzb-mr4u 46": "As with slzb-06xu.",
};

export interface Use {
	readonly what: string;
	readonly pin: number;
	readonly output: boolean;
	/** We chose this pin, not the manufacturer. */
	readonly chosen: boolean;
	/** Level that the circuit sets during reset; undefined if unknown. */
	readonly atReset?: "high" | "low" | undefined;
	readonly analog?: boolean;
}

/** Returns true for a complete board: its manufacturer chose all pins except those of the optical head. */
function isBought(board: Board): boolean {
	return board.name in TAKEN || board.ethernet !== undefined || board.name === "sls-classic";
}

/**
 * A PHY that gives its clock to GPIO 0 has no power while the chip is in reset. The clock is then off, and a pull-up
 * keeps the pin high.
 */
function rmiiUses({ mdc, mdio, power, clock }: RMIIPins): Use[] {
	const maker = { chosen: false };
	const named = (pins: Readonly<Record<string, number>>, output: boolean): Use[] =>
		Object.entries(pins).map(([name, pin]) => ({ what: `Ethernet ${name}`, pin, output, ...maker }));
	const clockIn: Use = { what: "Ethernet clock in", pin: clock, output: false, atReset: "high", ...maker };
	const clockOut: Use = { what: "Ethernet clock out", pin: clock, output: true, ...maker };
	return [
		...named(RMII_OUTPUTS, true),
		...named(RMII_INPUTS, false),
		{ what: "Ethernet MDC", pin: mdc, output: true, ...maker },
		{ what: "Ethernet MDIO", pin: mdio, output: true, ...maker },
		...(power === undefined ? [] : [{ what: "Ethernet power", pin: power, output: true, ...maker }]),
		clock === 0 ? clockIn : clockOut,
	];
}

function w5500Uses({ miso, mosi, clock, select, interrupt, reset }: W5500Pins): Use[] {
	const maker = { chosen: false };
	return [
		{ what: "Ethernet MISO", pin: miso, output: false, ...maker },
		{ what: "Ethernet MOSI", pin: mosi, output: true, ...maker },
		{ what: "Ethernet SCLK", pin: clock, output: true, ...maker },
		{ what: "Ethernet CS", pin: select, output: true, ...maker },
		{ what: "Ethernet INT", pin: interrupt, output: false, ...maker },
		{ what: "Ethernet RST", pin: reset, output: true, ...maker },
	];
}

/** All pin uses in the row. */
export function usesOf(board: Board): Use[] {
	const chosen = !isBought(board);
	const uses: Use[] = [
		{ what: "meter transmit", pin: board.meter.transmit, output: true, chosen: true },
		{ what: "meter receive", pin: board.meter.receive, output: false, chosen: true },
	];
	const add = (what: string, pin: number | undefined, rest: Omit<Use, "what" | "pin">) => {
		if (pin !== undefined) uses.push({ what, pin, ...rest });
	};
	const { zigbee, ethernet, led } = board;
	add("zigbee transmit", zigbee?.transmit, { output: true, chosen });
	// The radio's line is high when idle.
	add("zigbee receive", zigbee?.receive, { output: false, chosen, atReset: "high" });
	add("zigbee rts", zigbee?.rts, { output: true, chosen });
	add("zigbee cts", zigbee?.cts, { output: false, chosen });
	// The radio has pull-ups on both lines.
	add("zigbee reset", zigbee?.reset, { output: true, chosen, atReset: "high" });
	add("zigbee boot", zigbee?.boot, { output: true, chosen, atReset: "high" });
	add("zigbee select", zigbee?.select, { output: true, chosen });
	if (ethernet?.kind === "rmii") uses.push(...rmiiUses(ethernet));
	if (ethernet?.kind === "w5500") uses.push(...w5500Uses(ethernet));
	// The boot button is on a strapping pin of devkits and S3 boards; it has a pull-up.
	add("button", board.button, { output: false, chosen: false, atReset: "high" });
	add("led", led?.pin, { output: true, chosen, atReset: led?.activeLow ? "high" : "low" });
	add("battery", board.battery?.pin, { output: false, chosen: true, analog: true });
	add("usb", board.usb?.pin, { output: false, chosen: true, analog: true });
	return uses;
}

/** Pins of the console. */
function consoleUsesOf({ chip, console }: Board): Use[] {
	const { uart0, usb = [] } = CHIPS[chip];
	const use = (what: string, pin: number, output: boolean): Use => ({ what, pin, output, chosen: false });
	return [
		...(console === "usb" ? [] : uart0.map((pin, index) => use("console", pin, index === 0))),
		...(console === "uart" ? [] : usb.map((pin) => use("USB console", pin, true))),
	];
}

function faultsOfConsole(board: Board): string[] {
	const taken = TAKEN[board.name] ?? [];
	const faults = consoleUsesOf(board)
		.filter(({ pin }) => taken.includes(pin))
		.map(({ what, pin }) => `${what} on GPIO ${pin}: soldered to something else`);
	const lacksUSB = board.console !== "uart" && CHIPS[board.chip].usb === undefined;
	return lacksUSB ? [...faults, `console: the ${board.chip} has no USB port of its own`] : faults;
}

function faultsOfUse(board: Board, { what, pin, output, chosen, atReset, analog }: Use): string[] {
	const chip = CHIPS[board.chip];
	const level = chip.strapping[pin];
	const isAllowed =
		`${board.name} ${pin}` in STRAPPING_EXCEPTIONS || (!chosen && (level === "any" || level === atReset));
	const faults: (string | false)[] = [
		!chip.usable.includes(pin) && `not usable on ${board.chip}`,
		chosen && board.console === "usb" && pin === chip.uart0[0] && "the ROM's, for its boot messages",
		(TAKEN[board.name] ?? []).includes(pin) && "soldered to something else",
		output && chip.inputOnly.includes(pin) && "can't drive",
		level !== undefined && !isAllowed && "read at reset",
		analog === true && !chip.adc1.includes(pin) && "no input of ADC 1",
	];
	return faults.filter((fault) => fault !== false).map((fault) => `${what} on GPIO ${pin}: ${fault}`);
}

function clashesOf(uses: readonly Use[]): string[] {
	const clashes: string[] = [];
	for (const [index, use] of uses.entries()) {
		const other = uses.slice(0, index).find(({ pin }) => pin === use.pin);
		if (other) clashes.push(`GPIO ${use.pin}: both ${other.what} and ${use.what}`);
	}
	return clashes;
}

function faultsOfEthernet({ chip, ethernet }: Board): string[] {
	if (ethernet === undefined || ethernet.kind === "w5500") return [];
	if (ethernet.kind === "openeth") return ["Ethernet: no board has an emulator's"];
	const { phy, power, clock } = ethernet;
	const faults: (string | false)[] = [
		chip !== "esp32" && `Ethernet: the ${chip} has no RMII`,
		!(Number.isInteger(phy) && phy >= 0 && phy <= 31) && `Ethernet: ${phy} is not an address of a PHY`,
		// The PHY's clock would drive a strapping pin during each reset.
		clock === 0 && power === undefined && "Ethernet: a PHY that gives the clock to GPIO 0 needs a power pin",
	];
	return faults.filter((fault) => fault !== false);
}

/** Faults in the pins of a row; empty if the board can be built. */
export function faultsOf(board: Board): string[] {
	const uses = usesOf(board);
	return [
		...uses.flatMap((use) => faultsOfUse(board, use)),
		...clashesOf([...uses, ...consoleUsesOf(board)]),
		...faultsOfConsole(board),
		...faultsOfEthernet(board),
	];
}
