/**
 * Development keys of the simulator: one key signs firmware, the other one opens reports. They are made at the first
 * start. The state folder contains them as private keys (PKCS#8, PEM) that only their owner can read.
 */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HTTPS_PORT, type Options, STATE_FOLDER } from "./options.js";
import { pointOf } from "./p256.js";
import { writeFileAtomic } from "./storage.js";

export const UPDATE_KEY_FILE = "update.key";
export const REPORT_KEY_FILE = "report.key";

export interface SimulatorKeys {
	/** Public keys that may sign a firmware, as points in hex. */
	readonly updateKeys: readonly string[];
	readonly reportKey: string;
}

type Given = Pick<Options, "state" | "updateKeys" | "reportKey">;

/**
 * Returns the keys from the command line, otherwise those in the state folder. Throws an Error with a message for the
 * user.
 */
export function openKeys({ state, updateKeys, reportKey }: Given): SimulatorKeys {
	return {
		updateKeys: updateKeys ?? [developmentKey(join(state, UPDATE_KEY_FILE))],
		reportKey: reportKey ?? developmentKey(join(state, REPORT_KEY_FILE)),
	};
}

/**
 * Returns commands that try an update and open a report, one line for each key in the state folder. `httpsPort` is 0 if
 * unknown.
 */
export function describeKeys({ state, updateKeys, reportKey }: Given, httpsPort: number): string[] {
	const lines: string[] = [];
	const folder = state === STATE_FOLDER ? "" : ` --state ${quoted(state)}`;
	const port = httpsPort === HTTPS_PORT ? "" : ` --port ${httpsPort === 0 ? "PORT" : httpsPort}`;
	if (updateKeys === undefined) lines.push(`Try an update: npm run ota -- try${folder}${port}`);
	if (reportKey === undefined)
		lines.push(`Open a report: npm run report -- open FILE --key ${quoted(join(state, REPORT_KEY_FILE))}`);
	return lines;
}

function quoted(path: string): string {
	return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Returns the public point of the key in hex. Makes the key if it is missing. */
function developmentKey(path: string): string {
	if (!existsSync(path)) {
		const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		writeFileAtomic(path, privateKey.export({ type: "pkcs8", format: "pem" }));
	}
	const point = pointOf(readFileSync(path));
	if (point === undefined) throw new Error(`${path} is damaged: delete it, and another key is made at the next start.`);
	return Buffer.from(point).toString("hex");
}
