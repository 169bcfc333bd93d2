/**
 * The gateway as `npm start` runs it, in a process of its own, with either engine, or as `npm run linux` does: real
 * HTTPS, and a real pseudo-terminal with `npm run meter` at the other end. The only trusted key is that of the first
 * certificate that the unit shows.
 *
 * The meter's path is a link, which points to the pseudo-terminal of the present meter.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
	existsSync,
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
import { Follower, type FollowOptions } from "./follower.js";
import { type Exchange, type MeterSetup, PASSWORD, type Reply, TestGateway, type WireRequest } from "./gateway.js";

export const MAIN = fileURLToPath(new URL("../../hosts/node/main.js", import.meta.url));
export const LINUX = fileURLToPath(new URL("../../tools/linux.js", import.meta.url));
export const METER = fileURLToPath(new URL("../../tools/meter.js", import.meta.url));
/** For `meterPath`: the gateway starts a simulated meter of its own. */
export const OUR_METER = "";
const START_LIMIT_MS = 60_000;
/** Message of a restart on its own. */
const STARTS_ANEW = "The gateway restarts.";
const END_LIMIT_MS = 10_000;
/** In each of which a new unit reads the meter once, at its begin. */
const QUARTER_MS = 900_000;
const AFTER_QUARTER_MS = 1000;
/** No entry of settings. */
const DAMAGED = Uint8Array.of(1, 2, 3);
/** As many as the gateway serves over TLS. */
const CONNECTIONS = 2;

/** `linux` is the firmware by the Moddable SDK, which must be there. */
export type EngineName = "node" | "xs" | "linux";

/** Processes that still run when the tests end, however they end. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
	for (const child of running) child.kill("SIGKILL");
});

let bundled: Promise<void> | undefined;

/** A program of ours that says on its first line of output that it is ready. */
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
		this.child.stderr?.on("data", (bytes: Buffer) => {
			this.errors += bytes.toString();
		});
		this.#exited = once(this.child, "close").then(([code]) => {
			running.delete(this.child);
			return code;
		});
	}

	/** The next line that matches. Rejects when the program ends before. */
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

	/** The first line. Rejects with what the program has to say when none comes. */
	firstLine(): Promise<string> {
		const late = sleep(START_LIMIT_MS, undefined, { ref: false }).then(() => {
			throw new Error(`${this.#name} does not start:\n${this.errors}`);
		});
		return Promise.race([this.line(/^/), late]);
	}

	/** As a power cut. */
	async kill(): Promise<void> {
		this.child.kill("SIGKILL");
		await this.#exited;
	}

	/** Ends it in good order: it must exit with 0, and soon. */
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
	/** With the simulated Zigbee network that the simulator has unless told otherwise. Default: none. */
	readonly hasZigbee?: boolean;
	/** With the development keys that the simulator makes where no other keys are named. Default: without. */
	readonly hasBenchKeys?: boolean;
	/**
	 * Its clock is ahead, by what is left of a quarter of an hour: a new unit reads nothing by itself for the next one. Else it
	 * may do so in the middle of a test.
	 */
	readonly isAhead?: boolean;
	/** More of its command line. */
	readonly args?: readonly string[];
}

