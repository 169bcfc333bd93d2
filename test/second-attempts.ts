/**
 * Lists the files to run once more (mocha's `--require`): those with a failure, and those with a test that hangs. Mocha's own
 * limits do not end code that never returns to the event loop, and the whole run would wait for it. Each process notes
 * its running test in a file; the first process looks for old notes, prints the test and the programs that it waits for,
 * and kills its process. tools/run.mjs reads the list.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hook, Runnable, Suite, Test } from "mocha";

const NOTES = join(import.meta.dirname, "..", "running-tests");
/** A line for each failure: file, tab, seed of the random numbers or nothing. */
const AGAIN = join(import.meta.dirname, "..", "tests-again.txt");
/** The longest test takes less than a minute, also on a busy computer. */
const LIMIT_MS = 300_000;
const LOOK_MS = 10_000;

const noteOf = (pid: number) => join(NOTES, String(pid));

const note = (file: string, text: string) => writeFileSync(noteOf(process.pid), `${file}\n${text}`);

export const mochaHooks = {
	beforeAll(this: Context): void {
		const [suite] = this.test!.parent!.suites;
		if (suite?.file !== undefined) note(suite.file, "before the first test");
	},
	beforeEach(this: Context): void {
		const test = this.currentTest!;
		note(test.file!, test.fullTitle());
	},
	afterEach(this: Context): void {
		const test = this.currentTest!;
		if (hasFailed(test)) listAgain(test.file, seedOf(test));
	},
	afterAll(this: Context): void {
		rmSync(noteOf(process.pid), { force: true });
		for (const hook of failedHooksOf(this.test!.parent!)) listAgain(hook.file, seedOf(hook));
	},
};

/** True if no further attempt follows. */
export function hasFailed(test: Test): boolean {
	const { currentRetry, retries } = test as unknown as Record<"currentRetry" | "retries", () => number>;
	return test.state === "failed" && currentRetry.call(test) >= retries.call(test);
}

const HOOKS = ["_beforeAll", "_beforeEach", "_afterEach", "_afterAll"] as const;
type WithHooks = Suite & Record<(typeof HOOKS)[number], Hook[]>;

export function failedHooksOf(suite: Suite): Hook[] {
	const hooks = HOOKS.flatMap((name) => (suite as WithHooks)[name]).filter(({ state }) => state === "failed");
	return [...hooks, ...suite.suites.flatMap(failedHooksOf)];
}

/** The title of a random test has its seed. */
export const seedOf = (failed: Runnable) => /\bseed[= ](\d+)/i.exec(failed.fullTitle())?.[1] ?? "";

function listAgain(file = "", seed = ""): void {
	appendFileSync(AGAIN, `${file}\t${seed}\n`);
}

let hasEnded = false;

export function mochaGlobalTeardown(): void {
	hasEnded = true;
}

export function mochaGlobalSetup(): void {
	// Mocha does not reach its end if a process ends between two files.
	process.exitCode = 1;
	process.once("exit", () => {
		if (!hasEnded) console.error("Mocha ended without a summary, because one of its processes had ended (see above).");
	});
	rmSync(NOTES, { recursive: true, force: true });
	mkdirSync(NOTES, { recursive: true });
	rmSync(AGAIN, { force: true });
	setInterval(() => {
		for (const file of endHanging(NOTES, LIMIT_MS, console.error)) listAgain(file);
	}, LOOK_MS).unref();
}

/**
 * Ends processes with notes older than the limit; returns their test files. `notes`: folder, in which each file has a
 * process's number as name.
 */
export function endHanging(notes: string, limitMs: number, say: (text: string) => void): string[] {
	const old = readdirSync(notes).filter((name) => Date.now() - statSync(join(notes, name)).mtimeMs >= limitMs);
	return old.flatMap((name) => {
		const [file, test] = readFileSync(join(notes, name), "utf8").split("\n");
		rmSync(join(notes, name));
		try {
			const programs = childrenOf(Number(name));
			process.kill(Number(name), "SIGKILL");
			say(`A test, or what follows it in its file, hangs and is ended: ${file}, ${test}`);
			for (const program of programs) say(`It has started: ${program}`);
			return [file];
		} catch {
			// The process has ended by itself.
			return [];
		}
	});
}

/** Command lines of the processes that a process has started. */
export function childrenOf(pid: number): string[] {
	const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
	return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ").trim());
}
