/** The ESP32 host's UART on a model of ESP-IDF's driver (uart-fake/), by its peer (uart-peer.c). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { compileNative, needNative } from "../native/compile.js";

const SEEDS = 6;

describe("the ESP32's UART", () => {
	let program = "";

	before(function () {
		needNative(this);
		this.timeout(120_000);
		program = compileNative({
			sources: [
				// For the headers of ESP-IDF.
				"-Itest/hosts/esp32/uart-fake",
				"test/hosts/esp32/uart-peer.c",
				"test/hosts/esp32/uart-fake/uart-fake.c",
				"hosts/esp32/uart-core.c",
			],
			output: "uart-peer",
			libraries: [],
		});
	});

	function run(...args: string[]): void {
		const { status, stderr, signal } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
		assert.equal(stderr, "", args.join(" "));
		assert.deepEqual([status, signal], [0, null], args.join(" "));
	}

	it("opens with its pins, tells of room first, and is one port for one owner", () => run("opens"));
	it("leaves nothing behind whatever the driver refuses", () => run("fails"));
	it("makes and checks the parity of 7E1, marks damaged characters, and passes 8N1 as it is", () => run("parity"));
	it("leaves the parity of 8E1 to the UART, and tells that a character was damaged", () => run("even-parity"));
	it("marks the character that has no stop bit", () => run("stop-bits"));
	it("tells of what came together, but soon", () => run("tells"));
	it("keeps the oldest of what is not read, and tells that the newest is lost", () => run("overruns"));
	it("loses nothing in 400 ms without its task at 115200 Bd, the worst erase of a flash chip", () => run("erase"));
	it("makes the other end wait where there is RTS", () => run("waits"));
	it("tells once that the last bit has left, never before, and follows a change of speed", () => run("drains"));
	it("forgets a closed conversation both ways", () => run("closes"));
	it("works with its task in a thread of its own", () => run("threads"));

	it("loses, changes and reorders nothing in long conversations by chance", function () {
		this.timeout(120_000);
		const first = Math.floor(Math.random() * 2 ** 31);
		for (let seed = first; seed < first + SEEDS; seed++) run("random", String(seed));
	});
});
