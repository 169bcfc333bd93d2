/**
 * State folder of the simulator and of the firmware on Linux. It represents the flash of a unit. Only one program may
 * use it, because two programs could use the same invocation counter. The file `lock` contains the id of the process
 * that uses the folder. If that process has ended, the next program replaces the lock.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Makes and locks the folder. Throws an Error with a message for the user. */
export function openState(folder: string): void {
	try {
		makeFolder(resolve(folder));
		lock(join(folder, "lock"), folder);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw new Error(`The state folder ${folder} can't be used (${message}); name another one with --state.`);
	}
}

/**
 * Creates the folder and its parents. Node's own recursive creation never returns if nothing can be created at that
 * place, such as in /proc.
 */
function makeFolder(folder: string): void {
	if (existsSync(folder)) return;
	makeFolder(dirname(folder));
	mkdirSync(folder, { mode: 0o700 });
}

function lock(path: string, folder: string): void {
	for (;;) {
		try {
			writeFileSync(path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
			process.once("exit", () => rmSync(path, { force: true }));
			return;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		}
		const owner = ownerOf(path);
		if (owner !== undefined && isRunning(owner)) {
			throw new Error(
				`Process ${owner} runs a gateway on the state folder ${folder} already: end it, or name another one with --state.`,
			);
		}
		rmSync(path, { force: true });
	}
}

function ownerOf(path: string): number | undefined {
	try {
		return Number.parseInt(readFileSync(path, "utf8"), 10) || undefined;
	} catch {
		return undefined;
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
