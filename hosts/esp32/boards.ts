/**
 * Boards that the firmware supports. `npm run build -- --board NAME` compiles only one of these rows into the firmware,
 * as the module gateway/board (sdk.d.ts). Each row is a hardware variant with its own device id; factory data and
 * firmware files contain this id.
 *
 * The pins of gateway boards are taken from public firmware: XZG (xyzroe/XZG, src/const/hw.cpp: brdConfigs, and
 * ethConfigs for Ethernet), slzb-esphome (smlight-tech/slzb-esphome, hw_defs/06xu and hw_defs/mrxu),
 * tube0013/tube_gateways (ESPHome configurations), Tasmota's template of the Sonoff bridge. On these boards the optical
 * head is wired to unused pins.
 *
 * For your own hardware, copy the most similar row and give it a new name and a device id from 0x0100 on.
 */

export type Chip = "esp32" | "esp32s3" | "esp32c3" | "esp32c6";

export interface UARTPins {
	readonly uart: number;
	readonly transmit: number;
	readonly receive: number;
	/** Bytes of the ring buffer that receives characters while no task runs (uart-port.h). */
	readonly ring: number;
}

/** Pins of the optical head's UART. If not inverted, a line is high when idle, and light makes it low. */
export interface MeterPins extends UARTPins {
	readonly invertTransmit: boolean;
	readonly invertReceive: boolean;
}

export interface RadioPins extends UARTPins {
	/**
	 * Set both RTS and CTS, or neither. The coprocessor's usual firmware uses neither line, so the board must also work
	 * if the coprocessor ignores them.
	 */
	readonly rts?: number;
	readonly cts?: number;
	/** GPIO that holds the coprocessor in reset while low. */
	readonly reset?: number;
	/** GPIO that starts the coprocessor's boot loader if it is low at the end of reset. */
	readonly boot?: number;
	/** GPIO that connects the coprocessor's serial port to the chip while high, and to the USB socket while low. */
	readonly select?: number;
}

/**
 * Ethernet with the ESP32's own MAC and an RMII PHY. The other RMII pins are fixed: TXD0 19, TXD1 22, TX_EN 21, RXD0
 * 25, RXD1 26, CRS_DV 27 (ESP-IDF, components/soc/esp32/emac_periph.c).
 */
export interface RMIIPins {
	readonly kind: "rmii";
	/** MDIO address, 0 to 31. */
	readonly phy: number;
	readonly mdc: number;
	readonly mdio: number;
	/** GPIO that powers the PHY (on some boards the PHY's oscillator) while high. */
	readonly power?: number;
	/** GPIO of the 50 MHz clock. GPIO 0 receives the clock; GPIO 16 and 17 send it to the PHY. */
	readonly clock: 0 | 16 | 17;
}

export interface W5500Pins {
	readonly kind: "w5500";
	readonly miso: number;
	readonly mosi: number;
	readonly clock: number;
	readonly select: number;
	readonly interrupt: number;
	/** GPIO that holds the W5500 in reset while low. */
	readonly reset: number;
}

/** OpenCores' 10/100 MAC as Espressif's QEMU emulates it. Only builds for `npm run emulate` use it. */
export interface EmulatedEthernet {
	readonly kind: "openeth";
}

export interface LEDPin {
	readonly pin: number;
	readonly activeLow: boolean;
}

/** A voltage divider at an input of ADC 1; the measured voltage is the pin's voltage times `ratio`. */
export interface DividerPin {
	readonly pin: number;
	readonly ratio: number;
}

/**
 * Where the console is: on UART 0, on the chip's own USB port (S3, C3, C6), or on both. A socket behind a USB-UART
 * bridge is UART 0.
 */
export type Console = "uart" | "usb" | "both";

