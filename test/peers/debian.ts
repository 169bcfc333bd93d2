/**
 * Small Debians, made by debootstrap, with the Python that newer programs need. Programs run in them with chroot, each
 * with its own packages from PyPI, and use this computer's loopback address. Needs root.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PEER_SOURCES, PEERS_FOLDER, PeerMissing } from "./peer.js";

const MIRROR = "http://deb.debian.org/debian";
/** Packages; libfaketime saves a test five minutes of waiting for statistics. */
const PACKAGES = "python3,python3-venv,libfaketime";
/** Certificate authorities of this computer, if any; the small Debian has none. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
/** Script for releases that this computer's debootstrap does not know. */
const SCRIPT = "/usr/share/debootstrap/scripts/sid";
/** The only packages without a wheel. */
const SOURCES = ["pyturbojpeg", "mock-open"];
const INSTALL_LIMIT_MS = 600_000;

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

export class Debian {
	readonly root: string;
	readonly #release: string;
	#installed: Promise<void> | undefined;
	readonly #environments = new Map<string, Promise<void>>();

	constructor(release: string) {
		this.#release = release;
		this.root = join(PEERS_FOLDER, `debian-${release}`);
	}

	/**
	 * Installs the packages of test/peers/python/NAME.txt, all but SOURCES as wheels, into the virtual environment /NAME of the
	 * Debian. The list includes uv, which installs the others. Throws PeerMissing if that fails. Takes about a minute the
	 * first time.
	 */
	install(name: string): Promise<void> {
		const installed = this.#environments.get(name) ?? this.#install(name);
		this.#environments.set(name, installed);
		return installed;
	}

	/** Command line that runs the script of test/peers/python with the packages of the environment. */
	script(name: string, script: string): readonly string[] {
		copyFileSync(join(PEER_SOURCES, "python", script), join(this.root, script));
		return ["chroot", this.root, `/${name}/bin/python`, `/${script}`];
	}

	async #install(name: string): Promise<void> {
		const { root } = this;
		// Shared by all peers.
		this.#installed ??= this.#installDebian();
		await this.#installed;
		const list = readFileSync(join(PEER_SOURCES, "python", `${name}.txt`), "utf8");
		const done = join(root, `${name}.installed.txt`);
		if (existsSync(done) && readFileSync(done, "utf8") === list) return;
		writeFileSync(join(root, `${name}.txt`), list);
		const uv = /^uv==.*$/m.exec(list)?.[0];
		assert.ok(uv, name);
		const inside = (what: string, ...command: string[]) => install(what, "chroot", [root, ...command]);
		await inside("venv", "python3", "-m", "venv", "--clear", `/${name}`);
		await inside("pip", `/${name}/bin/pip`, "install", "--quiet", uv);
		const kinds = ["--only-binary=:all:", ...SOURCES.map((name) => `--no-binary=${name}`)];
		const options = ["--quiet", "--no-deps", ...kinds, "--no-cache", "--python", `/${name}/bin/python`];
		await inside("uv", `/${name}/bin/uv`, "pip", "install", ...options, "--requirement", `/${name}.txt`);
		writeFileSync(done, list);
	}

	/** Starts a command line in the Debian, with a /proc of its own that disappears with it. */
	start(command: string, stdin: "ignore" | "pipe", stdout: "ignore" | "pipe"): ChildProcess {
		const script = `mount -t proc proc "$0/proc" && exec chroot "$0" ${command}`;
		const args = ["--mount", "--propagation", "private", "--", "sh", "-c", script, this.root];
		const child = spawn("unshare", args, { stdio: [stdin, stdout, "pipe"] });
		const kill = () => child.kill("SIGKILL");
		process.once("exit", kill);
		child.once("exit", () => process.off("exit", kill));
		return child;
	}

	async #installDebian(): Promise<void> {
		const { root } = this;
		if (process.getuid?.() !== 0) throw new PeerMissing("debootstrap and chroot need root");
		const done = join(root, "installed.txt");
		if (existsSync(done) && readFileSync(done, "utf8") === PACKAGES) return;
		rmSync(root, { recursive: true, force: true });
		const fresh = `${root}.new`;
		rmSync(fresh, { recursive: true, force: true });
		mkdirSync(PEERS_FOLDER, { recursive: true });
		// A mount namespace protects the computer's own /proc from a later deletion of the folder.
		await install("debootstrap", "unshare", [
			...["--mount", "--propagation", "private", "--", "debootstrap"],
			...["--variant=minbase", `--include=${PACKAGES}`],
			...[this.#release, fresh, MIRROR, SCRIPT],
		]);
		if (existsSync(AUTHORITIES)) copyFileSync(AUTHORITIES, join(fresh, AUTHORITIES));
		writeFileSync(join(fresh, "installed.txt"), PACKAGES);
		renameSync(fresh, root);
	}
}

/** Debian with Python 3.13, and one with Python 3.14. */
export const TRIXIE = new Debian("trixie");
export const FORKY = new Debian("forky");
