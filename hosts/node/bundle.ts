/** Bundles a compiled program and its imports into one script for the XS worker, with a snapshot of it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { GATEWAY_SCRIPT, takeSnapshot } from "./snapshot.js";

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
 * Bundles the program. Fails if it imports a module that XS does not have. Writes nothing if the script is up to date,
 * so the checkout may be read-only.
 *
 * Each top-level name takes one of the 4096 slots of the engine's stack. esbuild replaces constants by their values
 * only if they are at the start of a script. Therefore all constants are moved there, and esbuild runs a second time.
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
	writeScript(script, inlined.outputFiles[0].text);
	await takeSnapshot(script);
}

/**
 * Replaces the file in one step, because other processes may be reading it. Writes nothing if the file already has this
 * text.
 */
export function writeScript(path: string, text: string): void {
	if (existsSync(path) && readFileSync(path, "utf8") === text) return;
	const made = `${path}.${process.pid}`;
	writeFileSync(made, text);
	renameSync(made, path);
}

let bundled: Promise<void> | undefined;

/** Bundles the gateway. Later calls in the same process return the first result. */
export function bundleGateway(): Promise<void> {
	bundled ??= bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), GATEWAY_SCRIPT);
	return bundled;
}
