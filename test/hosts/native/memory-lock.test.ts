/** The memory lock of connections and handshakes, under the sanitizers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "./compile.js";

describe("The turns for memory", function () {
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

	it("let one at a time send where little is free, each for a moment, and all where much is", () => run("sending"));
	it("hold up those who send for a handshake, and for half of the time at most", () => run("shaking"));
	it("keep nobody from sending, whatever threads do", () => run("threads"));
});
