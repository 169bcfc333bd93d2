/**
 * Boards that the firmware supports. `npm run build -- --board NAME` compiles only one of these rows into the firmware,
 * as the module gateway/board (sdk.d.ts). Each row is a hardware variant with its own device id; factory data and
 * firmware files contain this id.
 *
 * The pins of gateway boards are taken from public firmware: XZG (xyzroe/XZG, src/const/hw.cpp: brdConfigs, and
 * ethConfigs for Ethernet), slzb-esphome (smlight-tech/slzb-esphome, hw_defs/06xu and hw_defs/mrxu),
 * tube0013/tube_gateways (ESPHome configurations), Tasmota's template of the Sonoff bridge. Other sources are named at
 * the rows; "arduino-esp32" is espressif/arduino-esp32, variants/<board>/pins_arduino.h. The optical head is wired to
 * unused pins that the board leads out.
 *
 * For your own hardware, copy the most similar row and give it a new name and a device id from 0x0100 on.
 */
import { METER_PROTOCOL } from "../../modules/parts/meter/fields.js";

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
	/**
	 * GPIOs for either line that the owner may choose, with the two of the row. They are free on each board that shares
	 * the list, and a chip with this module leads them out.
	 */
	readonly others?: readonly number[];
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
	/** Source of the pins, for docs/hardware.md. */
	readonly pinsFrom: string;
	/** Size of the flash, MB; if the board is sold with several sizes, the smallest one. */
	readonly flashMB: number;
	readonly partitions: string;
	readonly console: Console;
	/** True if no socket leads to UART 0, so that flashing and the console need a USB-UART adapter of 3.3 V. */
	readonly adapter?: boolean;
	readonly meter: MeterPins;
	readonly zigbee?: RadioPins;
	readonly ethernet?: RMIIPins | W5500Pins | EmulatedEthernet;
	/**
	 * Limit of Wi-Fi's transmit power unless the owner sets another one, 2 to 20 dBm; by default the chip's maximum, 20.
	 * Some small boards fail with more, because of their antenna or voltage regulator.
	 */
	readonly transmitDBm?: number;
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

function head(uart: number, transmit: number, receive: number, others: readonly number[] = []): MeterPins {
	const fixed = { ring: METER_RING, invertTransmit: false, invertReceive: false };
	return Object.freeze({
		uart,
		transmit,
		receive,
		...fixed,
		...(others.length > 0 && { others: Object.freeze(others) }),
	});
}

function radio(transmit: number, receive: number, reset: number, boot: number): RadioPins {
	return Object.freeze({ uart: 2, transmit, receive, ring: RADIO_RING, reset, boot });
}

/** Pins of a board with a LAN8720 or IP101 PHY. MDC and MDIO are the same on all boards of this file. */
function rmii(phy: number, power: number, clock: RMIIPins["clock"]): RMIIPins {
	return Object.freeze({ kind: "rmii", phy, mdc: 23, mdio: 18, power, clock });
}

function together(...lists: readonly (readonly string[])[]): readonly string[] {
	return Object.freeze([...new Set(lists.flat())]);
}

/** Parts left out of all boards with 4 MB of flash (docs/hardware.md). */
const LARGE = Object.freeze(["hawkbit", "provision", "backfill", "kmp", "mbus", "amis"]);
/** Parts left out of boards with 4 MB of flash and no radio. */
const NO_RADIO = Object.freeze([...LARGE, "statistics", "em24", "ct002"]);
/** Parts left out of boards with 4 MB of flash and a radio. */
const SHORT_OF_FLASH = Object.freeze({
	without: Object.freeze([...LARGE, "statistics", "live-meter"]),
});
/** Protocols of a few meters only, which boards with the least flash leave out. */
const RARE = METER_PROTOCOL.choices.filter((name) => !["iec62056", "dlms", "sml"].includes(name));
/** Parts left out of boards that also have Ethernet. They do not need Improv, which sets up Wi-Fi over the console. */
const SHORTER_OF_FLASH = Object.freeze({ without: together(SHORT_OF_FLASH.without, RARE, ["peaks", "improv"]) });

