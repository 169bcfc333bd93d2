/**
 * The installer of firmware files: any split, each refusal, at most one erased sector per call, and every event in
 * every state.
 */
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { NodeCrypto } from "../../hosts/node/platform.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { SLOTS } from "../../hosts/simulated/boot-loader.js";
import { ERASE_SIZE, type Update } from "../../modules/io/flash.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import {
	INSTALL_CHECKING,
	INSTALL_FRONT,
	INSTALL_INSTALLED,
	INSTALL_LENGTH,
	INSTALL_PACKED,
	INSTALL_PLAIN,
	INSTALL_REFUSED,
	INSTALL_WHOLE,
	Installer,
} from "../../modules/update/installer.js";
import * as why from "../../modules/update/refusals.js";
import { keyIdOf } from "../../tools/ota/keys.js";
import { pack } from "../../tools/ota/pack.js";
import { makeFile, makeImage, makeSlots, newSigner, SIGNER, UNIT } from "./firmware-files.js";

interface Setup {
	readonly slots: VirtualSlots;
	readonly update: Update;
	readonly installer: Installer;
}

function setUp(slots = makeSlots(), { isLow = false, total = 0 } = {}): Setup {
	const crypto = new NodeCrypto();
	const update = slots.start(crypto, () => {});
	const world = { info: UNIT, crypto, storage: slots.storage, trace: () => {} };
	const power = { cells: 3, batteryVoltage: () => (isLow ? 3.2 : 4.5), usbVoltage: () => 0, temperatureC: () => 20 };
	return { slots, update, installer: new Installer(world, { update, power }, total, false) };
}

/** Feeds the whole file in pieces of these sizes, repeated. Each call may erase one sector at most. */
function feed({ installer, slots }: Setup, file: Uint8Array, sizes: readonly number[] = [2048]): void {
	for (let at = 0, i = 0; at < file.length; i++) {
		const stop = Math.min(file.length, at + sizes[i % sizes.length]);
		// The piece is in the middle of a buffer, which is overwritten afterwards.
		const buffer = new Uint8Array(stop - at + 2).fill(0x2a);
		buffer.set(file.subarray(at, stop), 1);
		for (let from = 1; from < buffer.length - 1; ) {
			const erasedBefore = erases(slots);
			const taken = installer.write(buffer, from, buffer.length - 1);
			assert.ok(taken > 0 && taken <= buffer.length - 1 - from, `took ${taken}`);
			assert.ok(erases(slots) - erasedBefore <= 1, "one call erased more than a sector");
			from += taken;
		}
		buffer.fill(0x2f);
		at = stop;
	}
}

const erased = new WeakMap<VirtualSlots, { count: number }>();

/** Sectors erased since the first call. */
function erases(slots: VirtualSlots): number {
	let counter = erased.get(slots);
	if (counter === undefined) {
		const made = { count: 0 };
		for (const name of SLOTS) {
			const partition = slots.flash.open(name)!;
			const erase = partition.erase.bind(partition);
			partition.erase = (offset: number, length: number) => {
				made.count += length / ERASE_SIZE;
				erase(offset, length);
			};
		}
		counter = made;
		erased.set(slots, made);
	}
	return counter.count;
}

/** Ends the file and lets the installer check the flash. */
function finish({ installer }: Setup): void {
	installer.end();
	for (let calls = 0; installer.state === INSTALL_CHECKING; calls++) {
		assert.ok(calls < 1000, "the check never ends");
		installer.advance();
	}
}

/** Installs a whole file; returns the result. */
function install(file: Uint8Array, setup = setUp(), sizes?: readonly number[]): number {
	feed(setup, file, sizes);
	finish(setup);
	const { installer, slots } = setup;
	assert.equal(installer.state, installer.refusal === why.TAKEN ? INSTALL_INSTALLED : INSTALL_REFUSED);
	assert.equal(slots.openInflaters, 0, "an inflater was left open");
	assert.deepEqual(slots.flash.mistakes, []);
	return installer.refusal;
}

