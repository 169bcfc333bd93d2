/** Firmware images and keys to test programs that read update files. */
import { createHash, generateKeyPairSync } from "node:crypto";
import type { Chip } from "../../hosts/esp32/boards.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { CHIP_IDS } from "../../tools/ota/esp-image.js";
import { keySigner } from "../../tools/ota/keys.js";
import type { Firmware } from "../../tools/ota/make.js";

export const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** The smallest image with all parts, bytes. */
const WHOLE_IMAGE = 128;
const HASH_LENGTH = 32;

/**
 * An ESP-IDF image that passes the boot loader's check: one segment with different, compressible pieces. At least 128
 * bytes.
 */
export function imageOf(length: number, chip: Chip = "esp32c3"): Uint8Array {
	const random = new SeededRandom(length);
	const image = Buffer.from(Array.from({ length }, (_, at) => (at % 3 === 0 ? random.below(256) : (at >> 10) & 0xff)));
	if (length < WHOLE_IMAGE) return image;
	const end = length - HASH_LENGTH - (length % 16);
	image.set([0xe9, 1, 2, 0x20]);
	image.writeUInt16LE(CHIP_IDS[chip], 12);
	image[23] = 1;
	image.writeUInt32LE(end - 1 - 32, 28);
	image[end - 1] = image.subarray(32, end - 1).reduce((sum, byte) => sum ^ byte, 0xef);
	image.set(createHash("sha256").update(image.subarray(0, end)).digest(), end);
	return image;
}

export const FIRMWARE: Firmware = {
	image: imageOf(150_000),
	deviceId: 3,
	chip: "esp32c3",
	version: "1.2.3-release",
	buildNumber: 0x01020304,
	securityLevel: 7,
	signer: keySigner(privateKey),
};
