/** Bundles a compiled program and its imports into one script for the XS worker. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Output of `bundleGateway`. */
export const GATEWAY_SCRIPT = fileURLToPath(new URL("../../gateway.js", import.meta.url));

/**
 * `entry` and `script` are paths; an import that XS lacks fails. Writes nothing if the script is up to date, for
 * read-only checkouts.
 */
export async function bundle(entry: string, script: string): Promise<void> {
	const { outputFiles } = await build({
		entryPoints: [entry],
		write: false,
		bundle: true,
		format: "iife",
		platform: "neutral",
		target: "es2023",
		charset: "utf8",
		// Inlines constants: each top-level name of a module takes a slot of the engine's stack (4096).
		minifySyntax: true,
		logLevel: "warning",
	});
	const { text } = outputFiles[0];
	if (!existsSync(script) || readFileSync(script, "utf8") !== text) writeFileSync(script, text);
}

export async function bundleGateway(script = GATEWAY_SCRIPT): Promise<void> {
	await bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), script);
}
