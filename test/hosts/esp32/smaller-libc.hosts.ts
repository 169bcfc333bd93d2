/** Tests the chip's replacements for large functions of newlib. */
import { usePeer } from "../native/peer.js";

describe("The chip's smaller functions of the C library", () => {
	const run = usePeer({
		sources: ["test/hosts/esp32/smaller-libc-peer.c"],
		output: "smaller-libc-peer",
		libraries: ["m"],
	});

	it("compute logarithms to 15 digits, print no floating-point number, and read none", () => void run());
});
