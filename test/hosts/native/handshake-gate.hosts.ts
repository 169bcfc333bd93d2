/** The handshake gate, which admits one handshake at a time, under the sanitizers. */
import { usePeer } from "./peer.js";

describe("The handshake gate", function () {
	this.timeout(60_000);
	const run = usePeer({
		sources: ["test/hosts/native/handshake-gate-peer.c", "hosts/native/handshake-gate.c"],
		output: "handshake-gate-peer",
	});

	it("admits one handshake after the other, in the order of requests, and drops those that leave the queue", () =>
		void run("order"));
	it("never admits two at once, and leaves none waiting, with many threads", () => void run("threads"));
});
