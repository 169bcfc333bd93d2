/** Makes a folder that resembles ESP-IDF's output. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { imageOf } from "./ota-firmware.js";

const BOOT_LOADER_AT = { esp32: "0x1000", esp32c3: "0x0", esp32s3: "0x0", esp32c6: "0x0" };

export function writeESPBuild(folder: string, { chip }: Board): void {
	const files = {
		bootloader: ["bootloader/bootloader.bin", BOOT_LOADER_AT[chip], imageOf(20_000)],
		"partition-table": ["partition_table/partition-table.bin", "0x8000", imageOf(3072)],
		otadata: ["ota_data_initial.bin", "0x21000", Buffer.alloc(0x2000, 0xff)],
		app: ["xs_esp32.bin", "0x30000", imageOf(200_000, chip)],
	} as const;
	for (const name of ["bootloader", "partition_table"]) mkdirSync(join(folder, name), { recursive: true });
	for (const [path, , bytes] of Object.values(files)) writeFileSync(join(folder, path), bytes);
	const list = Object.entries(files).map(([name, [file, offset]]) => [name, { file, offset, encrypted: "false" }]);
	writeFileSync(join(folder, "flasher_args.json"), JSON.stringify(Object.fromEntries(list)));
}
