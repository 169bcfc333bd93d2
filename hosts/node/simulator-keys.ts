/**
 * Development keys of the simulator: one signs firmware, one opens reports. They are made at the first start in the
 * state folder as private keys (PKCS#8, PEM) that only their owner can read.
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

/** Keys of the command line, else of the state folder. Throws an Error with a message for the user. */
export function openKeys({ state, updateKeys, reportKey }: Given): SimulatorKeys {
	return {
		updateKeys: updateKeys ?? [developmentKey(join(state, UPDATE_KEY_FILE))],
		reportKey: reportKey ?? developmentKey(join(state, REPORT_KEY_FILE)),
	};
}

/** Commands to try an update and open a report, one line per key of the state folder. `httpsPort` is 0 if unknown. */
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

/** Public point in hex; makes a missing key. */
function developmentKey(path: string): string {
	if (!existsSync(path)) {
		const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		writeFileAtomic(path, privateKey.export({ type: "pkcs8", format: "pem" }));
	}
	const point = pointOf(readFileSync(path));
	if (point === undefined) throw new Error(`${path} is damaged: delete it, and another key is made at the next start.`);
	return Buffer.from(point).toString("hex");
}
