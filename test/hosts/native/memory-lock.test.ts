/** The memory lock of connections and handshakes, under the sanitizers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "./compile.js";

describe("The memory lock", function () {
	this.timeout(60_000);
	let program = "";

	before(function () {
		needNative(this);
		const core = ["memory-lock", "handshake-gate"].map((name) => `hosts/native/${name}.c`);
		program = compileNative({
			sources: ["test/hosts/native/memory-lock-peer.c", ...core],
			output: "memory-lock-peer",
			libraries: [],
		});
	});

	function run(part: string): void {
		const { status, stderr } = spawnSync(program, [part], { encoding: "utf8", timeout: 30_000 });
		assert.equal(stderr, "");
		assert.equal(status, 0);
	}

	it("lets connections send one at a time, for a moment each, while memory is short, and all at once otherwise", () =>
		run("sending"));
	it("delays senders while a handshake runs, but at most half of the time", () => run("shaking"));
	it("lets a connection receive a record once there is memory for it, and delays senders at most half of the time meanwhile", () =>
		run("receiving"));
	it("starves no sender, with many threads", () => run("threads"));
});
