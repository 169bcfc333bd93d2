/** Bundles a compiled program and its imports into one script for the XS worker. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

export const GATEWAY_SCRIPT = fileURLToPath(new URL("../../gateway.js", import.meta.url));

const OPTIONS = {
	write: false,
	bundle: true,
	platform: "neutral",
	target: "es2023",
	charset: "utf8",
	logLevel: "warning",
} as const satisfies BuildOptions;

const CONSTANT = /^var ([\w$]+ = (?:-?\d[\w.+-]*|true|false);)$/gm;

/**
 * Fails for an import that XS does not have. Writes nothing if the script is up to date, which permits a read-only
 * checkout.
 *
 * Each top-level name takes one of the 4096 slots of the engine's stack. esbuild replaces only constants at the start
 * of a script by their values. So all constants are moved there, and esbuild runs a second time.
 */
export async function bundle(entry: string, script: string): Promise<void> {
	const joined = await build({ ...OPTIONS, entryPoints: [entry], format: "esm" });
	const constants: string[] = [];
	const rest = joined.outputFiles[0].text.replace(CONSTANT, (_, constant) => {
		constants.push(`const ${constant}`);
		return "";
	});
	const contents = `"use strict";\n${constants.join("\n")}\n${rest}`;
	const inlined = await build({ ...OPTIONS, stdin: { contents }, format: "iife", minifySyntax: true });
	const { text } = inlined.outputFiles[0];
	if (!existsSync(script) || readFileSync(script, "utf8") !== text) writeFileSync(script, text);
}

export async function bundleGateway(script = GATEWAY_SCRIPT): Promise<void> {
	await bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), script);
}
