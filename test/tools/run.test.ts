/** The programs as npm starts them (tools/run.mjs), when a process of the chain is killed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)));
const RUN = /^\S*node tools\/run\.mjs/;
const GONE_LIMIT_MS = 15_000;

interface Process {
	readonly pid: number;
	readonly command: string;
}

function childrenOf(pid: number): Process[] {
	const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
	return ids.flatMap((id) => [
		{ pid: id, command: readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ") },
		...childrenOf(id),
	]);
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

describe("npm start, under npm", function () {
	this.timeout(120_000);
	let folder = "";
	let npm: ChildProcess | undefined;
	let started: Process[] = [];

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "run-"));
	});
	afterEach(() => {
		for (const { pid } of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
		npm?.kill("SIGKILL");
		started = [];
		rmSync(folder, { recursive: true });
	});

	async function start(): Promise<void> {
		const ports = ["--http-port", "0", "--https-port", "0"];
		const options = ["--engine", "node", "--state", join(folder, "state"), ...ports];
		npm = spawn("npm", ["start", "--", ...options], { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] });
		const lines = createInterface(npm.stdout!);
		for (;;) {
			const [line] = await once(lines, "line", { signal: AbortSignal.timeout(GONE_LIMIT_MS * 2) });
			if (line.startsWith("ready ")) break;
		}
		started = childrenOf(npm.pid!);
	}

	const find = (command: RegExp) => started.find((one) => command.test(one.command))!.pid;

	async function allEnded(): Promise<void> {
		const limitMs = performance.now() + GONE_LIMIT_MS;
		for (;;) {
			const left = started.filter(({ pid }) => isRunning(pid));
			if (left.length === 0) return;
			assert.ok(performance.now() < limitMs, `left behind: ${left.map(({ command }) => command).join("; ")}`);
			await sleep(50);
		}
	}

	it("leaves no process behind when the script that npm runs is killed", async () => {
		await start();
		assert.ok(find(/meter\.js/));
		process.kill(find(RUN), "SIGKILL");
		await allEnded();
	});

	for (const signal of ["SIGKILL", "SIGTERM"] as const) {
		it(`leaves no process behind when npm receives ${signal}`, async () => {
			await start();
			npm!.kill(signal);
			await allEnded();
		});
	}

	it("continues after the signals for button and memory", async () => {
		await start();
		for (const signal of ["SIGUSR1", "SIGUSR2"]) process.kill(find(RUN), signal);
		await sleep(500);
		assert.deepEqual(
			started.filter(({ pid }) => !isRunning(pid)),
			[],
		);
	});
});

describe("A checkout without write permission", () => {
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "checkout-"));
		for (const name of ["tools", "node_modules", "node_modules/.bin", ".build"]) mkdirSync(join(folder, name));
		copyFileSync(join(ROOT, "tools", "run.mjs"), join(folder, "tools", "run.mjs"));
		writeFileSync(join(folder, "package-lock.json"), "{}");
	});
	afterEach(() => {
		chmodSync(join(folder, ".build"), 0o755);
		chmodSync(folder, 0o755);
		rmSync(folder, { recursive: true });
	});

	/** Returns the message for a user without write permission; root drops its rights for this. */
	function start(): string {
		chmodSync(join(folder, ".build"), 0o555);
		chmodSync(folder, 0o555);
		const other = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {};
		const run = spawnSync(process.execPath, [join(folder, "tools", "run.mjs"), "start"], {
			...other,
			encoding: "utf8",
		});
		assert.equal(run.status, 1);
		return run.stderr;
	}

	it("says who can help if the packages are not installed", () => {
		assert.equal(
			start(),
			`${folder} can't be written, and the npm packages are not installed: let its owner run \`npm run build\` there once.\n`,
		);
	});

	it("says the same if the build is incomplete, without the compiler's errors", () => {
		writeFileSync(join(folder, "node_modules", ".package-lock.json"), "{}");
		writeFileSync(join(folder, "node_modules", ".bin", "tsc"), "#!/bin/sh\necho a thousand lines\nexit 1\n", {
			mode: 0o755,
		});
		assert.equal(
			start(),
			`${folder} can't be written, and it is not completely built yet: let its owner run \`npm run build\` there once.\n`,
		);
	});
});
