/** The firmware's size in flash, measured on the output of the SDK's linker, compared with the parts' budgets. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ARCHIVE } from "../../tools/page/archive.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import type { Report } from "../../tools/size/report.js";
import { ROOM_FILE, readRoom, roomProblem } from "../../tools/size/room.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/size.js");
const RADIO_BOARD = "esp32-devkitc-zigbee";
const ROOM = readRoom(readFileSync(join(ROOT, ROOM_FILE), "utf8"));
const RESOURCES = ["obis-names.bin", "timezones.bin"];

function measure(board: string, ...more: readonly string[]): Report {
	const args = [PROGRAM, "--json", "--board", board, ...more];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
	assert.equal(status, 0, `${stderr}\n${stdout === "" ? "" : JSON.parse(stdout).problems.join("\n")}`);
	return JSON.parse(stdout);
}

describe("The firmware's size", function () {
	this.timeout(120_000);
	const sizes = new Map<string, number>();

	for (const board of ["esp32c3-devkitm", "slzb-06", RADIO_BOARD])
		it(`keeps its budgets on ${board}, without warnings of the linker`, () => {
			const { spent, leftBytes, ourBytes, problems, warnings } = measure(board);
			assert.deepEqual([problems, warnings], [[], []]);
			for (const name of [
				"modules/api",
				"modules/http",
				"modules/meter",
				"hosts/esp32",
				"hosts/native",
				"SDK: modules",
			])
				assert.ok(spent.find((each) => each.name === name)!.bytes > 0, name);
			for (const name of RESOURCES)
				assert.equal(
					spent.find((each) => each.name === `resource ${name}`)?.bytes,
					statSync(join(ROOT, "modules/resources", name)).size,
				);
			const page = spent.find((each) => each.name === "resource web.bin")?.bytes ?? 0;
			assert.ok(page > 100_000 && page < statSync(ARCHIVE).size, "the page lacks what this firmware lacks");
			assert.ok(leftBytes > 0);
			assert.equal(roomProblem(board, leftBytes, ROOM), undefined);
			sizes.set(board, ourBytes);
		});

	it("is larger with a radio, because of the Zigbee bridge", () => {
		const radio = sizes.get(RADIO_BOARD)!;
		const plain = measure(RADIO_BOARD, "--without", "zigbee").ourBytes;
		// Limits for all Zigbee code.
		assert.ok(radio > plain + 20_000 && radio < plain + 75_000, `${plain} and ${radio} bytes`);
	});
});
