/**
 * A small Debian, made by debootstrap, with the Python that newer programs need. Programs run in it with chroot, each
 * with its own packages from PyPI, and use this computer's loopback address. Needs root.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PEER_SOURCES, PEERS_FOLDER, PeerMissing } from "./peer.js";

const DEBIAN = "trixie";
/** Packages; libfaketime saves a test five minutes of waiting for statistics. */
const DEBIAN_PACKAGES = "python3,python3-venv,libfaketime";
export const DEBIAN_ROOT = join(PEERS_FOLDER, `debian-${DEBIAN}`);
/** Certificate authorities of this computer, if any; the small Debian has none. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const INSTALL_LIMIT_MS = 300_000;
const END_LIMIT_MS = 30_000;

/** Runs a program to its end; if it fails, throws PeerMissing with its last line of output. */
async function install(what: string, command: string, args: string[]): Promise<void> {
	try {
		await promisify(execFile)(command, args, { timeout: INSTALL_LIMIT_MS, maxBuffer: 1 << 26 });
	} catch (error) {
		const { code, killed, stderr, stdout } = error as NodeJS.ErrnoException & {
			killed: boolean;
			stderr: string;
			stdout: string;
		};
		if (code === "ENOENT") throw new PeerMissing(`${command} is not installed (Debian's package ${command})`);
		const lastLine = (stderr.trim() || stdout.trim()).split("\n").at(-1);
		throw new PeerMissing(`${what}: ${killed ? `not done in ${INSTALL_LIMIT_MS} ms` : lastLine}`);
	}
}

let debian: Promise<void> | undefined;

async function installDebian(): Promise<void> {
	if (process.getuid?.() !== 0) throw new PeerMissing("debootstrap and chroot need root");
	const done = join(DEBIAN_ROOT, "installed.txt");
	if (existsSync(done) && readFileSync(done, "utf8") === DEBIAN_PACKAGES) return;
	rmSync(DEBIAN_ROOT, { recursive: true, force: true });
	const fresh = `${DEBIAN_ROOT}.new`;
	rmSync(fresh, { recursive: true, force: true });
	mkdirSync(PEERS_FOLDER, { recursive: true });
	// A mount namespace protects the computer's own /proc from a later deletion of the folder.
	await install("debootstrap", "unshare", [
		...["--mount", "--propagation", "private", "--", "debootstrap"],
		...["--variant=minbase", `--include=${DEBIAN_PACKAGES}`],
		...[DEBIAN, fresh],
	]);
	if (existsSync(AUTHORITIES)) copyFileSync(AUTHORITIES, join(fresh, AUTHORITIES));
	writeFileSync(join(fresh, "installed.txt"), DEBIAN_PACKAGES);
	renameSync(fresh, DEBIAN_ROOT);
}

/**
 * Installs the packages of test/peers/python/NAME.txt, all as wheels, into the virtual environment /NAME of the
 * Debian. The list includes uv, which installs the others. Throws PeerMissing if that fails. Takes about a minute the
 * first time.
 */
export async function installInDebian(name: string): Promise<void> {
	// Shared by all peers.
	debian ??= installDebian();
	await debian;
	const list = readFileSync(join(PEER_SOURCES, "python", `${name}.txt`), "utf8");
	const done = join(DEBIAN_ROOT, `${name}.installed.txt`);
	if (existsSync(done) && readFileSync(done, "utf8") === list) return;
	writeFileSync(join(DEBIAN_ROOT, `${name}.txt`), list);
	const uv = /^uv==.*$/m.exec(list)?.[0];
	assert.ok(uv, name);
	const inside = (what: string, ...command: string[]) => install(what, "chroot", [DEBIAN_ROOT, ...command]);
	await inside("venv", "python3", "-m", "venv", "--clear", `/${name}`);
	await inside("pip", `/${name}/bin/pip`, "install", "--quiet", uv);
	const options = ["--quiet", "--no-deps", "--no-build", "--no-cache", "--python", `/${name}/bin/python`];
	await inside("uv", `/${name}/bin/uv`, "pip", "install", ...options, "--requirement", `/${name}.txt`);
	writeFileSync(done, list);
}

/** Starts a command line in the Debian, with a /proc of its own that disappears with it. */
export function startInDebian(command: string, stdin: "ignore" | "pipe", stdout: "ignore" | "pipe"): ChildProcess {
	const script = `mount -t proc proc "$0/proc" && exec chroot "$0" ${command}`;
	const args = ["--mount", "--propagation", "private", "--", "sh", "-c", script, DEBIAN_ROOT];
	const child = spawn("unshare", args, { stdio: [stdin, stdout, "pipe"] });
	const kill = () => child.kill("SIGKILL");
	process.once("exit", kill);
	child.once("exit", () => process.off("exit", kill));
	return child;
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