/** The version that starts next. */
function nextVersion(slots: VirtualSlots): string {
	return slots.start(new NodeCrypto(), () => {}).image?.version ?? "";
}

const IMAGE = makeImage(140_000);
const PLAIN = makeFile(IMAGE, { packed: false });
const PACKED = makeFile(IMAGE, { packed: true });
const FILES = { plain: PLAIN, packed: PACKED };

describe("Firmware installer", () => {
	for (const [name, file] of Object.entries(FILES)) {
		for (const sizes of [[2048], [1], [16], [4096], [file.length], [FRONT_LENGTH, 5000]]) {
			it(`writes a ${name} file in pieces of ${sizes} bytes unchanged into the slot`, () => {
				const setup = setUp();
				assert.equal(install(file, setup, sizes), why.TAKEN);
				const lying = new Uint8Array(IMAGE.length);
				setup.update.slot.read(0, lying);
				assert.deepEqual(Buffer.from(lying), Buffer.from(IMAGE));
				assert.equal(nextVersion(setup.slots), "1.2.3-test");
			});
		}

		it(`accepts a ${name} file in any split`, () => {
			const pieces = fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 12 });
			fc.assert(
				fc.property(pieces, (sizes) => assert.equal(install(file, setUp(), sizes), why.TAKEN)),
				{ numRuns: 25 },
			);
		});

		it(`keeps the firmware to start while a ${name} file arrives, and erases nothing before its front is accepted`, () => {
			const setup = setUp();
			feed(setup, file.subarray(0, FRONT_LENGTH));
			assert.equal(setup.slots.flash.operations, 0);
			feed(setup, file.subarray(FRONT_LENGTH));
			setup.installer.end();
			assert.equal(setup.installer.state, INSTALL_CHECKING);
			assert.equal(nextVersion(setup.slots), "");
		});

		it(`refuses a ${name} file that is cut short anywhere, or is too long`, () => {
			for (const length of [0, 3, 4, 60, FRONT_LENGTH - 1, FRONT_LENGTH, FRONT_LENGTH + 1, 20_000, file.length - 1]) {
				const setup = setUp();
				assert.equal(install(file.subarray(0, length), setup), length < 4 ? why.NO_FIRMWARE_FILE : why.DAMAGED);
				assert.equal(nextVersion(setup.slots), "");
			}
			assert.equal(install(new Uint8Array([...file, 0])), why.DAMAGED);
		});

		it(`refuses a ${name} file with a flipped bit anywhere in its data`, () => {
			for (let at = FRONT_LENGTH; at < file.length; at += Math.ceil(file.length / 40)) {
				const damaged = file.slice();
				damaged[at] ^= 0x10;
				const setup = setUp();
				assert.equal(install(damaged, setup), why.DAMAGED, `byte ${at}`);
				assert.equal(nextVersion(setup.slots), "");
			}
		});

		it(`notices that flash lost a byte of a ${name} file`, () => {
			const setup = setUp();
			feed(setup, file);
			setup.installer.end();
			setup.slots.flash.open(SLOTS[1])!.bytes[70_000] ^= 1;
			finish(setup);
			assert.equal(setup.installer.refusal, why.WRITE_FAILED);
			assert.equal(nextVersion(setup.slots), "");
		});

		it(`gives up a ${name} file when flash fails`, () => {
			const setup = setUp();
			feed(setup, file.subarray(0, 20_000));
			setup.slots.flash.refusals = 1;
			assert.equal(install(file.subarray(20_000), setup), why.WRITE_FAILED);
		});
	}

	it("accepts the longest image that the slot holds, and refuses a file that claims a longer one", () => {
		const size = 3 * ERASE_SIZE;
		const slots = () => makeSlots({ size });
		for (const packed of [false, true]) {
			assert.equal(install(makeFile(makeImage(size), { packed }), setUp(slots())), why.TAKEN);
			const setup = setUp(slots());
			assert.equal(install(makeFile(makeImage(size + 16), { packed }), setup), why.TOO_LARGE);
			assert.equal(setup.slots.flash.operations, 0);
		}
	});

	it("writes an image that ends in the middle of an erase unit", () => {
		// This image can't start; only its bytes count.
		const image = new Uint8Array(ERASE_SIZE * 2 + 5).map((_, i) => i);
		for (const packed of [false, true]) {
			const setup = setUp();
			assert.equal(install(makeFile(image, { packed }), setup, [7, 4000]), why.NOT_STARTABLE);
			const lying = new Uint8Array(image.length);
			setup.update.slot.read(0, lying);
			assert.deepEqual(lying, image);
		}
	});

	it("unpacks a tiny packed file of a large image, one sector per call", () => {
		const image = makeImage(300_000);
		image.fill(0, 1000, image.length - 32);
		const signed = makeFile(image, { packed: true });
		assert.equal(install(signed), why.NOT_STARTABLE);
	});
});

