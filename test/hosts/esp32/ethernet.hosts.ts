/** The logic of the ESP32's Ethernet port on a fake of the port (ethernet-fake), with the sanitizers. */
import assert from "node:assert/strict";
import { usePeer } from "../native/peer.js";

describe("The ESP32's Ethernet port", function () {
	this.timeout(60_000);
	const run = usePeer({
		sources: [
			"test/hosts/esp32/ethernet-peer.c",
			"test/hosts/esp32/ethernet-fake/ethernet-fake.c",
			"hosts/esp32/ethernet/ethernet-core.c",
		],
		output: "ethernet-peer",
	});

	it("does what its table says, for every event in every state", () => assert.equal(run("table"), ""));
	it("reports a changed link or address once, and never an already reported state", () =>
		assert.equal(run("reports"), ""));
	it("applies new settings without losing the link, and is off if it does not start", () =>
		assert.equal(run("settings"), ""));
	it("has at most one pending delivery while another thread reports events", () => assert.equal(run("thread"), ""));
});
