/** Tests that never return to the event loop are ended; files with failures are found. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Mocha from "mocha";
import { childrenOf, endHanging, failedHooksOf, hasFailed, seedOf } from "./second-attempts.js";

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

describe("The list of failures", () => {
	const fail = () => {
		throw new Error("expected here");
	};

	it("has what failed in its last attempt, and hooks: as many as Mocha counts", async () => {
		const mocha = new Mocha({ reporter: class {} as unknown as Mocha.ReporterConstructor });
		const outer = Mocha.Suite.create(mocha.suite, "outer");
		outer.addTest(new Mocha.Test("passes", () => {}));
		outer.addTest(new Mocha.Test("fails", fail));
		let attempts = 0;
		const late = new Mocha.Test("passes at last", () => {
			if (++attempts === 1) fail();
		});
		const never = new Mocha.Test("fails twice", fail);
		for (const test of [late, never]) {
			outer.addTest(test);
			test.retries(1);
		}
		const inner = Mocha.Suite.create(outer, "inner (SEED=42)");
		inner.beforeAll("start", fail);
		inner.addTest(new Mocha.Test("never runs", fail));
		const failed: string[] = [];
		mocha.suite.afterEach(function (this: Mocha.Context) {
			if (hasFailed(this.currentTest!)) failed.push(this.currentTest!.title);
		});
		const count = await new Promise<number>((resolve) => mocha.run(resolve));
		failed.push(...failedHooksOf(mocha.suite).map(({ title }) => title));
		assert.deepEqual([attempts, count], [2, failed.length]);
		assert.deepEqual([...outer.tests, ...inner.tests].map(seedOf), ["", "", "", "", "42"]);
		assert.deepEqual(failed, ["fails", "fails twice", '"before all" hook: start for "never runs"']);
	});
});
