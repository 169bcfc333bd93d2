/** Shared by all peers: a folder for downloads, and our simulator as a meter. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..", "..", "..");
/** Downloads and compiled files; not part of the project. */
export const PEERS_FOLDER = join(root, ".peers");
export const PEER_SOURCES = join(root, "test", "peers");
const METER_PROGRAM = join(root, ".build", "tools", "meter.js");

const DOWNLOAD_LIMIT_MS = 60_000;
const RUN_LIMIT_MS = 120_000;
const INSTALL_LIMIT_MS = 180_000;
const END_LIMIT_MS = 30_000;

/** The peer can't run on this machine, for the reason in the message. */
export class PeerMissing extends Error {
	override readonly name = "PeerMissing";
}

/** Downloads a file once, checks it, and returns its path. Throws PeerMissing if the server can't be reached. */
export async function download(url: string, sha256: string): Promise<string> {
	mkdirSync(PEERS_FOLDER, { recursive: true });
	const path = join(PEERS_FOLDER, url.slice(url.lastIndexOf("/") + 1));
	if (!existsSync(path)) {
		try {
			const reply = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) });
			if (!reply.ok) throw new Error(`HTTP ${reply.status}`);
			writeFileSync(path, new Uint8Array(await reply.arrayBuffer()));
		} catch (error) {
			const { message, cause } = error as Error;
			throw new PeerMissing(`${url} could not be fetched: ${cause instanceof Error ? cause.message : message}`);
		}
	}
	const found = createHash("sha256").update(readFileSync(path)).digest("hex");
	if (found !== sha256) throw new Error(`${path}: SHA-256 is ${found}, not ${sha256}; delete it to fetch it again`);
	return path;
}

/**
 * Runs a program to its end; returns its output. Throws its message if it fails, PeerMissing if it is not installed.
 */
export async function run(
	command: string,
	args: string[],
	env: Record<string, string> = {},
	limitMs = RUN_LIMIT_MS,
): Promise<string> {
	try {
		const options = { timeout: limitMs, killSignal: "SIGKILL" as const, env: { ...process.env, ...env } };
		return (await promisify(execFile)(command, args, options)).stdout;
	} catch (error) {
		const { code, stderr, killed } = error as NodeJS.ErrnoException & { stderr: string; killed: boolean };
		if (code === "ENOENT") throw new PeerMissing(`${command} is not installed`);
		throw new Error(killed ? `${command} was not done in ${limitMs} ms` : stderr.trim());
	}
}

/**
 * Installs packages from PyPI outside of the project, with these options of pip; returns their folder. Throws
 * PeerMissing if that fails.
 */
export async function installPython(
	name: string,
	packages: readonly string[],
	more: readonly string[] = [],
): Promise<string> {
	const folder = join(PEERS_FOLDER, name);
	const done = join(folder, "installed.txt");
	const wanted = packages.join("\n");
	if (existsSync(done) && readFileSync(done, "utf8") === wanted) return folder;
	const options = ["--quiet", "--retries", "0", "--no-deps", "--upgrade", "--target", folder, ...more];
	try {
		await run("python3", ["-m", "pip", "install", ...options, ...packages]);
	} catch (error) {
		if (error instanceof PeerMissing) throw error;
		throw new PeerMissing(`pip could not install it: ${(error as Error).message}`);
	}
	writeFileSync(done, wanted);
	return folder;
}

/**
 * Fetches one commit of a Git repository, which is its own check sum, once; returns the folder. Throws PeerMissing if
 * the server can't be reached.
 */
export async function checkOut(name: string, url: string, commit: string): Promise<string> {
	const folder = join(PEERS_FOLDER, name);
	const git = (...args: string[]) => run("git", ["-C", folder, ...args]);
	if (existsSync(join(folder, ".git")) && (await git("rev-parse", "HEAD").catch(() => "")).trim() === commit)
		return folder;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	await git("init", "--quiet");
	try {
		const fetching = ["-C", folder, "fetch", "--quiet", "--depth", "1", url, commit];
		await run("git", fetching, { GIT_TERMINAL_PROMPT: "0" }, DOWNLOAD_LIMIT_MS);
	} catch (error) {
		throw new PeerMissing(`${url} could not be fetched: ${(error as Error).message}`);
	}
	await git("checkout", "--quiet", "FETCH_HEAD");
	return folder;
}

/** Stops a process, by force after a while. */
export async function endChild(child: ChildProcess | undefined): Promise<void> {
	if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, "exit");
	child.kill("SIGTERM");
	const late = setTimeout(() => child.kill("SIGKILL"), END_LIMIT_MS);
	await exited;
	clearTimeout(late);
}

/** Installs npm packages outside of the project; returns their folder. Throws PeerMissing if that fails. */
export async function installNode(name: string, packages: readonly string[]): Promise<string> {
	const folder = join(PEERS_FOLDER, name);
	const done = join(folder, "installed.txt");
	const wanted = packages.join("\n");
	if (existsSync(done) && readFileSync(done, "utf8") === wanted) return folder;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	// Prevents npm from using the project's package.json.
	writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
	const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"];
	try {
		await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder, timeout: INSTALL_LIMIT_MS });
	} catch (error) {
		const { killed, stderr } = error as Error & { killed: boolean; stderr: string };
		throw new PeerMissing(
			killed ? `npm was not done in ${INSTALL_LIMIT_MS} ms` : `npm could not install it: ${stderr.trim()}`,
		);
	}
	writeFileSync(done, wanted);
	return folder;
}

/** Below the ephemeral ports of the system (/proc/sys/net/ipv4/ip_local_port_range). */
let lastPort = 20_000 + (process.pid % 10_000);

/** A free port of the loopback address that the system assigns to no other program. */
export async function freePort(): Promise<number> {
	for (;;) {
		// A second caller may come while this one waits.
		const port = ++lastPort;
		const server = createServer().listen(port, "127.0.0.1");
		try {
			await once(server, "listening");
		} catch {
			continue;
		}
		server.close();
		await once(server, "close");
		return port;
	}
}

/** Runs the simulator with these options while `use` runs, which gets the path of its pseudo-terminal. */
export async function withMeter<T>(options: string[], use: (path: string) => Promise<T>): Promise<T> {
	const meter = spawn(process.execPath, [METER_PROGRAM, "--quiet", ...options], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	try {
		const ended = once(meter, "exit").then(([code]) => Promise.reject(new Error(`simulator: exit code ${code}`)));
		ended.catch(() => {});
		const [line] = await Promise.race([once(createInterface(meter.stdout), "line"), ended]);
		return await use(line.slice("meter ".length));
	} finally {
		await endChild(meter);
	}
}

/** A data set as seen by a reader with one value and one unit. */
export interface PlainSet {
	address: string;
	value: string;
	unit: string;
}

/** The data sets of a transmission, parsed independently of the project's parser. */
export function plainSets(telegram: Uint8Array): PlainSet[] {
	const text = Buffer.from(telegram).toString("latin1");
	const block = text.slice(text.indexOf("\n") + 1);
	return [...block.matchAll(/([^()\r\n\x02!]*)\(([^)*]*)\*?([^)]*)\)/g)].map(([, address, value, unit]) => ({
		address,
		value,
		unit,
	}));
}
