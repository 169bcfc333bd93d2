/** A slow upload is interrupted anywhere, and continues after the last piece in flash. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { PowerCut } from "../../hosts/node/virtual-storage.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { BOOT_KEY, SLOTS } from "../../hosts/simulated/boot-loader.js";
import type { Storage } from "../../modules/io/host.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import { INSTALL_CHECKING, INSTALL_REFUSED, Installer } from "../../modules/update/installer.js";
import * as why from "../../modules/update/refusals.js";
import { makeFile, makeImage, makeSlots, UNIT } from "./firmware-files.js";

const crypto = new NodeCrypto();
const PIECE = 65_536;
const IMAGE = makeImage(3 * PIECE + 5000);
const OTHER = makeImage(2 * PIECE);
const FILES = { plain: makeFile(IMAGE, { packed: false }), packed: makeFile(IMAGE, { packed: true }) };
const BLOCK = 1460;

/** Storage that loses power together with the flash. */
function storageOf({ storage, flash }: VirtualSlots): Storage {
	const live = () => {
		if (!flash.hasPower) throw new PowerCut("the storage is off");
		return storage;
	};
	return {
		get: (key) => live().get(key),
		set: (key, value) => live().set(key, value),
		delete: (key) => live().delete(key),
	};
}

function newInstaller(slots: VirtualSlots, isSlow = true): Installer {
	const world = { info: UNIT, crypto, storage: storageOf(slots), trace: () => {} };
	return new Installer(world, { update: slots.start(crypto, () => {}) }, 0, isSlow);
}

/** Sends the requested bytes, up to `limit`; returns the number sent. */
function send(installer: Installer, file: Uint8Array, limit = Infinity, block = BLOCK): number {
	let sent = 0;
	while (sent < limit && installer.received < file.length && installer.state !== INSTALL_REFUSED) {
		const at = installer.received;
		const piece = file.slice(at, Math.min(at + block, at + limit - sent));
		sent += piece.length;
		for (let from = 0; from < piece.length && installer.received === at + from; )
			from += installer.write(piece, from, piece.length);
	}
	return sent;
}

function finish(installer: Installer): number {
	installer.end();
	while (installer.state === INSTALL_CHECKING) installer.advance();
	return installer.refusal;
}

function assertInstalled(slots: VirtualSlots, image = IMAGE): void {
	const lying = slots.flash.open(SLOTS[1])!.bytes.subarray(0, image.length);
	assert.equal(Buffer.compare(lying, image), 0, "another image is in flash");
	assert.equal(slots.start(crypto, () => {}).image?.version, "1.2.3-test");
	assert.equal(slots.storage.get("ota_point"), undefined, "the stored position was not deleted");
	assert.equal(slots.openInflaters, 0);
	assert.deepEqual(slots.flash.mistakes, []);
}

/** Length of the file up to piece `count` of the image. */
function bytesBefore(file: Uint8Array, count: number): number {
	if (file === FILES.plain) return FRONT_LENGTH + count * PIECE;
	const view = new DataView(file.buffer, file.byteOffset);
	let at = FRONT_LENGTH;
	for (let i = 0; i < count; i++) at += 4 + view.getUint32(at, true);
	return at;
}

