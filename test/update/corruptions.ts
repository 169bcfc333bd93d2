/** Firmware files that a unit must refuse, with their codes, and files that it must accept. */
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { SeededRandom } from "../../hosts/node/random.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import type { VirtualSlotsOptions } from "../../hosts/node/virtual-update.js";
import { IMAGE_LENGTH_OFFSET } from "../../hosts/simulated/image.js";
import {
	BAD_SIGNATURE,
	DOWNGRADE,
	INVALID_IMAGE,
	type Target,
	WRITE_FAILED,
	WRONG_DEVICE,
} from "../../tools/ota/check.js";
import { CONTENT_AT, type Header, type Metadata, SIGNED_AT, SIGNED_LENGTH } from "../../tools/ota/format.js";
import { keyIdOf } from "../../tools/ota/keys.js";
import { type Firmware, makeFirmwareFile, type Oddities } from "../../tools/ota/make.js";
import { PIECE_LENGTH, pack } from "../../tools/ota/pack.js";
import { BOARD, SIGNER as MAKER, newSigner } from "./firmware-files.js";

export interface Sample {
	/** How the file deviates from a correct one. */
	readonly name: string;
	readonly file: Uint8Array;
	/** Code of the refusal; empty if the file is accepted. */
	readonly code: string;
	/** True for a correct file with an image that the boot loader can't start. */
	readonly notStartable?: boolean;
}

/** Lowest accepted build number. */
export const FLOOR = 5;
const SLOT_SIZE = 32 * 4096;
const IMAGE_SIZE = PIECE_LENGTH + 4464;

const [NEXT, REVOKED, STRANGER] = [newSigner(), newSigner(), newSigner()];

/** OTA slots of the unit that gets the samples. The revoked key is still among the signing keys. */
export const OPTIONS: VirtualSlotsOptions = {
	keys: [MAKER.point, NEXT.point, REVOKED.point],
	revoked: [keyIdOf(REVOKED.point)],
	securityLevel: FLOOR,
	size: SLOT_SIZE,
};

/** The same unit, described for the tool's check. */
export const TARGET: Target = {
	...BOARD,
	slotSize: SLOT_SIZE,
	keys: [MAKER.point, NEXT.point, REVOKED.point],
	revoked: [keyIdOf(REVOKED.point)],
	securityLevel: FLOOR,
};

interface Release {
	readonly image: Uint8Array;
	readonly version: string;
	readonly buildNumber: number;
	readonly content: Uint8Array;
}

function release(build: number): Release {
	const version = `1.0.${build}`;
	const image = makeSimulatorImage({ version, build, securityLevel: FLOOR, size: IMAGE_SIZE, seed: build });
	return { image, version, buildNumber: build, content: pack(image) };
}

/** Two releases; good files alternate between them, so that each changes the version. */
const RELEASES = [release(7), release(8)];

/** Wrong sizes to put in place of `value`. */
const oddSizes = (value: number) => [
	...[
		0,
		1,
		15,
		16,
		value - 1,
		value + 1,
		value - 16,
		value + 16,
		value * 2,
		CONTENT_AT,
		PIECE_LENGTH,
		PIECE_LENGTH * 2,
	],
	...[SLOT_SIZE, SLOT_SIZE + 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_ffff - CONTENT_AT, value + 0x1_0000],
];

/** Offsets of size fields in the file. */
const SIZES_AT = [52, 58, SIGNED_AT + 76, SIGNED_AT + 80, CONTENT_AT - 4];
const LEVEL_AT = SIGNED_AT + 72;
const IMAGE_LENGTH_AT = SIGNED_AT + 80;

export class Samples {
	readonly random: SeededRandom;
	#count = 0;
	#release = RELEASES[0];
	#isPacked = true;

	constructor(random: SeededRandom) {
		this.random = random;
	}

