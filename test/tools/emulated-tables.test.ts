/**
 * Helpers of the emulated tests, without an emulator: the memory table, the image that fails at its start, and the record
 * of writes to the flash.
 */
import assert from "node:assert/strict";
import { checkImage } from "../../tools/ota/esp-image.js";
import { breakImage } from "../emulated/broken-image.js";
import { applyWrite, begins, readWrites } from "../emulated/flash-writes.js";
import { leastStacks, memoryTable } from "../emulated/table.js";
import { imageOf } from "./ota-firmware.js";

describe("The emulated tests", () => {
	it("report heap and stacks of each board in one table", () => {
		const rows = [
			{ what: "at rest", free: 70_000, least: 60_000, stacks: { main: 900, tls: 400 } },
			{ what: "two downloads", free: 50_000, least: 41_000, stacks: { main: 800, tls: 500, uart: 1 } },
		];
		assert.deepEqual(leastStacks(rows), { main: 800, tls: 400, uart: 1 });
		const text = memoryTable([{ board: "esp32-devkitc", chip: "esp32", rows }]);
		assert.match(text, /^\| esp32-devkitc \| two downloads \| 50000 \| 41000 \|$/m);
		assert.match(text, /^\| esp32-devkitc \| uart 1, tls 400, main 800 \|$/m);
	});

	it("make an image that passes every check before its start and then fails", () => {
		const image = imageOf(10_000, "esp32");
		const load = Buffer.from(image).readUInt32LE(24);
		const broken = breakImage(image, load + 100);
		checkImage(broken, "esp32");
		assert.deepEqual(broken.subarray(132, 148), Buffer.alloc(16));
		assert.notDeepEqual(broken, Buffer.from(image));
		assert.throws(() => breakImage(image, load - 1), { message: /No segment of the image has 0x/ });
	});

	it("read QEMU's record of writes to the flash, and repeat them", () => {
		const writes = readWrites(
			[
				"m25p80_flash_erase [0x55d0] offset = 0x4, len = 8",
				"m25p80_page_program [0x55d0] page program cur_addr=0x4 data=0xf0",
				"m25p80_page_program [0x55d0] page program cur_addr=0x5 data=0x1",
				"qemu: another line",
				"m25p80_page_program [0x55d0] page program cur_addr=0x4 data=0x3c",
				"",
			].join("\n"),
		);
		assert.deepEqual(
			writes.map(({ offset, length, byte }) => [offset, length, byte]),
			[
				[4, 8, undefined],
				[4, 1, 0xf0],
				[5, 1, 1],
				[4, 1, 0x3c],
			],
		);
		assert.deepEqual(
			writes.map((_, index) => begins(writes, index)),
			[true, true, false, true],
		);
		const flash = new Uint8Array(13);
		for (const write of writes) applyWrite(flash, write);
		assert.equal(Buffer.from(flash).toString("hex"), "000000003001ffffffffffff00");
	});
});
