/** Native power functions of the ESP32 host that can be tested without a chip (power-peer.c). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

describe("The ESP32's power natives", () => {
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

	it("distinguish retained memory from the random contents after a power cut", () => run("retained"));
	it("distinguish a fault from a power cut, an external reset, and a requested restart", () => run("cause"));
	it("report a button's presses in order, up to a limit", () => run("debounce"));
});
