/** The bench as the user starts it: a process with a command line, signals and exit codes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleGateway } from "../../../hosts/node/bundle.js";

const PROGRAM = fileURLToPath(new URL("../../../hosts/node/main.js", import.meta.url));
const ANY_PORT = ["--https-port", "0", "--http-port", "0"];

class Bench {
	readonly process: ChildProcess;
	readonly exited: Promise<number | null>;
	out = "";
	errors = "";

	constructor(args: string[]) {
		this.process = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		this.process.stderr!.on("data", (text) => (this.errors += text));
		this.process.stdout!.on("data", (text) => (this.out += text));
		this.exited = new Promise((resolve) => this.process.once("close", resolve));
	}

	/** The line that says that it serves. */
	async ready(): Promise<string> {
		const line = new Promise<void>((resolve) => {
			this.process.stdout!.on("data", () => this.out.includes("\n") && resolve());
		});
		const ended = this.exited.then((code) => {
			throw new Error(`ended with ${code}: ${this.errors}`);
		});
		await Promise.race([line, ended]);
		return this.out;
	}

	async end(signal: NodeJS.Signals): Promise<number | null> {
		this.process.kill(signal);
		return this.exited;
	}
}

/** Status and body of a GET from the host that goes by that name; `certificate` is the only one trusted. */
function get(url: string, name: string, certificate: string): Promise<{ status: number; body: string }> {
	return new Promise((resolve, reject) => {
		request(url, { ca: certificate, servername: name, agent: false }, (response) => {
			let body = "";
			response.on("data", (piece) => (body += piece));
			response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
		})
			.on("error", reject)
			.end();
	});
}

const childrenOf = (pid: number) =>
	readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

describe("npm start", function () {
	this.timeout(20_000);
	let folder = "";
	let benches: Bench[] = [];
	const start = (...args: string[]) => {
		const bench = new Bench(["--state", join(folder, "state"), ...args]);
		benches.push(bench);
		return bench;
	};

	before(bundleGateway);
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "bench-"));
		benches = [];
	});
	afterEach(async () => {
		for (const bench of benches) if (bench.process.exitCode === null) await bench.end("SIGKILL");
		rmSync(folder, { recursive: true });
	});

	for (const engine of ["xs", "node"]) {
		it(`serves on the engine ${engine} until it is told to end`, async () => {
			const bench = start("--engine", engine, "--password", "Secret 1", ...ANY_PORT);
			const line = await bench.ready();
			const [, https] = /^ready (https:\/\/localhost:\d+) http:\/\/localhost:\d+\n$/.exec(line) ?? [];
			assert.ok(https, line);
			const kept = (name: string) => readFileSync(join(folder, "state", name), "utf8");
			const name = `smgw-${JSON.parse(kept("factory.json")).serial.slice(-6).toLowerCase()}.local`;
			const reply = await get(`${https}/api/v1/iec62056/last`, name, kept("certificate.pem"));
			assert.equal(reply.status, 401);
			assert.equal(JSON.parse(reply.body).error, "unauthorized");
			assert.match(bench.errors, /User admin, label password Secret 1\n/);
			assert.match(bench.errors, /Simulated meter on \S+\n/);
			const children = childrenOf(bench.process.pid!);
			assert.equal(children.length, engine === "xs" ? 2 : 1);
			assert.equal(await bench.end("SIGTERM"), 0);
			await new Promise((resolve) => setTimeout(resolve, 100));
			for (const pid of children) assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
		});
	}

	it("keeps serial number, password and certificate from one start to the next", async () => {
		const files = () =>
			["factory.json", "certificate.pem", "key.pem"].map((name) => readFileSync(join(folder, "state", name), "utf8"));
		const first = start("--engine", "node", ...ANY_PORT);
		await first.ready();
		const made = files();
		assert.equal(await first.end("SIGINT"), 0);
		const second = start("--engine", "node", "--password", "another", ...ANY_PORT);
		await second.ready();
		assert.equal(await second.end("SIGTERM"), 0);
		assert.deepEqual(files(), made);
		assert.match(second.errors, /has a label password already/);
		assert.deepEqual(readdirSync(join(folder, "state")).sort(), [
			"certificate.pem",
			"factory.json",
			"flash",
			"key.pem",
		]);
	});

	it("prints nothing but the ready line when it is quiet, and bears the signal of the button", async () => {
		const bench = start("--quiet", "--zigbee", "/dev/ttyACM0", ...ANY_PORT);
		await bench.ready();
		bench.process.kill("SIGUSR1");
		await new Promise((resolve) => setTimeout(resolve, 100));
		assert.equal(await bench.end("SIGTERM"), 0);
		assert.equal(bench.errors, "");
		assert.equal(bench.out.split("\n").length, 2);
	});

	it("says in one line that the radio stays unused, and serves without its meter", async () => {
		const bench = start("--engine", "node", "--zigbee", "tcp://host:1", "--meter", "/dev/no-such-port", ...ANY_PORT);
		await bench.ready();
		assert.match(bench.errors, /^--zigbee: .*\n/);
		assert.equal(await bench.end("SIGTERM"), 0);
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

	it("says when the XS engine dies", async () => {
		const bench = start("--quiet", ...ANY_PORT);
		await bench.ready();
		const worker = childrenOf(bench.process.pid!).find((pid) =>
			readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("xsnap"),
		);
		process.kill(worker!, "SIGKILL");
		assert.equal(await bench.exited, 1);
		assert.equal(bench.errors, "The XS engine has ended: signal SIGKILL\n");
	});

	it("ends when it is told to before it serves", async () => {
		const bench = start(...ANY_PORT);
		// It makes its state folder first of all.
		while (!existsSync(join(folder, "state"))) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.equal(await bench.end("SIGTERM"), 0);
	});

	it("refuses a bad command line with exit code 2", async () => {
		const bench = start("--frobnicate");
		assert.equal(await bench.exited, 2);
		assert.match(bench.errors, /frobnicate.*\nnpm start -- --help lists the options\.\n$/s);
	});

	it("lists its options", async () => {
		const bench = start("--help");
		assert.equal(await bench.exited, 0);
		assert.match(bench.out, /--https-port N/);
	});
});
