/**
 * The four chips have the same ESP-IDF settings, except for listed differences. The Moddable SDK's defaults differ by
 * chip, so a setting that is missing in hosts/esp32/sdkconfig/ may differ too.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BOARDS, type Chip } from "../../hosts/esp32/boards.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { skipBecause } from "../hosts/native/compile.js";
import {
	CHIPS,
	differences,
	effectiveSettings,
	kconfigNames,
	linesFor,
	readSettings,
	type Settings,
} from "./chip-settings.js";

/**
 * Settings that all chips must share: windows, buffers, stacks, watchdogs, panic handling, log levels, brown-out, core
 * dumps, cores.
 */
const SHARED =
	/BUFFER_NUM$|_BA_WIN$|TCP_(?:WND|SND|MSS)|LWIP_MAX_|STACK|_WDT|_PANIC|LOG_(?:DEFAULT|LEVEL)|BROWNOUT|COREDUMP|UNICORE|FREERTOS_HZ|_STATS$|SAE_SUPPORT$|MBEDTLS_SSL_/;

/** Intended or harmless differences, each with its reason. */
const INTENDED: Readonly<Record<string, string>> = {
	// The chips themselves differ.
	BOOTLOADER_OFFSET_IN_FLASH: "where the ROM looks for the boot loader",
	COMPILER_FLOAT_LIB_FROM_GCCLIB: "the ROM of the C6 has the functions",
	ESP_CONSOLE_SECONDARY_NONE: "where the board's console is",
	ESP_CONSOLE_SECONDARY_USB_SERIAL_JTAG: "where the board's console is",
	ESP_BROWNOUT_DET_LVL: "each chip has levels of its own: ESP-IDF's default, the lowest one",
	ESP_BROWNOUT_DET_LVL_SEL_7: "as ESP_BROWNOUT_DET_LVL",
	ESP_BROWNOUT_DET_LVL_SEL_0: "as ESP_BROWNOUT_DET_LVL",
	ESP_DEFAULT_CPU_FREQ_MHZ: "the highest of each chip",
	ESP_DEFAULT_CPU_FREQ_MHZ_160: "the highest of each chip",
	ESP_DEFAULT_CPU_FREQ_MHZ_240: "the highest of each chip",
	ESPTOOLPY_FLASHSIZE: "what the boards have",
	ESPTOOLPY_FLASHSIZE_4MB: "what the boards have",
	ESPTOOLPY_FLASHSIZE_8MB: "what the boards have",
	ESP_SLEEP_GPIO_RESET_WORKAROUND: "a fault that the ESP32 does not have",
	ESP_SLEEP_MSPI_NEED_ALL_IO_PU: "pins of the S3's flash",
	ESP_SLEEP_POWER_DOWN_FLASH: "only where the board sleeps",
	ESP_SLEEP_WAIT_FLASH_READY_EXTRA_DELAY: "ESP-IDF's default for the S3's flash",
	ESP_SYSTEM_MEMPROT: "the SDK switches it off on the C3; the ESP32 has none",
	ESP_WIFI_BSS_MAX_IDLE_SUPPORT: "a part of Wi-Fi 6, which the C6 alone has",
	ESP_WIFI_EXTRA_IRAM_OPT: "a part of Wi-Fi 6, which the C6 alone has",
	PM_SLP_IRAM_OPT: "for light sleep, which the ESP32 does in another way",
	SPI_SLAVE_ISR_IN_IRAM: "no part of the gateway is a slave at SPI",

	// The ESP32 keeps TLS in memory that the others lack (esp32.defaults).
	ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY: "esp32.defaults",
	MBEDTLS_INTERNAL_MEM_ALLOC: "esp32.defaults",
	MBEDTLS_CUSTOM_MEM_ALLOC: "esp32.defaults",

	// Its driver for hashes is larger than hashes in software (esp32.defaults).
	MBEDTLS_HARDWARE_SHA: "esp32.defaults",

	// Set by the SDK; the gateway does not depend on these.
	APP_RETRIEVE_LEN_ELF_SHA: "digits of a hash that a panic prints",
	ESPTOOLPY_FLASHMODE_DIO: "the flash of a C3 module is read by two wires",
	ESPTOOLPY_FLASHMODE_QIO: "the flash of a C3 module is read by two wires",
	ESP_HTTP_CLIENT_ENABLE_DIGEST_AUTH: "the gateway has an HTTP client of its own",
	ESP_IPC_TASK_STACK_SIZE: "the SDK's: RISC-V takes more",
	ESP_MAIN_TASK_STACK_SIZE:
		"the SDK's: Xtensa saves its register windows on the stack; the task only starts that of XS",
	ESP_WIFI_STA_DISCONNECTED_PM_ENABLE: "saves current while no network is joined",
	SPI_FLASH_SUPPORT_BOYA_CHIP: "flash that ESP-IDF has not tried on the ESP32",
	SPI_FLASH_SUPPORT_TH_CHIP: "flash that ESP-IDF has not tried on the ESP32",
};

/** Settings that ESP-IDF derives from the chip: names of hardware, ROM, fuses and clocks. */
const OF_THE_CHIP =
	/^(?:SOC_|IDF_|ESP_ROM_|EFUSE_|XTAL_|RTC_CLK_|ESP32\w*_(?:REV|UNIVERSAL|TIME)_|ESP_REV_|ESP_EFUSE_)/;

const SDK = process.env["MODDABLE"] ?? "";
const IDF = process.env["IDF_PATH"] ?? "";

