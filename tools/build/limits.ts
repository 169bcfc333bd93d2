/** Limits of a firmware on each chip, for `npm run build -- --all`. */
import type { Chip } from "../../hosts/esp32/boards.js";
import type { Memory } from "./sizes.js";

/** Number of bytes that must stay free in every slot, for corrections of a version that is in use. */
export const SLOT_RESERVE_BYTES = 8 * 1024;

/**
 * Limits in bytes. They are about a tenth above the figures that were measured with ESP-IDF v6.0.1 (`iram` and `dram`):
 * ESP32 56067 and 36076, ESP32-S3 51695 and 36108, ESP32-C3 37514 and 30536, ESP32-C6 49248 and 37484.
 */
export const MEMORY_LIMITS: Readonly<Record<Chip, Memory>> = Object.freeze({
	esp32: Object.freeze({ iram: 62_000, dram: 40_000 }),
	esp32s3: Object.freeze({ iram: 57_000, dram: 40_000 }),
	esp32c3: Object.freeze({ iram: 41_000, dram: 33_500 }),
	esp32c6: Object.freeze({ iram: 54_000, dram: 41_000 }),
});

export interface FirmwareSize {
	readonly chip: Chip;
	readonly imageBytes: number;
	readonly slotBytes: number;
	readonly memory: Memory | undefined;
}

export function problemsOf({ chip, imageBytes, slotBytes, memory }: FirmwareSize): string[] {
	const problems: string[] = [];
	const check = (what: string, bytes: number, limit: number) => {
		if (bytes > limit) problems.push(`${what} is ${bytes - limit} bytes over its limit of ${limit}.`);
	};
	check("The image", imageBytes, slotBytes - SLOT_RESERVE_BYTES);
	if (memory === undefined) return problems;
	check("Code in memory (IRAM)", memory.iram, MEMORY_LIMITS[chip].iram);
	check("Static data (DRAM)", memory.dram, MEMORY_LIMITS[chip].dram);
	return problems;
}
