/** Lets builds of several processes in one folder run one after the other. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../../hosts/node/lock.js";

const LOOK_MS = 200;

/** Runs `build` while no other process runs one for this folder. */
export async function inTurn<T>(folder: string, build: () => Promise<T>): Promise<T> {
	mkdirSync(folder, { recursive: true });
	const lock = join(folder, "lock");
	let hasWaited = false;
	for (let owner = takeLock(lock); owner !== undefined; owner = takeLock(lock)) {
		if (!hasWaited) process.stderr.write(`Process ${owner} builds in this checkout; waiting for it …\n`);
		hasWaited = true;
		await sleep(LOOK_MS);
	}
	try {
		return await build();
	} finally {
		rmSync(lock, { force: true });
	}
}
