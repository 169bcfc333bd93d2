/**
 * Checks of the host contract: OTA slots and decompression. Portable. Resources: `packed.bin` has consecutive zlib
 * streams with a window of 4 KB: `unpacked` returns their bytes, and STREAMS has their lengths. `packed-32k.bin` has
 * one stream with a window of 32 KB. `image.bin` is an image of version IMAGE_VERSION that this host starts.
 */
import {
	ERASE_SIZE,
	FIRMWARE_CONFIRMED,
	FIRMWARE_ON_TRIAL,
	INFLATE_WINDOW,
	type Inflater,
	type Update,
	WRITE_SIZE,
} from "../../../modules/io/flash.js";
import type { Host } from "../../../modules/io/host.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern } from "./check.js";

/** Decompressed length of each stream in packed.bin. */
export const STREAMS: readonly number[] = Object.freeze([20_000, 0, INFLATE_WINDOW, 2 * INFLATE_WINDOW, 100, 5000]);
/** Period of the source in bytes, nearly the whole window. */
const DISTANCE = 4000;
export const IMAGE_VERSION = "1.2.4-check";
/** Length of the host's only update key: the first bytes of `pattern`. */
export const UPDATE_KEY = 65;

/** Byte `at` of a stream, before compression. */
export function unpacked(at: number): number {
	const place = at % DISTANCE;
	return (place * 31 + 7 + (place >> 8)) & 0xff;
}

function updateOf({ update }: Host): Update {
	expect(update !== undefined, "the host accepts no updates");
	return update;
}

function resource({ resources }: Host, name: string): Uint8Array {
	const file = resources.get(name);
	expect(file !== undefined, `no resource ${name}`);
	return file;
}

/** Writes `step` bytes at a time from `at` on until the stream ends; returns the start of the next one. */
function unpack(inflater: Inflater, packed: Uint8Array, at: number, step: number, length: number): number {
	let made = 0;
	let idle = 0;
	while (!inflater.isDone) {
		const end = Math.min(at + step, packed.length);
		const taken = inflater.write(packed, at, end);
		at += taken;
		const isFull = inflater.filled === INFLATE_WINDOW;
		expect(at === end || isFull || inflater.isDone, `${taken} bytes accepted, and neither full nor done`);
		idle = taken === 0 ? idle + 1 : 0;
		expect(idle < 3, `it accepts nothing more after ${made} bytes`);
		if (isFull || inflater.isDone) made += take(inflater, made);
	}
	expectEqual(made, length, "bytes of a stream");
	return at;
}

/** Compares the ring with the source from `made` on; returns the number of bytes. */
function take(inflater: Inflater, made: number): number {
	const { filled, ring } = inflater;
	for (let i = 0; i < filled; i++) {
		if (ring[i] !== unpacked(made + i)) expectEqual(ring[i], unpacked(made + i), `byte ${made + i}`);
	}
	inflater.empty();
	expectEqual(inflater.filled, 0, "bytes in an emptied ring");
	return filled;
}

function expectError(action: () => unknown, what: string): void {
	try {
		action();
	} catch {
		return;
	}
	throw new Error(`${what} does not throw`);
}

