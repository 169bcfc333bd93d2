/** The native admission queue, under the sanitizers. */
import assert from "node:assert/strict";
import { ADMISSION_RULES } from "../admission-rules.js";
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
			libraries: [],
		});
	});

	for (const { title, places, commands, admitted, dropped = "" } of ADMISSION_RULES)
		it(title, async () => {
			const input = commands.split(",").map((command) => `${command}\n`);
			const { status, stdout, stderr } = await run(program, [String(places)], [[/^/, input.join("")]]);
			assert.equal(stderr, "");
			assert.equal(status, 0);
			assert.equal(stdout, [...admitted.split(" "), `dropped ${dropped}`.trim(), ""].join("\n"));
		});
});
