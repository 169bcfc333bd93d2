/**
 * Ends a test that hangs, for `npm test` (mocha's `--require`): mocha's own limits do not end code that never returns to
 * the event loop, and the whole run would wait for it. Each process notes its running test in a file; the first process
 * looks for old notes, prints the test and the programs that it waits for, and kills its process. tools/run.mjs then runs
 * the files of the list `ENDED` once more.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "mocha";

const NOTES = join(import.meta.dirname, "..", "running-tests");
const ENDED = join(import.meta.dirname, "..", "ended-tests.txt");
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
	afterAll(): void {
		rmSync(noteOf(process.pid), { force: true });
	},
};

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
	rmSync(ENDED, { force: true });
	setInterval(() => {
		for (const file of endHanging(NOTES, LIMIT_MS, console.error)) appendFileSync(ENDED, `${file}\n`);
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