	/** The next corrupted file; the kinds alternate. */
	nextBad(): Sample {
		const kinds = Object.entries(BAD);
		const [name, make] = kinds[this.#count++ % kinds.length];
		this.#isPacked = PACKED_ONLY.includes(name) || this.random.oneIn(2);
		const sample = make(this);
		return { ...sample, name: `${name}, ${sample.name} (${this.#isPacked ? "packed" : "plain"})` };
	}

	/** The next good file; its `version` differs from that of the previous good file. */
	nextGood(): Sample & { readonly version: string } {
		const kinds = Object.entries(GOOD);
		const [name, make] = kinds[this.#count++ % kinds.length];
		this.#release = RELEASES[1 - RELEASES.indexOf(this.#release)];
		this.#isPacked = this.random.oneIn(2);
		return {
			name: `${name} (${this.#isPacked ? "packed" : "plain"})`,
			file: make(this),
			code: "",
			version: this.#release.version,
		};
	}

	pick<T>(list: readonly T[]): T {
		return list[this.random.below(list.length)];
	}

	/** A random value other than `value`. */
	other(value: number, among: readonly number[]): number {
		return this.pick(among.filter((one) => one !== value && one >= 0 && one < 2 ** 32));
	}

	get isPacked(): boolean {
		return this.#isPacked;
	}

	get release(): Release {
		return this.#release;
	}

	/** Data of the file's second element for the present release: the image, packed or plain. */
	get content(): Uint8Array {
		return this.#isPacked ? this.#release.content : this.#release.image;
	}

	file(own: Partial<Firmware> = {}, odd: Oddities = {}): Buffer {
		const { image, version, buildNumber } = this.#release;
		const base = { ...BOARD, image, version, buildNumber, securityLevel: FLOOR, signer: MAKER, packed: this.#isPacked };
		return makeFirmwareFile({ ...base, ...own }, own.image === undefined ? { content: this.content, ...odd } : odd);
	}

	/** The file with these bytes at `at`. */
	with(at: number, bytes: Uint8Array, file = this.file()): Buffer {
		file.set(bytes, at);
		return file;
	}

	withSize(at: number, value: number): Buffer {
		const file = this.file();
		file.writeUInt32LE(value, at);
		return file;
	}

	/** A file that is signed after the changes of metadata and header. */
	signed(metadata: Partial<Metadata>, header: Partial<Header> = {}, own: Partial<Firmware> = {}): Buffer {
		return this.file(own, { metadata, header });
	}
}

type Make = (samples: Samples) => Sample;

const bad = (code: string, file: Uint8Array, name = "") => ({ name, file, code });

/** Code of the refusal after a byte of the front was changed; empty if the byte is unsigned and therefore accepted. */
function frontCode(file: Buffer, at: number, isPacked: boolean): string {
	if ((at >= 14 && at < 18) || (at >= 20 && at < 52)) return "";
	const isAhead = at < SIGNED_AT + 4 || (at >= SIGNED_AT + 76 && at < IMAGE_LENGTH_AT);
	if (isAhead || at >= CONTENT_AT - 6) return INVALID_IMAGE;
	if (at < IMAGE_LENGTH_AT || at >= IMAGE_LENGTH_AT + 4) return BAD_SIGNATURE;
	const length = file.readUInt32LE(IMAGE_LENGTH_AT);
	return isPacked && length > 0 && length <= SLOT_SIZE ? BAD_SIGNATURE : INVALID_IMAGE;
}

/** The zlib streams of the pieces, without the length before each. */
function streamsOf(content: Uint8Array): Buffer[] {
	const source = Buffer.from(content);
	const streams: Buffer[] = [];
	for (let at = 0; at < source.length; ) {
		const length = source.readUInt32LE(at);
		streams.push(source.subarray(at + 4, at + 4 + length));
		at += 4 + length;
	}
	return streams;
}

function joined(streams: readonly Uint8Array[]): Buffer {
	return Buffer.concat(
		streams.flatMap((stream) => {
			const length = Buffer.alloc(4);
			length.writeUInt32LE(stream.length);
			return [length, stream];
		}),
	);
}

const WINDOW = { windowBits: 12, level: 9 };
/** Correctly signed files with invalid packing. */
const PACKINGS: Readonly<Record<string, (samples: Samples, streams: Buffer[], image: Uint8Array) => Buffer>> = {
	"a byte of a stream": ({ random }, streams) => {
		const stream = Buffer.from(streams[0]);
		stream[random.below(stream.length)] ^= 1 << random.below(8);
		return joined([stream, streams[1]]);
	},
	"the number before a piece": (samples, streams) => {
		const content = joined(streams);
		const at = samples.random.oneIn(2) ? 0 : 4 + streams[0].length;
		const length = content.readUInt32LE(at);
		content.writeUInt32LE(samples.other(length, oddSizes(length)), at);
		return content;
	},
	"pieces that changed places": (_samples, [first, second]) => joined([second, first]),
	"a piece twice": (_samples, [first, second]) => joined([first, first, second]),
	"a piece too few": (samples, streams) => joined([samples.pick(streams)]),
	"a piece too many": (_samples, streams) => joined([...streams, deflateSync(Buffer.alloc(100), WINDOW)]),
	"an empty piece": (samples, streams) => {
		const empty = samples.pick([Buffer.alloc(0), deflateSync(Buffer.alloc(0), WINDOW)]);
		return joined(
			samples.pick([
				[empty, ...streams],
				[streams[0], empty, streams[1]],
				[...streams, empty],
			]),
		);
	},
	"one piece of all": (_samples, _streams, image) => joined([deflateSync(image, WINDOW)]),
	"pieces of another size": (_samples, _streams, image) =>
		joined([image.subarray(0, 32_768), image.subarray(32_768)].map((piece) => deflateSync(piece, WINDOW))),
	"a larger window": (_samples, streams, image) =>
		joined([deflateSync(image.subarray(0, PIECE_LENGTH), { windowBits: 15 }), streams[1]]),
	"raw deflate": (_samples, streams, image) => joined([deflateRawSync(image.subarray(0, PIECE_LENGTH)), streams[1]]),
	gzip: (_samples, streams, image) => joined([gzipSync(image.subarray(0, PIECE_LENGTH)), streams[1]]),
	"a dictionary": (_samples, streams, image) =>
		joined([deflateSync(image.subarray(0, PIECE_LENGTH), { ...WINDOW, dictionary: Buffer.from("meter") }), streams[1]]),
	"much more than a piece": ({ random }, streams) => {
		const large = deflateSync(Buffer.alloc(PIECE_LENGTH + 1 + random.below(2_000_000)), WINDOW);
		return joined(random.oneIn(2) ? [large, streams[1]] : [streams[0], large]);
	},
	"less than a piece": ({ random }, [first], image) =>
		joined([first, deflateSync(image.subarray(PIECE_LENGTH, image.length - 1 - random.below(4000)), WINDOW)]),
	"bytes behind a stream's end": ({ random }, streams) => {
		const which = random.below(2);
		return joined(
			streams.map((stream, i) => (i === which ? Buffer.concat([stream, random.bytes(1 + random.below(20))]) : stream)),
		);
	},
	"a stream that ends early": ({ random }, streams) => {
		const which = random.below(2);
		return joined(streams.map((stream, i) => (i === which ? stream.subarray(0, random.below(stream.length)) : stream)));
	},
	"no numbers": (_samples, streams) => Buffer.concat(streams),
	nothing: () => Buffer.alloc(0),
};

/** Kinds that need a packed image. */
const PACKED_ONLY = ["packing"];

const BAD: Readonly<Record<string, Make>> = {
	"a byte of the front": (samples) => {
		for (;;) {
			const file = samples.file();
			const at = samples.random.below(CONTENT_AT);
			file[at] ^= 1 + samples.random.below(255);
			const code = frontCode(file, at, samples.isPacked);
			if (code !== "") return bad(code, file, `${at}`);
		}
	},
	"a byte of the image": (samples) => {
		const file = samples.file();
		const at = CONTENT_AT + samples.random.below(file.length - CONTENT_AT);
		file[at] ^= 1 + samples.random.below(255);
		return bad(INVALID_IMAGE, file, `${at}`);
	},
	"100 bytes of the image": (samples) => {
		const file = samples.file();
		const at = CONTENT_AT + samples.random.below(file.length - CONTENT_AT - 100);
		const bytes = samples.pick([samples.random.bytes(100), new Uint8Array(100), new Uint8Array(100).fill(0xff)]);
		return bad(INVALID_IMAGE, samples.with(at, bytes), `${at}`);
	},
	"cut off": (samples) => {
		const file = samples.file();
		const boundaries = [
			0,
			1,
			3,
			4,
			56,
			SIGNED_AT,
			SIGNED_AT + SIGNED_LENGTH,
			CONTENT_AT - 1,
			CONTENT_AT,
			CONTENT_AT + 4,
		];
		const at = samples.random.oneIn(2)
			? samples.random.below(file.length)
			: samples.pick([...boundaries, file.length - 1]);
		return bad(INVALID_IMAGE, file.subarray(0, at), `${at}`);
	},
	"bytes after its end": (samples) => {
		const file = samples.file();
		const more = samples.pick([samples.random.bytes(1 + samples.random.below(300)), file, new Uint8Array(1)]);
		return bad(INVALID_IMAGE, Buffer.concat([file, more]), `${more.length}`);
	},
	"a size": (samples) => {
		const at = samples.pick(SIZES_AT);
		const value = samples.file().readUInt32LE(at);
		const file = samples.withSize(at, samples.other(value, oddSizes(value)));
		return bad(frontCode(file, at, samples.isPacked), file, `${at}: ${file.readUInt32LE(at)}`);
	},
	"a signed size": (samples) => {
		const [length, field] = samples.pick([
			[samples.content.length, "contentLength"],
			[samples.release.image.length, "imageLength"],
		] as const);
		const value = samples.other(length, oddSizes(length));
		return bad(INVALID_IMAGE, samples.signed({ [field]: value }), `${field} ${value}`);
	},
	"wrong sizes that agree with each other": (samples) => {
		const contentLength = samples.other(samples.content.length, oddSizes(samples.content.length));
		const length = Math.min(2 ** 32 - 1, contentLength + CONTENT_AT);
		const file = samples.signed(samples.isPacked ? { contentLength } : { contentLength, imageLength: contentLength }, {
			fileLength: length,
		});
		file.writeUInt32LE(contentLength, CONTENT_AT - 4);
		return bad(INVALID_IMAGE, file, `${contentLength}`);
	},
	"a future format": (samples) => {
		const format = 2 + samples.random.below(254);
		return samples.random.oneIn(2)
			? bad(INVALID_IMAGE, samples.signed({ format }), `format ${format}`)
			: bad(INVALID_IMAGE, samples.signed({ isPacked: format }), `packing ${format}`);
	},
	"the other packing": (samples) =>
		samples.random.oneIn(2)
			? bad(INVALID_IMAGE, samples.signed({ isPacked: Number(!samples.isPacked) }), "in the metadata")
			: bad(INVALID_IMAGE, samples.with(CONTENT_AT - 6, Uint8Array.of(0, samples.isPacked ? 0 : 0xf0)), "in the tag"),
	"another tag": (samples) => {
		const at = samples.pick([SIGNED_AT - 6, CONTENT_AT - 6]);
		const file = samples.file();
		const tag = samples.other(file.readUInt16LE(at), [0, 1, 0xf000, 0xf001, 0xf002, 0xf003, 0xffff]);
		return bad(INVALID_IMAGE, samples.with(at, Uint8Array.of(tag & 0xff, tag >> 8), file), `${tag} at ${at}`);
	},
	"another header": (samples) => {
		const header = samples.pick<Partial<Header>>([
			{ identifier: 0x0beef11f },
			{ headerVersion: 0x0101 },
			{ headerLength: 60, fieldControl: 4 },
			{ fieldControl: 1 },
			{ manufacturer: 0xffff },
			{ imageType: 0xffff },
			{ stackVersion: 3 },
		]);
		return bad(INVALID_IMAGE, samples.file({}, { header }), JSON.stringify(header));
	},
	"elements in other order": (samples) => {
		const file = samples.file();
		const [header, metadata, image] = [
			file.subarray(0, 56),
			file.subarray(56, CONTENT_AT - 6),
			file.subarray(CONTENT_AT - 6),
		];
		const orders = [[image, metadata], [metadata, metadata, image], [image], [metadata]];
		const parts = samples.pick(orders);
		const other = Buffer.concat([header, ...parts]);
		other.writeUInt32LE(other.length, 52);
		return bad(INVALID_IMAGE, other, `${orders.indexOf(parts)}`);
	},
	"a stranger's key": (samples) =>
		samples.random.oneIn(2)
			? bad(BAD_SIGNATURE, samples.file({ signer: STRANGER }), "under its own name")
			: bad(
					BAD_SIGNATURE,
					samples.file({ signer: STRANGER }, { metadata: { keyId: keyIdOf(MAKER.point) } }),
					"as the maker's",
				),
	"the other key's name": (samples) => bad(BAD_SIGNATURE, samples.signed({ keyId: keyIdOf(NEXT.point) })),
	"a revoked key": (samples) => bad(BAD_SIGNATURE, samples.file({ signer: REVOKED })),
	"another signature": (samples) => {
		const at = SIGNED_AT + SIGNED_LENGTH;
		const file = samples.file();
		const [r, s] = [file.subarray(at, at + 32), file.subarray(at + 32, at + 64)].map((one) => Buffer.from(one));
		const zero = Buffer.alloc(32);
		const ones = Buffer.alloc(32, 0xff);
		const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
		const strange = samples.signed({ buildNumber: 99 }).subarray(at, at + 64);
		const pairs = [
			[zero, zero],
			[ones, ones],
			[r, zero],
			[zero, s],
			[s, r],
			[r, order],
			[order, s],
			[r, ones],
			[strange],
		];
		const pair = samples.pick(pairs);
		return bad(BAD_SIGNATURE, samples.with(at, Buffer.concat(pair), file), `${pairs.indexOf(pair)}`);
	},
	"another board": (samples) => {
		const deviceId = samples.pick([0, 2, 0x0101, 0xffff]);
		return bad(WRONG_DEVICE, samples.file({ deviceId }), `${deviceId}`);
	},
	"another chip": (samples) => {
		const chip = samples.pick(["", "non", "nonee", "None", "esp32c3", "none".repeat(4)]);
		return bad(WRONG_DEVICE, samples.file({ chip }), chip);
	},
	"another product": (samples) => {
		const product = samples.pick([
			"",
			"smart-meter-g",
			"smart-meter-gw2",
			"smart-meter-gw-2",
			"Smart-meter-gw",
			"toaster",
		]);
		return bad(WRONG_DEVICE, samples.signed({ product }), product);
	},
	"below the floor": (samples) => {
		const securityLevel = samples.random.below(FLOOR);
		return bad(DOWNGRADE, samples.file({ securityLevel }), `${securityLevel}`);
	},
	"a higher level, unsigned": (samples) => {
		const file = samples.file({ securityLevel: FLOOR - 1 });
		file.writeUInt32LE(FLOOR, LEVEL_AT);
		return bad(BAD_SIGNATURE, file);
	},
	"several things wrong": (samples) => {
		const wrong = { deviceId: 2, chip: "esp32", securityLevel: 0 };
		return samples.pick([
			bad(WRONG_DEVICE, samples.file(wrong), "board and level"),
			bad(BAD_SIGNATURE, samples.file({ ...wrong, signer: STRANGER }), "board, level and key"),
			bad(
				INVALID_IMAGE,
				samples.signed({ format: 2 }, {}, { ...wrong, signer: STRANGER }),
				"board, level, key and format",
			),
			bad(DOWNGRADE, samples.signed({ imageHash: new Uint8Array(32) }, {}, { securityLevel: 0 }), "level and image"),
		]);
	},
	"a wrong hash of the content": (samples) =>
		bad(INVALID_IMAGE, samples.signed({ contentHash: samples.random.bytes(32) })),
	// The unit can't distinguish this from flash that lost written bytes.
	"a wrong hash of the image": (samples) => bad(WRITE_FAILED, samples.signed({ imageHash: samples.random.bytes(32) })),
	packing: (samples) => {
		const { image, content } = samples.release;
		const [name, damage] = samples.pick(Object.entries(PACKINGS));
		return bad(INVALID_IMAGE, samples.file({}, { content: damage(samples, streamsOf(content), image) }), name);
	},
	"another release's image": (samples) => {
		const [mine, other] = RELEASES;
		const content = samples.release === mine ? other.image : mine.image;
		// The file has the same size, so only the hashes reveal the change.
		const file = samples.file({ packed: false }, { content: samples.release.image });
		return bad(INVALID_IMAGE, samples.with(CONTENT_AT, content, file));
	},
	"no image for this boot loader": (samples) => {
		const image = Uint8Array.from(samples.release.image);
		if (samples.random.oneIn(2)) image[samples.random.below(8)] ^= 1;
		else new DataView(image.buffer).setUint32(IMAGE_LENGTH_OFFSET, image.length - 16, true);
		return { ...bad(INVALID_IMAGE, samples.file({ image })), notStartable: true };
	},
	"no firmware file": (samples) => {
		const { random } = samples;
		const others: readonly Uint8Array[] = [
			random.bytes(1 + random.below(2000)),
			Buffer.from("<!DOCTYPE html><title>404 Not Found</title>".repeat(20)),
			gzipSync(samples.file()),
			Buffer.concat([Buffer.alloc(1), samples.file()]),
			new Uint8Array(samples.release.image),
			new Uint8Array(1000),
			new Uint8Array(1000).fill(0xff),
			samples.file().reverse(),
		];
		const file = samples.pick(others);
		return bad(INVALID_IMAGE, file, `${others.indexOf(file)}`);
	},
};

const GOOD: Readonly<Record<string, (samples: Samples) => Uint8Array>> = {
	"as it was made": (samples) => samples.file(),
	"signed by the next key": (samples) => samples.file({ signer: NEXT }),
	"of a higher level": (samples) => samples.file({ securityLevel: FLOOR + samples.random.below(3) }),
	"with another version in the header, as zigpy's `force` has it": (samples) =>
		samples.file({}, { header: { fileVersion: 0xffff_fffe } }),
	"with another name in the header": (samples) => samples.with(20, samples.random.bytes(32)),
};
