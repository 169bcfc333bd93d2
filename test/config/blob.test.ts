import assert from "node:assert/strict";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { BLOB_PIECE, BlobStore, blobReferenceLimit } from "../../modules/config/blob.js";

const LIMIT = 10239;
const NAME = "test";
/** Key of the entry with the reference. */
const ENTRY = "owner";

function filled(length: number, seed: number): Uint8Array {
	return Uint8Array.from({ length }, (_, i) => (i * 31 + seed + (i >> 8)) & 255);
}

/** Stores one blob, and removes leftovers of an earlier start. */
class Owner {
	readonly storage: VirtualStorage;
	readonly blobs: BlobStore;

	constructor(storage: VirtualStorage) {
		this.storage = storage;
		this.blobs = new BlobStore(storage, { name: NAME, limit: LIMIT, slots: 2 });
		this.blobs.sweep([this.reference]);
	}

	get reference(): Uint8Array {
		return this.storage.get(ENTRY) ?? new Uint8Array(0);
	}

	get blob(): Uint8Array | undefined {
		return this.blobs.read(this.reference);
	}

	put(bytes: Uint8Array, step = 700): boolean {
		const writer = this.blobs.open([this.reference]);
		assert.ok(writer);
		try {
			for (let at = 0; at < bytes.length; at += step) writer.write(bytes, at, Math.min(at + step, bytes.length));
			const reference = writer.end();
			if (reference !== undefined) this.storage.set(ENTRY, reference);
			return reference !== undefined;
		} finally {
			writer.close();
			this.blobs.sweep([this.reference]);
		}
	}
}

