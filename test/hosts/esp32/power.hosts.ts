/** Native power functions of the ESP32 host that can be tested without a chip (power-peer.c). */
import { usePeer } from "../native/peer.js";

describe("The ESP32's power natives", () => {
	const run = usePeer({
		sources: [
			"-Itest/hosts/esp32/cause-fake",
			"test/hosts/esp32/power-peer.c",
			"hosts/esp32/start-cause.c",
			"hosts/esp32/power-retained.c",
			"hosts/esp32/power-debounce.c",
		],
		output: "power-peer",
	});

	it("distinguish retained memory from the random contents after a power cut", () => void run("retained"));
	it("distinguish a fault from a power cut, an external reset, and a requested restart", () => void run("cause"));
	it("report a button's presses in order, up to a limit", () => void run("debounce"));
});
