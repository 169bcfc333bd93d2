/**
 * Servers for the portable checks of clients, by name: `server:<script>` (TCP), `tls-server:<script>[:<identity>]`
 * (identities of client-files.ts), `openssl:<kind>` (the program `openssl s_server`) and `tls-hostile:<kind>`. Each
 * sends its port number as a datagram to the given UDP port, serves one client or as many as its script has, and
 * rejects its promise if a check fails.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTLSServer, type SecureVersion } from "node:tls";
import { clientIdentities } from "./client-files.js";
import { carriers, clients, isClosed, readCount } from "./peers.js";
import { pattern } from "./portable/check.js";

const LOOPBACK = "127.0.0.1";

/** Ends what a check has left behind. */
type End = () => void;
const running = new Set<End>();

export function endServers(): void {
	for (const end of running) end();
	running.clear();
}

async function reportPort(port: number, to: number): Promise<void> {
	const socket = createSocket("udp4");
	await new Promise((resolve) => socket.send(Uint8Array.of(port, port >> 8), to, LOOPBACK, resolve));
	socket.close();
}

async function open(server: Server): Promise<number> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("error", () => {});
		socket.on("close", () => sockets.delete(socket));
	});
	running.add(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	server.listen(0, LOOPBACK);
	await once(server, "listening");
	return (server.address() as AddressInfo).port;
}

/** Behaviour of a server with each client; `Client` scripts of peers.ts work here too. */
const scripts: Record<string, (next: () => Promise<Socket>) => Promise<void>> = {
	async hello(next) {
		await answerHello(await next());
	},
	async "hello-thrice"(next) {
		for (let i = 0; i < 3; i++) await answerHello(await next());
	},
	async silent(next) {
		await isClosed(await next());
	},
	async "plain-text"(next) {
		const socket = await next();
		socket.end("220 mail.example ESMTP\r\n");
		await isClosed(socket);
	},
};

async function answerHello(socket: Socket): Promise<void> {
	assert.equal((await readCount(socket, 5)).toString("utf8", 0, 5), "hello");
	socket.end(pattern(100));
	await isClosed(socket);
}

/** Serves until the script ends; servers without a client end with the check. */
async function serve(server: Server, event: string, script: string, reportTo: number): Promise<void> {
	const arrived: Socket[] = [];
	const waiting: ((socket: Socket) => void)[] = [];
	server.on(event, (socket: Socket) => {
		const want = waiting.shift();
		if (want) want(socket);
		else arrived.push(socket);
	});
	const next = () => {
		const socket = arrived.shift();
		return socket ? Promise.resolve(socket) : new Promise<Socket>((resolve) => waiting.push(resolve));
	};
	await reportPort(await open(server), reportTo);
	// No client may connect, so there is nothing to wait for.
	if (script === "refused") server.on(event, () => assert.fail("a client trusts this server"));
	else if (script === "silent") void scripts.silent(next);
	else if (script in scripts) await scripts[script](next);
	else await clients[script](next, 0);
}

async function serveTCP(script: string, reportTo: number): Promise<void> {
	const server = createServer({ allowHalfOpen: true, noDelay: true });
	if (script !== "gone") return serve(server, "connection", script, reportTo);
	const port = await open(server);
	server.close();
	await once(server, "close");
	await reportPort(port, reportTo);
}

function makeTLSServer(identity: string, maxVersion?: SecureVersion): Server {
	const { servers, authority } = clientIdentities();
	const { certificate, key } = servers[identity];
	const asks = identity === "asks" ? { requestCert: true, ca: authority } : {};
	const server = createTLSServer({ cert: certificate, key, allowHalfOpen: true, noDelay: true, maxVersion, ...asks });
	const byPort = new Map<number | undefined, Socket>();
	server.on("connection", (carrier: Socket) => byPort.set(carrier.remotePort, carrier));
	server.on("secureConnection", (socket) => carriers.set(socket, byPort.get(socket.remotePort)!));
	server.on("tlsClientError", () => {});
	return server;
}

async function serveTLS(script: string, identity: string, reportTo: number): Promise<void> {
	await serve(makeTLSServer(identity), "secureConnection", script, reportTo);
}

/** A TLS server behind a proxy. */
class Wire {
	/** Called with each piece for the client before it is forwarded; false drops the piece. */
	onPiece: (piece: Buffer) => boolean = () => true;
	/** Changes each piece of the client before it is forwarded. */
	change: (piece: Buffer) => Buffer = (piece) => piece;
	client: Socket | undefined;

	async open(server: Server, reportTo: number): Promise<void> {
		const port = await open(server);
		const front = createServer({ noDelay: true }, (client) => {
			const back = connect(port, LOOPBACK);
			this.client = client;
			back.on("error", () => {});
			back.on("data", (piece) => this.onPiece(piece as Buffer) && client.write(piece));
			back.on("close", () => client.destroy());
			client.on("data", (piece) => back.write(this.change(piece as Buffer)));
			client.on("close", () => back.destroy());
		});
		await reportPort(await open(front), reportTo);
	}
}

