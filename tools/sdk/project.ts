/**
 * Input of mcconfig for a firmware: a folder with its script, and a manifest that adds the script to the host's
 * manifest with its C, its data and its memory. mcconfig names its output after that folder.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Made, makeScript, type Script } from "./script.js";
import { plainness, ROOT } from "./sdk.js";

export interface Project {
	readonly folder: string;
	/** The firmware's first module, by its path from the root, "hosts/linux/main"; a manifest.json stands beside it. */
	readonly main: string;
	readonly made?: Made;
	/** Paths of more manifests, from the root. */
	readonly parts?: readonly string[];
	/** More of a manifest. */
	readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Written extends Script {
	/** Whether the script was another one before. */
	readonly changed: boolean;
}

/** Writes the folder. Throws an Error when there is no script. */
export async function writeProject({ folder, main, made, parts = [], settings }: Project): Promise<Written> {
	const script = await makeScript(join(ROOT, ".build"), main, made);
	const manifest = {
		include: [`${dirname(main)}/manifest.json`, ...parts].map((path) => join(ROOT, path)),
		modules: { main: "./main" },
		preload: ["main"],
		// Not the SDK's: it is linked anew when the manifest changes.
		linker: linkerVersion(),
		...settings,
	};
	mkdirSync(folder, { recursive: true });
	const changed = writeChanged(join(folder, "main.js"), script.text);
	writeChanged(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	return { ...script, changed };
}

/** Another text when what makes the linker's file smaller is another program. */
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

/** Whether it was another text before; a file that would stay the same is left, since make goes by its age. */
export function writeChanged(path: string, text: string): boolean {
	if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
	writeFileSync(path, text);
	return true;
}
