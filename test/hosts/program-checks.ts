/** Checks of both `npm start` and `npm run linux`: processes with a command line, signals and exit codes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTLS } from "node:tls";
import { watchFaults } from "../faults.js";

/** Arguments without the simulated network, which needs a process of its own. */
export const ANY_PORT = ["--https-port", "0", "--http-port", "0", "--zigbee", "none"];

export class Program {
	readonly process: ChildProcess;
	readonly exited: Promise<number | null>;
	out = "";
	errors = "";

	constructor(path: string, args: string[]) {
		this.process = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		this.process.stderr!.on("data", (text) => (this.errors += text));
		watchFaults(path, this.process.stderr!);
		this.process.stdout!.on("data", (text) => (this.out += text));
		this.exited = new Promise((resolve) => this.process.once("close", resolve));
	}

	/** All output up to a matching line; by default up to the ready line. */
	async printed(pattern = /^ready .*\n/m): Promise<string> {
		const line = new Promise<void>((resolve) => {
			const checkOutput = () => pattern.test(this.out) && resolve();
			this.process.stdout!.on("data", checkOutput);
			checkOutput();
		});
		const ended = this.exited.then((code) => {
			throw new Error(`ended with ${code}: ${this.errors}`);
		});
		await Promise.race([line, ended]);
		return this.out;
	}

	/** Waits for a matching line of the messages. */
	async said(pattern: RegExp): Promise<void> {
		while (!pattern.test(this.errors)) await once(this.process.stderr!, "data");
	}

	async end(signal: NodeJS.Signals): Promise<number | null> {
		this.process.kill(signal);
		return this.exited;
	}

	/** Process ids. */
	get children(): number[] {
		const { pid } = this.process;
		const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
		return ids.filter(Boolean).map(Number);
	}

	/** The child process with this text in its command line. */
	child(text: string): number {
		return this.children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text))!;
	}
}

/** Certificate of the server at the address, as PEM, and its owner: name and key. */
async function certificateOf(url: string): Promise<{ certificate: string; owner: string }> {
	const socket = connectTLS({ host: "127.0.0.1", port: Number(new URL(url).port), rejectUnauthorized: false });
	await once(socket, "secureConnect");
	const shown = new X509Certificate(socket.getPeerCertificate().raw);
	socket.destroy();
	return {
		certificate: shown.toString(),
		owner: shown.subject + shown.publicKey.export({ type: "spki", format: "pem" }),
	};
}

/** Status and body of a GET to the host with that name; `certificate` is the only trusted one. */
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

