/**
 * Ending of the previous program, in the state folder: the file `retained` survives a restart but not a power cut; the
 * file `ending` contains the fault that ended the firmware. A program that a user ended or killed counts as a power
 * cut.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ending } from "../../modules/io/host.js";
import { POWER_ON, RETAINED_KEY, StoredRetained } from "../simulated/ending.js";
import { FileStorage, writeFileAtomic } from "./storage.js";

const ENDING_FILE = "ending";
/** Older faults are ignored, because safe mode counts those of ten minutes. */
const FRESH_MS = 600_000;

/** Signals of a user or the system; any other one is a failure. */
export const FROM_OUTSIDE: readonly string[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function retainedIn(folder: string): StoredRetained {
	return new StoredRetained(new FileStorage(folder));
}

/** Call once, at the start: the file is deleted unless the ending is a fault. */
export function takeEnding(folder: string): Ending {
	const path = join(folder, ENDING_FILE);
	try {
		const isFresh = Date.now() - statSync(path).mtimeMs < FRESH_MS;
		const cause = readFileSync(path, "utf8").trimEnd();
		rmSync(path);
		if (isFresh) return { cause, isFault: true };
	} catch {
		// The file is missing or unreadable.
	}
	losePower(folder);
	return POWER_ON;
}

export function keepFault(folder: string, cause: string): void {
	try {
		writeFileAtomic(join(folder, ENDING_FILE), `${cause}\n`);
	} catch {
		// The fault is lost.
	}
}

export function losePower(folder: string): void {
	rmSync(join(folder, RETAINED_KEY), { force: true });
}
