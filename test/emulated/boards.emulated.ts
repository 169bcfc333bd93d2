/**
 * Boards in Espressif's QEMU, each as a new unit: `npm run test:emulated`. $BOARDS names the boards (default: one
 * ESP32, one C3). The run names each board that can't be emulated here, and skips it. Finally it prints a table of the
 * memory of all boards, which it also writes to .build/emulated.md and .build/emulated.json.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../tools/sdk/sdk.js";
import { skipBecause } from "../hosts/native/compile.js";
import { EmulatedBoard, lacking } from "./board.js";
import { load } from "./load.js";
import { powerCuts } from "./power-cuts.js";
import { readouts } from "./readouts.js";
import { type BoardRows, memoryTable } from "./table.js";
import { updates } from "./updates.js";

const BOARDS = (process.env["BOARDS"] ?? "esp32-devkitc,esp32c3-devkitm").split(",");

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
			const bench = new EmulatedBoard(name);
			before(async function () {
				const reason = lacking(bench.board);
				if (reason !== undefined) {
					skipBecause(this, `${name}: ${reason}`);
					return;
				}
				await bench.open();
			});
			afterEach(function () {
				if (this.currentTest?.state === "failed") console.error(bench.emulator.tail());
			});
			after(async () => {
				await bench.close();
				if (bench.rows.length > 0) measured.push({ board: name, chip: bench.board.chip, rows: bench.rows });
			});

			it("serves the page and its API, after a login, over Ethernet", async () => {
				const { status, text } = await bench.client.send("GET", "/");
				assert.equal(status, 200);
				assert.match(text, /<title>/);
				const { device } = await bench.client.get("system/version");
				assert.equal(device.device_id, bench.board.deviceId);
				assert.equal((await bench.client.get("network/status"))["connected"], true);
				await bench.note("started, logged in");
			});
			describe("the meter", () => readouts(bench));
			describe("power cuts", () => powerCuts(bench));
			describe("updates", () => updates(bench));
			describe("memory", () => load(bench));
		});
	}
});