/** Waits until a process has ended, limited by the test's time-out. */
async function untilEnded(pid: number): Promise<void> {
	for (;;) {
		try {
			process.kill(pid, 0);
		} catch (error) {
			assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
			return;
		}
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

export interface ProgramOptions {
	/** Path of the compiled program. */
	readonly path: string;
	/** Options of each way to run the program, and its number of processes. */
	readonly ways: readonly { readonly args: readonly string[]; readonly children: number }[];
}

/** Starts the program, whose child `name` is killed three times and then crashes three times. The next start is in safe mode. */
export async function crashOften(start: (...args: string[]) => Program, name: string): Promise<void> {
	for (const signal of ["SIGKILL", "SIGKILL", "SIGKILL", "SIGSEGV", "SIGSEGV", "SIGSEGV"]) {
		const program = start(...ANY_PORT);
		await program.printed();
		process.kill(program.child(name), signal);
		assert.equal(await program.exited, 1);
		assert.doesNotMatch(program.errors, /safe mode/);
	}
}

/** Registers the checks; returns a function that starts the program on this test's own state. */
export function programChecks({ path, ways }: ProgramOptions): (...args: string[]) => Program {
	let folder = "";
	let programs: Program[] = [];
	const start = (...args: string[]) => {
		const program = new Program(path, ["--state", join(folder, "state"), ...args]);
		programs.push(program);
		return program;
	};
	const storedText = (name: string) => readFileSync(join(folder, "state", name), "utf8");

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "program-"));
		programs = [];
	});
	afterEach(async () => {
		for (const program of programs) {
			if (program.process.exitCode !== null || program.process.signalCode !== null) continue;
			// Child processes would keep the program's output open.
			for (const pid of program.children) process.kill(pid, "SIGKILL");
			await program.end("SIGKILL");
		}
		rmSync(folder, { recursive: true });
	});

	for (const { args, children } of ways) {
		it(`serves with ${args.join(" ") || "its defaults"} until a signal ends it`, async () => {
			const program = start(...args, "--password", "Secret 1", ...ANY_PORT);
			const line = await program.printed();
			const [, https] = /^ready (https:\/\/localhost:\d+) http:\/\/localhost:\d+\n$/.exec(line) ?? [];
			assert.ok(https, line);
			const name = `smgw-${JSON.parse(storedText("factory.json")).serial.slice(-6).toLowerCase()}.local`;
			const { certificate } = await certificateOf(https);
			const reply = await get(`${https}/api/v1/iec62056/last`, name, certificate);
			assert.equal(reply.status, 401);
			assert.equal(JSON.parse(reply.body).error, "unauthorized");
			assert.match(program.errors, /User admin, label password Secret 1\n/);
			assert.match(program.errors, /Simulated meter on \S+\n/);
			const pids = program.children;
			assert.equal(pids.length, children);
			assert.equal(await program.end("SIGTERM"), 0);
			for (const pid of pids) await untilEnded(pid);
		});
	}

	it("ends in order while it waits for its network, before it says that it is ready", async () => {
		mkdirSync(join(folder, "state"));
		writeFileSync(join(folder, "state", "air.txt"), "elsewhere -60 1\n");
		const program = start(...ANY_PORT);
		await program.said(/press of its button/);
		assert.equal(await program.end("SIGTERM"), 0);
		assert.equal(program.out, "");
	});

	it("keeps serial number, password, development keys and the certificate's key across restarts", async () => {
		const addressOf = (line: string) => /https:\S+/.exec(line)![0];
		const first = start(...ANY_PORT);
		const { owner } = await certificateOf(addressOf(await first.printed()));
		const files = ["factory.json", "update.key", "report.key"];
		const before = files.map(storedText);
		assert.equal(await first.end("SIGINT"), 0);
		const second = start("--password", "another", ...ANY_PORT);
		assert.equal((await certificateOf(addressOf(await second.printed()))).owner, owner);
		assert.equal(await second.end("SIGTERM"), 0);
		assert.deepEqual(files.map(storedText), before);
		assert.match(second.errors, /already has a label password/);
		assert.deepEqual(readdirSync(join(folder, "state")).sort(), ["flash", "partitions", ...files].sort());
	});

	it("allows no second gateway on its state folder, starts again after it was killed, and reports an unusable folder", async () => {
		const first = start(...ANY_PORT);
		await first.printed();
		const second = start(...ANY_PORT);
		assert.equal(await second.exited, 1);
		assert.match(
			second.errors,
			new RegExp(`Process ${first.process.pid} runs a gateway on the state folder .*--state`),
		);
		const pids = first.children;
		await first.end("SIGKILL");
		for (const pid of pids) await untilEnded(pid);
		const third = start(...ANY_PORT);
		await third.printed();
		assert.equal(await third.end("SIGTERM"), 0);
		const nowhere = start("--state", "/proc/nowhere/state", ...ANY_PORT);
		assert.equal(await nowhere.exited, 1);
		assert.match(
			nowhere.errors,
			/The state folder \/proc\/nowhere\/state can't be used \(.*; name another one with --state\./,
		);
	});

	it("reports unreadable state, and does not start on it", async () => {
		const state = (...names: string[]) => join(folder, "state", ...names);
		const refused = async (sentence: RegExp) => {
			const program = start("--quiet", ...ANY_PORT);
			assert.equal(await program.exited, 1);
			assert.match(program.errors, sentence);
			assert.equal(program.out, "");
		};
		const first = start(...ANY_PORT);
		await first.printed();
		assert.equal(await first.end("SIGTERM"), 0);
		const factory = storedText("factory.json");

		writeFileSync(state("factory.json"), factory.slice(0, 20));
		await refused(/^\S*factory\.json is damaged: restore it from a copy, or delete \S*state to get a new unit\.\n$/);
		writeFileSync(state("factory.json"), factory.replace('"version": 1', '"version": 2'));
		await refused(
			/^\S*factory\.json was written by a newer version of this program \(format 2; this program reads 1\): use the newer version, /,
		);
		rmSync(state("factory.json"));
		await refused(
			/^\S*state has settings, but no factory\.json: restore the file, or delete \S*state to get a new unit\.\n$/,
		);
		writeFileSync(state("factory.json"), factory);

		const wifi = readFileSync(state("flash", "wifi"));
		for (const bytes of [wifi.subarray(0, -1), Buffer.from([2, ...wifi.subarray(1)])]) {
			writeFileSync(state("flash", "wifi"), bytes);
			await refused(
				/^Settings can't be read, since they are damaged or were written by a newer version .*: \S*flash\/wifi\. /,
			);
			assert.deepEqual(readFileSync(state("flash", "wifi")), bytes);
		}
		rmSync(state("flash", "wifi"));
		mkdirSync(state("flash", "wifi"));
		await refused(/^Settings can't be read, .*: \S*flash\/wifi\. /);
		rmSync(state("flash", "wifi"), { recursive: true });
		writeFileSync(state("flash", "wifi"), wifi);

		const last = start(...ANY_PORT);
		await last.printed();
		assert.equal(await last.end("SIGTERM"), 0);
	});

	it("prints the command that presses its button, with its process id", async () => {
		const program = start("--meter", join(folder, "no-such-port"), ...ANY_PORT);
		await program.printed();
		assert.ok(
			program.errors.includes(`A short press of its button: kill -USR1 ${program.process.pid}\n`),
			program.errors,
		);
		assert.equal(await program.end("SIGTERM"), 0);
	});

	it("reports that the meter's port has no device yet", async () => {
		const program = start("--meter", join(folder, "no-such-port"), ...ANY_PORT);
		await program.printed();
		assert.match(program.errors, /no-such-port does not exist yet/);
		assert.equal(await program.end("SIGTERM"), 0);
	});

	it("prints only the ready line with --quiet, and is not ended by the signal of the button", async () => {
		const program = start("--quiet", ...ANY_PORT, "--zigbee", "/dev/ttyACM0");
		await program.printed();
		program.process.kill("SIGUSR1");
		await new Promise((resolve) => setTimeout(resolve, 100));
		assert.equal(await program.end("SIGTERM"), 0);
		assert.equal(program.errors, "");
		assert.equal(program.out.split("\n").length, 2);
	});

	for (const option of ["--https-port", "--http-port"]) {
		it(`reports that the port of ${option} is in use`, async () => {
			const squatter = createServer().listen(0);
			const { port } = squatter.address() as AddressInfo;
			const program = start("--quiet", ...ANY_PORT, option, String(port));
			assert.equal(await program.exited, 1);
			assert.equal(program.errors, `Port ${port} is used by another program: choose another with ${option}.\n`);
			assert.equal(program.out, "");
			squatter.close();
		});
	}

	it("ends if the signal comes before it serves", async () => {
		const program = start(...ANY_PORT);
		// The program creates its state folder early.
		while (!existsSync(join(folder, "state"))) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.equal(await program.end("SIGTERM"), 0);
	});

	return start;
}
