/** Runs the program stream-client-peer.c, sends it commands, and starts servers for it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTLSServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { Made } from "../openssl.js";
import { compileNative } from "./compile.js";
import { PeerProcess } from "./peer-process.js";

export const HOST = "127.0.0.1";
const READY_MS = 15_000;

const CORE = [
	"stream-client",
	"client-thread",
	"stream-connection",
	"stream-socket",
	"thread-start",
	"handshake-gate",
	"memory-lock",
];
const TRUST = ["tls-trust", "certificate-match", "digest", "ipv4", "resolver"];

let program: string | undefined;

function peerProgram(): string {
	program ??= compileNative({
		sources: ["test/hosts/native/stream-client-peer.c", ...[...CORE, ...TRUST].map((name) => `hosts/native/${name}.c`)],
		output: "stream-client-peer",
		libraries: ["mbedtls", "mbedx509", "mbedcrypto"],
	});
	return program;
}

export interface Trusting {
	/** Name of the file with the trusted certificates, written by `write`. */
	readonly trusted: string;
	readonly name?: string;
	readonly utcMs?: number;
	/** Certificate shown to the server: `<identity>.pem` and `<identity>.key`. */
	readonly identity?: string;
	/** The peer's number for the session, to resume it later. */
	readonly session?: number;
}

export interface Target {
	readonly host?: string;
	readonly port: number;
	readonly timeoutMs?: number;
	readonly tls?: Trusting;
}

export class ClientPeer extends PeerProcess {
	readonly folder = mkdtempSync(join(tmpdir(), "stream-client-"));

	constructor() {
		super(spawn(peerProgram()));
	}

	/** Writes `<name>.pem` and, if given, `<name>.key`. */
	write(name: string, certificate: string, key?: string): void {
		writeFileSync(join(this.folder, `${name}.pem`), certificate);
		if (key !== undefined) writeFileSync(join(this.folder, `${name}.key`), key);
	}

	command(number: number, text: string): void {
		this.process.stdin.write(`${number} ${text}\n`);
	}

	/** Requests a connection; returns the peer's answer. */
	async open(number: number, { host = HOST, port, timeoutMs = 8000, tls }: Target): Promise<string> {
		const file = (name: string | undefined, end: string) => (name ? join(this.folder, `${name}.${end}`) : "-");
		const { trusted, name = host, utcMs, identity, session } = tls ?? { trusted: "" };
		const seconds = utcMs === undefined ? "-" : Math.floor(utcMs / 1000);
		const rest = [file(trusted, "pem"), name, seconds, file(identity, "pem"), file(identity, "key"), session ?? "-"];
		this.command(number, [tls ? "tls" : "tcp", host, port, timeoutMs, ...(tls ? rest : [])].join(" "));
		return this.line(new RegExp(`^${number} (opened|not opened)`));
	}

	/** Connects; returns the next event: established or over. */
	async connect(number: number, target: Target): Promise<string> {
		assert.equal(await this.open(number, target), `${number} opened`);
		return this.line(new RegExp(`^${number} (connected|over)`));
	}

	/** Connects, expects a failure, closes, and returns the CLIENT_… code of the failure. */
	async fails(number: number, target: Target): Promise<number> {
		const line = await this.connect(number, target);
		const [, , code, , bytes] = line.split(" ");
		assert.equal(bytes, "0", line);
		await this.close(number);
		return Number(code);
	}

	async close(number: number): Promise<void> {
		this.command(number, "close");
		await this.line(new RegExp(`^${number} closed`));
	}

	/** Removes and returns the next matching line; other lines stay. */
	async line(pattern: RegExp): Promise<string> {
		for (const end = Date.now() + READY_MS; ; await sleep(2)) {
			const at = this.lines.findIndex((line) => pattern.test(line));
			if (at >= 0) return this.lines.splice(at, 1)[0];
			assert.ok(Date.now() < end && this.process.exitCode === null, `no ${pattern}: ${this.errors}`);
		}
	}

	/** Removes and returns all matching lines that have already arrived. */
	unread(pattern: RegExp): string[] {
		const found = this.lines.filter((line) => pattern.test(line));
		for (const line of found) this.lines.splice(this.lines.indexOf(line), 1);
		return found;
	}

	/** Waits until the clients' thread has ended. */
	async rests(): Promise<void> {
		for (const end = Date.now() + READY_MS; ; await sleep(20)) {
			this.command(0, "count");
			const line = await this.line(/^count/);
			if (line === "count -1") return;
			assert.ok(Date.now() < end, line);
		}
	}

	override async end(): Promise<void> {
		try {
			await super.end();
		} finally {
			rmSync(this.folder, { recursive: true });
		}
	}
}

export class TestServer {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();

	private constructor(server: Server) {
		this.#server = server;
		server.on("connection", (socket: Socket) => {
			this.#sockets.add(socket);
			socket.on("error", () => {});
			socket.on("close", () => this.#sockets.delete(socket));
		});
	}

	static async tcp(onConnection: (socket: Socket) => void): Promise<TestServer> {
		const server = new TestServer(createServer({ allowHalfOpen: true }, onConnection));
		return server.listen();
	}

	static async tls(
		{ certificate, key }: Made,
		options: TlsOptions = {},
		onConnection: (socket: TLSSocket) => void = () => {},
	): Promise<TestServer> {
		const all = { cert: certificate, key, maxVersion: "TLSv1.2", ...options } as TlsOptions;
		const server = createTLSServer(all, (socket) => {
			socket.on("error", () => {});
			onConnection(socket);
		});
		server.on("tlsClientError", () => {});
		return new TestServer(server).listen();
	}

	get port(): number {
		return (this.#server.address() as { port: number }).port;
	}

	/** Stores sessions by id. */
	remember(known: Map<string, Buffer>): void {
		this.#server.on("newSession", (id: Buffer, data: Buffer, done: () => void) => {
			known.set(id.toString("hex"), data);
			done();
		});
		this.#server.on("resumeSession", (id: Buffer, done: (error: null, data: Buffer | null) => void) => {
			done(null, known.get(id.toString("hex")) ?? null);
		});
	}

	/** Resets all connections, as a restarted computer does. */
	reset(): void {
		for (const socket of this.#sockets) socket.resetAndDestroy();
	}

	async close(): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
		await once(this.#server, "close");
	}

	private async listen(): Promise<this> {
		this.#server.listen(0, HOST);
		await once(this.#server, "listening");
		return this;
	}
}

/** The bytes that the peer sends. */
export function pattern(size: number): Buffer {
	const bytes = Buffer.alloc(size);
	for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >> 8)) & 0xff;
	return bytes;
}

/** The peer's checksum of received bytes. */
export function checksum(bytes: Uint8Array): number {
	let sum = 0;
	for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) >>> 0;
	return sum;
}
