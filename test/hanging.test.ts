/** Tests that never return to the event loop are ended. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, endHanging } from "./hanging.js";

const LIMIT_MS = 60_000;

describe("The end of hanging tests", () => {
	let notes = "";
	beforeEach(() => {
		notes = mkdtempSync(join(tmpdir(), "notes-"));
	});
	afterEach(() => rmSync(notes, { recursive: true }));

	function note(pid: number, test: string, ageMs: number): void {
		const path = join(notes, String(pid));
		writeFileSync(path, test);
		const time = (Date.now() - ageMs) / 1000;
		utimesSync(path, time, time);
	}

	function run(): { said: string[]; ended: string[] } {
		const said: string[] = [];
		const ended = endHanging(notes, LIMIT_MS, (text) => said.push(text));
		return { said, ended };
	}

	it("kills a process whose note is old, and names its test and the programs that it waits for", async () => {
		const wait = `require("child_process").spawnSync("sleep", ["60"]);`;
		const hanging = spawn(process.execPath, ["-e", wait], { stdio: "ignore", detached: true });
		try {
			while (!childrenOf(hanging.pid!).includes("sleep 60")) await sleep(20);
			note(hanging.pid!, "a.test.js\na meter answers", LIMIT_MS - 10_000);
			assert.deepEqual(run(), { said: [], ended: [] });
			note(hanging.pid!, "a.test.js\na meter answers", LIMIT_MS + 1000);
			const ended = once(hanging, "exit");
			assert.deepEqual(run(), {
				said: [
					"A test, or what follows it in its file, hangs and is ended: a.test.js, a meter answers",
					"It has started: sleep 60",
				],
				ended: ["a.test.js"],
			});
			assert.deepEqual(await ended, [null, "SIGKILL"]);
			assert.deepEqual(readdirSync(notes), []);
		} finally {
			process.kill(-hanging.pid!, "SIGKILL");
		}
	});

	it("forgets the note of a process that has ended", async () => {
		const ended = spawn("true");
		await once(ended, "exit");
		note(ended.pid!, "b.test.js\nends", LIMIT_MS + 1000);
		assert.deepEqual([run(), readdirSync(notes)], [{ said: [], ended: [] }, []]);
	});
});
