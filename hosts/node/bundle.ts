/**
 * Puts a compiled program and all it imports into the one script that the XS worker runs. Works on the compiler's
 * output, so that XS runs what was type-checked.
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Where `bundleGateway` puts the gateway. */
export const GATEWAY_SCRIPT = fileURLToPath(new URL("../../gateway.js", import.meta.url));

/** `entry` and `script` are paths; an import of anything that XS does not have fails. */
export async function bundle(entry: string, script: string): Promise<void> {
	await build({
		entryPoints: [entry],
		outfile: script,
		bundle: true,
		format: "iife",
		platform: "neutral",
		target: "es2023",
		charset: "utf8",
		logLevel: "warning",
	});
}

export async function bundleGateway(script = GATEWAY_SCRIPT): Promise<void> {
	await bundle(fileURLToPath(new URL("worker/main.js", import.meta.url)), script);
}
