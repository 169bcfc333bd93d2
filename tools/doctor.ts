/**
 * `npm run doctor`: lists the tools that are missing for each target, with the commands that install them. Exits with 0
 * if the simulator can run, otherwise with 1.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { diagnose, isBenchComplete, type Machine } from "./doctor/checks.js";
import { asText } from "./doctor/text.js";
import { runHere } from "./emulate/qemu.js";
import { findToolchain, ROOT } from "./sdk/sdk.js";

const thisComputer: Machine = {
	ask(command, ...args) {
		const run = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
		return run.status === 0 ? run.stdout.split("\n")[0].trim() : undefined;
	},
	hasHeader(header) {
		const input = `#include <${header}>\n`;
		return (
			spawnSync("gcc", ["-fsyntax-only", "-x", "c", "-"], { input, stdio: ["pipe", "ignore", "ignore"] }).status === 0
		);
	},
	builds32() {
		try {
			return findToolchain(32).bits === 32;
		} catch {
			return false;
		}
	},
	run: runHere,
	exists: (path) => existsSync(resolve(ROOT, path)),
	environment: (name) => process.env[name] || undefined,
};

const targets = diagnose(thisComputer);
process.stdout.write(asText(targets));
process.exitCode = isBenchComplete(targets) ? 0 : 1;
