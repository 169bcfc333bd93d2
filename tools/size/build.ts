/**
 * Builds the byte code, the resources and the preloaded machine of a board's firmware without ESP-IDF. Only the two
 * targets of mcconfig's makefile that are necessary for this are made.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { MAIN, madeFor } from "../sdk/esp32.js";
import { pageLacks } from "../sdk/omissions.js";
import { writeProject } from "../sdk/project.js";
import { pathWith, type SDK } from "../sdk/sdk.js";

export interface Built {
	image: string;
	/** Number of characters from each source file. */
	lengths: ReadonlyMap<string, number>;
	resources: Map<string, number>;
	/** Warnings about state in a preloaded module, which does not work or takes RAM. */
	warnings: string[];
}

/** Builds into `folder`, which must be empty. */
export async function buildImage(sdk: SDK, board: Board, folder: string): Promise<Built> {
	const project = join(folder, "size");
	const output = join(folder, "output");
	mkdirSync(output);
	const settings = { config: { version: "0.0.0", builtUtcMs: 0 } };
	const [made, without] = [madeFor(board), pageLacks(board)];
	const { lengths } = await writeProject({ folder: project, main: MAIN, made, without, settings });

	const env = { ...process.env, MODDABLE: sdk.folder, PATH: pathWith(sdk) };
	const runStep = (command: string, args: readonly string[]): string => {
		const run = spawnSync(command, args, { cwd: project, env, encoding: "utf8", maxBuffer: 1 << 26 });
		const text = `${run.stdout ?? ""}${run.stderr ?? ""}${run.error?.message ?? ""}`;
		if (run.status !== 0) throw new Error(`${text}\n${command} has failed.`);
		return text;
	};
	runStep("mcconfig", ["-p", "esp32", "-o", output, join(project, "manifest.json")]);
	const target = join(output, "tmp", "esp32", "release", "size");
	// With these settings the makefile does not need ESP-IDF, which is only used to compile C.
	const withoutIDF = ["IDF_PATH=none", "IDF_VERSION=none", "SDKCONFIG_H="];
	const files = ["mc.xs.c", "mc.resources.c"].map((name) => join(target, name));
	const text = runStep("make", ["-f", join(target, "makefile"), ...withoutIDF, ...files]);
	return {
		image: readFileSync(files[0], "utf8"),
		lengths,
		resources: new Map(
			readdirSync(join(target, "resources")).map((name) => [name, statSync(join(target, "resources", name)).size]),
		),
		warnings: text.split("\n").filter((line) => /warning:|error:/.test(line)),
	};
}
