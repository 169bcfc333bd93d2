/** The native admission queue, under the sanitizers. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../../hosts/node/random.js";
import { ADMISSION_RULES } from "../admission-rules.js";
import { runScript } from "../node/admission-script.js";
import { compileNative, needNative } from "./compile.js";
import { run } from "./stream-server-driver.js";

describe("The native admission queue", function () {
	this.timeout(60_000);
	let program = "";

	before(function () {
		needNative(this);
		program = compileNative({
			sources: [
				"test/hosts/native/admission-queue-peer.c",
				"hosts/native/admission-queue.c",
				"hosts/native/stream-socket.c",
			],
			output: "admission-queue-peer",
		});
	});

	for (const { title, places, commands, admitted, dropped = "" } of ADMISSION_RULES)
		it(title, async () => {
			const input = commands.split(",").map((command) => `${command}\n`);
			const { status, stdout, stderr } = await run(program, [String(places), "1"], [[/^/, input.join("")]]);
			assert.equal(stderr, "");
			assert.equal(status, 0);
			assert.equal(stdout, [...admitted.split(" "), `dropped ${dropped}`.trim(), ""].join("\n"));
		});

	it("does the same as that of the simulator, with any commands", async () => {
		for (let seed = 1; seed <= 40; seed++) {
			const random = new SeededRandom(seed);
			const places = 2 + random.below(5);
			const addresses = 1 + random.below(12);
			const commands = Array.from({ length: 300 }).flatMap(() => {
				const address = `192.168.${random.below(2)}.${random.below(addresses)}`;
				const kind = random.below(100);
				if (kind < 60) return `connect ${address}`;
				if (kind < 90) return "admit";
				if (kind < 94) return `answer ${address}`;
				if (kind < 97) return [`trust ${address}`, "wait 1"];
				return kind < 98 ? "forget" : `wait ${random.below(400_000)}`;
			});
			const expected = runScript(places, seed, commands);
			const input = commands.map((command) => `${command}\n`).join("");
			const { status, stdout } = await run(program, [String(places), String(seed)], [[/^/, input]]);
			assert.equal(status, 0);
			assert.equal(stdout, `${expected.admitted.replaceAll(" ", "\n")}\ndropped ${expected.dropped}\n`, `seed ${seed}`);
		}
	});
});
