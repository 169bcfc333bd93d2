/**
 * State folder of the simulator and of the firmware on Linux. It represents the flash of a unit. Only one program may
 * use it, because two programs could use the same invocation counter. The file `lock` contains the id of the process
 * that uses the folder. If that process has ended, the next program replaces the lock.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { takeLock } from "./lock.js";

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
	const owner = takeLock(path);
	if (owner !== undefined) {
		throw new Error(
			`Process ${owner} runs a gateway on the state folder ${folder} already: end it, or name another one with --state.`,
		);
	}
	process.once("exit", () => rmSync(path, { force: true }));
}
