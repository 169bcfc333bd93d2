/** Makes firmware images for hosts without a boot loader (hosts/simulated/image.ts). */
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
	/** Version, at most 32 ASCII characters. */
	readonly version: string;
	/** Build number; default 1. */
	readonly build?: number;
	/** Security level; default 0. */
	readonly securityLevel?: number;
	/** Faults of the image, IMAGE_… as bits. Default: none. */
	readonly flags?: number;
	/** Size in bytes, rounded up to a multiple of WRITE_SIZE. Default: 100000. */
	readonly size?: number;
	/** Seed of the data after the header. */
	readonly seed?: number;
}

/** Throws a RangeError if an option does not fit into the image. */
export function makeSimulatorImage(options: SimulatorImage): Uint8Array {
	const { version, build = 1, securityLevel = 0, flags = 0, size = 100_000, seed = 1 } = options;
	const length = Math.ceil(size / WRITE_SIZE) * WRITE_SIZE;
	if (length < IMAGE_HEADER_LENGTH + IMAGE_HASH_LENGTH) throw new RangeError("too small for an image");
	if (version.length > VERSION_LIMIT) throw new RangeError(`a version has up to ${VERSION_LIMIT} characters`);
	const image = Buffer.alloc(length, TEXT);
	// Half of the content is random. Completely random bytes would be incompressible.
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
