import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileStorage } from "../../../hosts/node/storage.js";

describe("FileStorage", () => {
	let folder = "";
	beforeEach(() => {
		folder = join(mkdtempSync(join(tmpdir(), "storage-")), "flash");
	});
	afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

	it("keeps values across restarts, readable by their owner only", () => {
		new FileStorage(folder).set("key", Uint8Array.of(1, 2, 3));
		assert.deepEqual(new FileStorage(folder).get("key"), Uint8Array.of(1, 2, 3));
		assert.equal(statSync(folder).mode & 0o777, 0o700);
		assert.equal(statSync(join(folder, "key")).mode & 0o777, 0o600);
	});

	it("has the old value after a power cut that left half of the new one", () => {
		new FileStorage(folder).set("key", Uint8Array.of(1, 2, 3));
		writeFileSync(join(folder, "key.new"), Uint8Array.of(9));
		writeFileSync(join(folder, "other.new"), "");
		const storage = new FileStorage(folder);
		assert.deepEqual(storage.get("key"), Uint8Array.of(1, 2, 3));
		assert.equal(storage.get("other"), undefined);
		assert.deepEqual(readdirSync(folder), ["key"]);
		storage.set("key", Uint8Array.of(4));
		assert.deepEqual(storage.get("key"), Uint8Array.of(4));
	});

	it("leaves no files other than its values", () => {
		const storage = new FileStorage(folder);
		for (let i = 0; i < 20; i++) storage.set(`key_${i % 3}`, new Uint8Array(i));
		storage.delete("key_0");
		assert.deepEqual(readdirSync(folder).sort(), ["key_1", "key_2"]);
	});

	it("throws if a value can't be written, and keeps the old one", () => {
		const storage = new FileStorage(folder);
		storage.set("key", Uint8Array.of(1));
		mkdirSync(join(folder, "key.new"));
		assert.throws(() => storage.set("key", Uint8Array.of(2)));
		assert.deepEqual(storage.get("key"), Uint8Array.of(1));
	});

	it("removes even a folder with the name of a temporary file", () => {
		mkdirSync(join(folder, "key.new"), { recursive: true });
		new FileStorage(folder).set("key", Uint8Array.of(1));
		assert.deepEqual(readdirSync(folder), ["key"]);
	});
});