describe("Firmware installer: checks before anything is erased", () => {
	const set = (file: Uint8Array, at: number, ...bytes: number[]) => {
		const copy = file.slice();
		copy.set(bytes, at);
		return copy;
	};
	const withMetadata = (metadata: object, header = {}) => makeFile(IMAGE, {}, { metadata, header } as never);
	const stranger = newSigner();
	const cases: Readonly<Record<string, [Uint8Array, number]>> = {
		"an image for flashing by cable": [set(PACKED, 0, 0xe9), why.NO_FIRMWARE_FILE],
		"an archive": [set(PACKED, 0, 0x50, 0x4b, 3, 4), why.NO_FIRMWARE_FILE],
		"an HTML form": [new TextEncoder().encode(`--boundary\r\n${"x".repeat(600)}`), why.NO_FIRMWARE_FILE],
		"another version of the header": [set(PACKED, 4, 1), why.OTHER_FORM],
		"a header with optional fields": [set(PACKED, 8, 1), why.OTHER_FORM],
		"another manufacturer": [set(PACKED, 10, 0x5f), why.DAMAGED],
		"a header for another board": [set(PACKED, 12, 9), why.DAMAGED],
		"another Zigbee stack version": [set(PACKED, 18, 3), why.DAMAGED],
		"a header with another length of the file": [set(PACKED, 52, PACKED[52] + 1), why.DAMAGED],
		"another first element": [set(PACKED, 56, 0), why.OTHER_FORM],
		"a longer first element": [set(PACKED, 58, 221), why.OTHER_FORM],
		"another form of the metadata": [withMetadata({ format: 2 }), why.OTHER_FORM],
		"another kind of packing": [withMetadata({ isPacked: 2 }), why.OTHER_FORM],
		"metadata that does not match the second element": [withMetadata({ isPacked: 0 }), why.DAMAGED],
		"a second element of another length": [set(PACKED, 284, PACKED[284] ^ 1), why.DAMAGED],
		"an empty image": [withMetadata({ imageLength: 0 }), why.DAMAGED],
		"an image that is too large": [withMetadata({ imageLength: 0x1e0001 }), why.TOO_LARGE],
		"an image of nearly 4 GB": [withMetadata({ imageLength: 0xffffffff }), why.TOO_LARGE],
		"a changed byte of the metadata": [set(PACKED, 62 + 40, 0x39), why.WRONG_SIGNATURE],
		"a changed byte of the signature": [set(PACKED, 62 + 160, PACKED[62 + 160] ^ 1), why.WRONG_SIGNATURE],
		"no signature": [set(PACKED, 62 + 156, ...new Uint8Array(64)), why.WRONG_SIGNATURE],
		"a stranger's key": [makeFile(IMAGE, { signer: stranger }), why.UNKNOWN_KEY],
		"a stranger's signature under our key's id": [
			makeFile(IMAGE, { signer: stranger }, { metadata: { keyId: keyIdOf(SIGNER.point) } }),
			why.WRONG_SIGNATURE,
		],
		"another product": [withMetadata({ product: "smart-meter-gx" }), why.WRONG_DEVICE],
		"another chip": [makeFile(IMAGE, { chip: "esp32" }), why.WRONG_DEVICE],
		"a chip with a longer name": [makeFile(IMAGE, { chip: "none2" }), why.WRONG_DEVICE],
		"another board": [makeFile(IMAGE, { deviceId: 2 }), why.WRONG_DEVICE],
	};
	for (const [name, [file, refusal]] of Object.entries(cases)) {
		it(`refuses ${name}`, () => {
			for (const sizes of [[2048], [1]]) {
				const setup = setUp();
				assert.equal(install(file, setup, sizes), refusal);
				assert.equal(setup.slots.flash.operations, 0);
				assert.equal(nextVersion(setup.slots), "");
			}
		});
	}

	it("refuses a revoked key, even among the signing keys", () => {
		const setup = setUp(makeSlots({ revoked: [keyIdOf(SIGNER.point)] }));
		assert.equal(install(PACKED, setup), why.UNKNOWN_KEY);
		assert.equal(setup.slots.flash.operations, 0);
	});

	it("accepts a file signed by the next key", () => {
		const next = newSigner();
		assert.equal(
			install(makeFile(IMAGE, { signer: next }), setUp(makeSlots({ keys: [SIGNER.point, next.point] }))),
			why.TAKEN,
		);
	});

	it("refuses a lower security level than that of the running firmware, but accepts an older version", () => {
		const slots = () => makeSlots({ securityLevel: 2 });
		assert.equal(install(makeFile(IMAGE, { securityLevel: 1 }), setUp(slots())), why.DOWNGRADE);
		assert.equal(install(makeFile(IMAGE, { buildNumber: 0, securityLevel: 2 }), setUp(slots())), why.TAKEN);
	});

	it("refuses a file while the cells are nearly empty", () => {
		const setup = setUp(makeSlots(), { isLow: true });
		assert.equal(install(PACKED, setup), why.LOW_POWER);
		assert.equal(setup.slots.flash.operations, 0);
	});

	it("refuses a file whose length differs from the announced one", () => {
		assert.equal(install(PACKED, setUp(makeSlots(), { total: PACKED.length - 1 })), why.DAMAGED);
		assert.equal(install(PACKED, setUp(makeSlots(), { total: PACKED.length })), why.TAKEN);
	});
});

