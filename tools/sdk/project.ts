/**
 * Makes the input of mcconfig: a folder with the firmware's script and a manifest. The manifest adds the script to the
 * manifest of the host, which lists C files, data and memory sizes. mcconfig names its output after the folder.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { archiveFor } from "../page/archive.js";
import { type Made, makeScript, type Script } from "./script.js";
import { plainness, ROOT } from "./sdk.js";

export interface Project {
	readonly folder: string;
	/** First module of the firmware, as a path from the root such as "hosts/linux/main". A manifest.json is beside it. */
	readonly main: string;
	readonly made?: Made;
	/** Parts and protocols that the page lacks. */
	readonly without?: readonly string[];
	/** Paths of additional manifests, from the root. */
	readonly parts?: readonly string[];
	readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Written extends Script {
	readonly changed: boolean;
}

export async function writeProject({
	folder,
	main,
	made,
	without = [],
	parts = [],
	settings,
}: Project): Promise<Written> {
	const script = await makeScript(join(ROOT, ".build"), main, made);
	const page = await archiveFor(without);
	const manifest = {
		include: [`${dirname(main)}/manifest.json`, ...parts].map((path) => join(ROOT, path)),
		modules: { main: "./main" },
		preload: ["main"],
		data: { "*": [page.replace(/\.bin$/, "")] },
		// The version of our own linker is included, so that the firmware is linked again after the linker was changed.
		linker: linkerVersion(),
		...settings,
	};
	mkdirSync(folder, { recursive: true });
	const changed = writeChanged(join(folder, "main.js"), script.text);
	writeChanged(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	return { ...script, changed };
}

function linkerVersion(): string {
	if (plainness() !== "") return plainness();
	const hash = createHash("sha256");
	for (const name of [
		"link.js",
		"engine.js",
		"heap.js",
		"look-ups.js",
		"environments.js",
		"byte-code.js",
		"shorter-code.js",
		"stripped.js",
	])
		hash.update(readFileSync(new URL(name, import.meta.url)));
	return hash.digest("hex");
}

/** Writes the file only if its text has changed, because make compares the times of files. */
export function writeChanged(path: string, text: string): boolean {
	if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
	writeFileSync(path, text);
	return true;
}
