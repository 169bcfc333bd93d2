/** The ESP32's store on a fake of NVS (storage-fake), under the sanitizers. */
import assert from "node:assert/strict";
import { usePeer } from "../native/peer.js";

describe("The ESP32's store", () => {
	const run = usePeer({
		sources: [
			"-Itest/hosts/esp32/storage-fake",
			"test/hosts/esp32/storage-peer.c",
			"test/hosts/esp32/storage-fake/storage-fake.c",
			"hosts/esp32/storage-nvs.c",
		],
		output: "storage-peer",
	});

	it("keeps values of 0 to 4000 bytes across a restart, and deletes them", () => {
		run("keep");
	});

	it("accepts keys of 1 to 15 characters a-z, 0-9 and _", () => {
		run("keys");
	});

	it("keeps the old value and leaves no handle open whichever NVS call fails", () => {
		run("fail");
	});

	it("keeps the old value if the power is cut between data and index of the new one", () => {
		run("cut");
	});

	it("reports full flash, and a stored value that is longer than it ever writes", () => {
		run("full");
	});

	it("erases a partition that can't be read and reports this, but erases no other", () => {
		const lines = run("mend").trim().split("\n");
		assert.equal(lines.length, 3);
		assert.equal(lines[0], "The settings can't be read (error 0x110d): they are erased.");
	});
});