export interface Board {
	readonly name: string;
	readonly chip: Chip;
	readonly manufacturer: string;
	readonly model: string;
	/** Unique, 1 to 65535. */
	readonly deviceId: number;
	/** Size of the flash, MB; if the board is sold with several sizes, the smallest one. */
	readonly flashMB: number;
	readonly partitions: string;
	readonly console: Console;
	readonly meter: MeterPins;
	readonly zigbee?: RadioPins;
	readonly ethernet?: RMIIPins | W5500Pins | EmulatedEthernet;
	readonly button?: number;
	readonly led?: LEDPin;
	/** Number of alkaline cells in series; 0 without cells. */
	readonly cells: number;
	readonly battery?: DividerPin;
	readonly usb?: DividerPin;
	/** Parts and meter protocols that the firmware leaves out because flash is short (tools/sdk/omissions.ts). */
	readonly without?: readonly string[];
}

const FLASH_4MB = Object.freeze({ flashMB: 4, partitions: "partitions-4mb.csv", cells: 0 });
const FLASH_8MB = Object.freeze({ flashMB: 8, partitions: "partitions-8mb.csv", cells: 0 });

/** This chip has no USB port of its own. */
const ESP32 = Object.freeze({ ...FLASH_4MB, chip: "esp32" as const, console: "uart" as const });

const ESPRESSIF = Object.freeze({ manufacturer: "Espressif" });
const SMLIGHT = Object.freeze({ manufacturer: "SMLIGHT" });
const TUBES = Object.freeze({ manufacturer: "TubesZB" });

/**
 * At 115200 Bd, 11.5 characters arrive in a millisecond. The ring holds what arrives without a pause in 177 ms, four
 * times the usual erase of the flash. Only P1 meters send at this speed, and only a telegram each second, so that even in
 * the longest erase, 400 ms, no more arrives than a telegram: 1569 characters in the longest of test/vectors. At 19200
 * Bd, 768 characters arrive in 400 ms.
 */
const METER_RING = 2048;
/**
 * With RTS and CTS a radio waits. Without them it sends unasked only what its network sends to the gateway: messages of
 * up to 130 characters, a few in 400 ms. The ring and the UART's own 128 bytes hold five.
 */
const RADIO_RING = 512;

function head(uart: number, transmit: number, receive: number): MeterPins {
	return Object.freeze({ uart, transmit, receive, ring: METER_RING, invertTransmit: false, invertReceive: false });
}

function radio(transmit: number, receive: number, reset: number, boot: number): RadioPins {
	return Object.freeze({ uart: 2, transmit, receive, ring: RADIO_RING, reset, boot });
}

/** Pins of a board with a LAN8720 PHY. MDC and MDIO are the same on all boards of this file. */
function lan8720(phy: number, power: number, clock: RMIIPins["clock"]): RMIIPins {
	return Object.freeze({ kind: "rmii", phy, mdc: 23, mdio: 18, power, clock });
}

/** Parts left out of all boards with 4 MB of flash (docs/hardware.md). */
const LARGE = Object.freeze(["hawkbit", "provision", "security_updates", "backfill", "kmp", "mbus", "amis"]);
/** Parts left out of boards with 4 MB of flash and a radio. */
const SHORT_OF_FLASH = Object.freeze({
	without: Object.freeze([...LARGE, "statistics", "live_secs", "live-meter"]),
});
/** Parts left out of boards that also have Ethernet. They do not need Improv, which sets up Wi-Fi over the console. */
const SHORTER_OF_FLASH = Object.freeze({
	without: Object.freeze([...SHORT_OF_FLASH.without, "peaks", "tic", "improv"]),
});

/** Entries 0, 1 and 2 of XZG's ethConfigs. */
const OLIMEX_POE = lan8720(0, 12, 17);
const WT32_ETH01 = lan8720(1, 16, 0);
const T_INTERNET_POE = lan8720(0, 5, 17);

function light(pin: number): LEDPin {
	return Object.freeze({ pin, activeLow: false });
}

function board(row: Board): Board {
	return Object.freeze(row);
}