describe("Firmware installer: signed files with invalid packing", () => {
	const image = makeImage(70_000);
	const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255];
	const piece = (bytes: Uint8Array, windowBits = 12) => {
		const stream = deflateSync(bytes, { windowBits });
		return [...u32(stream.length), ...stream];
	};
	const [first, second] = [image.subarray(0, 65_536), image.subarray(65_536)];
	const cases: Readonly<Record<string, number[]>> = {
		"a window that is too large": [...piece(first, 15), ...piece(second)],
		"a piece that is too short": [...piece(first.subarray(1)), ...piece(second)],
		"a piece that is too long": [...piece(image)],
		"a last piece that is too long": [...piece(first), ...piece(new Uint8Array(4465))],
		"a missing piece": piece(first),
		"an additional piece": [...piece(first), ...piece(second), ...piece(second)],
		"an empty piece": [...u32(0), ...piece(first), ...piece(second)],
		"a piece longer than the file": [...u32(0x7fffffff), ...piece(first).slice(4)],
		"bytes after the last piece": [...pack(image), 0],
		"half a length field at the end": [...piece(first), 1, 2],
		"a length greater than that of the stream": (() => {
			const stream = deflateSync(first, { windowBits: 12 });
			return [...u32(stream.length + 1), ...stream, 0, ...piece(second)];
		})(),
		"a wrong checksum at the end of a piece": (() => {
			const bytes = piece(first);
			bytes[bytes.length - 1] ^= 1;
			return [...bytes, ...piece(second)];
		})(),
	};
	for (const [name, content] of Object.entries(cases)) {
		it(`refuses ${name}`, () => {
			const file = makeFile(image, {}, { content: new Uint8Array(content) });
			for (const sizes of [[2048], [1], [file.length]]) {
				const setup = setUp();
				assert.equal(install(file, setup, sizes), why.DAMAGED);
				assert.equal(nextVersion(setup.slots), "");
			}
		});
	}

	it("refuses an image whose hash differs from the signed one", () => {
		const other = image.slice();
		other[5000] ^= 1;
		const setup = setUp();
		assert.equal(install(makeFile(image, {}, { content: pack(other) }), setup), why.WRITE_FAILED);
		assert.equal(nextVersion(setup.slots), "");
	});
});

