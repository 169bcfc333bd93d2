/**
 * The lists of a Moddable manifest that follow from the source tree, for `npm run manifest` and for the test that
 * holds a manifest against the tree.
 *
 * A manifest answers for folders: the one at the root for those of modules/, the one of a host for its own folder and
 * for those of hosts/ that it has a key for ("hosts/native/*"). Of each folder it names every TypeScript file twice:
 * under `modules`, where the target is the path from the root (XS resolves "../bytes/hex.js" against the target of the
 * importing module, so targets have to mirror the tree), and under `preload`, since a TypeScript module that is not
 * named there is left out by wildcards, is loaded into RAM at the start and doesn't fit. Files stand one by one because
 * a wildcard takes them in the order of the file system, which differs between machines, and with it the firmware. The
 * order of preloads decides nothing: what a module imports is loaded before it, wherever it stands.
 *
 * Everything else in a manifest is written by hand and stays: which C files stand beside the TypeScript, other keys of
 * `modules`, other names in `preload`.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A Moddable manifest, as far as this project's tools look into it. */
export interface Manifest {
	include?: string | string[];
	creation?: {
		static?: number;
		chunk?: { initial: number; incremental: number };
		heap?: { initial: number; incremental: number };
		stack?: number;
		main?: string;
	};
	modules?: Record<string, string | string[]>;
	preload?: string[];
	[other: string]: unknown;
}

export const ROOT_MANIFEST = "manifest.json";
/** The web page: it runs in browsers, and is built into a resource. */
const BROWSER_FOLDER = "modules/web";

/** The project's manifests, by their paths from its root. */
export function manifestPaths(root: string): string[] {
	const hosts = subfolders(root, "hosts").map((folder) => `${folder}/manifest.json`);
	return [ROOT_MANIFEST, ...hosts.filter((path) => existsSync(join(root, path)))];
}

/** The folders that a manifest answers for, by their paths from the root. */
export function foldersOf(root: string, manifestPath: string, manifest: Manifest): string[] {
	if (manifestPath === ROOT_MANIFEST)
		return subfolders(root, "modules").filter(
			(folder) => folder !== BROWSER_FOLDER && typescriptNames(root, folder).length > 0,
		);
	const named = Object.keys(manifest.modules ?? {}).filter((target) => /^hosts\/[^/]+\/\*$/.test(target));
	return [...new Set([dirname(manifestPath), ...named.map((target) => dirname(target))])].sort();
}

/** The names of a folder's TypeScript files without their extension, in the order of their code units. */
export function typescriptNames(root: string, folder: string): string[] {
	return readdirSync(join(root, folder))
		.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
		.map((name) => name.replace(/\.ts$/, ""))
		.sort();
}

/** The relative imports of a TypeScript text that are left after compiling (those of types vanish). */
export function runtimeImports(text: string): string[] {
	const lines = /^(?:import|export)\s(?!type\b)(?:[^"'`;=()]*?\sfrom\s+)?"(\.[^"]+)"/gm;
	return [...text.matchAll(lines)].map((match) => match[1]);
}

/** The manifest with its lists made anew from the tree; what is written by hand stays as and where it is. */
export function withLists(root: string, manifestPath: string, manifest: Manifest): Manifest {
	const folders = foldersOf(root, manifestPath, manifest);
	const tops = manifestPath === ROOT_MANIFEST ? ["modules"] : folders;
	const byHand = (name: string) => !tops.some((top) => name.startsWith(`${top}/`));

	const before = Object.entries(manifest.modules ?? {});
	const modules = Object.fromEntries(before.filter(([target]) => byHand(target)));
	for (const folder of folders) {
		const path = posix.relative(dirname(manifestPath), folder);
		const prefix = path.startsWith("../") ? path : `./${path}`.replace(/\/$/, "");
		const kept = before
			.filter(([target]) => target.startsWith(`${folder}/`))
			.flatMap(([, sources]) => sources)
			.map((source) => posix.basename(source))
			.filter((name) => [".c", ".h"].some((extension) => existsSync(join(root, folder, name + extension))));
		const names = [...new Set([...typescriptNames(root, folder), ...kept])].sort();
		modules[`${folder}/*`] = names.map((name) => `${prefix}/${name}`);
	}
	const preload = (manifest.preload ?? []).filter(byHand);
	for (const folder of folders) preload.push(...typescriptNames(root, folder).map((name) => `${folder}/${name}`));
	return { ...manifest, modules, preload };
}

function subfolders(root: string, folder: string): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map((entry) => `${folder}/${entry.name}`)
		.sort();
}
