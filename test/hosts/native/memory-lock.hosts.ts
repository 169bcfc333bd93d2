/** The memory lock of connections and handshakes, under the sanitizers. */
import { usePeer } from "./peer.js";

describe("The memory lock", function () {
	this.timeout(60_000);
	const core = ["memory-lock", "handshake-gate"].map((name) => `hosts/native/${name}.c`);
	const run = usePeer({
		sources: ["test/hosts/native/memory-lock-peer.c", ...core],
		output: "memory-lock-peer",
	});

	it("lets connections send one at a time, for a moment each, while memory is short, and all at once otherwise", () =>
		void run("sending"));
	it("delays senders while a handshake runs, but at most half of the time", () => void run("shaking"));
	it("lets a connection receive a record once there is memory for it, and delays senders at most half of the time meanwhile", () =>
		void run("receiving"));
	it("starves no sender, with many threads", () => void run("threads"));
});
