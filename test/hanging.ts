/**
 * Ends a test that hangs, for `npm test` (mocha's `--require`): mocha's own limits do not end code that never returns to
 * the event loop, and the whole run would wait for it. Each process notes its running test in a file; the first process
 * looks for old notes, prints the test and the programs that it waits for, and kills its process.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Context } from "mocha";

const BUILD = join(import.meta.dirname, "..");
const NOTES = join(BUILD, "running-tests");
/** Longer than the limit of any test or hook. */
const LIMIT_MS = 400_000;
const LOOK_MS = 10_000;

export const mochaHooks = {
	beforeEach(this: Context): void {
		const test = this.currentTest!;
		const file = relative(join(BUILD, "test"), test.file!);
		writeFileSync(join(NOTES, String(process.pid)), `${file}: ${test.fullTitle()}`);
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
	setInterval(() => endHanging(NOTES, LIMIT_MS, console.error), LOOK_MS).unref();
}

/** Ends processes with notes older than the limit. `notes`: folder, in which each file has a process's number as name. */
export function endHanging(notes: string, limitMs: number, say: (text: string) => void): void {
	for (const name of readdirSync(notes)) {
		const note = join(notes, name);
		if (Date.now() - statSync(note).mtimeMs < limitMs) continue;
		const test = readFileSync(note, "utf8");
		rmSync(note);
		try {
			const programs = childrenOf(Number(name));
			process.kill(Number(name), "SIGKILL");
			say(`This test, or what follows it in its file, hangs and is ended: ${test}`);
			for (const program of programs) say(`It has started: ${program}`);
		} catch {
			// The process has ended by itself.
		}
	}
}

/** Command lines of the processes that a process has started. */
export function childrenOf(pid: number): string[] {
	const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
	return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ").trim());
}