const hasSDK = () => existsSync(join(SDK, "xs", "includes", "xs.h"));

function needIDF(test: Mocha.Context): void {
	if (!hasSDK()) skipBecause(test, "there is no Moddable SDK ($MODDABLE)");
	if (!existsSync(join(IDF, "components"))) skipBecause(test, "there is no ESP-IDF ($IDF_PATH)");
	if (spawnSync("python", ["-m", "kconfgen", "--help"], { stdio: "ignore" }).status !== 0)
		skipBecause(test, 'there is no kconfgen: . "$IDF_PATH/export.sh"');
}

const linesOf = (found: readonly { name: string; values: string }[]) =>
	found.map(({ name, values }) => `${name}: ${values}`);

const unintended = (chips: ReadonlyMap<Chip, Settings>, missing?: string) =>
	differences(chips, missing).filter(({ name }) => INTENDED[name] === undefined && !OF_THE_CHIP.test(name));

describe("ESP-IDF settings of the four chips", function () {
	this.timeout(60_000);

	it("are read as ESP-IDF reads them: the last line of a setting, and one setting of a choice", () => {
		const text =
			"CONFIG_A=1\n# CONFIG_B is not set\nCONFIG_ESP_SYSTEM_PANIC_GDBSTUB=y\n# a remark\nCONFIG_A=2\n" +
			"CONFIG_LOG_DEFAULT_LEVEL_NONE=y\nCONFIG_BOOTLOADER_LOG_LEVEL_ERROR=y\nCONFIG_ESP_SYSTEM_PANIC_PRINT_REBOOT=y\n";
		assert.deepEqual(Object.fromEntries(readSettings(text)), {
			A: "2",
			B: "n",
			ESP_SYSTEM_PANIC_GDBSTUB: "n",
			ESP_SYSTEM_PANIC_PRINT_REBOOT: "y",
			LOG_DEFAULT_LEVEL_NONE: "y",
			BOOTLOADER_LOG_LEVEL_ERROR: "y",
		});
	});

	it("are compared chip by chip, with the chips' names where they differ", () => {
		const chips = new Map<Chip, Settings>([
			["esp32", readSettings("CONFIG_LWIP_TCP_WND_DEFAULT=8192\nCONFIG_SAME=1\nCONFIG_ONLY=y\n")],
			["esp32c3", readSettings("CONFIG_LWIP_TCP_WND_DEFAULT=5744\nCONFIG_SAME=1\n")],
		]);
		const window = "LWIP_TCP_WND_DEFAULT: esp32 8192, esp32c3 5744";
		assert.deepEqual(linesOf(differences(chips)), [window]);
		assert.deepEqual(linesOf(differences(chips, "unset")), [window, "ONLY: esp32 y, esp32c3 unset"]);
	});

	it("are equal on all chips, over the SDK's defaults, if memory, watchdogs and panics depend on them", function () {
		if (!hasSDK()) return skipBecause(this, "there is no Moddable SDK ($MODDABLE)");
		const chips = new Map(CHIPS.map((chip) => [chip, readSettings(linesFor(SDK, chip))]));
		const found = unintended(chips, "as ESP-IDF has it").filter(({ name }) => SHARED.test(name));
		assert.deepEqual(linesOf(found.filter(({ values }) => !isNothing(values))), []);
	});

	it("are equal on all chips, including ESP-IDF's own defaults, or are listed as differences", function () {
		needIDF(this);
		const chips = new Map(CHIPS.map((chip) => [chip, effectiveSettings(IDF, chip, linesFor(SDK, chip))]));
		assert.deepEqual(linesOf(unintended(chips)), []);
		// On the ESP32, ESP-IDF allows byte accesses to instruction memory only with one core.
		for (const [chip, settings] of chips) assert.equal(settings.get("FREERTOS_UNICORE") ?? "y", "y", chip);
		assert.equal(chips.get("esp32")!.get("ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY"), "y");
	});

	it("put the console where the board's row says", function () {
		needIDF(this);
		const boards = new Map(BOARDS.map((board) => [`${board.chip} ${board.console}`, board]));
		for (const [kind, board] of boards) {
			const settings = effectiveSettings(IDF, board.chip, linesFor(SDK, board.chip, board));
			const isOn = (name: string) => settings.get(`ESP_CONSOLE_${name}`) === "y";
			assert.equal(isOn("UART"), board.console !== "usb", kind);
			assert.equal(isOn("USB_SERIAL_JTAG_ENABLED"), board.console !== "uart", kind);
			assert.equal(isOn("USB_SERIAL_JTAG"), board.console === "usb", kind);
			assert.equal(isOn("SECONDARY_USB_SERIAL_JTAG"), board.console === "both", kind);
		}
	});

	it("have names that ESP-IDF knows, because it silently ignores others", function () {
		needIDF(this);
		const names = kconfigNames(IDF);
		const folder = join(ROOT, "hosts", "esp32", "sdkconfig");
		const files = readdirSync(folder).filter((name) => name.endsWith(".defaults"));
		const unknown = files.flatMap((file) =>
			[...readSettings(readFileSync(join(folder, file), "utf8")).keys()]
				.filter((name) => !names.has(name))
				.map((name) => `${file}: ${name}`),
		);
		assert.deepEqual(unknown, []);
	});
});

/** Returns true if the setting is off on some chips and missing on the others. */
function isNothing(values: string): boolean {
	return values.split(", ").every((value) => value.endsWith(" n") || value.endsWith(" as ESP-IDF has it"));
}