describe("Firmware installer: every event in every state", () => {
	const reach =
		(bytes: number, file = PACKED) =>
		() => {
			const setup = setUp();
			feed(setup, file.subarray(0, bytes));
			return setup;
		};
	const STATES: Readonly<Record<string, [number, () => Setup]>> = {
		FRONT: [INSTALL_FRONT, reach(100)],
		PLAIN: [INSTALL_PLAIN, reach(FRONT_LENGTH + 5, PLAIN)],
		LENGTH: [INSTALL_LENGTH, reach(FRONT_LENGTH + 2)],
		PACKED: [INSTALL_PACKED, reach(FRONT_LENGTH + 100)],
		WHOLE: [INSTALL_WHOLE, reach(PACKED.length)],
		CHECKING: [
			INSTALL_CHECKING,
			() => {
				const setup = reach(PACKED.length)();
				setup.installer.end();
				return setup;
			},
		],
		INSTALLED: [
			INSTALL_INSTALLED,
			() => {
				const setup = reach(PACKED.length)();
				finish(setup);
				return setup;
			},
		],
		REFUSED: [
			INSTALL_REFUSED,
			() => {
				const setup = reach(100)();
				setup.installer.close(why.INTERRUPTED);
				return setup;
			},
		],
	};
	for (const [name, [state, arrange]] of Object.entries(STATES)) {
		it(`handles another byte in state ${name}`, () => {
			const { installer } = arrange();
			assert.equal(installer.state, state);
			assert.ok(installer.write(new Uint8Array(1), 0, 1) === 1);
			const expected = state === INSTALL_WHOLE ? INSTALL_REFUSED : state;
			assert.equal(installer.state, expected);
			for (let calls = 0; calls < 1000; calls++) installer.advance();
			assert.equal(installer.state, state === INSTALL_CHECKING ? INSTALL_INSTALLED : expected);
		});
		it(`handles the end of the file in state ${name}`, () => {
			const { installer } = arrange();
			installer.end();
			const isOpen = state < INSTALL_WHOLE;
			assert.equal(installer.state, isOpen ? INSTALL_REFUSED : state === INSTALL_WHOLE ? INSTALL_CHECKING : state);
		});
		it(`stays in state ${name} for the first call of advance`, () => {
			const { installer } = arrange();
			installer.advance();
			assert.equal(installer.state, state);
		});
		it(`handles an abort in state ${name}`, () => {
			const setup = arrange();
			setup.installer.close(why.INTERRUPTED);
			assert.equal(setup.installer.state, state === INSTALL_INSTALLED ? state : INSTALL_REFUSED);
			if (state < INSTALL_INSTALLED) assert.equal(setup.installer.refusal, why.INTERRUPTED);
			assert.equal(setup.slots.openInflaters, 0);
			setup.installer.end();
			setup.installer.advance();
			assert.equal(nextVersion(setup.slots), state === INSTALL_INSTALLED ? "1.2.3-test" : "");
		});
	}
});
