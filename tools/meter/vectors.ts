/**
 * Finds a test vector in test/vectors, for the benchmark and the tests. The licence of its source decides whether it is
 * in the protocol's folder or in the folder of the same name under `restricted` (test/vectors/README.md).
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type VectorProtocol =
	| "iec62056-21"
	| "hdlc"
	| "dlms"
	| "sml"
	| "tic"
	| "mbus"
	| "mbus-slave"
	| "kmp"
	| "amis"
	| "zigbee";

const ROOT = join(import.meta.dirname, "..", "..", "..", "test", "vectors");

function foldersOf(protocol: VectorProtocol): string[] {
	return [join(ROOT, protocol), join(ROOT, "restricted", protocol)];
}

export function vectorNames(protocol: VectorProtocol): string[] {
	return foldersOf(protocol)
		.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
		.filter((file) => file.endsWith(".hex"))
		.map((file) => file.slice(0, -".hex".length))
		.sort();
}

export function vectorPath(protocol: VectorProtocol, name: string, ending: "hex" | "json" = "hex"): string {
	for (const folder of foldersOf(protocol)) {
		const path = join(folder, `${name}.${ending}`);
		if (existsSync(path)) return path;
	}
	throw new Error(`There is no vector ${name}.${ending} of ${protocol}.`);
}
