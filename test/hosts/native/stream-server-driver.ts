/**
 * Runs the program stream-server-peer.c with certificates from OpenSSL, sends it commands, and connects clients; some
 * of them misbehave. Every peer must exit cleanly, without sanitizer messages.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import { compileNative } from "./compile.js";
import { PeerProcess } from "./peer-process.js";

const HOST = "127.0.0.1";
const READY_MS = 5000;

const PEER = ["stream-server-peer", "chip-model"].map((name) => `test/hosts/native/${name}.c`);
let program: string | undefined;

function peerProgram(): string {
	const server = [
		"stream-server",
		"stream-thread",
		"stream-connection",
		"admission-queue",
		"stream-socket",
		"thread-start",
	];
	const sources = [...server, "digest", "handshake-gate", "memory-lock", "tls-identity", "tls-self-test"];
	program ??= compileNative({
		sources: [...PEER, ...sources.map((name) => `hosts/native/${name}.c`)],
		output: "stream-server-peer",
		libraries: ["mbedtls", "mbedx509", "mbedcrypto"],
	});
	return program;
}

/** Certificates in the folder, each with its private key: `<name>.pem` (may be a chain) and `<name>.key`. */
export type PairName = "ec" | "ec384" | "ec521" | "rsa" | "chain" | "mixed" | "unsigning" | "client";

export class Certificates {
	readonly folder = mkdtempSync(join(tmpdir(), "stream-server-"));

	constructor() {
		const p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
		this.openssl("req", "-x509", ...p256, "-nodes", "-keyout", "ec.key", "-out", "ec.pem", "-subj", "/CN=ec");
		const p384 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"];
		this.openssl("req", "-x509", ...p384, "-nodes", "-keyout", "ec384.key", "-out", "ec384.pem", "-subj", "/CN=ec384");
		this.openssl(
			"req",
			"-x509",
			"-newkey",
			"rsa:2048",
			"-nodes",
			"-keyout",
			"rsa.key",
			"-out",
			"rsa.pem",
			"-subj",
			"/CN=rsa",
		);
		const p521 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"];
		this.openssl("req", "-x509", ...p521, "-nodes", "-keyout", "ec521.key", "-out", "ec521.pem", "-subj", "/CN=ec521");
		this.openssl("req", "-x509", ...p256, "-nodes", "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=root");
		this.#issue("middle", "root", "basicConstraints=critical,CA:TRUE");
		this.#issue("leaf", "middle", "basicConstraints=critical,CA:FALSE");
		this.#issue("unsigning", "root", "keyUsage=critical,keyAgreement");
		this.#issue("client", "root", "extendedKeyUsage=clientAuth");
		const files = ["leaf.pem", "middle.pem", "root.pem"].map((name) => readFileSync(this.path(name), "utf8"));
		this.#write("chain.pem", files.join(""));
		this.#write("chain.key", readFileSync(this.path("leaf.key"), "utf8"));
	}

	path(name: string): string {
		return join(this.folder, name);
	}

	copy(from: string, to: string): void {
		copyFileSync(this.path(from), this.path(to));
	}

	openssl(...args: string[]): void {
		const { status, stderr } = spawnSync("openssl", args, { cwd: this.folder, encoding: "utf8" });
		assert.equal(status, 0, stderr);
	}

	remove(): void {
		rmSync(this.folder, { recursive: true });
	}

