/**
 * State folder of the simulator and the firmware on Linux: the flash of a unit. Only one program may use it, because
 * two could use the same invocation counter. The file `lock` contains the id of the process that uses it; the next
 * program replaces the lock of an ended process.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Throws an Error with a message for the user. */
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

/** Node's recursive creation never returns where nothing can be created, such as /proc. */
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
