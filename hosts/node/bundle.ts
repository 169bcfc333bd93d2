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
	const common = {
		write: false,
		bundle: true,
		platform: "neutral",
		target: "es2023",
		charset: "utf8",
		logLevel: "warning",
	} as const;
	const whole = await build({ ...common, entryPoints: [entry], format: "esm" });
	// Each top-level name takes one of the engine's 4096 stack slots, most of them for numbers; 3655 names overflowed the
	// stack. esbuild inlines a constant only if it precedes all other statements. So numbers are moved to the start of
	// the bundled script, which is then bundled again: 1318 names are left.
	const numbers: string[] = [];
	const rest = whole.outputFiles[0].text.replace(/^var (\w+ = -?[\w.]+;)$/gm, (line, number: string) => {
		if (!/= -?\d/.test(number)) return line;
		numbers.push(`const ${number}`);
		return "";
	});
	const contents = [...numbers, rest].join("\n");
	const { outputFiles } = await build({ ...common, stdin: { contents }, format: "iife", minifySyntax: true });
	const { text } = outputFiles[0];
	if (!existsSync(script) || readFileSync(script, "utf8") !== text) writeFileSync(script, text);
}

export async function bundleGateway(script = GATEWAY_SCRIPT): Promise<void> {
	await bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), script);
}
