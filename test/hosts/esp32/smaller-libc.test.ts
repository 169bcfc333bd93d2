/** Tests the chip's replacements for large functions of newlib. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

describe("The chip's smaller functions of the C library", () => {
	it("compute logarithms to 15 digits, print no floating-point number, and read none", function () {
		needNative(this);
		this.timeout(60_000);
		const program = compileNative({
			sources: ["test/hosts/esp32/smaller-libc-peer.c"],
			output: "smaller-libc-peer",
			libraries: ["m"],
		});
		const { status, stderr } = spawnSync(program, { encoding: "utf8", timeout: 60_000 });
		assert.deepEqual([status, stderr], [0, ""]);
	});
});
