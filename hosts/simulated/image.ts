/**
 * Firmware image for trying updates on hosts without a boot loader. It contains only a version and simulated faults.
 * The running program stays the same. Integers are little-endian:
 *
 *   offset  bytes  what
 *   0       8      SMGBENCH
 *   8       4      bytes of the image, a whole number of WRITE_SIZE
 *   12      4      build number
 *   16      4      security level
 *   20      4      faults, IMAGE_… as bits
 *   24      32     version, text, padded with zeros
 *   56      ...    any content
 *   -32     32     SHA-256 of all bytes before it
 */

import type { Crypto } from "../../modules/io/crypto.js";
import type { Partition } from "../../modules/io/flash.js";

export const IMAGE_FAILS = 1;
/** Fault: the image starts but then does nothing. */
export const IMAGE_HANGS = 2;
/** Fault: the radio finds no network and opens no access point. */
export const IMAGE_HEARS_NOTHING = 4;

/** Values of `info.chip` and `info.deviceId` on hosts that use such images. */
export const IMAGE_CHIP = "pc";
export const IMAGE_DEVICE_ID = 0;

export const IMAGE_HEADER_LENGTH = 56;
export const IMAGE_HASH_LENGTH = 32;
/** "SMGBENCH" in ASCII. */
export const IMAGE_MAGIC = Object.freeze([0x53, 0x4d, 0x47, 0x42, 0x45, 0x4e, 0x43, 0x48]);
export const IMAGE_LENGTH_OFFSET = 8;
export const IMAGE_BUILD_OFFSET = 12;
export const IMAGE_LEVEL_OFFSET = 16;
export const IMAGE_FLAGS_OFFSET = 20;
export const IMAGE_VERSION_OFFSET = 24;

const PIECE = 4096;

export interface ImageHeader {
	readonly length: number;
	readonly build: number;
	readonly securityLevel: number;
	readonly flags: number;
	readonly version: string;
}

/** Throws an Error if the header is missing or damaged. */
export function readImage(slot: Partition, crypto: Pick<Crypto, "hash">): ImageHeader {
	const piece = new Uint8Array(PIECE);
	slot.read(0, piece, 0, IMAGE_HEADER_LENGTH);
	if (!IMAGE_MAGIC.every((byte, i) => piece[i] === byte)) throw new Error("it is not an image of this firmware");
	const view = new DataView(piece.buffer);
	const length = view.getUint32(IMAGE_LENGTH_OFFSET, true);
	if (length < IMAGE_HEADER_LENGTH + IMAGE_HASH_LENGTH || length > slot.size) throw new Error("the image is cut off");
	const versionEnd = piece.indexOf(0, IMAGE_VERSION_OFFSET);
	const header = {
		length,
		build: view.getUint32(IMAGE_BUILD_OFFSET, true),
		securityLevel: view.getUint32(IMAGE_LEVEL_OFFSET, true),
		flags: view.getUint32(IMAGE_FLAGS_OFFSET, true),
		version: String.fromCharCode(...piece.subarray(IMAGE_VERSION_OFFSET, Math.min(versionEnd, IMAGE_HEADER_LENGTH))),
	};
	const hash = crypto.hash();
	const hashed = length - IMAGE_HASH_LENGTH;
	for (let at = 0; at < hashed; at += PIECE) {
		const count = Math.min(PIECE, hashed - at);
		slot.read(at, piece, 0, count);
		hash.update(piece, 0, count);
	}
	slot.read(hashed, piece, 0, IMAGE_HASH_LENGTH);
	if (!hash.digest().every((byte, i) => byte === piece[i])) throw new Error("the image is damaged");
	return header;
}
