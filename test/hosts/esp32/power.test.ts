/** Parts of the ESP32 host's power natives that need no chip (power-peer.c). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

describe("the ESP32's power", () => {
	let program = "";

	before(function () {
		needNative(this);
		this.timeout(120_000);
		program = compileNative({
			sources: [
				"-Itest/hosts/esp32/cause-fake",
				"test/hosts/esp32/power-peer.c",
				"hosts/esp32/start-cause.c",
				"hosts/esp32/power-retained.c",
				"hosts/esp32/power-debounce.c",
			],
			output: "power-peer",
			libraries: [],
		});
	});

	function run(name: string): void {
		const { status, stderr, signal } = spawnSync(program, [name], { encoding: "utf8", timeout: 20_000 });
		assert.equal(stderr, "", name);
		assert.deepEqual([status, signal], [0, null], name);
	}

	it("knows what it has kept from what a power cut has left", () => run("retained"));
	it("knows a fault from a power cut, a reset from outside, and a restart that was asked for", () => run("cause"));
	it("tells of a button's presses in their order, and of not too many", () => run("debounce"));
});
