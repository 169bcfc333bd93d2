/**
 * `npm run check`: sends each operation of the API to the whole gateway (test/whole), and prints what was seen. With the
 * Moddable SDK it does the same with the firmware on Linux, because only that tells how deep the stack gets.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSDK, ROOT } from "./sdk/sdk.js";

interface Figures {
	readonly operations: number;
	readonly events: number;
	readonly parts: number;
	readonly faults: number;
	readonly stack: number;
	readonly stackLimit: number;
	readonly slots: number;
}

const WHOLE = join(ROOT, ".build", "test", "whole");
const FIRMWARE = join(WHOLE, "boards-with-radio.linux.js");
/** A board whose firmware lacks nothing. */
const BOARD = "esp32s3-devkitc-zigbee";

function hasSDK(): boolean {
	try {
		findSDK();
		return true;
	} catch {
		return false;
	}
}

function show(all: readonly Figures[]): string {
	const sum = (name: keyof Figures) => all.reduce((total, one) => total + one[name], 0);
	const most = (name: keyof Figures) => Math.max(0, ...all.map((one) => one[name]));
	const stack =
		most("stackLimit") === 0
			? "not measured; the firmware on Linux tells it, for which the Moddable SDK is needed"
			: `${most("stack")} of ${most("stackLimit")} slots`;
	return `
operations: ${sum("operations")}
events: ${sum("events")}
parts: ${most("parts")} on
faults caught: ${sum("faults")}
deepest stack: ${stack}
most slots: ${most("slots")}
`;
}

const folder = mkdtempSync(join(tmpdir(), "check-"));
const file = join(folder, "figures");
const files = readdirSync(WHOLE).filter((name) => /\.test\.(\w+\.)?js$/.test(name));
const mocha = ["--no-config", "--exit", "--timeout", "120000", "--parallel", "--jobs", "3", "--reporter", "dot"];
const faults = ["--require", join(ROOT, ".build", "test", "faults.js")];
const tests = [...files.map((name) => join(WHOLE, name)), ...(hasSDK() ? [FIRMWARE] : [])];
const program = join(ROOT, "node_modules", ".bin", "mocha");
const child = spawn(process.execPath, ["--enable-source-maps", program, ...mocha, ...faults, ...tests], {
	stdio: ["ignore", "inherit", "inherit"],
	env: { ...process.env, BOARD, WHOLE_FIGURES: file },
});
process.on("SIGTERM", () => child.kill("SIGTERM"));
process.on("disconnect", () => child.kill("SIGTERM"));
const [code] = await once(child, "exit");
let lines: string[] = [];
try {
	lines = readFileSync(file, "utf8").trim().split("\n");
} catch {}
process.stdout.write(show(lines.map((line) => JSON.parse(line))));
rmSync(folder, { recursive: true });
process.exit(code ?? 1);
