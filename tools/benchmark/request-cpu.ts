/**
 * Part g: CPU time of a small request in the firmware on Linux. The reference is the Moddable SDK's HTTP server. It
 * sends the same number of bytes, but checks no token and closes the connection after each reply.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LinuxEngine } from "./linux-engine.js";
import { median, progress, type Row, round, type Section } from "./report.js";
import { buildSDKServer } from "./sdk-server.js";

const ROUNDS = 7;
const REQUESTS = 2000;
const QUICK_ROUNDS = 3;
const QUICK_REQUESTS = 500;
const FIRST_REQUESTS = 50;
const ANSWER_LIMIT_MS = 5000;
const START_TRIES = 100;
const PASSWORD = "bench-password";
const FACTORY = Object.freeze({ serial: "020000000001", labelPassword: PASSWORD, accessPointKey: PASSWORD });
const FIELDS = "User-Agent: bench\r\nAccept: */*\r\n";

const TITLE =
	"Processor time of a small GET over plain HTTP: firmware on Linux, compared with the Moddable SDK's own server";

class Client {
	readonly #port: number;
	#socket: Socket | undefined;
	#received = "";
	#wake: (() => void) | undefined;

	constructor(port: number) {
		this.#port = port;
	}

	async renew(): Promise<void> {
		this.#socket?.destroy();
		const socket = connect(this.#port, "127.0.0.1");
		this.#socket = socket;
		await once(socket, "connect");
		socket.setNoDelay(true);
		socket.on("error", () => {});
		socket.on("data", (piece: Buffer) => {
			this.#received += piece.toString("latin1");
			this.#wake?.();
		});
	}

	static async open(port: number): Promise<Client> {
		const client = new Client(port);
		for (let left = START_TRIES; ; left--) {
			try {
				await client.renew();
				return client;
			} catch (error) {
				if (left === 0) throw error;
				await sleep(50);
			}
		}
	}

	/** Sends a request. Throws unless the status is 200. */
	async ask(path: string, token: string, body?: string): Promise<{ head: string; body: string }> {
		const fields = `Host: 127.0.0.1:${this.#port}\r\n${FIELDS}${token === "" ? "" : `Authorization: Bearer ${token}\r\n`}`;
		const opening = body === undefined ? `GET ${path}` : `POST ${path}`;
		const length = body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
		const request = `${opening} HTTP/1.1\r\n${fields}${length}\r\n${body ?? ""}`;
		this.#received = "";
		this.#socket?.write(request);
		for (;;) {
			await new Promise<void>((resolve, reject) => {
				const late = setTimeout(() => reject(new Error(`${path} was not answered`)), ANSWER_LIMIT_MS);
				this.#wake = () => {
					clearTimeout(late);
					resolve();
				};
			});
			const text = this.#received;
			const end = text.indexOf("\r\n\r\n");
			if (end < 0) continue;
			const head = text.slice(0, end);
			const rest = text.slice(end + 4);
			if (!head.startsWith("HTTP/1.1 200 ")) throw new Error(`${path} was answered with ${text}`);
			const counted = /\r\ncontent-length: *(\d+)/i.exec(head);
			if (counted !== null && rest.length >= Number(counted[1])) return { head, body: rest };
			if (counted === null && rest.endsWith("0\r\n\r\n")) return { head, body: unchunked(rest) };
		}
	}

	close(): void {
		this.#socket?.destroy();
	}
}

function unchunked(text: string): string {
	let body = "";
	for (let at = 0; ; ) {
		const line = text.indexOf("\r\n", at);
		const size = Number.parseInt(text.slice(at, line), 16);
		if (size === 0) return body;
		body += text.slice(line + 2, line + 2 + size);
		at = line + 4 + size;
	}
}

/** Returns the CPU time that all threads have used since the start, µs. */
function processorUs({ pid }: ChildProcess): number {
	let ns = 0;
	for (const thread of readdirSync(`/proc/${pid}/task`)) {
		ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
	}
	return ns / 1000;
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}