describe("config/blob", () => {
	it("returns a blob of any length, written in pieces of any size, and leaves nothing else in the flash", () => {
		const owner = new Owner(new VirtualStorage());
		for (const length of [1, BLOB_PIECE - 1, BLOB_PIECE, BLOB_PIECE + 1, 2 * BLOB_PIECE, LIMIT - 1, LIMIT, 5]) {
			for (const step of [1, 700, BLOB_PIECE, LIMIT]) {
				const bytes = filled(length, step);
				assert.equal(owner.put(bytes, step), true);
				assert.deepEqual(owner.blob, bytes);
				assert.equal(owner.blobs.isSound(owner.reference), true);
				assert.equal(owner.storage.keys().length, 1 + Math.ceil(length / BLOB_PIECE));
				assert.equal(owner.reference.length, blobReferenceLimit(length));
				assert.deepEqual(new Owner(owner.storage).blob, bytes);
			}
		}
		owner.put(new Uint8Array(0));
		assert.deepEqual(owner.storage.keys(), [ENTRY]);
		assert.equal(owner.blob, undefined);
	});

	it("refuses a blob that is too long, and keeps the old one", () => {
		const owner = new Owner(new VirtualStorage());
		const old = filled(3000, 1);
		owner.put(old);
		for (const step of [1, 700, LIMIT + 1]) {
			assert.equal(owner.put(filled(LIMIT + 1, 2), step), false);
			assert.deepEqual(owner.blob, old);
			assert.equal(owner.storage.keys().length, 3);
		}
	});

	it("has the old blob or the new one after a power cut at any step, and no remains of the other", () => {
		for (const [before, after] of [
			[0, LIMIT],
			[LIMIT, 5000],
			[5000, LIMIT],
			[2048, 2048],
			[LIMIT, 0],
		]) {
			const old = filled(before, 1);
			const fresh = filled(after, 2);
			const counter = new Owner(new VirtualStorage());
			counter.put(old);
			const start = counter.storage.writes;
			counter.put(fresh);
			const steps = counter.storage.writes - start;
			assert.ok(steps > 0);
			const outcomes = new Set<string>();
			for (let step = 1; step <= steps; step++) {
				for (const keepsNew of [false, true]) {
					const owner = new Owner(new VirtualStorage());
					owner.put(old);
					owner.storage.cutPowerAt(step, keepsNew);
					// The new blob is stored if only the old one's removal failed.
					try {
						owner.put(fresh);
					} catch (error) {
						assert.match(String(error), /power/);
					}
					owner.storage.powerUp();
					// Another power cut during the removal of leftovers.
					for (const again of [1, 2]) {
						owner.storage.cutPowerAt(again, keepsNew);
						try {
							new Owner(owner.storage);
						} catch {}
						owner.storage.powerUp();
					}
					const { blob, storage } = new Owner(owner.storage);
					const isNew = Buffer.from(blob ?? []).equals(fresh);
					assert.ok(isNew || Buffer.from(blob ?? []).equals(old), `step ${step}`);
					assert.equal(
						storage.keys().filter((key) => key !== ENTRY).length,
						Math.ceil((blob?.length ?? 0) / BLOB_PIECE),
					);
					outcomes.add(isNew ? "new" : "old");
				}
			}
			assert.deepEqual([...outcomes].sort(), ["new", "old"]);
		}
	});

	it("keeps the old blob when the flash is full, and accepts a new one when there is room again", () => {
		const owner = new Owner(new VirtualStorage());
		const old = filled(5000, 1);
		owner.put(old);
		for (const capacity of [5100, 7000, 9300, 13000]) {
			owner.storage.capacity = capacity;
			assert.throws(() => owner.put(filled(9000, 2)), /full/);
			assert.deepEqual(owner.blob, old);
			assert.equal(owner.storage.keys().length, 4);
		}
		owner.storage.capacity = Number.POSITIVE_INFINITY;
		assert.equal(owner.put(filled(9000, 2)), true);
		assert.deepEqual(owner.blob, filled(9000, 2));
	});

	it("detects a damaged, missing or truncated piece, and an invalid reference", () => {
		const { storage, blobs, reference } = (() => {
			const owner = new Owner(new VirtualStorage());
			owner.put(filled(5000, 1));
			return owner;
		})();
		for (const key of storage.keys().filter((one) => one !== ENTRY)) {
			const piece = storage.get(key)!;
			const flipped = piece.slice();
			flipped[7] ^= 4;
			for (const bad of [
				flipped,
				piece.slice(1),
				new Uint8Array(0),
				new Uint8Array([...piece, 0].slice(0, 4000)),
				undefined,
			]) {
				if (bad === undefined) storage.delete(key);
				else storage.set(key, bad);
				assert.equal(blobs.read(reference), undefined);
				assert.equal(blobs.isSound(reference), false);
			}
			storage.set(key, piece);
			assert.equal(blobs.isSound(reference), true);
		}
		for (let length = 0; length < reference.length; length++)
			assert.equal(blobs.read(reference.slice(0, length)), undefined);
		assert.equal(blobs.read(Uint8Array.of(...reference, 0, 0)), undefined);
		assert.equal(blobs.read(Uint8Array.of(0, 255, 255, ...new Array(64).fill(0))), undefined);
	});

	it("allows one writer at a time, and never lets it use a slot that is in use", () => {
		const owner = new Owner(new VirtualStorage());
		owner.put(filled(100, 1));
		const writer = owner.blobs.open([owner.reference]);
		assert.ok(writer);
		assert.equal(owner.blobs.open([owner.reference]), undefined);
		writer.write(filled(BLOB_PIECE, 9), 0, BLOB_PIECE);
		owner.blobs.sweep([owner.reference]);
		assert.equal(owner.storage.keys().length, 3, "a sweep spares the blob that is being written");
		writer.close();
		writer.close();
		assert.throws(() => writer.write(filled(1, 9), 0, 1), /after its end/);
		owner.blobs.sweep([owner.reference]);
		assert.deepEqual(owner.blob, filled(100, 1));
		assert.equal(owner.storage.keys().length, 2);
		assert.ok(owner.put(filled(200, 2)));
		assert.throws(() => owner.blobs.open([Uint8Array.of(0), Uint8Array.of(1)]), RangeError);
	});
});