/** Parts left out of boards that have Ethernet and no radio. */
const ETHERNET_ONLY = Object.freeze({ without: together(NO_RADIO, RARE, ["improv"]) });

/** Entries 0, 1 and 2 of XZG's ethConfigs. */
const OLIMEX_POE = rmii(0, 12, 17);
const WT32_ETH01 = rmii(1, 16, 0);
const T_INTERNET_POE = rmii(0, 5, 17);

function w5500(pins: Omit<W5500Pins, "kind">): W5500Pins {
	return Object.freeze({ kind: "w5500", ...pins });
}

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
	meter: head(1, 25, 26, [4, 13, 14, 18, 19, 21, 25, 26]),
	button: 0,
	led: light(27),
});
const ESP32S3_DEVKITC = Object.freeze({
	...ESPRESSIF,
	...FLASH_8MB,
	chip: "esp32s3" as const,
	console: "both" as const,
	meter: head(1, 17, 18, [4, 8, 9, 10, 11, 12, 13, 14, 17, 18, 21, 39, 40, 41, 42, 47]),
	button: 0,
	led: light(7),
});

/** The firmware for the ESP32-C3 is the largest, so it leaves out the most parts. GPIO 9 is the BOOT button. */
const ESP32C3 = Object.freeze({
	...FLASH_4MB,
	without: together(NO_RADIO, RARE, ["prices", "peaks"]),
	chip: "esp32c3" as const,
	meter: head(1, 4, 5, [0, 1, 3, 4, 5, 10]),
	button: 9,
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
	ethernet: w5500({ miso: 41, mosi: 39, clock: 42, select: 2, interrupt: 38, reset: 40 }),
	button: 0,
	led: Object.freeze({ pin: 46, activeLow: true }),
});

