/** A file that names the process to which something belongs. */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Takes the lock for this process. Returns the process that has it, or undefined if this process has it now. */
export function takeLock(path: string): number | undefined {
	for (;;) {
		// A link appears with its content, so that no other process finds an empty lock.
		const own = `${path}-${process.pid}`;
		writeFileSync(own, `${process.pid}\n`, { mode: 0o600 });
		try {
			linkSync(own, path);
			return undefined;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		} finally {
			rmSync(own, { force: true });
		}
		const owner = ownerOf(path);
		if (owner !== undefined && isRunning(owner)) return owner;
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