describe("A firmware file that is sent again after an interruption", () => {
	for (const [name, file] of Object.entries(FILES)) {
		it(`continues a ${name} file after its last whole piece`, () => {
			for (const [pieces, extra] of [
				[0, 500],
				[1, 0],
				[1, 1],
				[2, 30_000],
				[3, 3],
			]) {
				const slots = makeSlots();
				const first = newInstaller(slots);
				send(first, file, bytesBefore(file, pieces) + extra);
				first.close(why.INTERRUPTED);
				const second = newInstaller(slots);
				const sent = send(second, file);
				// The block with the end of the front must be sent again.
				const again = pieces === 0 ? file.length : BLOCK + file.length - bytesBefore(file, pieces);
				assert.equal(sent, again);
				assert.equal(finish(second), why.TAKEN);
				assertInstalled(slots);
			}
		});

		it(`continues a ${name} file after many interruptions`, () => {
			const slots = makeSlots();
			for (let i = 1; i < 20; i++) {
				const installer = newInstaller(slots);
				send(installer, file, FRONT_LENGTH + i * 7000, 50);
				installer.close(why.INTERRUPTED);
			}
			const installer = newInstaller(slots);
			assert.ok(send(installer, file) < file.length / 2);
			assert.equal(finish(installer), why.TAKEN);
			assertInstalled(slots);
		});

		it(`installs a ${name} file that is sent again after a power cut anywhere`, () => {
			const random = new SeededRandom(19);
			const whole = makeSlots();
			const installer = newInstaller(whole);
			const before = [whole.flash.operations, whole.storage.writes];
			send(installer, file);
			finish(installer);
			const operations = whole.flash.operations - before[0];
			const writes = whole.storage.writes - before[1];
			const cuts: ((slots: VirtualSlots) => void)[] = [];
			for (let i = 0; i < 40; i++) {
				const [at, bytes] = [1 + random.below(operations), random.below(4096)];
				cuts.push(({ flash }) => flash.cutPowerAt(at, bytes));
			}
			for (let i = 1; i <= writes; i++) {
				for (const isStored of [false, true]) cuts.push(({ storage }) => storage.cutPowerAt(i, isStored));
			}
			for (const [i, cut] of cuts.entries()) {
				const slots = makeSlots({ seed: i });
				cut(slots);
				const first = newInstaller(slots);
				send(first, file);
				finish(first);
				// Storage and flash lose power together.
				if (slots.flash.hasPower) slots.flash.cutPowerAt(1, 0);
				slots.powerUp();
				const isOver = slots.storage.copy().get(BOOT_KEY)?.[1] === 1;
				const second = newInstaller(slots);
				assert.ok(isOver || send(second, file) <= file.length);
				assert.equal(isOver ? why.TAKEN : finish(second), why.TAKEN, `cut ${i}`);
				const lying = slots.flash.open(SLOTS[1])!.bytes.subarray(0, IMAGE.length);
				assert.equal(Buffer.compare(lying, IMAGE), 0, `cut ${i}`);
			}
		});

		it(`starts a ${name} file over when the check shows that flash has lost earlier bytes`, () => {
			const slots = makeSlots();
			const first = newInstaller(slots);
			send(first, file, bytesBefore(file, 2) + 100);
			first.close(why.INTERRUPTED);
			slots.flash.open(SLOTS[1])!.bytes[40_000] ^= 1;
			const second = newInstaller(slots);
			send(second, file);
			assert.equal(finish(second), why.WRITE_FAILED);
			const third = newInstaller(slots);
			assert.equal(send(third, file), file.length);
			assert.equal(finish(third), why.TAKEN);
			assertInstalled(slots);
		});

		it(`does not continue a ${name} file with another file, or after a fast upload`, () => {
			for (const [other, image, isSlow] of [
				[file, IMAGE, false],
				[makeFile(OTHER), OTHER, true],
			] as const) {
				const slots = makeSlots();
				const first = newInstaller(slots);
				send(first, file, bytesBefore(file, 2) + 100);
				first.close(why.INTERRUPTED);
				const second = newInstaller(slots, isSlow);
				send(second, other, FRONT_LENGTH);
				assert.equal(slots.storage.get("ota_point"), undefined, "another file is about to be written there");
				send(second, other);
				assert.equal(finish(second), why.TAKEN);
				assertInstalled(slots, image);
			}
		});

		it(`continues a ${name} file after another file was refused for its front`, () => {
			const slots = makeSlots();
			const first = newInstaller(slots);
			send(first, file, bytesBefore(file, 2));
			first.close(why.INTERRUPTED);
			const refused = newInstaller(slots, false);
			send(refused, makeFile(OTHER, { deviceId: 9 }));
			assert.equal(refused.refusal, why.WRONG_DEVICE);
			const second = newInstaller(slots);
			assert.ok(send(second, file) < file.length / 2);
			assert.equal(finish(second), why.TAKEN);
			assertInstalled(slots);
		});

		it(`starts a ${name} file over if the storage writes nothing`, () => {
			const slots = makeSlots();
			slots.storage.refusals = 100;
			const first = newInstaller(slots);
			send(first, file, bytesBefore(file, 2));
			first.close(why.INTERRUPTED);
			slots.storage.refusals = 0;
			const second = newInstaller(slots);
			assert.equal(send(second, file), file.length);
			assert.equal(finish(second), why.TAKEN);
			assertInstalled(slots);
		});
	}

	it("starts over if the stored position has the wrong length", () => {
		for (const change of [
			(point: Uint8Array) => point.slice(0, -1),
			(point: Uint8Array) => Uint8Array.of(...point, 0),
		]) {
			const slots = makeSlots();
			const first = newInstaller(slots);
			send(first, FILES.plain, bytesBefore(FILES.plain, 2) + 100);
			first.close(why.INTERRUPTED);
			slots.storage.set("ota_point", change(slots.storage.get("ota_point")!));
			const second = newInstaller(slots);
			assert.equal(send(second, FILES.plain), FILES.plain.length);
			assert.equal(finish(second), why.TAKEN);
			assertInstalled(slots);
		}
	});

	it("stores no position for a fast upload", () => {
		const slots = makeSlots();
		const first = newInstaller(slots, false);
		send(first, FILES.plain, 100_000);
		first.close(why.INTERRUPTED);
		assert.equal(slots.storage.get("ota_point"), undefined);
	});
});
