/** Helpers of the emulated tests, without an emulator: the memory table, and the image that fails at its start. */
import assert from "node:assert/strict";
import { checkImage } from "../../tools/ota/esp-image.js";
import { breakImage } from "../emulated/broken-image.js";
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
});