export const updateChecks = frozen([
	{
		name: "an inflater unpacks consecutive streams, in pieces of any size, through its ring",
		async run(host) {
			const packed = resource(host, "packed.bin");
			const inflater = updateOf(host).inflater();
			expectEqual(inflater.ring.length, INFLATE_WINDOW, "bytes of the ring");
			for (const step of [1, 2, 3, 5, 16, 1460, 100_000]) {
				let at = 0;
				for (const length of STREAMS) {
					expect(!inflater.isDone && inflater.filled === 0, "it does not begin again");
					at = unpack(inflater, packed, at, step, length);
					expectEqual(inflater.write(packed, at, packed.length), 0, "bytes accepted after the end");
					inflater.reset();
				}
				expectEqual(at, packed.length, `where the last stream ends, in steps of ${step}`);
			}
			inflater.close();
			inflater.close();
		},
	},
	{
		name: "an inflater rejects damaged data, or a larger window, until it is reset",
		async run(host) {
			const packed = resource(host, "packed.bin");
			const large = resource(host, "packed-32k.bin");
			const inflater = updateOf(host).inflater();
			const all = (bytes: Uint8Array) => () => unpack(inflater, bytes, 0, 1000, STREAMS[0]);
			const first = packed.slice(0, 4500);
			const damaged = (at: number) => first.map((byte, i) => (i === at ? byte ^ 0x55 : byte));
			let end = 0;
			inflater.reset();
			end = unpack(inflater, packed, 0, 1000, STREAMS[0]);
			const wrongSum = packed.slice(0, end);
			wrongSum[end - 1] ^= 1;
			for (const [what, bytes] of [
				["another header", damaged(0)],
				["a wrong check of the header", damaged(1)],
				["a window of 32 KB", large],
				["a wrong sum", wrongSum],
				["a header with a dictionary", Uint8Array.of(0x48, 0xa7, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6)],
				["a block of an unknown kind", Uint8Array.of(0x48, 0x89, 0x07, 0, 0, 0, 0, 0)],
			] as const) {
				inflater.reset();
				expectError(all(bytes), what);
				expectError(() => inflater.write(packed, 0, 10), `the stream after ${what}`);
			}
			inflater.reset();
			unpack(inflater, packed, 0, 1000, STREAMS[0]);
			inflater.close();
			expectError(() => inflater.write(packed, 0, 10), "a closed one");
		},
	},
	{
		name: "the idle slot is written, read and erased like a partition",
		async run(host) {
			const { slot } = updateOf(host);
			expect(slot.size % ERASE_SIZE === 0 && slot.size >= 1_500_000, `it has ${slot.size} bytes`);
			slot.erase(0, ERASE_SIZE);
			slot.write(WRITE_SIZE, pattern(1024));
			const bytes = new Uint8Array(1024);
			slot.read(WRITE_SIZE, bytes);
			expectBytes(bytes, pattern(1024), "what was written");
			expectError(() => slot.write(WRITE_SIZE, pattern(WRITE_SIZE)), "writing without erasing");
			slot.erase(slot.size - ERASE_SIZE, ERASE_SIZE);
			slot.write(slot.size - WRITE_SIZE, pattern(WRITE_SIZE));
			expectRangeError(() => slot.write(slot.size, pattern(WRITE_SIZE)), "a write beyond the end");
			expectRangeError(() => slot.erase(0, slot.size + ERASE_SIZE), "erasing more than there is");
			slot.read(slot.size - WRITE_SIZE, bytes, 0, WRITE_SIZE);
			expectBytes(bytes.subarray(0, WRITE_SIZE), pattern(WRITE_SIZE), "the last bytes");
			slot.erase(0, ERASE_SIZE);
			slot.read(0, bytes);
			expect(
				bytes.every((byte) => byte === 0xff),
				"what was erased",
			);
		},
	},
	{
		name: "the first firmware is confirmed, and knows the keys for the next",
		async run(host) {
			const update = updateOf(host);
			expectEqual(update.state, FIRMWARE_CONFIRMED, "state");
			expectEqual(update.givenUp, "", "why the previous one was given up");
			expectEqual(update.securityLevel, 0, "security level");
			expectEqual(update.keys.length, 1, "keys");
			expectBytes(update.keys[0], pattern(UPDATE_KEY), "the key");
			expectEqual(update.revoked.length, 0, "revoked keys");
			update.confirm();
			expectError(() => update.rollBack(), "rolling back without a previous firmware");
		},
	},
	{
		name: "an invalid image is not activated, and nothing changes",
		async run(host) {
			const update = updateOf(host);
			const { slot } = update;
			const image = resource(host, "image.bin");
			slot.erase(0, 2 * ERASE_SIZE);
			expectError(() => update.activate(image.length), "an empty slot");
			slot.write(0, image);
			expectError(() => update.activate(image.length - WRITE_SIZE), "another length");
			slot.erase(ERASE_SIZE, ERASE_SIZE);
			expectError(() => update.activate(image.length), "half an image");
			slot.write(ERASE_SIZE, image.slice(ERASE_SIZE).fill(0));
			expectError(() => update.activate(image.length), "a damaged image");
		},
		async afterRestart(host) {
			expectEqual(updateOf(host).state, FIRMWARE_CONFIRMED, "state");
			expectEqual(host.info.firmwareVersion, "1.2.3", "version");
		},
	},
	{
		name: "an activated image starts next, on trial, and can be confirmed",
		async run(host) {
			const update = updateOf(host);
			const { slot } = update;
			const image = resource(host, "image.bin");
			slot.erase(0, 2 * ERASE_SIZE);
			slot.write(0, image);
			update.activate(image.length);
			expectEqual(update.state, FIRMWARE_CONFIRMED, "state before the restart");
		},
		async afterRestart(host) {
			const update = updateOf(host);
			expectEqual(host.info.firmwareVersion, IMAGE_VERSION, "version");
			expectEqual(update.state, FIRMWARE_ON_TRIAL, "state");
			expectEqual(update.securityLevel, 3, "security level");
			expectError(() => update.slot.erase(0, ERASE_SIZE), "erasing the previous firmware");
			expectError(() => update.slot.write(0, new Uint8Array(WRITE_SIZE)), "overwriting the previous firmware");
			expectError(() => update.activate(ERASE_SIZE), "another update on trial");
			update.confirm();
			expectEqual(update.state, FIRMWARE_CONFIRMED, "state when it is confirmed");
			expectEqual(update.givenUp, "", "why the previous one was given up");
			update.slot.erase(0, ERASE_SIZE);
			expectError(() => update.rollBack(), "rolling back to an erased slot");
		},
	},
]);
