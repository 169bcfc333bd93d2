/**
 * Finds a test vector in test/vectors, for the benchmark and the tests. The licence of its source decides whether it is
 * in the protocol's folder or in the folder of the same name under `restricted` (test/vectors/README.md).
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..", "..", "test", "vectors");

function foldersOf(protocol: string): string[] {
	const folders = [join(ROOT, protocol), join(ROOT, "restricted", protocol)].filter((folder) => existsSync(folder));
	if (folders.length === 0) throw new Error(`test/vectors has no folder ${protocol}.`);
	return folders;
}

export function vectorNames(protocol: string): string[] {
	return foldersOf(protocol)
		.flatMap((folder) => readdirSync(folder))
		.filter((file) => file.endsWith(".hex"))
		.map((file) => file.slice(0, -".hex".length))
		.sort();
}

export function vectorPath(protocol: string, name: string, ending: "hex" | "json" = "hex"): string {
	for (const folder of foldersOf(protocol)) {
		const path = join(folder, `${name}.${ending}`);
		if (existsSync(path)) return path;
	}
	throw new Error(`There is no vector ${name}.${ending} of ${protocol}.`);
}
