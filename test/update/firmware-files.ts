/** OTA slots, keys and files for update tests. */
import { generateKeyPairSync } from "node:crypto";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { VirtualSlots, type VirtualSlotsOptions } from "../../hosts/node/virtual-update.js";
import { keySigner, type Signer } from "../../tools/ota/keys.js";
import { type Firmware, makeFirmwareFile, type Oddities } from "../../tools/ota/make.js";

export const newSigner = (): Signer => keySigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

/** The maker's key. */
export const SIGNER = newSigner();

export const VERSION = "1.2.3-test";
/** The board of the virtual world. */
export const BOARD = Object.freeze({ chip: "none", deviceId: 1 });
/** A unit with an older version. */
export const UNIT = Object.freeze({ ...BOARD, firmwareVersion: "1.0.2" });

export function makeImage(size = 100_000): Uint8Array {
	return makeSimulatorImage({ version: VERSION, build: 3, size });
}

export function makeFile(image: Uint8Array, own: Partial<Firmware> = {}, odd: Oddities = {}): Uint8Array {
	const firmware = { ...BOARD, image, version: VERSION, buildNumber: 3, securityLevel: 0, signer: SIGNER, ...own };
	return new Uint8Array(makeFirmwareFile(firmware, odd));
}

/** The file with the lowest bit of a byte changed. */
export function damaged(file: Uint8Array, at: number): Uint8Array {
	const copy = file.slice();
	copy[at] ^= 1;
	return copy;
}

export const makeSlots = (options: VirtualSlotsOptions = {}) => new VirtualSlots({ keys: [SIGNER.point], ...options });
