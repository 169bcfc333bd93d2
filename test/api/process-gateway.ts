/**
 * The gateway in a process of its own, started with `npm start` (either engine) or `npm run linux`: real HTTPS, and a
 * pseudo-terminal with `npm run meter` at its other end. The client trusts only the key of the unit's first
 * certificate.
 *
 * The path of the meter's port is a link to the pseudo-terminal of the present meter.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { Agent as HTTPAgent, type IncomingMessage, request as requestHTTP } from "node:http";
import { type AgentOptions, Agent as HTTPSAgent, request as requestHTTPS } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTLS, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { bundleGateway } from "../../hosts/node/bundle.js";
import { findXSWorker } from "../../hosts/node/xs-worker.js";
import { watchFaults } from "../faults.js";
import { Follower, type FollowOptions } from "./follower.js";
import { type Exchange, type MeterSetup, PASSWORD, type Reply, TestGateway, type WireRequest } from "./gateway.js";
import { inOneFile } from "./one-file.js";

export const MAIN = fileURLToPath(new URL("../../hosts/node/main.js", import.meta.url));
export const LINUX = fileURLToPath(new URL("../../tools/linux.js", import.meta.url));
export const METER = fileURLToPath(new URL("../../tools/meter.js", import.meta.url));
/** Value of `meterPath` that makes the gateway start its own simulated meter. */
export const OUR_METER = "";
const START_LIMIT_MS = 60_000;
/** Limit of a start that builds the firmware before. */
const BUILD_LIMIT_MS = 480_000;
/** The gateway prints this when it restarts by itself. */
const RESTARTS = "The gateway restarts.";
/** Lines of a firmware that has restarted, or whose XS machine has ended. */
export const RESTARTED = /The gateway restarts\.|machine has ended/;
/** The end of `npm start` waits for the disk, which a busy computer delays. */
const END_LIMIT_MS = 30_000;
/** Longest time without a byte of a reply, ms; the longest readouts take a few minutes. */
const SILENCE_LIMIT_MS = 240_000;
/** A new unit reads the meter at the beginning of each quarter of an hour. */
const QUARTER_MS = 900_000;
const AFTER_QUARTER_MS = 1000;
/** Bytes that are not a valid entry. */
const DAMAGED = Uint8Array.of(1, 2, 3);
/** Number of TLS connections that the gateway serves. */
const CONNECTIONS = 2;

/** `linux` is the firmware that the Moddable SDK builds; it needs the SDK. */
export type EngineName = "node" | "xs" | "linux";

/** Processes to end after the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
	for (const child of running) child.kill("SIGKILL");
});

/** A program of this project that prints one line when it is ready. */
export class Program {
	readonly child: ChildProcess;
	errors = "";
	readonly #name: string;
	readonly #lines: Interface;
	readonly #exited: Promise<number | null>;

