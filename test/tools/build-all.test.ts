/** `npm run build -- --all`: its boards, its report, and its limits. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { asRows, asTable, buildAll, distinctBoards, slotBytesOf } from "../../tools/build/all.js";
import { MEMORY_LIMITS, problemsOf, SLOT_RESERVE_BYTES } from "../../tools/build/limits.js";
import { readMemory } from "../../tools/build/sizes.js";
import { SLOT_BYTES } from "../../tools/size/report.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/build.js");

/**
 * Output of esp_idf_size 2.3.2 for an image of the ESP32-C3. The one below, for the ESP32-S3, was written by hand with
 * the memory regions of that chip.
 */
const C3 = JSON.stringify({
	version: "1.2",
	layout: [
		{ name: "Flash Code", total: 0, used: 858160, free: 0, parts: { ".text": { size: 858160 } } },
		{
			name: "DRAM",
			total: 321296,
			used: 67376,
			free: 253920,
			parts: { ".text": { size: 37048 }, ".bss": { size: 19744 }, ".data": { size: 10584 } },
		},
		{ name: "RTC SLOW", total: 8192, used: 616, free: 7576, parts: { ".text": { size: 20 } } },
	],
});
const S3 = JSON.stringify({
	version: "1.2",
	layout: [
		{ name: "IRAM", parts: { ".text": { size: 15356 }, ".vectors": { size: 1028 } } },
		{ name: "DIRAM", parts: { ".text": { size: 35311 }, ".bss": { size: 20000 }, ".data": { size: 16108 } } },
	],
});

describe("the build of all boards", () => {
	it("counts code and data in memory, but neither flash nor the memory that is kept during sleep", () => {
		assert.deepEqual(readMemory(C3), { iram: 37048, dram: 30328 });
		assert.deepEqual(readMemory(S3), { iram: 51695, dram: 36108 });
	});

	it("reports unexpected output of ESP-IDF's program", () => {
		assert.throws(() => readMemory('{"dram_data":1}'), /no memory inside the chip/);
		assert.throws(() => readMemory('{"layout":[{"name":"DRAM","parts":{".bss":{}}}]}'), /no size of \.bss in DRAM/);
	});

	it("builds one board for each distinct firmware, and names the other boards with the same firmware", () => {
		const distinct = distinctBoards(BOARDS);
		const names = distinct.flatMap(({ board, others }) => [board.name, ...others]).sort();
		assert.deepEqual(names, BOARDS.map(({ name }) => name).sort());
		for (const { board, others } of distinct)
			for (const other of others.map(findBoard))
				assert.deepEqual(
					[other.chip, other.partitions, other.console, other.zigbee === undefined, other.ethernet?.kind],
					[board.chip, board.partitions, board.console, board.zigbee === undefined, board.ethernet?.kind],
				);
		assert.equal(distinctBoards(BOARDS, undefined, true).length, BOARDS.length);
		assert.deepEqual(new Set(distinctBoards(BOARDS, "esp32").map(({ board }) => board.chip)), new Set(["esp32"]));
	});

	it("gets each board's slot size from its partition table", () => {
		assert.equal(slotBytesOf(findBoard("slzb-06")), SLOT_BYTES);
		assert.equal(slotBytesOf(findBoard("esp32s3-devkitc")), 0x300000);
	});

	it("fails as soon as a limit is exceeded by a byte, and says which and by how much", () => {
		const most = SLOT_BYTES - SLOT_RESERVE_BYTES;
		const memory = MEMORY_LIMITS.esp32;
		const taken = { chip: "esp32", imageBytes: most, slotBytes: SLOT_BYTES, memory } as const;
		assert.deepEqual(problemsOf(taken), []);
		assert.deepEqual(problemsOf({ ...taken, imageBytes: most + 1, memory: undefined }), [
			`The image is 1 bytes over its limit of ${most}.`,
		]);
		assert.deepEqual(problemsOf({ ...taken, memory: { iram: memory.iram + 2, dram: memory.dram + 3 } }), [
			`Code in memory (IRAM) is 2 bytes over its limit of ${memory.iram}.`,
			`Static data (DRAM) is 3 bytes over its limit of ${memory.dram}.`,
		]);
	});

	it("continues after a failure, and reports all builds in one table", async () => {
		const lines: string[] = [];
		const distinct = distinctBoards(
			[findBoard("esp32c3-devkitm"), findBoard("slzb-06"), findBoard("wt32-eth01")],
			undefined,
			true,
		);
		const build = async ({ name, chip }: { name: string; chip: "esp32" | "esp32s3" | "esp32c3" | "esp32c6" }) => {
			if (name === "slzb-06") throw new Error("mcconfig has failed.");
			return { chip, imageBytes: 1_835_700, slotBytes: SLOT_BYTES, memory: readMemory(C3) };
		};
		const outcomes = await buildAll(distinct, build, (line) => lines.push(line));
		assert.equal(lines[1], "Building 2 of 3: slzb-06 …");
		assert.deepEqual(
			asRows(outcomes).map(({ board, leftBytes, problems }) => [board, leftBytes, problems]),
			[
				["esp32c3-devkitm", 130_380, []],
				["slzb-06", null, ["mcconfig has failed."]],
				["wt32-eth01", 130_380, []],
			],
		);
		const table = asTable(outcomes);
		assert.match(table, /\nesp32c3-devkitm +esp32c3 +1835700 +130380 +37048 +30328\n/);
		assert.match(
			table,
			/\nslzb-06 +esp32 +\? +\? +\? +\?\n[\s\S]*\nslzb-06: mcconfig has failed\.\n1 of 3 builds failed\.\n$/,
		);
	});

	it("exits with 2 for a chip that no board has, or for options that --all excludes", () => {
		for (const args of [["--chip", "esp8266"], ["--board", "slzb-06"], ["--production"]]) {
			const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "build", "--all", ...args], {
				encoding: "utf8",
			});
			assert.equal(status, 2, stderr);
		}
	});
});
