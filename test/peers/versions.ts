/** Versions that a peer runs, and the newest ones in their registries. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { newestOf, type PeerName, pinOf } from "../../tools/release/peers.js";

/** Program of a peer: its name in a registry, `debian:` and its package in Debian, or its name and version. */
export type PeerProgram = PeerName | `debian:${string}` | `${string} ${string}`;

const DEBIAN = "debian:";

async function describe(program: PeerProgram): Promise<string> {
	if (program.includes(" ")) return program;
	if (!program.startsWith(DEBIAN)) {
		const pin = pinOf(program as PeerName);
		return `${pin.name} ${pin.version} (newest ${await newestOf(pin)})`;
	}
	const name = program.slice(DEBIAN.length);
	try {
		const { stdout } = await promisify(execFile)("dpkg-query", ["--show", name]);
		return stdout.trim().replace("\t", " ");
	} catch {
		return `${name} of unknown version`;
	}
}

/** One line about the programs. */
export async function versionsOf(programs: readonly PeerProgram[]): Promise<string> {
	return (await Promise.all(programs.map(describe))).join(", ");
}
