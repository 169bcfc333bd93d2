/** The firmware on Linux as a user starts and ends it: `npm run linux`. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../tools/linux.js", import.meta.url));
const ANY_PORT = ["--https-port", "0", "--http-port", "0"];

class LinuxBench {
	readonly child: ChildProcess;
	readonly exited: Promise<number | null>;
	errors = "";
	out = "";
	readonly #ready: Promise<unknown>;

	constructor(args: string[]) {
		this.child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		this.child.stderr!.on("data", (text) => (this.errors += text));
		this.child.stdout!.on("data", (text) => (this.out += text));
		this.#ready = once(createInterface(this.child.stdout!), "line");
		this.exited = once(this.child, "close").then(([code]) => code);
	}

	async ready(): Promise<string> {
		const ended = this.exited.then((code) => assert.fail(`ended with ${code}: ${this.errors}`));
		await Promise.race([this.#ready, ended]);
		return this.out;
	}

	end(signal: NodeJS.Signals): Promise<number | null> {
		this.child.kill(signal);
		return this.exited;
	}
}

describe("npm run linux, with the SDK", function () {
	this.timeout(300_000);
	let folder = "";
	let benches: LinuxBench[] = [];
	const start = (...args: string[]) => {
		const bench = new LinuxBench(["--state", join(folder, "state"), ...args]);
		benches.push(bench);
		return bench;
	};

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "linux-"));
		benches = [];
	});
	afterEach(async () => {
		for (const bench of benches) if (bench.child.exitCode === null) await bench.end("SIGKILL");
		rmSync(folder, { recursive: true });
	});

	it("serves, prints one line, tells the memory in use on SIGUSR2, and ends with 0", async () => {
		const bench = start("--quiet", ...ANY_PORT);
		assert.match(await bench.ready(), /^ready https:\/\/localhost:\d+ http:\/\/localhost:\d+\n$/);
		bench.child.kill("SIGUSR1");
		bench.child.kill("SIGUSR2");
		while (!/^memory .*\n/m.test(bench.out)) await once(bench.child.stdout!, "data");
		assert.equal(await bench.end("SIGTERM"), 0);
		assert.match(
			bench.out,
			/\nmemory slots \d+ of 3071, chunks \d+ of 81920 bytes, stack \d+ of 512, names \d+, slot \d+ bytes\n$/,
		);
		assert.equal(bench.errors, "");
	});

	it("keeps serial number, password and certificate from one start to the next", async () => {
		const identityOf = async (line: string) => {
			const port = Number(/https:\/\/localhost:(\d+)/.exec(line)![1]);
			const ca = readFileSync(join(folder, "state", "certificate.pem"), "utf8");
			const { serial } = JSON.parse(readFileSync(join(folder, "state", "factory.json"), "utf8"));
			const servername = `smgw-${serial.slice(-6).toLowerCase()}`;
			const status = await new Promise<number | undefined>((resolve, reject) => {
				const path = "/api/v1/system/challenge";
				request({ port, path, ca, servername, agent: false }, (reply) => {
					reply.resume().on("end", () => resolve(reply.statusCode));
				})
					.on("error", reject)
					.end();
			});
			assert.equal(status, 200);
			return ca + serial;
		};
		const first = start("--quiet", "--password", "Secret 1", ...ANY_PORT);
		const identity = await identityOf(await first.ready());
		assert.equal(await first.end("SIGINT"), 0);
		const second = start("--password", "Secret 2", ...ANY_PORT);
		assert.equal(await identityOf(await second.ready()), identity);
		assert.match(second.errors, /has a label password already/);
		assert.match(second.errors, /label password Secret 1\n/);
		assert.equal(await second.end("SIGTERM"), 0);
	});

	for (const option of ["--https-port", "--http-port"]) {
		it(`says when the port of ${option} is in use`, async () => {
			const squatter = createServer().listen(0);
			const { port } = squatter.address() as AddressInfo;
			const bench = start("--quiet", ...ANY_PORT, option, String(port));
			assert.equal(await bench.exited, 1);
			assert.equal(bench.errors, `port ${port} is used by another program\n`);
			assert.equal(bench.out, "");
			squatter.close();
		});
	}

	it("serves without its meter", async () => {
		const bench = start("--meter", join(folder, "no-such-port"), ...ANY_PORT);
		await bench.ready();
		assert.equal(await bench.end("SIGTERM"), 0);
	});

	it("ends when it is told to before it serves", async () => {
		const bench = start(...ANY_PORT);
		while (!existsSync(join(folder, "state"))) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.equal(await bench.end("SIGTERM"), 0);
	});

	it("says that the machine has ended, and with a signal which", async () => {
		const bench = start("--quiet", ...ANY_PORT);
		await bench.ready();
		const [runner] = readFileSync(`/proc/${bench.child.pid}/task/${bench.child.pid}/children`, "utf8")
			.trim()
			.split(" ")
			.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("mc.so"));
		process.kill(Number(runner), "SIGKILL");
		assert.equal(await bench.exited, 1);
		assert.equal(bench.errors, "The firmware has ended: signal SIGKILL\n");
	});
});
