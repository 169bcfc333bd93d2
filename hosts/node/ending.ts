/**
 * End of the previous program, as recorded in the state folder. The file `retained` survives a restart but not a power
 * cut. The file `ending` contains the fault that ended the firmware. If a user ended or killed the program, this counts
 * as a power cut.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ending } from "../../modules/io/host.js";
import { POWER_ON, RETAINED_KEY, StoredRetained } from "../simulated/ending.js";
import { FileStorage, writeFileAtomic } from "./storage.js";

const ENDING_FILE = "ending";
/** Faults older than this are ignored, because safe mode counts the faults of ten minutes. */
const FRESH_MS = 600_000;

/** Signals that a user or the system sends. A program that was ended by any other signal has failed. */
export const FROM_OUTSIDE: readonly string[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function retainedIn(folder: string): StoredRetained {
	return new StoredRetained(new FileStorage(folder));
}

/** Call once, at the start. Deletes the file `retained` unless the previous program ended with a fault. */
export function takeEnding(folder: string): Ending {
	const path = join(folder, ENDING_FILE);
	try {
		const isFresh = Date.now() - statSync(path).mtimeMs < FRESH_MS;
		const cause = readFileSync(path, "utf8").trimEnd();
		rmSync(path);
		if (isFresh) return { cause, isFault: true };
	} catch {
		// The file `ending` is missing or unreadable.
	}
	losePower(folder);
	return POWER_ON;
}

export function keepFault(folder: string, cause: string): void {
	try {
		writeFileAtomic(join(folder, ENDING_FILE), `${cause}\n`);
	} catch {
		// If the file cannot be written, the fault is lost.
	}
}

export function losePower(folder: string): void {
	rmSync(join(folder, RETAINED_KEY), { force: true });
}
