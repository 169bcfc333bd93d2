/**
 * `npm run manifest`: writes the lists of modules and preloads into the Moddable manifests, from the source tree.
 * `-- --check` changes nothing, and ends with 1 where a manifest is not what it would write. To be run whenever a
 * file of modules/ or of a host comes, goes or changes its name.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Manifest, manifestPaths, withLists } from "./manifest/lists.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** The manifest as text in the form that `npm run lint` wants. */
function formatted(path: string, manifest: Manifest): string {
	const biome = join(ROOT, "node_modules", ".bin", "biome");
	const input = JSON.stringify(manifest, null, "\t");
	const run = spawnSync(biome, ["format", `--stdin-file-path=${path}`], { cwd: ROOT, input, encoding: "utf8" });
	if (run.status !== 0) throw new Error(`Biome could not format ${path}: ${run.stderr}`);
	return run.stdout;
}

function main(args: readonly string[]): number {
	if (args.some((arg) => arg !== "--check")) {
		console.error("Usage: npm run manifest [-- --check]");
		return 2;
	}
	const check = args.length > 0;
	const stale = manifestPaths(ROOT).filter((path) => {
		const text = readFileSync(join(ROOT, path), "utf8");
		const manifest: Manifest = JSON.parse(text);
		const wanted = withLists(ROOT, path, manifest);
		if (check) return JSON.stringify(wanted) !== JSON.stringify(manifest);
		const written = formatted(path, wanted);
		if (written !== text) writeFileSync(join(ROOT, path), written);
		return written !== text;
	});
	for (const path of stale)
		console.log(check ? `${path}: differs from the tree; run: npm run manifest` : `${path}: written`);
	return check && stale.length > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
