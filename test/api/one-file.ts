/** Bundles a compiled program into one file: a gateway then starts in half of the processor time. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { writeScript } from "../../hosts/node/bundle.js";

const bundles = new Map<string, Promise<string>>();

/** Keeps the address of each file, from which programs calculate paths. */
const ADDRESSES: Plugin = {
	name: "addresses",
	setup({ onLoad }) {
		onLoad({ filter: /[\\/]\.build[\\/].*\.js$/ }, ({ path }) => ({
			contents: readFileSync(path, "utf8")
				.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path)))
				.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))),
		}));
	},
};

async function bundle(program: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [program],
		write: false,
		bundle: true,
		platform: "node",
		format: "esm",
		packages: "external",
		plugins: [ADDRESSES],
		sourcemap: "inline",
		sourcesContent: false,
		logLevel: "warning",
	});
	const path = program.replace(/js$/, "one-file.mjs");
	writeScript(path, outputFiles[0].text);
	return path;
}

/** Returns the path of the bundle, which each process makes once. */
export function inOneFile(program: string): Promise<string> {
	const made = bundles.get(program) ?? bundle(program);
	bundles.set(program, made);
	return made;
}