/**
 * Devkits with a button on the boot pin. No LED is used: they have none, or an addressable one, which the firmware does
 * not support.
 */
const ESP32_DEVKITC = Object.freeze({
	...ESPRESSIF,
	...ESP32,
	meter: head(1, 25, 26),
	button: 0,
	led: light(27),
});
const ESP32S3_DEVKITC = Object.freeze({
	...ESPRESSIF,
	...FLASH_8MB,
	chip: "esp32s3" as const,
	console: "both" as const,
	meter: head(1, 17, 18),
	button: 0,
	led: light(7),
});

const SMLIGHT_S3 = Object.freeze({
	...SMLIGHT,
	...FLASH_8MB,
	chip: "esp32s3" as const,
	flashMB: 16,
	// UART 0's pins are the I2C bus.
	console: "usb" as const,
	meter: head(1, 6, 7),
	zigbee: Object.freeze({ ...radio(17, 18, 21, 16), rts: 14, cts: 15 }),
	ethernet: Object.freeze({
		kind: "w5500" as const,
		miso: 41,
		mosi: 39,
		clock: 42,
		select: 2,
		interrupt: 38,
		reset: 40,
	}),
	button: 0,
	led: Object.freeze({ pin: 46, activeLow: true }),
});

export const BOARDS: readonly Board[] = Object.freeze([
	board({
		...ESP32_DEVKITC,
		without: Object.freeze([...LARGE, "statistics", "sma", "sunspec", "shelly-websocket"]),
		name: "esp32-devkitc",
		model: "ESP32-DevKitC",
		deviceId: 1,
	}),
	board({ ...ESP32S3_DEVKITC, name: "esp32s3-devkitc", model: "ESP32-S3-DevKitC-1", deviceId: 2 }),
	board({
		...ESPRESSIF,
		...FLASH_4MB,
		// The firmware for this chip is the largest, so this row leaves out the most parts.
		without: Object.freeze([...LARGE, "statistics", "sma", "sunspec", "shelly-websocket", "prices", "peaks", "tic"]),
		name: "esp32c3-devkitm",
		chip: "esp32c3",
		console: "uart",
		model: "ESP32-C3-DevKitM-1",
		deviceId: 3,
		meter: head(1, 4, 5),
		button: 9,
		led: light(6),
	}),
	board({
		...ESPRESSIF,
		...FLASH_8MB,
		name: "esp32c6-devkitc",
		chip: "esp32c6",
		console: "both",
		model: "ESP32-C6-DevKitC-1",
		deviceId: 4,
		meter: head(1, 6, 7),
		button: 9,
		led: light(18),
	}),
	board({
		...ESP32_DEVKITC,
		...SHORT_OF_FLASH,
		name: "esp32-devkitc-zigbee",
		model: "ESP32-DevKitC with a TI module",
		deviceId: 5,
		zigbee: radio(32, 33, 22, 23),
	}),
	board({
		...ESP32S3_DEVKITC,
		name: "esp32s3-devkitc-zigbee",
		model: "ESP32-S3-DevKitC-1 with a TI module",
		deviceId: 6,
		zigbee: radio(15, 16, 5, 6),
	}),
	// A module for building a device with three cells: its sleep current is low, and a third UART is free in addition
	// to the console.
	board({
		...ESP32S3_DEVKITC,
		name: "esp32s3-battery",
		manufacturer: "Smart-Meter Gateway project",
		model: "Battery gateway",
		deviceId: 7,
		zigbee: radio(15, 16, 5, 6),
		cells: 3,
		battery: Object.freeze({ pin: 1, ratio: 2 }),
		usb: Object.freeze({ pin: 2, ratio: 2 }),
	}),
	board({
		...SMLIGHT,
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "slzb-06",
		model: "SLZB-06",
		deviceId: 16,
		meter: head(1, 13, 39),
		zigbee: Object.freeze({ ...radio(17, 5, 33, 32), select: 4 }),
		ethernet: WT32_ETH01,
		button: 35,
		led: light(14),
	}),
	board({
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "wt32-eth01",
		manufacturer: "Wireless-Tag",
		model: "WT32-ETH01 with a TI module",
		deviceId: 17,
		meter: head(1, 4, 36),
		zigbee: radio(17, 5, 33, 32),
		ethernet: WT32_ETH01,
	}),
	board({
		...TUBES,
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "tubeszb-eth-usb",
		model: "CC2652 Ethernet and USB",
		deviceId: 18,
		meter: head(1, 13, 39),
		zigbee: radio(5, 17, 33, 32),
		ethernet: WT32_ETH01,
	}),
	board({
		...TUBES,
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "tubeszb-poe",
		model: "CC2652 PoE",
		deviceId: 19,
		meter: head(1, 13, 39),
		zigbee: radio(16, 5, 33, 32),
		ethernet: OLIMEX_POE,
	}),
	board({
		...TUBES,
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "tubeszb-poe-2022",
		model: "CC2652 PoE 2022",
		deviceId: 20,
		meter: head(1, 14, 39),
		zigbee: radio(16, 5, 13, 4),
		ethernet: OLIMEX_POE,
	}),
	board({
		...TUBES,
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "tubeszb-poe-2023",
		model: "CC2652 PoE 2023",
		deviceId: 21,
		meter: head(1, 13, 39),
		zigbee: radio(4, 36, 5, 16),
		ethernet: OLIMEX_POE,
	}),
	board({
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "uzg-01",
		manufacturer: "mercenaruss",
		model: "UZG-01",
		deviceId: 22,
		meter: head(1, 13, 39),
		zigbee: Object.freeze({ ...radio(4, 36, 16, 32), select: 33 }),
		ethernet: T_INTERNET_POE,
		button: 35,
		led: light(14),
	}),
	board({
		...ESP32,
		...SHORTER_OF_FLASH,
		name: "esp32-poe-zigbee",
		manufacturer: "Olimex",
		model: "ESP32-PoE with a TI module",
		deviceId: 23,
		meter: head(1, 13, 39),
		zigbee: radio(4, 36, 16, 32),
		ethernet: OLIMEX_POE,
	}),
	// This board's Ethernet is not used: XZG's tables assign GPIO 12 both to the PHY's power and to the radio's reset,
	// so one of the two entries must be wrong.
	board({
		...ESP32,
		...SHORT_OF_FLASH,
		name: "china-gw",
		manufacturer: "unknown",
		model: "China-GW",
		deviceId: 24,
		meter: head(1, 13, 39),
		zigbee: radio(33, 32, 12, 14),
	}),
	board({
		...ESP32,
		...SHORT_OF_FLASH,
		name: "sls-classic",
		manufacturer: "SLS",
		model: "SLS Gateway classic",
		deviceId: 25,
		meter: head(1, 32, 33),
		zigbee: radio(23, 22, 18, 19),
	}),
	board({
		...ESP32,
		...SHORT_OF_FLASH,
		name: "zbbridge-p",
		manufacturer: "Sonoff",
		model: "ZBBridge-P",
		deviceId: 26,
		meter: head(1, 14, 13),
		zigbee: radio(19, 23, 15, 22),
		button: 27,
		led: Object.freeze({ pin: 21, activeLow: true }),
	}),
	board({ ...SMLIGHT_S3, name: "slzb-06xu", model: "SLZB-06xU", deviceId: 27 }),
	board({ ...SMLIGHT_S3, name: "slzb-mrxu", model: "SLZB-MRxU", deviceId: 28 }),
]);

export function findBoard(name: string): Board {
	for (const board of BOARDS) if (board.name === name) return board;
	throw new Error(`There is no board "${name}". Boards: ${BOARDS.map((board) => board.name).join(", ")}.`);
}
