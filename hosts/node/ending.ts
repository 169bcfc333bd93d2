/**
 * How the program before this one has ended, for the simulator and for the firmware on Linux, by files in the state folder:
 * `retained` is memory that survives a restart and is lost with the power, `ending` says by which fault the firmware has
 * ended. A program that is told to end, or killed, has lost its power.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ending } from "../../modules/io/host.js";
import { POWER_ON, RETAINED_KEY, StoredRetained } from "../simulated/ending.js";
import { FileStorage, writeFileAtomic } from "./storage.js";

const ENDING_FILE = "ending";
/** An older fault is none: safe mode looks back for ten minutes. */
const FRESH_MS = 600_000;

/** Signals by which somebody ends a process; by any other it has failed. */
export const FROM_OUTSIDE: readonly string[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function retainedIn(folder: string): StoredRetained {
	return new StoredRetained(new FileStorage(folder));
}

/** To be asked once at the start; what was retained is gone afterwards unless it was a fault. */
export function takeEnding(folder: string): Ending {
	const path = join(folder, ENDING_FILE);
	try {
		const isFresh = Date.now() - statSync(path).mtimeMs < FRESH_MS;
		const cause = readFileSync(path, "utf8").trimEnd();
		rmSync(path);
		if (isFresh) return { cause, isFault: true };
	} catch {
		// There is none, or it can't be read.
	}
	losePower(folder);
	return POWER_ON;
}

/** The firmware has failed. What can't be written is lost, as with the power. */
export function keepFault(folder: string, cause: string): void {
	try {
		writeFileAtomic(join(folder, ENDING_FILE), `${cause}\n`);
	} catch {
		// As said.
	}
}

/** The program ends, and was told to. */
export function losePower(folder: string): void {
	rmSync(join(folder, RETAINED_KEY), { force: true });
}
