/**
 * A firmware file made by the project's tools is installed, runs on trial, and is confirmed after a minute; a bad one
 * is rolled back.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chip } from "../../hosts/esp32/boards.js";
import { UPDATE_KEY_FILE } from "../../hosts/node/simulator-keys.js";
import { fileSigner } from "../../tools/ota/key-files.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import type { EmulatedBoard } from "./board.js";
import { breakImage } from "./broken-image.js";

/** Limit of the trial on the slow emulator. */
const CONFIRMED_LIMIT_MS = 240_000;
/** Programs of ESP-IDF that list the addresses of functions. */
const NM: Readonly<Record<Chip, string>> = {
	esp32: "xtensa-esp32-elf-nm",
	esp32s3: "xtensa-esp32s3-elf-nm",
	esp32c3: "riscv32-esp-elf-nm",
	esp32c6: "riscv32-esp-elf-nm",
};

/** The running firmware, or another image, as a firmware file for this board. */
export function firmwareFile({ board, places }: EmulatedBoard, image: Uint8Array = readFileSync(places.image)): Buffer {
	return makeFirmwareFile({
		...{ image, deviceId: board.deviceId, chip: board.chip },
		...{
			version: "99.0.1-emulated",
			buildNumber: 1,
			securityLevel: 0,
			signer: fileSigner(join(places.folder, UPDATE_KEY_FILE)),
		},
	});
}

/** Entry point of the application in ESP-IDF. */
function addressOfMain({ board, places }: EmulatedBoard): number {
	const elf = places.image.replace(/\.bin$/, ".elf");
	const { stdout, status, error } = spawnSync(NM[board.chip], [elf], { encoding: "utf8", maxBuffer: 1 << 28 });
	assert.equal(status, 0, `${NM[board.chip]}: ${error?.message}`);
	const [, address] = /^([0-9a-f]+) T app_main$/m.exec(stdout) ?? [];
	assert.ok(address, "there is no app_main");
	return Number.parseInt(address, 16);
}

export function updates(emulated: EmulatedBoard): void {
	const stateOf = async () => {
		const { ota_state, ota_last_error } = await emulated.client.get("system/status");
		return [ota_state, ota_last_error];
	};
	const lastEvent = async () => {
		const { events } = await emulated.client.get("system/log");
		return events.findLast(({ event }: { event: string }) => event.startsWith("update_"))?.event;
	};

	it("installs a firmware file, runs it on trial, and confirms it", async () => {
		await emulated.restarts(() => emulated.client.post("system/ota", firmwareFile(emulated)));
		assert.deepEqual(await stateOf(), ["trial", ""]);
		await emulated.note("on trial");
		await emulated.until("system/status", ({ ota_state }) => ota_state === "idle", CONFIRMED_LIMIT_MS);
		assert.deepEqual([await stateOf(), await lastEvent()], [["idle", ""], "update_confirmed"]);
		// The confirmed firmware keeps running after a power cut.
		await emulated.cutPower();
		await emulated.powerOn();
		assert.deepEqual(await stateOf(), ["idle", ""]);
	});

	it("rolls back a firmware that fails at its start", async () => {
		const image = breakImage(readFileSync(emulated.places.image), addressOfMain(emulated));
		await emulated.restarts(() => emulated.client.post("system/ota", firmwareFile(emulated, image)));
		assert.deepEqual([await stateOf(), await lastEvent()], [["idle", "rolled_back"], "update_rolled_back"]);
	});

	it("rolls back a firmware if the power is cut during its trial", async () => {
		await emulated.restarts(() => emulated.client.post("system/ota", firmwareFile(emulated)));
		assert.deepEqual(await stateOf(), ["trial", ""]);
		await emulated.cutPower();
		await emulated.powerOn();
		assert.deepEqual(await stateOf(), ["idle", "rolled_back"]);
	});
}
