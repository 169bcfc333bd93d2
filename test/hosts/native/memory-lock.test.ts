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

	it("lets one connection at a time send, for a moment each, if little memory is free, and all if much is", () =>
		run("sending"));
	it("delays senders for a handshake, but at most half of the time", () => run("shaking"));
	it("lets a record be received once its memory is there, and delays senders for it at most half of the time", () =>
		run("receiving"));
	it("starves no sender, with many threads", () => run("threads"));
});
