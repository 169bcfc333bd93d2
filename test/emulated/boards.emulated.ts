/**
 * Boards in Espressif's QEMU, each as a new unit: `npm run test:emulated`. $BOARDS names the boards (default: an ESP32
 * without and one with a radio, one C3). The run names each board that can't be emulated here, and skips it. Finally it
 * prints a table of the memory of all boards, which it also writes to .build/emulated.md and .build/emulated.json.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../tools/sdk/sdk.js";
import { skipBecause } from "../hosts/native/compile.js";
import { EmulatedBoard, lacking } from "./board.js";
import { load } from "./load.js";
import { powerCuts } from "./power-cuts.js";
import { radio } from "./radio.js";
import { readouts } from "./readouts.js";
import { type BoardRows, memoryTable } from "./table.js";
import { updates } from "./updates.js";

const BOARDS = (process.env["BOARDS"] ?? "esp32-devkitc,slzb-06,esp32c3-devkitm").split(",");

describe("Boards in the emulator", () => {
	const measured: BoardRows[] = [];
	after(() => {
		if (measured.length === 0) return;
		const table = memoryTable(measured);
		console.log(`\n${table}`);
		writeFileSync(join(ROOT, ".build", "emulated.md"), table);
		writeFileSync(join(ROOT, ".build", "emulated.json"), `${JSON.stringify(measured, undefined, "\t")}\n`);
	});

	for (const name of BOARDS) {
		describe(name, () => {
			const emulated = new EmulatedBoard(name);
			before(async function () {
				const reason = lacking(emulated.board);
				if (reason !== undefined) {
					skipBecause(this, `${name}: ${reason}`);
					return;
				}
				await emulated.open();
			});
			afterEach(function () {
				if (this.currentTest?.state === "failed") console.error(emulated.emulator.tail());
			});
			after(async () => {
				await emulated.close();
				if (emulated.rows.length > 0) measured.push({ board: name, chip: emulated.board.chip, rows: emulated.rows });
			});

			it("serves the page and its API, after a login, over Ethernet", async () => {
				const { status, text } = await emulated.client.send("GET", "/");
				assert.equal(status, 200);
				assert.match(text, /<title>/);
				const { device } = await emulated.client.get("system/version");
				assert.equal(device.device_id, emulated.board.deviceId);
				assert.equal((await emulated.client.get("network/status"))["connected"], true);
				await emulated.note("started, logged in");
			});
			if (emulated.hasRadio) describe("the radio", () => radio(emulated));
			describe("the meter", () => readouts(emulated));
			describe("power cuts", () => powerCuts(emulated));
			describe("updates", () => updates(emulated));
			describe("memory", () => load(emulated));
		});
	}
});
