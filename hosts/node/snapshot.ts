/**
 * Snapshots of the XS engine after it has run a script. Loading a snapshot takes a tenth of the time that the engine
 * needs to compile and run the script. A snapshot is stored beside its script. Its file name contains a hash of its
 * inputs.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findXSWorker, XSWorker } from "./xs-worker.js";

export const GATEWAY_SCRIPT = fileURLToPath(new URL("../../gateway.js", import.meta.url));

const ENDING = ".snapshot";
const HASH_DIGITS = 16;

function pathOf(script: string, program: string): string {
	const { mtimeMs, size } = statSync(program);
	// The hash includes the script's path, because the snapshot contains it, for stack traces.
	const hash = createHash("sha256").update(`${script} ${program} ${mtimeMs} ${size} `).update(readFileSync(script));
	return `${script}-${hash.digest("hex").slice(0, HASH_DIGITS)}${ENDING}`;
}

/** Returns the snapshot of the current script, or undefined if no snapshot was made of it. */
export function findSnapshot(script: string, program: string): string | undefined {
	if (!existsSync(script)) return undefined;
	const path = pathOf(script, program);
	return existsSync(path) ? path : undefined;
}

/**
 * Makes the snapshot if it is missing, and deletes snapshots of earlier versions. Makes none if the engine is missing
 * or cannot run the script.
 */
export async function takeSnapshot(script: string): Promise<void> {
	const program = findXSWorker();
	if (program === undefined || findSnapshot(script, program) !== undefined) return;
	const path = pathOf(script, program);
	const made = `${path}.${process.pid}`;
	const worker = new XSWorker({ program, onCommand: () => new Uint8Array(0), onCrash: () => {} });
	try {
		await worker.runScript(script);
		await worker.writeSnapshot(made);
		renameSync(made, path);
	} catch {
		// If the script is faulty, the engine reports this when the script is started.
		return;
	} finally {
		await worker.end();
		rmSync(made, { force: true });
	}
	const folder = dirname(script);
	for (const name of readdirSync(folder)) {
		const isEarlier = name.startsWith(`${basename(script)}-`) && name.endsWith(ENDING) && name !== basename(path);
		if (isEarlier) rmSync(join(folder, name), { force: true });
	}
}
