/** Hardware for which firmware files are made: the boards and the simulator. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, type Board, findBoard } from "../../hosts/esp32/boards.js";
import { SLOT_SIZE } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { findPartition } from "../factory/partitions.js";

const TABLES = join(dirname(fileURLToPath(import.meta.url)), "../../..", "hosts", "esp32");

export interface Hardware {
	readonly name: string;
	readonly deviceId: number;
	readonly chip: string;
	readonly slotSize: number;
}

const BENCH: Hardware = Object.freeze({
	name: "bench",
	deviceId: IMAGE_DEVICE_ID,
	chip: IMAGE_CHIP,
	slotSize: SLOT_SIZE,
});

export function findHardware(name: string): Hardware {
	return name === BENCH.name ? BENCH : hardwareOf(findBoard(name));
}

export function hardwareById(deviceId: number): Hardware | undefined {
	if (deviceId === BENCH.deviceId) return BENCH;
	const board = BOARDS.find((one) => one.deviceId === deviceId);
	return board && hardwareOf(board);
}

export function hardwareOf({ name, deviceId, chip, partitions }: Board): Hardware {
	const slotSize = findPartition(readFileSync(join(TABLES, partitions), "utf8"), "ota_0").size;
	return { name, deviceId, chip, slotSize };
}
