/** Bundles a compiled program and its imports into one script for the XS worker. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Output of `bundleGateway`. */
export const GATEWAY_SCRIPT = fileURLToPath(new URL("../../gateway.js", import.meta.url));

/**
 * Bundles `entry` into `script`, both paths. Fails for an import that XS does not have. Writes nothing if the script is
 * up to date; this permits a read-only checkout.
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
		// Inlines constants, because each top-level name of a module takes one of the engine's 4096 stack slots.
		minifySyntax: true,
		logLevel: "warning",
	});
	const { text } = outputFiles[0];
	if (!existsSync(script) || readFileSync(script, "utf8") !== text) writeFileSync(script, text);
}

export async function bundleGateway(script = GATEWAY_SCRIPT): Promise<void> {
	await bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), script);
}