async function login(client: Client): Promise<string> {
	const challenge = JSON.parse((await client.ask("/api/v1/system/challenge", "")).body);
	const sha256 = (...parts: (string | Buffer)[]) => {
		const hash = createHash("sha256");
		for (const part of parts) hash.update(part);
		return hash.digest();
	};
	const proof = sha256(sha256(challenge.salt, PASSWORD), challenge.nonce).toString("hex");
	const body = JSON.stringify({ username: "admin", nonce: challenge.nonce, proof });
	return JSON.parse((await client.ask("/api/v1/system/login", "", body)).body).token;
}

interface Measured {
	readonly child: ChildProcess;
	readonly client: Client;
	readonly path: string;
	readonly token: string;
	readonly isPersistent: boolean;
}

/**
 * Measures the CPU time. A persistent connection is opened again for each measurement, because the gateway may have
 * closed the previous one as idle.
 */
async function measure({ child, client, path, token, isPersistent }: Measured, count: number): Promise<number> {
	await client.renew();
	await client.ask(path, token);
	const before = processorUs(child);
	for (let i = 0; i < count; i++) {
		if (!isPersistent) await client.renew();
		await client.ask(path, token);
	}
	return (processorUs(child) - before) / count;
}

export async function measureRequestCPU(isQuick: boolean): Promise<Section> {
	const section = { part: "g", title: TITLE };
	if (!process.env["MODDABLE"]) {
		return { ...section, notes: ["Skipped: there is no Moddable SDK ($MODDABLE is not set)."], rows: [] };
	}
	progress("  building the firmware and the SDK's server …");
	const folder = mkdtempSync(join(tmpdir(), "bench-"));
	let plainPort = 0;
	const gateway = new LinuxEngine({
		stateFolder: folder,
		factory: FACTORY,
		meterPath: join(folder, "meter"),
		accessPoint: true,
		trace: () => {},
		onListening: (secure, port) => {
			if (!secure) plainPort = port;
		},
	});
	const children: ChildProcess[] = [];
	const clients: Client[] = [];
	const open = async (child: ChildProcess, port: number) => {
		children.push(child);
		const client = await Client.open(port);
		clients.push(client);
		return { child, client };
	};
	try {
		await gateway.start();
		const { child, firmware } = gateway.running;
		const ours = await open(child, plainPort);
		const token = await login(ours.client);
		const path = "/api/v1/meter/protocol";
		const { body } = await ours.client.ask(path, token);
		const port = await freePort();
		const reference = buildSDKServer(firmware, port, body);
		const theirs = await open(spawn(reference.runner, [reference.firmware], { stdio: "ignore" }), port);
		const rounds = isQuick ? QUICK_ROUNDS : ROUNDS;
		const requests = isQuick ? QUICK_REQUESTS : REQUESTS;
		const cases = [
			{ who: "gateway", path, ...ours, token, isPersistent: true },
			{ who: "gateway", path: "/api/v1/system/version", ...ours, token, isPersistent: true },
			{ who: "gateway", path, ...ours, token, isPersistent: false },
			{ who: "SDK", path: "/", ...theirs, token: "", isPersistent: false },
		];
		const results: number[][] = cases.map(() => []);
		for (let turn = -1; turn < rounds; turn++) {
			for (let i = 0; i < cases.length; i++) {
				// Cases without keep-alive have fewer requests: the SDK's server sends its head line by line, and
				// Nagle's algorithm delays each line by 40 ms.
				const count = cases[i].isPersistent ? requests : requests / 10;
				const us = await measure(cases[i], turn < 0 ? FIRST_REQUESTS : count);
				if (turn >= 0) results[i].push(us);
			}
		}
		const reached = median(results[results.length - 1]);
		const rows: Row[] = cases.map(({ who, path, isPersistent }, i) => ({
			server: who,
			connection: isPersistent ? "kept" : "each its own",
			request: `GET ${path}`,
			us: round(median(results[i])),
			least_us: round(Math.min(...results[i])),
			ratio: round(median(results[i]) / reached, 2),
		}));
		return {
			...section,
			notes: [
				`${firmware.bits} bits. Medians of ${rounds} rounds of ${requests} requests, ${requests / 10} of them over separate connections.`,
			],
			rows,
		};
	} finally {
		for (const client of clients) client.close();
		for (const child of children) child.kill("SIGKILL");
		await gateway.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}
