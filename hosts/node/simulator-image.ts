/** Images of the firmware for hosts without a boot loader (hosts/simulated/image.ts). */
import { createHash } from "node:crypto";
import { WRITE_SIZE } from "../../modules/io/flash.js";
import {
	IMAGE_BUILD_OFFSET,
	IMAGE_FLAGS_OFFSET,
	IMAGE_HASH_LENGTH,
	IMAGE_HEADER_LENGTH,
	IMAGE_LENGTH_OFFSET,
	IMAGE_LEVEL_OFFSET,
	IMAGE_MAGIC,
	IMAGE_VERSION_OFFSET,
} from "../simulated/image.js";
import { SeededRandom } from "./random.js";

const VERSION_LIMIT = IMAGE_HEADER_LENGTH - IMAGE_VERSION_OFFSET;
const TEXT = "The meter is read through its optical port. ";

export interface SimulatorImage {
	/** At most 32 ASCII characters. */
	readonly version: string;
	/** Build number; default 1. */
	readonly build?: number;
	/** Security level; default 0. */
	readonly securityLevel?: number;
	/** IMAGE_…, as bits; default: none. */
	readonly flags?: number;
	/** Bytes, rounded up to whole WRITE_SIZE; default 100000. */
	readonly size?: number;
	/** Determines the data after the header. */
	readonly seed?: number;
}

/** Throws a RangeError for a value that does not fit. */
export function makeSimulatorImage(options: SimulatorImage): Uint8Array {
	const { version, build = 1, securityLevel = 0, flags = 0, size = 100_000, seed = 1 } = options;
	const length = Math.ceil(size / WRITE_SIZE) * WRITE_SIZE;
	if (length < IMAGE_HEADER_LENGTH + IMAGE_HASH_LENGTH) throw new RangeError("too small for an image");
	if (version.length > VERSION_LIMIT) throw new RangeError(`a version has up to ${VERSION_LIMIT} characters`);
	const image = Buffer.alloc(length, TEXT);
	// The content is half random, because random bytes are incompressible.
	const random = new SeededRandom(seed);
	for (let at = 0; at < length; at += 128) image.set(random.bytes(Math.min(64, length - at)), at);
	image.fill(0, 0, IMAGE_HEADER_LENGTH);
	image.set(IMAGE_MAGIC);
	image.writeUInt32LE(length, IMAGE_LENGTH_OFFSET);
	image.writeUInt32LE(build, IMAGE_BUILD_OFFSET);
	image.writeUInt32LE(securityLevel, IMAGE_LEVEL_OFFSET);
	image.writeUInt32LE(flags, IMAGE_FLAGS_OFFSET);
	image.write(version, IMAGE_VERSION_OFFSET, "latin1");
	const hashed = length - IMAGE_HASH_LENGTH;
	image.set(createHash("sha256").update(image.subarray(0, hashed)).digest(), hashed);
	return new Uint8Array(image);
}