export const BOARDS: readonly Board[] = Object.freeze([
	board({
		...ESP32_DEVKITC,
		without: NO_RADIO,
		name: "esp32-devkitc",
		model: "ESP32-DevKitC",
		deviceId: 1,
		pinsFrom: "Espressif's user guide (free pins)",
	}),
	board({
		...ESP32S3_DEVKITC,
		name: "esp32s3-devkitc",
		model: "ESP32-S3-DevKitC-1",
		deviceId: 2,
		pinsFrom: "Espressif's user guide (free pins)",
	}),
	board({
		...ESPRESSIF,
		...ESP32C3,
		name: "esp32c3-devkitm",
		console: "uart",
		model: "ESP32-C3-DevKitM-1",
		deviceId: 3,
		pinsFrom: "Espressif's user guide (free pins)",
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
		pinsFrom: "Espressif's user guide (free pins)",
		meter: head(1, 6, 7, [0, 1, 2, 3, 6, 7, 19, 20, 21, 22, 23]),
		button: 9,
		led: light(18),
	}),
	board({
		...ESP32_DEVKITC,
		...SHORT_OF_FLASH,
		name: "esp32-devkitc-zigbee",
		model: "ESP32-DevKitC with a TI module",
		deviceId: 5,
		pinsFrom: "Espressif's user guide (free pins)",
		zigbee: radio(32, 33, 22, 23),
	}),
	board({
		...ESP32S3_DEVKITC,
		name: "esp32s3-devkitc-zigbee",
		model: "ESP32-S3-DevKitC-1 with a TI module",
		deviceId: 6,
		pinsFrom: "Espressif's user guide (free pins)",
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
		pinsFrom: "this project's own design",
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
		pinsFrom: "XZG, hw.cpp",
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
		adapter: true,
		manufacturer: "Wireless-Tag",
		model: "WT32-ETH01 with a TI module",
		deviceId: 17,
		pinsFrom: "XZG, hw.cpp",
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
		pinsFrom: "tube_gateways",
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
		pinsFrom: "tube_gateways; XZG",
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
		pinsFrom: "tube_gateways",
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
		pinsFrom: "tube_gateways",
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
		pinsFrom: "XZG, hw.cpp",
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
		pinsFrom: "XZG, hw.cpp",
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
		pinsFrom: "XZG, hw.cpp",
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
		pinsFrom: "XZG, hw.cpp",
		meter: head(1, 32, 33),
		zigbee: radio(23, 22, 18, 19),
	}),
	board({
		...ESP32,
		...SHORT_OF_FLASH,
		name: "zbbridge-p",
		adapter: true,
		manufacturer: "Sonoff",
		model: "ZBBridge-P",
		deviceId: 26,
		pinsFrom: "Tasmota's template",
		meter: head(1, 14, 13),
		zigbee: radio(19, 23, 15, 22),
		button: 27,
		led: Object.freeze({ pin: 21, activeLow: true }),
	}),
	board({ ...SMLIGHT_S3, name: "slzb-06xu", model: "SLZB-06xU", deviceId: 27, pinsFrom: "slzb-esphome, hw_defs/06xu" }),
	board({ ...SMLIGHT_S3, name: "slzb-mrxu", model: "SLZB-MRxU", deviceId: 28, pinsFrom: "slzb-esphome, hw_defs/mrxu" }),
	// Differs from the MRxU only in the pins of the second radio, which is not used (hw_defs/mrxu/mr4u_r1_73.yaml).
	board({
		...SMLIGHT_S3,
		name: "slzb-mr4u",
		model: "SLZB-MR4U",
		deviceId: 29,
		pinsFrom: "slzb-esphome, mr4u_r1_73.yaml",
	}),
	// The pins that the board calls TXD and RXD (arduino-esp32, wt32-eth01). The P1 reader of
	// zuidwijk/slimmelezer-wt32-eth01 receives at the same pin.
	board({
		...ESP32,
		...ETHERNET_ONLY,
		name: "wt32-eth01-no-radio",
		adapter: true,
		manufacturer: "Wireless-Tag",
		model: "WT32-ETH01",
		deviceId: 30,
		pinsFrom: "arduino-esp32, slimmelezer",
		meter: head(1, 17, 5),
		ethernet: WT32_ETH01,
	}),
	// TXD and RXD of the UEXT connector (XZG uses them for a radio); the button is from arduino-esp32, esp32-poe.
	board({
		...ESP32,
		...ETHERNET_ONLY,
		name: "esp32-poe",
		manufacturer: "Olimex",
		model: "ESP32-PoE",
		deviceId: 31,
		pinsFrom: "arduino-esp32",
		meter: head(1, 4, 36),
		ethernet: OLIMEX_POE,
		button: 34,
	}),
	// Xinyuan-LilyGO/LilyGO-T-ETH-Series: examples/*/utilities.h (LILYGO_T_INTERNET_POE), and image/pinmap for the
	// header. RX is the pin that UtilitechAS/amsreader-firmware uses (src/HwTools.cpp: T-ETH-POE).
	board({
		...ESP32,
		...ETHERNET_ONLY,
		name: "t-internet-poe",
		adapter: true,
		manufacturer: "LilyGO",
		model: "T-Internet-POE",
		deviceId: 32,
		pinsFrom: "LilyGO-T-ETH-Series, amsreader-firmware",
		meter: head(1, 33, 39),
		ethernet: T_INTERNET_POE,
		button: 0,
	}),
	// Xorlent/PoESP32-SNMP-Environmental-Monitor (PORTINFO.md): an IP101G PHY, and the pins of the HY2.0 socket, one of
	// which amsreader-firmware also receives at. The board has no antenna (docs.m5stack.com/en/unit/poesp32).
	board({
		...ESP32,
		...ETHERNET_ONLY,
		name: "poesp32",
		adapter: true,
		manufacturer: "M5Stack",
		model: "Unit PoESP32",
		deviceId: 33,
		pinsFrom: "PoESP32 monitor, PORTINFO.md",
		meter: head(1, 17, 16),
		ethernet: rmii(1, 5, 0),
	}),
	// arduino-esp32, nologo_esp32c3_super_mini and makergo_c3_supermini. With 20 dBm, some can't join (esp-rs/esp-hal#3488).
	board({
		...ESP32C3,
		name: "esp32c3-supermini",
		console: "usb",
		manufacturer: "Nologo",
		model: "ESP32-C3 SuperMini",
		transmitDBm: 8,
		deviceId: 34,
		pinsFrom: "arduino-esp32",
	}),
	// arduino-esp32, XIAO_ESP32C3: D2 and D3.
	board({
		...ESP32C3,
		name: "xiao-esp32c3",
		console: "usb",
		manufacturer: "Seeed Studio",
		model: "XIAO ESP32C3",
		deviceId: 35,
		pinsFrom: "arduino-esp32",
	}),
	// arduino-esp32, lolin_c3_mini. The antenna of V1.0.0 needs less power (HomeSpan/HomeSpan#907).
	board({
		...ESP32C3,
		name: "lolin-c3-mini",
		console: "usb",
		manufacturer: "WEMOS",
		model: "LOLIN C3 mini",
		transmitDBm: 8,
		deviceId: 36,
		pinsFrom: "arduino-esp32",
	}),
	// docs.m5stack.com/en/core/Atom-Lite: the button, and the pins of the HY2.0 socket.
	board({
		...ESP32,
		without: NO_RADIO,
		name: "atom-lite",
		manufacturer: "M5Stack",
		model: "Atom Lite",
		deviceId: 37,
		pinsFrom: "docs.m5stack.com",
		meter: head(1, 32, 26, [19, 21, 22, 23, 25, 26, 32, 33]),
		button: 39,
	}),
	// arduino-esp32, m5stack_atoms3, and docs.m5stack.com (AtomS3 Lite): the pins of the HY2.0 socket. The button is from
	// devices.esphome.io (m5stack-atoms3-lite).
	board({
		...FLASH_8MB,
		name: "atoms3",
		chip: "esp32s3",
		console: "usb",
		manufacturer: "M5Stack",
		model: "AtomS3 or AtomS3 Lite",
		deviceId: 38,
		pinsFrom: "arduino-esp32, docs.m5stack.com",
		meter: head(1, 1, 2, [1, 2, 5, 6, 7, 8, 38, 39]),
		button: 41,
	}),
	// Waveshare's schematic, as adafruit/circuitpython#9884 and CircuitPython's board waveshare_esp32_s3_eth quote it.
	board({
		...FLASH_8MB,
		name: "esp32-s3-eth",
		chip: "esp32s3",
		flashMB: 16,
		console: "usb",
		manufacturer: "Waveshare",
		model: "ESP32-S3-ETH",
		deviceId: 39,
		pinsFrom: "Waveshare's schematic",
		meter: head(1, 17, 16),
		ethernet: w5500({ miso: 12, mosi: 11, clock: 13, select: 14, interrupt: 10, reset: 9 }),
	}),
	// LilyGO-T-ETH-Series: examples/*/utilities.h (LILYGO_T_ETH_LITE_ESP32S3), and schematic/T-ETH-Lite-ESP32S3.pdf for
	// the header, which has the lines of UART 0 and of the chip's own USB port.
	board({
		...FLASH_8MB,
		name: "t-eth-lite-s3",
		chip: "esp32s3",
		flashMB: 16,
		console: "both",
		adapter: true,
		manufacturer: "LilyGO",
		model: "T-ETH-Lite ESP32-S3",
		deviceId: 40,
		pinsFrom: "LilyGO-T-ETH-Series",
		meter: head(1, 17, 18),
		ethernet: w5500({ miso: 11, mosi: 12, clock: 10, select: 9, interrupt: 13, reset: 14 }),
		button: 0,
	}),
]);

export function findBoard(name: string): Board {
	for (const board of BOARDS) if (board.name === name) return board;
	throw new Error(`There is no board "${name}". Boards: ${BOARDS.map((board) => board.name).join(", ")}.`);
}
