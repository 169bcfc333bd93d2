/** Makes an application image that passes every check before its start, and crashes at the start. */
import { createHash } from "node:crypto";

const HEADER_LENGTH = 24;
const SEGMENT_HEAD_LENGTH = 8;
const HASH_LENGTH = 32;
const BLOCK = 16;
const CHECKSUM_START = 0xef;
/** Bytes; zeros are an illegal instruction on Xtensa (ILL) and on RISC-V (compressed). */
const ZEROS = 16;

/** The image with zeros at `address`, the beginning of a function. Throws an Error if no segment has it. */
export function breakImage(image: Uint8Array, address: number): Buffer {
	const bytes = Buffer.from(image);
	let at = HEADER_LENGTH;
	let isBroken = false;
	let checksum = CHECKSUM_START;
	for (let segment = 0; segment < bytes[1]; segment++) {
		const [load, length] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
		at += SEGMENT_HEAD_LENGTH;
		if (address >= load && address + ZEROS <= load + length) {
			bytes.fill(0, at + address - load, at + address - load + ZEROS);
			isBroken = true;
		}
		for (const byte of bytes.subarray(at, at + length)) checksum ^= byte;
		at += length;
	}
	if (!isBroken) throw new Error(`No segment of the image has 0x${address.toString(16)}.`);
	const end = at - (at % BLOCK) + BLOCK;
	bytes[end - 1] = checksum;
	createHash("sha256").update(bytes.subarray(0, end)).digest().copy(bytes, end);
	if (bytes.length < end + HASH_LENGTH) throw new Error("The image has no SHA-256.");
	return bytes;
}
