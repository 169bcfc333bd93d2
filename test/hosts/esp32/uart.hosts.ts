/** The ESP32 host's UART on a model of ESP-IDF's driver (uart-fake/), tested by a C program (uart-peer.c). */
import { usePeer } from "../native/peer.js";

const SEEDS = 6;

describe("The ESP32's UART", () => {
	const run = usePeer({
		sources: [
			// Include path for ESP-IDF's headers.
			"-Itest/hosts/esp32/uart-fake",
			"test/hosts/esp32/uart-peer.c",
			"test/hosts/esp32/uart-fake/uart-fake.c",
			"hosts/esp32/uart-core.c",
		],
		output: "uart-peer",
	});

	it("opens with the inversion and pull resistors of its lines, reports room before anything else, and rejects a second owner", () =>
		void run("opens"));
	it("frees everything that it has taken, whichever driver call fails", () => void run("fails"));
	it("makes and checks the parity of 7E1, marks damaged characters, and passes 8N1 unchanged", () =>
		void run("parity"));
	it("leaves the parity of 8E1 to the UART, and reports a damaged character", () => void run("even-parity"));
	it("sends the second stop bit of 8N2", () => void run("two-stop-bits"));
	it("marks a character without a stop bit", () => void run("stop-bits"));
	it("reports received characters together, but soon", () => void run("tells"));
	it("reads the end of a telegram although the interrupt for the silence was lost", () => void run("ends"));
	it("keeps the oldest unread characters, and reports the loss of the newest", () => void run("overruns"));
	it("loses nothing at 115200 Bd while its task is stopped for 177 ms, four times the usual erase of the flash", () =>
		void run("erase"));
	it("makes the other end wait if RTS is wired", () => void run("waits"));
	it("reports once that the last bit was sent, never too early, also after a change of speed", () =>
		void run("drains"));
	it("drops the data of a closed session in both directions", () => void run("closes"));
	it("works with its task in a separate thread", () => void run("threads"));

	it("loses, changes and reorders nothing in long random sessions", function () {
		this.timeout(120_000);
		const first = Number(process.env["SEED"]) || Math.floor(Math.random() * 2 ** 31);
		this.test!.title += ` (SEED=${first})`;
		for (let seed = first; seed < first + SEEDS; seed++) run("random", String(seed));
	});
});
