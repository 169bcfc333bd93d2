/** The handshake gate, which admits one handshake at a time, under the sanitizers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "./compile.js";

describe("The handshake gate", function () {
	this.timeout(60_000);
	let program = "";

	before(function () {
		needNative(this);
		program = compileNative({
			sources: ["test/hosts/native/handshake-gate-peer.c", "hosts/native/handshake-gate.c"],
			output: "handshake-gate-peer",
			libraries: [],
		});
	});

	function run(part: string): void {
		const { status, stderr } = spawnSync(program, [part], { encoding: "utf8", timeout: 30_000 });
		assert.equal(stderr, "");
		assert.equal(status, 0);
	}

	it("admits one handshake after the other, in the order of requests, and drops those that leave the queue", () =>
		run("order"));
	it("never admits two at once, and leaves none waiting, with many threads", () => run("threads"));
});
