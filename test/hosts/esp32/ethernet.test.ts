/** The logic of the ESP32's Ethernet port on a fake of the port (ethernet-fake), under the sanitizers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

describe("the ESP32's Ethernet port", function () {
	this.timeout(60_000);
	let program = "";

	function run(part: string): void {
		const { status, stdout, stderr } = spawnSync(program, [part], { encoding: "utf8" });
		assert.equal(stdout + stderr, "");
		assert.equal(status, 0);
	}

	before(function () {
		needNative(this);
		program = compileNative({
			sources: [
				"test/hosts/esp32/ethernet-peer.c",
				"test/hosts/esp32/ethernet-fake/ethernet-fake.c",
				"hosts/esp32/ethernet/ethernet-core.c",
			],
			output: "ethernet-peer",
			libraries: [],
		});
	});

	it("does what its table says, for every event in every state", () => run("table"));
	it("tells of another link or address, once, and never of a state that was told", () => run("tells"));
	it("takes new settings with the link that it has, and is off when it does not start", () => run("settings"));
	it("has one delivery under way at most while events come in another thread", () => run("thread"));
});
