import assert from "node:assert/strict";
import { checkImage } from "../../tools/ota/esp-image.js";
import { imageOf } from "./ota-firmware.js";

describe("An application image", () => {
	const image = Buffer.from(imageOf(5000));
	const check = (change: (image: Buffer) => Buffer | undefined) => {
		const copy = Buffer.from(image);
		return () => checkImage(change(copy) ?? copy, "esp32c3");
	};
	const set = (at: number, value: number) =>
		check((copy) => {
			copy[at] = value;
			return copy;
		});

	it("is accepted as ESP-IDF makes it, and with a signature after it", () => {
		check((copy) => copy)();
		check((copy) => Buffer.concat([copy, Buffer.alloc(4096)]))();
		// An image without its own hash.
		check((copy) => {
			copy[23] = 0;
			return copy.subarray(0, -32);
		})();
	});

	it("is rejected if it is for another chip, or for none", () => {
		assert.throws(set(0, 0xe8), /^Error: This is not an application image of ESP-IDF/);
		assert.throws(() => checkImage(new Uint8Array(23).fill(0xe9), "esp32c3"), /This is not an application image/);
		assert.throws(() => checkImage(image, "esp32"), /The image is for esp32c3, not for the board's esp32\./);
		assert.throws(set(12, 77), /The image is for chip 77/);
	});

	it("is rejected if it is cut off anywhere", () => {
		for (let length = 24; length < image.length; length += length < 64 || length > 4900 ? 1 : 97)
			if (length < image.length - 8)
				assert.throws(
					check((copy) => copy.subarray(0, length)),
					/cut off|SHA-256/,
					`${length}`,
				);
	});

	it("is rejected if it is damaged", () => {
		assert.throws(set(1, 0), /0 segments/);
		assert.throws(set(1, 17), /17 segments/);
		assert.throws(set(1, 2), /cut off|checksum/);
		assert.throws(set(100, image[100] ^ 1), /its checksum is wrong/);
		// Only the hash covers the header.
		assert.throws(set(5, image[5] ^ 1), /its own SHA-256 is wrong/);
		assert.throws(set(31, 0xff), /The image is cut off\./);
	});
});