/** The first record (ServerHello), and the bytes that came with it. */
function firstRecord(piece: Buffer): Buffer {
	return piece.subarray(0, 5 + piece.readUInt16BE(3));
}

/** Ways to interrupt the handshake; `piece` is the first piece that the real server has sent. */
const interruptions: Record<string, (client: Socket, piece: Buffer) => void> = {
	stops: (client, piece) => client.write(piece.subarray(0, piece.length >> 1)),
	breaks: (client, piece) => client.end(piece.subarray(0, piece.length >> 1)),
	garbage: (client, piece) => client.write(Buffer.concat([firstRecord(piece), pattern(2000)])),
	/** A handshake record with unknown message types. */
	nonsense: (client, piece) => {
		const record = Buffer.concat([Buffer.of(22, 3, 3, 2, 0), pattern(512)]);
		client.write(Buffer.concat([firstRecord(piece), record]));
	},
};

/** Behaviour after the client's first message. */
const afterwards: Record<string, (client: Socket) => void> = {
	"bad-record": (client) => client.write(Buffer.concat([Buffer.of(23, 3, 3, 0, 64), pattern(64)])),
	"no-alert": (client) => client.end(),
	"half-record": (client) => client.end(Buffer.concat([Buffer.of(23, 3, 3, 0, 64), pattern(20)])),
};

/** Changes a bit at the end of each piece after the first one, which is the ClientHello. */
function damageLater(): (piece: Buffer) => Buffer {
	let isFirst = true;
	return (piece) => {
		if (!isFirst) piece[piece.length - 1] ^= 1;
		isFirst = false;
		return piece;
	};
}

async function serveHostile(kind: string, reportTo: number): Promise<void> {
	const wire = new Wire();
	if (kind === "damaged") {
		wire.change = damageLater();
		await wire.open(makeTLSServer("", "TLSv1.2"), reportTo);
		return;
	}
	const server = makeTLSServer("");
	if (kind in interruptions) {
		let isFirst = true;
		wire.onPiece = (piece) => {
			if (isFirst) interruptions[kind](wire.client!, piece);
			isFirst = false;
			return false;
		};
		await wire.open(server, reportTo);
		return;
	}
	const greeted = new Promise<void>((resolve, reject) => {
		server.on("secureConnection", (socket: Socket) => readCount(socket, 5).then(() => resolve(), reject));
	});
	await wire.open(server, reportTo);
	await greeted;
	wire.onPiece = () => false;
	afterwards[kind](wire.client!);
}

const opensslArguments: Record<string, readonly string[]> = {
	tls1_2: ["-tls1_2", "-rev"],
	tls1_3: ["-tls1_3", "-rev"],
	verifies: ["-Verify", "1", "-verify_return_error", "-CAfile", "ca"],
	renegotiates: ["-tls1_2"],
};

async function serveOpenSSL(kind: string, reportTo: number): Promise<void> {
	const { servers, authority } = clientIdentities();
	const folder = mkdtempSync(join(tmpdir(), "s-server-"));
	for (const [name, text] of Object.entries({ ...servers[""], ca: authority })) writeFileSync(join(folder, name), text);
	const files = ["-cert", "certificate", "-cert_chain", "certificate", "-key", "key"];
	const args = ["s_server", "-accept", `${LOOPBACK}:0`, ...files, ...opensslArguments[kind]];
	const program = spawn("openssl", args, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
	program.stdin.on("error", () => {});
	running.add(() => {
		program.kill("SIGKILL");
		rmSync(folder, { recursive: true });
	});
	await reportPort(await portOf(program), reportTo);
	if (kind !== "renegotiates") return;
	let output = "";
	for await (const piece of program.stdout) {
		output += piece;
		if (!output.includes("hello")) continue;
		// A command of s_server, at the beginning of a line.
		program.stdin.write("R\n");
		break;
	}
}

async function portOf(program: ChildProcess): Promise<number> {
	let output = "";
	for (;;) {
		const [piece] = await once(program.stdout!, "data");
		output += piece;
		const [, port] = /ACCEPT \S*?:(\d+)\n/.exec(output) ?? [];
		if (port) return Number(port);
	}
}

/** Runs the named server; undefined if the name is not a server's. */
export function runServer(name: string, reportTo: number): Promise<void> | undefined {
	const [kind, script, identity = ""] = name.split(":");
	if (kind === "server" || script === "gone") return serveTCP(script, reportTo);
	if (kind === "tls-server") return serveTLS(script, identity, reportTo);
	if (kind === "openssl") return serveOpenSSL(script, reportTo);
	if (kind === "tls-hostile") return serveHostile(script, reportTo);
	return undefined;
}