/** Slots and bytes of chunks alive; slots of the stack that were ever used, and how many there are. */
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
	readonly folder = mkdtempSync(join(tmpdir(), "gateway-"));
	readonly #engine: EngineName;
	readonly #options: ProcessOptions;
	readonly #aheadMs = QUARTER_MS - (Date.now() % QUARTER_MS) + AFTER_QUARTER_MS;
	readonly #link = join(this.folder, "meter");
	readonly #plainAgent = new HTTPAgent({ keepAlive: true, maxSockets: CONNECTIONS });
	#agent = new HTTPSAgent();
	/** TLS options with the certificate to trust. */
	#trusted = {};
	#program: Program | undefined;
	#meter: Program | undefined;
	#ports = { https: 0, http: 0 };
	#meters = 0;

	protected constructor(engine: EngineName, options: ProcessOptions) {
		super();
		this.#engine = engine;
		this.#options = options;
	}

	/** Starts it; fails, with the reason, where it can't run with this engine. */
	static async start(engine: EngineName, options: ProcessOptions = {}): Promise<ProcessGateway> {
		if (engine === "xs" && findXSWorker() === undefined) {
			throw new Error(
				"The XS engine is not installed: npm could not build @agoric/xsnap (gcc, g++ and make are needed).",
			);
		}
		// A run straight from the compiler's output has no fresh script for XS.
		if (engine === "xs") {
			bundled ??= bundleGateway();
			await bundled;
		}
		const gateway = new ProcessGateway(engine, options);
		try {
			await gateway.#start();
		} catch (error) {
			await gateway.stop();
			throw error;
		}
		return gateway;
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
		// The connection of another address ends with its reply: it takes nobody's place.
		const way = from === undefined ? { agent } : { ...this.#trusted, agent: false, localAddress: from };
		const request = make({ host, port, ...way, method, path, headers: { ...headers, ...framing } });
		const replied = new Promise<Reply>((resolve, reject) => {
			request.on("error", reject);
			request.on("response", (response) => {
				receive(response).then(resolve, reject);
			});
		});
		// An abandoned request has no reader of its reply.
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
			if (Date.now() > limitMs) throw new Error(`the gateway does not show a certificate for ${hostname}`);
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

	/** Puts the head on `npm run meter` with this command line. */
	async connectProgram(args: readonly string[]): Promise<void> {
		await this.#disconnectMeter();
		this.#meter = new Program("the meter", METER, [...args]);
		const path = (await this.#meter.firstLine()).replace(/^meter /, "");
		// By renaming, so that the gateway never meets half a link.
		symlinkSync(path, `${this.#link}.new`);
		renameSync(`${this.#link}.new`, this.#link);
	}

	async #disconnectMeter(): Promise<void> {
		const before = this.#meter;
		this.#meter = undefined;
		rmSync(this.#link, { force: true });
		await before?.end();
	}

	/** Id of its process. */
	get pid(): number {
		return this.#program!.child.pid!;
	}

	/** Shortly. */
	pressButton(): void {
		this.#program!.child.kill("SIGUSR1");
	}

	/** Makes it print a line with the memory in use. Firmware on Linux only. */
	askMemory(): void {
		this.#program!.child.kill("SIGUSR2");
	}

	/** Memory of the machine in use after a collection. Firmware on Linux only. */
	async memory(): Promise<Memory> {
		const line = this.#program!.line(/^memory /);
		this.askMemory();
		const [slots, , chunks, , stack, stackLimit] = [...(await line).matchAll(/\d+/g)].map(Number);
		return { slots, chunks, stack, stackLimit };
	}

	/** With something damaged the firmware starts anew by itself: the program, started anew, would refuse it. */
	async restart(damaged?: string): Promise<void> {
		if (damaged !== undefined) {
			writeFileSync(join(this.stateFolder, "flash", damaged), DAMAGED);
			assert.equal((await this.post("system/reboot")).status, 200);
			await this.rebooted();
			return;
		}
		await this.#startAgain((bytes) => bytes.equals(DAMAGED));
	}

	/** It is killed, and started again. */
	async killed(): Promise<void> {
		this.#agent.destroy();
		await this.#program!.kill();
		await this.#start();
	}

	async restartWithout(entry: string): Promise<void> {
		await this.#startAgain((bytes, name) => name === entry || bytes.equals(DAMAGED));
	}

	/** Without what is still damaged, which it would not start with. */
	async #startAgain(isToGo: (bytes: Buffer, name: string) => boolean): Promise<void> {
		this.#agent.destroy();
		await this.#program?.end();
		const flash = join(this.stateFolder, "flash");
		for (const name of existsSync(flash) ? readdirSync(flash) : []) {
			if (isToGo(readFileSync(join(flash, name)), name)) rmSync(join(flash, name));
		}
		await this.#start();
	}

	async rebooted(authority?: string): Promise<void> {
		const limitMs = Date.now() + START_LIMIT_MS;
		while (!this.#program!.errors.includes(STARTS_ANEW)) {
			if (Date.now() > limitMs) throw new Error(`the gateway does not start anew:\n${this.diagnosis}`);
			await sleep(50);
		}
		this.#program!.errors = this.#program!.errors.replace(STARTS_ANEW, "");
		for (;;) {
			try {
				await this.#trust(authority);
				await this.get("system/challenge", { token: null });
				return;
			} catch {}
			if (Date.now() > limitMs) throw new Error(`the gateway does not come back:\n${this.diagnosis}`);
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
		// The simulated network takes a process of its own.
		if (!this.#options.hasZigbee && !args.includes("--zigbee")) args.push("--zigbee", "none");
		// Without the development keys it is as a firmware that was built without keys.
		for (const key of ["--update-key", "--report-key"])
			if (!this.#options.hasBenchKeys && !args.includes(key)) args.push(key, "none");
		if (!isLinux) args.push("--engine", this.#engine);
		if (this.#options.isAhead) args.push("--time", new Date(Date.now() + this.#aheadMs).toISOString());
		args.push("--state", this.stateFolder, "--password", PASSWORD);
		if (meterPath !== OUR_METER) args.push("--meter", meterPath);
		this.#program = new Program("the gateway", isLinux ? LINUX : MAIN, args);
		const line = await this.#program.firstLine();
		const [, https, http] = /^ready https:\/\/localhost:(\d+) http:\/\/localhost:(\d+)$/.exec(line) ?? [];
		assert.ok(https && http, `not a ready line: ${line}`);
		assert.doesNotMatch(this.#program.errors, /Node runs the gateway instead/);
		this.#ports = { https: Number(https), http: Number(http) };
		await this.#trust();
	}

	/** Connections from here on; those before are given up. Without `authority` the unit must show one of its own, and keep its key. */
	async #trust(authority?: string): Promise<void> {
		this.#agent.destroy();
		const pool = { keepAlive: true, maxSockets: CONNECTIONS };
		if (authority === undefined) {
			const shown = await certificateOf(this.#ports.https);
			assert.ok(shown.verify(shown.publicKey), `signed by another: ${shown.issuer}`);
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

/** Trusts certificates of the same name and key: a unit makes its own anew when its address is known, and keeps its key. */
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
			// One that goes on with a session of before has shown it then.
			if (socket.isSessionReused()) return;
			const certificate = socket.getPeerX509Certificate();
			const { publicKey, subject } = this.#shown;
			if (certificate?.verify(publicKey) && certificate.subject === subject) return;
			socket.destroy(new Error(`shows another's certificate: ${certificate?.subject}`));
		});
		return socket;
	}
}

/** Certificate that a TLS server of this computer shows. */
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
		// A stream of events is whole with whatever has come of it; leaving ends the connection.
		if (isEndless) break;
	}
	const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
	return { status: response.statusCode ?? 0, headers, text: Buffer.concat(parts).toString("utf8") };
}

/** The meter's command line. */
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
