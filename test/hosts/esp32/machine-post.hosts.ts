/** Tests how other tasks call the machine's task on the ESP32, with a queue for one message (post-fake/). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";
import { runPeer } from "../native/peer.js";

describe("The ESP32's posts to the machine", () => {
	let program = "";

	before(function () {
		needNative(this);
		this.timeout(60_000);
		program = compileNative({
			sources: [
				"-Itest/hosts/esp32/post-fake",
				"-Ihosts/native",
				"test/hosts/esp32/machine-post-peer.c",
				"hosts/esp32/machine-post.c",
			],
			output: "machine-post-peer",
		});
	});

	it("arrive in order through a queue of one message; a post made during a delivery arrives in the next turn", () =>
		void runPeer(program, "order"));

	it("arrive from many threads without loss", () => void runPeer(program, "threads"));

	it("end the program when there are too many", () => {
		assert.equal(spawnSync(program, ["full"], { timeout: 60_000 }).signal, "SIGABRT");
	});
});