	#issue(name: string, issuer: string, extension: string): void {
		const p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
		this.openssl(
			"req",
			"-new",
			...p256,
			"-nodes",
			"-keyout",
			`${name}.key`,
			"-out",
			`${name}.csr`,
			"-subj",
			`/CN=${name}`,
		);
		this.#write(`${name}.ext`, `${extension}\n`);
		const by = ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`, "-CAcreateserial", "-extfile", `${name}.ext`];
		this.openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, "-days", "30", ...by);
	}

	#write(name: string, text: string): void {
		writeFileSync(this.path(name), text);
	}
}

export interface PeerOptions {
	/** Certificates of a TLS server; absent for plain TCP. */
	readonly certificates?: Certificates;
	readonly pair?: PairName;
	/** Pair for the command `swap`. */
	readonly otherPair?: PairName;
	readonly port?: number;
	/** True to serve every address, not only 127.0.0.1. */
	readonly everywhere?: boolean;
	readonly connections?: number;
	/** Limit of simultaneous handshakes. */
	readonly handshakes?: number;
	readonly handshakeMs?: number;
	readonly lingerMs?: number;
	/** Places in the admission queue. */
	readonly queuePlaces?: number;
	/** Longest wait for the first bytes, ms. */
	readonly silenceMs?: number;
	/** Limit of silence in a handshake while others wait, ms. */
	readonly pressedMs?: number;
	/** Limit of open files and sockets. */
	readonly descriptors?: number;
}

export type CommandName =
	| "swap"
	| "hold"
	| "resume"
	| "break"
	| "stop"
	| "count"
	| "pressed"
	| "drop"
	| "read"
	| "know"
	| "forget"
	| "scarce"
	| "split"
	| "chip"
	| "chip-hidden"
	| "lowest"
	| "plenty"
	| "test";

export class Peer extends PeerProcess {
	readonly secure: boolean;
	port = 0;

	private constructor(options: PeerOptions) {
		const { certificates, pair = "ec", otherPair } = options;
		const { port = 0, connections = 4, handshakes = 1, handshakeMs = 3000, lingerMs = 1000 } = options;
		const { queuePlaces = 64, silenceMs = handshakeMs, pressedMs = handshakeMs } = options;
		const limits = [connections, handshakes, handshakeMs, lingerMs, queuePlaces, silenceMs, pressedMs];
		const args = [port, options.everywhere ? 0 : 1, ...limits];
		const files = [pair, ...(otherPair ? [otherPair] : [])].flatMap((name) => [`${name}.pem`, `${name}.key`]);
		const limit = options.descriptors === undefined ? "" : `ulimit -n ${options.descriptors}; `;
		const words = [...args.map(String), ...(certificates ? files.map((file) => certificates.path(file)) : [])];
		super(
			spawn("sh", ["-c", `${limit}exec "$0" "$@"`, peerProgram(), ...words], {
				// Mbed TLS 4 allocates memory for each record. AddressSanitizer would keep up to 256 MB of it after it is freed.
				env: { ASAN_OPTIONS: "quarantine_size_mb=8", ...process.env },
			}),
		);
		this.secure = certificates !== undefined;
	}

	/** Starts a peer, which must listen; otherwise throws its output. */
	static async start(options: PeerOptions = {}): Promise<Peer> {
		const peer = new Peer(options);
		const line = await peer.line();
		if (!line.startsWith("ready ")) {
			await peer.exit;
			throw new Error(line);
		}
		peer.port = Number(line.slice(6));
		return peer;
	}

	get url(): string {
		return `${this.secure ? "https" : "http"}://${HOST}:${this.port}`;
	}

	line(): Promise<string> {
		return this.nextLine(READY_MS);
	}

	async command(name: CommandName): Promise<string> {
		this.send(name);
		return this.line();
	}

	/** Sends a command without waiting for the answer. */
	send(name: CommandName): void {
		this.process.stdin.write(`${name}\n`);
	}

	/** Waits until that many connections are open. */
	async untilOpen(count: number): Promise<void> {
		for (const end = Date.now() + READY_MS; ; await sleep(10)) {
			const line = await this.command("count");
			if (line === `${count} open`) return;
			assert.ok(Date.now() < end, `${line}, not ${count}`);
		}
	}

	/** Waits until at most that many files and sockets are open; a reset connection may linger until its time limit. */
	async untilDescriptors(most: number): Promise<void> {
		for (const end = Date.now() + READY_MS; this.descriptors() > most; await sleep(10))
			assert.ok(Date.now() < end, "sockets were left");
	}

	/** A connection without TLS. */
	dial(address?: string): Client {
		const socket = dial(this.port, address);
		return new Client(socket, socket);
	}

	/** A connection with TLS if the server uses it. */
	async open(port = this.port, address?: string): Promise<Client> {
		const socket = dial(port, address);
		if (!this.secure) return new Client(socket, socket);
		const client = new Client(tlsOver(socket), socket);
		await Promise.race([once(client.socket, "secureConnect"), client.closed]);
		assert.equal(client.error, undefined, `no TLS: ${client.error}`);
		return client;
	}

	/** Makes a request over a new connection, which must succeed. */
	async checkServes(size = 1000, address?: string): Promise<void> {
		const client = await this.open(this.port, address);
		await client.get(`/size/${size}`, size);
		client.socket.destroy();
	}
}

/** The peer's reply to /size/N. */
export function pattern(size: number): Buffer {
	const bytes = Buffer.alloc(size);
	for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >> 8)) & 0xff;
	return bytes;
}

/** A TCP connection that stays half-open when the server ends its side. */
export function dial(port: number, localAddress?: string): Socket {
	return connect({ port, host: HOST, allowHalfOpen: true, ...(localAddress === undefined ? {} : { localAddress }) });
}

