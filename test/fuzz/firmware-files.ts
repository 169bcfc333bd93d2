/**
 * Small firmware files with damage: anywhere in the file, or in the part that the maker's key signs. In the second case
 * the file is signed again after the damage, so that the code after the check of the signature is tested too. The
 * gateway's verdict is compared with that of `npm run ota -- verify`.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { IMAGE_HASH_LENGTH } from "../../hosts/simulated/image.js";
import { INVALID_IMAGE } from "../../tools/ota/check.js";
import { SIGNED_AT, SIGNED_LENGTH } from "../../tools/ota/format.js";
import { PIECE_LENGTH, pack, unpack } from "../../tools/ota/pack.js";
import { verdictOf } from "../update/corrupted.js";
import { FLOOR, OPTIONS } from "../update/corruptions.js";
import { makeFile, SIGNER } from "../update/firmware-files.js";
import { Unit } from "../update/unit.js";
import { type Mutator, runAll } from "./mutator.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** An image of `pieces` pieces that compresses to almost nothing. */
function sparseImage(pieces: number): Uint8Array {
	const size = (pieces - 1) * PIECE_LENGTH + 400;
	const image = makeSimulatorImage({ version: `1.0.${pieces}`, securityLevel: FLOOR, size });
	const hashed = image.length - IMAGE_HASH_LENGTH;
	image.fill(0x20, 200, hashed);
	image.set(sha256(image.subarray(0, hashed)), hashed);
	return image;
}

const IMAGES = [1, 2].map((pieces) => {
	const image = sparseImage(pieces);
	return { image, packed: pack(image) };
});

export interface OddFile {
	readonly file: Uint8Array;
	/** True if the boot loader accepts the file's image, provided that the image is well-formed. */
	readonly isStartable: boolean;
}

export function oddFile(mutator: Mutator): OddFile {
	const { random } = mutator;
	const { image, packed } = mutator.pick(IMAGES);
	const isPacked = image.length > PIECE_LENGTH || random.oneIn(2);
	const make = (content: Uint8Array, brought: Uint8Array) =>
		makeFile(image, { securityLevel: FLOOR, packed: isPacked }, { content, metadata: { imageHash: sha256(brought) } });
	const content = isPacked ? packed : image;
	const good = make(content, image);
	switch (random.below(4)) {
		case 0:
			return { file: resigned(mutator, good), isStartable: true };
		case 1: {
			const odd = mutator.mutate(content, IMAGES[0].packed);
			const brought = isPacked ? unpacked(odd, image.length) : odd;
			return { file: make(odd, brought ?? image), isStartable: sha256(brought ?? image).equals(sha256(image)) };
		}
		case 2:
			return { file: mutator.mutate(good, make(IMAGES[0].packed, image)), isStartable: true };
		default:
			return { file: good, isStartable: true };
	}
}

/** The file with other metadata of the same length, correctly signed. */
function resigned(mutator: Mutator, good: Uint8Array): Uint8Array {
	const file = Uint8Array.from(good);
	const signed = mutator.mutate(file.subarray(SIGNED_AT, SIGNED_AT + SIGNED_LENGTH), good).subarray(0, SIGNED_LENGTH);
	file.set(signed, SIGNED_AT);
	file.set(SIGNER.sign(file.subarray(SIGNED_AT, SIGNED_AT + SIGNED_LENGTH)), SIGNED_AT + SIGNED_LENGTH);
	return file;
}

function unpacked(content: Uint8Array, length: number): Uint8Array | undefined {
	try {
		return unpack(content, length);
	} catch {
		return undefined;
	}
}

/** The expected code; empty: the file is accepted. `total`: as for `verdictOf`. */
export function refusalOf({ file, isStartable }: OddFile, total: number): string {
	const verdict = verdictOf(file, total);
	return verdict === "" && !isStartable ? INVALID_IMAGE : verdict;
}

export async function fuzzFirmwareFiles(seed: number, runs: number): Promise<void> {
	const unit = new Unit({ ...OPTIONS, seed });
	await runAll("firmware files", seed, runs, (mutator) => {
		const odd = oddFile(mutator);
		const { file } = odd;
		const total = mutator.pick([0, file.length]);
		const { version } = unit;
		const code = unit.upload(file, mutator.random, total);
		assert.equal(code, refusalOf(odd, total), Buffer.from(file).toString("base64"));
		unit.restart();
		if (code === "") unit.loader.confirm();
		else assert.equal(unit.version, version);
	});
}
