/** `npm run linux` on simulated cells: the firmware ends with each sleep, and the simulated button wakes it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { certificateOf, LINUX, Program } from "../api/process-gateway.js";

const LIMIT_MS = 60_000;

describe("npm run linux -- --supply battery", function () {
	this.timeout(5 * LIMIT_MS);
	let folder = "";
	let program: Program;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "sleep-"));
		const args = ["--state", join(folder, "state"), "--https-port", "0", "--http-port", "0"];
		program = new Program("the firmware", LINUX, [...args, "--supply", "battery:4.2", "--wake", "timer"]);
		assert.equal(await program.firstLine(), "ready", "awake only to read the meter, it serves no clients");
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	async function untilPrinted(pattern: RegExp, times = 1): Promise<void> {
		for (const endMs = Date.now() + LIMIT_MS; [...program.errors.matchAll(pattern)].length < times; await sleep(20))
			assert.ok(Date.now() < endMs, `the program has not printed ${pattern} ${times} times:\n${program.errors}`);
	}

	it("reads, sleeps, serves clients after a press of the button, and ends cleanly", async () => {
		await untilPrinted(/The gateway sleeps for \d+ s/g);
		await sleep(300);
		program.child.kill("SIGUSR1");
		await untilPrinted(/The gateway wakes\. https:\/\/localhost:[1-9]/g);
		const port = /wakes\. https:\/\/localhost:(\d+)/.exec(program.errors)![1];
		assert.match((await certificateOf(Number(port))).subject, /\nCN=smgw-/);
		await program.end();
	});
});