export function tlsOver(socket: Socket): TLSSocket {
	const options = { socket, rejectUnauthorized: false, allowHalfOpen: true };
	return tlsConnect(options as ConnectionOptions);
}

/** The first bytes that a TLS client sends. */
export async function recordHello(): Promise<Buffer> {
	const listener = createServer().listen(0, "127.0.0.1");
	await once(listener, "listening");
	const accepted = once(listener, "connection");
	const client = tlsConnect({ port: (listener.address() as { port: number }).port, host: "127.0.0.1" });
	client.on("error", () => {});
	const [socket]: Socket[] = await accepted;
	const [hello] = await once(socket, "data");
	client.destroy();
	socket.destroy();
	listener.close();
	return hello;
}

/** A socket and its received bytes. */
export class Client {
	readonly socket: Socket;
	error: string | undefined;
	ended = false;
	/** Resolves when the socket is closed in any way. */
	readonly closed: Promise<void>;
	readonly #carrier: Socket;
	#pieces: Buffer[] = [];
	#length = 0;

	/** `carrier`: the TCP connection below TLS, or the socket itself. */
	constructor(socket: Socket, carrier: Socket) {
		this.socket = socket;
		this.#carrier = carrier;
		carrier.on("error", () => {});
		socket.on("error", (error: NodeJS.ErrnoException) => {
			this.error = error.code ?? error.message;
		});
		socket.on("end", () => {
			this.ended = true;
		});
		socket.on("data", (data) => {
			this.#pieces.push(data);
			this.#length += data.length;
		});
		this.closed = new Promise((resolve) => {
			socket.once("close", () => resolve());
		});
	}

	/** Resets the connection, as a crashed program does. */
	reset(): void {
		this.#carrier.resetAndDestroy();
		this.socket.destroy();
	}

	get received(): Buffer {
		if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
		return this.#pieces[0];
	}

	request(line: string, ...headers: string[]): void {
		this.socket.write([line, ...headers, "", ""].join("\r\n"));
	}

	/** Reads a whole reply; returns its body. */
	async reply(status: number): Promise<Buffer> {
		await this.until(() => this.received.includes("\r\n\r\n"));
		const bodyAt = this.received.indexOf("\r\n\r\n") + 4;
		const head = this.received.subarray(0, bodyAt).toString("latin1");
		assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
		const end = bodyAt + Number(/Content-Length: (\d+)/.exec(head)![1]);
		await this.until(() => this.#length >= end);
		const { received } = this;
		this.#pieces = [received.subarray(end)];
		this.#length -= end;
		return received.subarray(bodyAt, end);
	}

	async get(path: string, size: number): Promise<void> {
		this.request(`GET ${path} HTTP/1.1`);
		assert.ok((await this.reply(200)).equals(pattern(size)), "another body");
	}

	async until(condition: () => boolean, timeoutMs = 10000): Promise<void> {
		for (const end = Date.now() + timeoutMs; !condition(); await sleep(2)) {
			assert.ok(!this.socket.destroyed, `the connection is gone: ${this.error ?? "closed"}`);
			assert.ok(Date.now() < end, "nothing happened");
		}
	}

	/** Waits until the server closes or resets the connection; returns the time taken. */
	async untilOver(timeoutMs = 5000): Promise<number> {
		const begin = Date.now();
		while (!this.ended && !this.socket.destroyed) {
			assert.ok(Date.now() < begin + timeoutMs, "the server keeps the connection");
			await sleep(5);
		}
		this.socket.destroy();
		return Date.now() - begin;
	}
}

export interface Outcome {
	status: number | null;
	stdout: string;
	stderr: string;
}

/** Runs a program. Each part of `input` is sent after the output that precedes it. */
export async function run(
	command: string,
	args: readonly string[],
	input: readonly (readonly [after: RegExp, text: string])[] = [],
): Promise<Outcome> {
	const child = spawn(command, args);
	const outcome: Outcome = { status: null, stdout: "", stderr: "" };
	child.stdout.on("data", (data) => {
		outcome.stdout += data;
	});
	child.stderr.on("data", (data) => {
		outcome.stderr += data;
	});
	child.stdin.on("error", () => {});
	const closed = once(child, "close");
	for (const [after, text] of input) {
		while (!after.test(outcome.stdout + outcome.stderr) && child.exitCode === null) await sleep(5);
		child.stdin.write(text);
	}
	child.stdin.end();
	[outcome.status] = await closed;
	return outcome;
}
