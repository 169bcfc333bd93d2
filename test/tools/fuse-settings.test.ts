/** ESP-IDF settings that irreversibly burn eFuses of the chip: only `npm run build -- --production` may use them. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { sdkconfigOf } from "../../tools/sdk/esp32.js";
import { skipBecause } from "../hosts/native/compile.js";
import { CHIPS, linesFor } from "./chip-settings.js";

/**
 * Settings that make the boot loader or the firmware burn eFuses, by the Kconfig file of ESP-IDF v6.0.2 that describes
 * them. The code was found by its calls of esp_efuse_write_*, esp_efuse_disable_*, esp_efuse_enable_*, esp_efuse_set_*
 * and esp_efuse_update_* in the folder components.
 */
const BURNING: Readonly<Record<string, readonly string[]>> = {
	"components/esp_system/port/soc/esp32/Kconfig.system": ["ESP32_DISABLE_BASIC_ROM_CONSOLE"],
	"components/esp_rom/Kconfig.projbuild": [
		"BOOT_ROM_LOG_ALWAYS_OFF",
		"BOOT_ROM_LOG_ON_GPIO_HIGH",
		"BOOT_ROM_LOG_ON_GPIO_LOW",
	],
	"components/esp_security/Kconfig": ["ESP_CRYPTO_FORCE_ECC_CONSTANT_TIME_POINT_MUL", "ESP_ECDSA_ENABLE_P192_CURVE"],
	"components/bootloader/Kconfig.app_rollback": ["BOOTLOADER_APP_ANTI_ROLLBACK"],
	"components/bootloader/Kconfig.bootloader_rollback": ["BOOTLOADER_ANTI_ROLLBACK_ENABLE"],
	"components/bootloader/Kconfig.projbuild": [
		"SECURE_BOOT",
		"SECURE_FLASH_ENC_ENABLED",
		"SECURE_FLASH_PSEUDO_ROUND_FUNC",
		"SECURE_DISABLE_ROM_DL_MODE",
		"SECURE_ENABLE_SECURE_ROM_DL_MODE",
	],
	// By default encrypted NVS burns its key on chips with an HMAC peripheral.
	"components/nvs_flash/Kconfig": ["NVS_ENCRYPTION"],
	"components/nvs_sec_provider/Kconfig": ["NVS_SEC_KEY_PROTECT_USING_HMAC"],
};

/** Settings that a text switches on; a later line replaces an earlier one, as in mcconfig. */
function switchedOn(text: string): Set<string> {
	const on = new Set<string>();
	for (const [, name, value] of text.matchAll(/^CONFIG_(\w+)=(.*)$/gm)) {
		if (value === "y") on.add(name!);
		else on.delete(name!);
	}
	return on;
}

function burnt(text: string): string[] {
	const on = switchedOn(text);
	return Object.values(BURNING)
		.flat()
		.filter((name) => on.has(name));
}

describe("ESP-IDF settings that burn eFuses", () => {
	const own = { production: false, version: "1.2.3" };

	for (const isRelease of [false, true])
		it(`are not in a ${isRelease ? "published" : "development"} build for any board`, () => {
			for (const board of BOARDS) assert.deepEqual(burnt(sdkconfigOf({ ...own, board, isRelease })), [], board.name);
		});

	it("are switched off if the SDK switches them on for its own examples", () => {
		// SDK 8.2.3, build/devices/esp32/xsProj-esp32/sdkconfig.defaults.
		const sdk = "CONFIG_ESP32_DISABLE_BASIC_ROM_CONSOLE=y\n";
		assert.deepEqual(burnt(sdk + sdkconfigOf({ ...own, board: findBoard("esp32-devkitc") })), []);
	});

	for (const chip of CHIPS)
		it(`are in no development build over the settings of the installed SDK: ${chip}`, function () {
			const sdk = process.env["MODDABLE"] ?? "";
			if (!existsSync(join(sdk, "xs", "includes", "xs.h")))
				return skipBecause(this, "there is no Moddable SDK ($MODDABLE)");
			assert.deepEqual(burnt(linesFor(sdk, chip)), []);
		});

	it("are found in a production build: flash encryption and its keys", () => {
		const text = sdkconfigOf({ ...own, board: findBoard("esp32-devkitc"), production: true });
		assert.deepEqual(burnt(text), ["SECURE_FLASH_ENC_ENABLED", "NVS_ENCRYPTION"]);
	});
});