	constructor(name: string, path: string, args: string[]) {
		this.#name = name;
		this.child = spawn(process.execPath, ["--enable-source-maps", path, ...args], {
			stdio: ["ignore", "pipe", "pipe"],
		});
		running.add(this.child);
		this.#lines = createInterface(this.child.stdout!);
		this.child.stderr!.on("data", (bytes: Buffer) => {
			this.errors += bytes.toString();
		});
		watchFaults(name, this.child.stderr!);
		this.#exited = once(this.child, "close").then(([code]) => {
			running.delete(this.child);
			return code;
		});
	}

	/** Resolves with the next matching line. Rejects if the program ends before it. */
	line(pattern: RegExp): Promise<string> {
		return new Promise((resolve, reject) => {
			void this.#exited.then((code) =>
				reject(new Error(`${this.#name} ended with exit code ${code}:\n${this.errors}`)),
			);
			const onLine = (text: string) => {
				if (!pattern.test(text)) return;
				this.#lines.off("line", onLine);
				resolve(text);
			};
			this.#lines.on("line", onLine);
		});
	}

	/** Resolves with the first line. Rejects with the program's output if none comes. */
	firstLine(limitMs = START_LIMIT_MS): Promise<string> {
		const late = sleep(limitMs, undefined, { ref: false }).then(() => {
			throw new Error(`${this.#name} does not start:\n${this.errors}`);
		});
		return Promise.race([this.line(/^/), late]);
	}

	get hasEnded(): boolean {
		return !running.has(this.child);
	}

	/** Ends the program as a power cut does. */
	async kill(): Promise<void> {
		this.child.kill("SIGKILL");
		await this.#exited;
	}

	/** Stops the program, which must exit with 0 soon. */
	async end(): Promise<void> {
		this.child.kill("SIGTERM");
		const code = await Promise.race([this.#exited, sleep(END_LIMIT_MS, "never", { ref: false })]);
		if (code === "never") this.child.kill("SIGKILL");
		assert.equal(code, 0, `${this.#name} ended with ${code} after SIGTERM:\n${this.errors}`);
	}
}

export interface ProcessOptions {
	readonly mode?: "client" | "ap";
	/** Path of the meter's port, or OUR_METER; default: the link that `connectMeter` sets. */
	readonly meterPath?: string;
	/** Starts the simulator's default Zigbee network too. Default: no. */
	readonly hasZigbee?: boolean;
	/** Uses the development keys that the simulator makes if no keys are given. Default: no. */
	readonly hasSimulatorKeys?: boolean;
	/**
	 * Sets the clock ahead to the next quarter of an hour, so that no scheduled readout of a new unit disturbs the
	 * test.
	 */
	readonly isAhead?: boolean;
	/** Number of connections of this client. Default: CONNECTIONS. */
	readonly connections?: number;
	/** The networks within range, as of `setAir`. */
	readonly air?: string;
	readonly args?: readonly string[];
}

/**
 * Memory of the engine: slots and bytes of chunks in use; highest use and total size of the stack, in slots. What is not
 * known is 0.
 */
export interface Memory {
	readonly slots: number;
	readonly chunks: number;
	readonly stack: number;
	readonly stackLimit: number;
}

export class ProcessGateway extends TestGateway {
	hostname = "";
	/** The unit's own certificate, PEM. */
	certificate = "";
	/** Highest use of the stack between the last two calls of `memory`. */
	newStack = 0;
	readonly folder = mkdtempSync(join(tmpdir(), "gateway-"));
	readonly #engine: EngineName;
	readonly #options: ProcessOptions;
	readonly #aheadMs = QUARTER_MS - (Date.now() % QUARTER_MS) + AFTER_QUARTER_MS;
	readonly #link = join(this.folder, "meter");
	readonly #plainAgent: HTTPAgent;
	readonly #pool: AgentOptions;
	#agent = new HTTPSAgent();
	/** TLS options with the trusted certificate. */
	#trusted = {};
	#program: Program | undefined;
	#meter: Program | undefined;
	#ports = { https: 0, http: 0 };
	#stack = 0;
	#meters = 0;

	protected constructor(engine: EngineName, options: ProcessOptions) {
		super();
		this.#engine = engine;
		this.#options = options;
		this.#pool = { keepAlive: true, maxSockets: options.connections ?? CONNECTIONS };
		this.#plainAgent = new HTTPAgent(this.#pool);
	}

	/** Starts the gateway; fails with the reason if this engine can't run. */
	static start(engine: EngineName, options: ProcessOptions = {}): Promise<ProcessGateway> {
		return new ProcessGateway(engine, options).launch();
	}

	/** Starts the gateway and logs in; stops it if the login fails. */
	static async loggedIn(engine: EngineName, options: ProcessOptions = {}): Promise<ProcessGateway> {
		const gateway = await ProcessGateway.start(engine, options);
		try {
			await gateway.login();
		} catch (error) {
			await gateway.stop();
			throw error;
		}
		return gateway;
	}

	protected async launch(): Promise<this> {
		const [engine, { air }] = [this.#engine, this.#options];
		if (engine === "xs" && findXSWorker() === undefined) {
			throw new Error(
				"The XS engine is not installed: npm could not build @agoric/xsnap (gcc, g++ and make are needed).",
			);
		}
		// The script for XS is stale after a plain compile.
		if (engine === "xs") {
			await bundleGateway();
		}
		if (air !== undefined) {
			mkdirSync(this.stateFolder);
			this.setAir(air);
		}
		try {
			await this.#start();
		} catch (error) {
			await this.stop();
			throw error;
		}
		return this;
	}

	get stateFolder(): string {
		return join(this.folder, "state");
	}

	get httpsPort(): number {
		return this.#ports.https;
	}

	get ports(): { readonly https: number; readonly http: number } {
		return this.#ports;
	}

	get diagnosis(): string {
		return `gateway:\n${this.#program?.errors}\nmeter:\n${this.#meter?.errors ?? "none"}`;
	}

	authority(secure: boolean): string {
		return `127.0.0.1:${secure ? this.#ports.https : this.#ports.http}`;
	}

	send({ method, path, headers, body, chunked, secure, from }: WireRequest): Exchange {
		const [host, port] = this.authority(secure).split(":");
		const framing: Record<string, string> = {};
		if (chunked) framing["Transfer-Encoding"] = "chunked";
		else if (body !== undefined) framing["Content-Length"] = String(body.length);
		const make = secure ? requestHTTPS : requestHTTP;
		const agent = secure ? this.#agent : this.#plainAgent;
		// A connection from another address is not pooled and closes after its reply.
		const way = from === undefined ? { agent } : { ...this.#trusted, agent: false, localAddress: from };
		const request = make({ host, port, ...way, method, path, headers: { ...headers, ...framing } });
		const replied = new Promise<Reply>((resolve, reject) => {
			request.on("error", reject);
			request.setTimeout(SILENCE_LIMIT_MS, () => {
				request.destroy(new Error(`no reply to ${method} ${path} in ${SILENCE_LIMIT_MS / 1000} s`));
			});
			request.on("response", (response) => {
				receive(response).then(resolve, reject);
			});
		});
		// An abandoned request's reply is not awaited, so its rejection must not count as unhandled.
		replied.catch(() => {});
		request.end(body);
		return { reply: () => replied, abandon: () => void request.destroy() };
	}

	follow({ token = this.token, secure = true, headers = {} }: FollowOptions = {}): Follower {
		const [host, port] = this.authority(secure).split(":");
		const make = secure ? requestHTTPS : requestHTTP;
		const request = make({
			...{ host, port, ...this.#trusted, agent: false, path: "/api/v1/events" },
			headers: { Authorization: `Bearer ${token}`, ...headers },
		});
		const follower = new Follower(() => void request.destroy());
		request.on("error", () => {
			follower.isClosed = true;
		});
		request.on("response", (response) => {
			follower.status = response.statusCode ?? 0;
			follower.headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
			response.setEncoding("utf8").on("data", (text: string) => follower.feed(text));
			response.on("error", () => {});
			response.on("close", () => {
				follower.isClosed = true;
				follower.hasEnded = response.complete;
			});
		});
		request.end();
		return follower;
	}

	setAir(text: string): void {
		writeFileSync(join(this.stateFolder, "air.txt"), text);
	}

	async renamed(hostname: string): Promise<void> {
		const limitMs = Date.now() + START_LIMIT_MS;
		while (this.hostname !== hostname) {
			await sleep(200);
			await this.#trust();
			if (Date.now() > limitMs) throw new Error(`the gateway has no certificate for ${hostname} yet`);
		}
	}

	async pass(ms: number): Promise<void> {
		await sleep(ms);
	}

	async connectMeter(setup: MeterSetup | undefined): Promise<void> {
		if (setup === undefined) {
			await this.#disconnectMeter();
			return;
		}
		const telegram = join(this.folder, `telegram-${++this.#meters}.bin`);
		writeFileSync(telegram, setup.telegram);
		await this.connectProgram(["--telegram", telegram, ...meterArguments(setup)]);
	}

	/** Connects `npm run meter` with these arguments. */
	async connectProgram(args: readonly string[]): Promise<void> {
		await this.#disconnectMeter();
		this.#meter = new Program("the meter", await inOneFile(METER), [...args]);
		const path = (await this.#meter.firstLine()).replace(/^meter /, "");
		// The rename keeps the gateway from seeing a missing link.
		symlinkSync(path, `${this.#link}.new`);
		renameSync(`${this.#link}.new`, this.#link);
	}

	async #disconnectMeter(): Promise<void> {
		const before = this.#meter;
		this.#meter = undefined;
		rmSync(this.#link, { force: true });
		await before?.end();
	}

	/** True if the program has ended. */
	get hasEnded(): boolean {
		return this.#program?.hasEnded ?? true;
	}

	get pid(): number {
		return this.#program!.child.pid!;
	}

	/** Presses the button briefly. */
	pressButton(): void {
		this.#program!.child.kill("SIGUSR1");
	}

	/** Makes the gateway print its memory use. Not with the engine Node. */
	requestMemory(): void {
		this.#program!.child.kill("SIGUSR2");
	}

	/** Memory in use after a collection. Not with the engine Node; the engine XS knows only its slots. */
	async memory(): Promise<Memory> {
		const line = this.#program!.line(/^memory /);
		this.requestMemory();
		const [slots, , chunks = 0, , stack = 0, stackLimit = 0] = [...(await line).matchAll(/\d+/g)].map(Number);
		this.newStack = stack;
		this.#stack = Math.max(this.#stack, stack);
		return { slots, chunks, stack: this.#stack, stackLimit };
	}

	/** The firmware resets a damaged entry by itself; the simulator refuses to start with one. */
	async restart(damaged?: string): Promise<void> {
		if (damaged !== undefined) {
			writeFileSync(join(this.stateFolder, "flash", damaged), DAMAGED);
			assert.equal((await this.post("system/reboot")).status, 200);
			await this.rebooted();
			return;
		}
		await this.#startAgain((bytes) => bytes.equals(DAMAGED));
	}

	/** Cuts the gateway's power, and restores it. */
	async killed(): Promise<void> {
		await this.cutPower();
		await this.restorePower();
	}

	async cutPower(): Promise<void> {
		this.#agent.destroy();
		await this.#program!.kill();
	}

	async restorePower(): Promise<void> {
		await this.#start();
	}

	/** Makes the meter silent, with its line still connected, until it sends again. */
	silenceMeter(isSilent: boolean): void {
		this.#meter!.child.kill(isSilent ? "SIGSTOP" : "SIGCONT");
	}

	async restartWithout(entry: string): Promise<void> {
		await this.#startAgain((bytes, name) => name === entry || bytes.equals(DAMAGED));
	}

	/** Restarts without the entries that `isRemoved` selects: the simulator refuses to start with damaged ones. */
	async #startAgain(isRemoved: (bytes: Buffer, name: string) => boolean): Promise<void> {
		this.#agent.destroy();
		await this.#program?.end();
		const flash = join(this.stateFolder, "flash");
		for (const name of existsSync(flash) ? readdirSync(flash) : []) {
			if (isRemoved(readFileSync(join(flash, name)), name)) rmSync(join(flash, name));
		}
		await this.#start();
	}

	async rebooted(authority?: string): Promise<void> {
		const limitMs = Date.now() + START_LIMIT_MS;
		while (!this.#program!.errors.includes(RESTARTS)) {
			if (Date.now() > limitMs) throw new Error(`the gateway does not restart:\n${this.diagnosis}`);
			await sleep(50);
		}
		this.#program!.errors = this.#program!.errors.replace(RESTARTS, "");
		for (;;) {
			try {
				await this.#trust(authority);
				await this.get("system/challenge", { token: null });
				return;
			} catch {}
			if (Date.now() > limitMs) throw new Error(`the gateway does not reply after its restart:\n${this.diagnosis}`);
			await sleep(50);
		}
	}

	async stop(): Promise<void> {
		this.#agent.destroy();
		this.#plainAgent.destroy();
		try {
			await this.#program?.end();
		} finally {
			await this.#meter?.end();
			rmSync(this.folder, { recursive: true, force: true });
		}
	}

	async #start(): Promise<void> {
		const { mode = "client", meterPath = this.#link } = this.#options;
		const isLinux = this.#engine === "linux";
		const args = ["--mode", mode, "--https-port", "0", "--http-port", "0", ...(this.#options.args ?? [])];
		// The simulated Zigbee network needs a process of its own.
		if (!this.#options.hasZigbee && !args.includes("--zigbee")) args.push("--zigbee", "none");
		// The gateway has no development keys, like firmware that was built without keys.
		for (const key of ["--update-key", "--report-key"])
			if (!this.#options.hasSimulatorKeys && !args.includes(key)) args.push(key, "none");
		if (!isLinux) args.push("--engine", this.#engine);
		if (this.#options.isAhead) args.push("--time", new Date(Date.now() + this.#aheadMs).toISOString());
		args.push("--state", this.stateFolder, "--password", PASSWORD);
		if (meterPath !== OUR_METER) args.push("--meter", meterPath);
		this.#program = new Program("the gateway", isLinux ? LINUX : await inOneFile(MAIN), args);
		const line = await this.#program.firstLine(isLinux ? BUILD_LIMIT_MS : START_LIMIT_MS);
		const [, https, http] = /^ready https:\/\/localhost:(\d+) http:\/\/localhost:(\d+)$/.exec(line) ?? [];
		assert.ok(https && http, `not a ready line: ${line}`);
		assert.doesNotMatch(this.#program.errors, /Node runs the gateway instead/);
		this.#ports = { https: Number(https), http: Number(http) };
		await this.#trust();
	}

	/**
	 * Trusts the present certificate and closes earlier connections. Without `authority` the unit must show its own
	 * certificate with the same key.
	 */
	async #trust(authority?: string): Promise<void> {
		this.#agent.destroy();
		const pool = this.#pool;
		if (authority === undefined) {
			const shown = await certificateOf(this.#ports.https);
			assert.ok(shown.verify(shown.publicKey), `not signed by itself: ${shown.issuer}`);
			this.certificate = shown.toString();
			this.hostname = /DNS:([^,]+)/.exec(shown.subjectAltName ?? "")?.[1] ?? "";
			this.#trusted = { rejectUnauthorized: false };
			this.#agent = new KeyAgent(shown, pool);
		} else {
			this.#trusted = { ca: authority, servername: this.hostname };
			this.#agent = new HTTPSAgent({ ...this.#trusted, ...pool });
		}
	}
}

/**
 * Trusts certificates of the same name and key: the unit renews its own when its address is known, and keeps the key.
 */
class KeyAgent extends HTTPSAgent {
	readonly #shown: X509Certificate;

	constructor(shown: X509Certificate, options: AgentOptions) {
		super({ ...options, rejectUnauthorized: false });
		this.#shown = shown;
	}

	override createConnection(
		...args: Parameters<HTTPSAgent["createConnection"]>
	): ReturnType<HTTPSAgent["createConnection"]> {
		const socket = super.createConnection(...args) as TLSSocket;
		socket.once("secureConnect", () => {
			// A resumed session has shown the certificate before.
			if (socket.isSessionReused()) return;
			const certificate = socket.getPeerX509Certificate();
			const { publicKey, subject } = this.#shown;
			if (certificate?.verify(publicKey) && certificate.subject === subject) return;
			socket.destroy(new Error(`shows the certificate of another unit: ${certificate?.subject}`));
		});
		return socket;
	}
}

/** Certificate of a TLS server on this computer. */
export async function certificateOf(port: number): Promise<X509Certificate> {
	const socket = connectTLS({ host: "127.0.0.1", port, rejectUnauthorized: false });
	try {
		await once(socket, "secureConnect", { signal: AbortSignal.timeout(START_LIMIT_MS) });
		return new X509Certificate(socket.getPeerCertificate().raw);
	} finally {
		socket.destroy();
	}
}

async function receive(response: IncomingMessage): Promise<Reply> {
	const parts: Buffer[] = [];
	const isEndless = response.headers["content-type"] === "text/event-stream";
	for await (const part of response) {
		parts.push(part);
		// A stream of events has no end; leaving closes the connection.
		if (isEndless) break;
	}
	const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
	return { status: response.statusCode ?? 0, headers, text: Buffer.concat(parts).toString("utf8") };
}

function meterArguments(setup: MeterSetup): string[] {
	const { mode, faults = {}, address, battery, pushBaud, pushMs, echo, isPaced } = setup;
	const words: [string, string | number | boolean | undefined][] = [
		["mode", mode],
		["address", address],
		["battery", battery],
		["baud", pushBaud],
		["push-seconds", pushMs === undefined ? undefined : pushMs / 1000],
		["echo", echo],
		["baud-pace", isPaced],
		["noise", faults.noise],
		["wrong-bcc", faults.wrongBCC],
		["silence", faults.silence],
		["late", faults.lateMs],
		["cut", faults.cut],
		["lie", faults.lieBaud],
		["no-stx", faults.noSTX],
		["no-bcc", faults.noBCC],
		["ack-line", faults.ackLine],
		["damage", faults.damage],
	];
	return words
		.filter(([, value]) => value !== undefined && value !== false)
		.flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));
}
