/**
 * Application images of ESP-IDF (esp_image_format.h), as far as the boot loader checks them without the chip's keys: a
 * header of 24 bytes, segments with heads of 8 bytes, a checksum that ends a block of 16 bytes, and usually a SHA-256
 * of everything.
 */
import { createHash } from "node:crypto";
import type { Chip } from "../../hosts/esp32/boards.js";

const MAGIC = 0xe9;
const HEADER_LENGTH = 24;
const SEGMENTS_AT = 1;
const CHIP_AT = 12;
const HASH_FLAG_AT = 23;
const SEGMENT_HEAD_LENGTH = 8;
const SEGMENT_LIMIT = 16;
const BLOCK = 16;
const HASH_LENGTH = 32;
const CHECKSUM_START = 0xef;

/** Values of esp_chip_id_t. */
export const CHIP_IDS: Readonly<Record<Chip, number>> = { esp32: 0, esp32c3: 5, esp32s3: 9, esp32c6: 13 };

export function isChip(name: string): name is Chip {
	return Object.hasOwn(CHIP_IDS, name);
}

/** Throws an Error with a message for the user if this chip's boot loader would reject it. */
export function checkImage(image: Uint8Array, chip: Chip): void {
	const bytes = Buffer.from(image.buffer, image.byteOffset, image.length);
	if (bytes.length < HEADER_LENGTH || bytes[0] !== MAGIC)
		throw new Error(
			"This is not an application image of ESP-IDF, which begins with E9. It is xs_esp32.bin of a build.",
		);
	const id = bytes.readUInt16LE(CHIP_AT);
	if (id !== CHIP_IDS[chip]) {
		const other = Object.entries(CHIP_IDS).find(([, one]) => one === id)?.[0] ?? `chip ${id}`;
		throw new Error(`The image is for ${other}, not for the board's ${chip}.`);
	}
	const { end, checksum } = readSegments(bytes);
	if (end > bytes.length) throw new Error("The image is cut off.");
	if (bytes[end - 1] !== checksum) throw new Error("The image is damaged: its checksum is wrong.");
	if (bytes[HASH_FLAG_AT] !== 1) return;
	const hash = createHash("sha256").update(bytes.subarray(0, end)).digest();
	if (!hash.equals(bytes.subarray(end, end + HASH_LENGTH)))
		throw new Error("The image is damaged: its own SHA-256 is wrong.");
}

/** `end` is the end of the block with the checksum; with secure boot a signature follows. */
function readSegments(bytes: Buffer): { end: number; checksum: number } {
	const count = bytes[SEGMENTS_AT];
	if (count === 0 || count > SEGMENT_LIMIT) throw new Error(`The image is damaged: ${count} segments.`);
	let checksum = CHECKSUM_START;
	let at = HEADER_LENGTH;
	for (let segment = 0; segment < count; segment++) {
		const start = at + SEGMENT_HEAD_LENGTH;
		if (start > bytes.length) throw new Error("The image is cut off.");
		at = start + bytes.readUInt32LE(start - 4);
		if (at > bytes.length) throw new Error("The image is cut off.");
		for (const byte of bytes.subarray(start, at)) checksum ^= byte;
	}
	return { end: at - (at % BLOCK) + BLOCK, checksum };
}
