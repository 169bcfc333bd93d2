/** Firmware to make files of, for the tests of those who read them. */
import { generateKeyPairSync } from "node:crypto";
import { SeededRandom } from "../../hosts/node/random.js";
import { keySigner } from "../../tools/ota/keys.js";
import type { Firmware } from "../../tools/ota/make.js";

export const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Bytes that begin as an image for the ESP32-C3 does, differ from piece to piece, and get smaller when packed. */
export function imageOf(length: number): Uint8Array {
	const random = new SeededRandom(length);
	const image = Uint8Array.from({ length }, (_, at) => (at % 3 === 0 ? random.below(256) : at >> 10));
	image.set([0xe9, 1, 2, 0x20].slice(0, length));
	if (length > 13) image.set([5, 0], 12);
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
