/** The logic of the ESP32's Ethernet port on a fake of the port (ethernet-fake), with the sanitizers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

describe("The ESP32's Ethernet port", function () {
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
	it("reports a changed link or address once, and never an already reported state", () => run("reports"));
	it("applies new settings without losing the link, and is off if it does not start", () => run("settings"));
	it("has at most one pending delivery while another thread reports events", () => run("thread"));
});
