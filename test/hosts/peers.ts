/**
 * Peers of the portable checks, by name: a meter on the pseudo-terminal, TCP and TLS clients, and UDP sockets. A peer
 * fails by rejecting.
 */
import assert from "node:assert/strict";
import { createSocket, type Socket as UDPSocket } from "node:dgram";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTLS } from "node:tls";
import type { LinePort } from "../../tools/meter/line-port.js";
import { pattern } from "./portable/check.js";

const UDP_LIMIT_MS = 4000;

export type Connect = (port: number) => Promise<Socket>;

export const plain: Connect = (port) =>
	new Promise((resolve, reject) => {
		const socket = connect({ port, host: "127.0.0.1" }, () => resolve(socket));
		socket.once("error", reject);
	});

/** TCP connections below TLS, because only they can be reset. */
export const carriers = new WeakMap<Socket, Socket>();

const secure: Connect = async (port) => {
	const carrier = await plain(port);
	return new Promise((resolve, reject) => {
		const socket = connectTLS({ socket: carrier, rejectUnauthorized: false }, () => resolve(socket));
		socket.once("error", reject);
		carriers.set(socket, carrier);
	});
};

const resetConnection = (socket: Socket) => void (carriers.get(socket) ?? socket).resetAndDestroy();

/** Reads until the other side closes. */
async function readToEnd(socket: Socket, pauseMs = 0): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of socket) {
		pieces.push(piece);
		if (pauseMs > 0) await sleep(pauseMs);
	}
	return Buffer.concat(pieces);
}

export async function readCount(socket: Socket, count: number): Promise<Buffer> {
	let bytes = Buffer.alloc(0);
	await new Promise<void>((resolve, reject) => {
		socket.on("data", (piece) => {
			bytes = Buffer.concat([bytes, piece as Buffer]);
			if (bytes.length >= count) resolve();
		});
		socket.once("close", () => reject(new Error(`closed after ${bytes.length} of ${count} bytes`)));
	});
	return bytes;
}

/** Resolves when the socket is closed, also by a reset, which these clients expect. */
export const isClosed = (socket: Socket) =>
	new Promise<void>((resolve) => {
		socket.on("error", () => {});
		socket.resume();
		socket.once("close", () => resolve());
	});

/** Opens a connection with data; a host need not accept one without data. */
async function openWithHello(open: Connect, port: number): Promise<Socket> {
	const socket = await open(port);
	socket.write("x");
	return socket;
}

type Client = (connect: Connect, port: number) => Promise<void>;

export const clients: Record<string, Client> = {
	async hello(open, port) {
		const socket = await open(port);
		socket.write("hello");
		assert.deepEqual(await readCount(socket, 100), Buffer.from(pattern(100)));
		socket.end();
	},
	async "expect-3"(open, port) {
		assert.deepEqual(await readToEnd(await openWithHello(open, port)), Buffer.from(pattern(3)));
	},
	async "slow-reader"(open, port) {
		assert.ok((await readToEnd(await openWithHello(open, port), 3)).equals(pattern(200_000)));
	},
	async flood(open, port) {
		const socket = await open(port);
		socket.end(pattern(500_000));
		await isClosed(socket);
	},
	async "send-and-end"(open, port) {
		const socket = await open(port);
		socket.end(pattern(1000));
		await isClosed(socket);
	},
	async "come-and-go"(open, port) {
		const socket = await open(port);
		socket.end();
		await isClosed(socket);
	},
	async reset(open, port) {
		const socket = await open(port);
		socket.on("error", () => {});
		socket.write("half a requ");
		await sleep(20);
		resetConnection(socket);
	},
	/** A reset drops unread bytes, so the peer waits until all were read. */
	async "reset-on-request"(open, port) {
		const socket = await open(port);
		socket.on("error", () => {});
		socket.write("half a requ");
		await once(socket, "data");
		resetConnection(socket);
	},
	async "reset-later"(open, port) {
		const socket = await openWithHello(open, port);
		socket.on("error", () => {});
		await sleep(100);
		resetConnection(socket);
	},
	async "ten-clients"(open, port) {
		// Connections in the system's queue are refused only when the listener closes.
		await Promise.allSettled(Array.from({ length: 10 }, async () => isClosed(await openWithHello(open, port))));
	},
	async "expect-closed"(open, port) {
		await isClosed(await open(port));
	},
	async "expect-refused"(open, port) {
		await assert.rejects(open(port), { code: "ECONNREFUSED" });
	},
};

/** Last certificate of each port, with its resumable session. */
const seen = new Map<number, { name: string; fingerprint: string; session: Buffer }>();

/** Checks with OpenSSL that the certificate is for exactly these names and addresses. */
async function meetNames(names: readonly string[], port: number): Promise<void> {
	const socket = connectTLS({ socket: await plain(port), rejectUnauthorized: false });
	await once(socket, "secureConnect");
	socket.resume();
	const certificate = socket.getPeerX509Certificate()!;
	const alternatives = names.map((name) => (isIP(name) ? `IP Address:${name}` : `DNS:${name}`));
	assert.equal(certificate.subjectAltName, alternatives.join(", "));
	for (const name of names) {
		const found = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name);
		assert.equal(found, name);
	}
	socket.write("hello");
	await isClosed(socket);
}

/** Connects to the server with this certificate name; resumes the session only while the certificate is the same. */
async function meetSubject(name: string, port: number): Promise<void> {
	const before = seen.get(port);
	const socket = connectTLS({ socket: await plain(port), rejectUnauthorized: false, session: before?.session });
	const session = new Promise<Buffer>((resolve) => socket.once("session", resolve));
	await once(socket, "secureConnect");
	// In TLS 1.3 the session arrives only after the handshake, while reading.
	socket.resume();
	if (socket.isSessionReused()) {
		assert.equal(before?.name, name);
	} else {
		const { subject, fingerprint256: fingerprint } = socket.getPeerCertificate();
		assert.equal(subject.CN, name);
		assert.notEqual(fingerprint, before?.fingerprint, "the session was not resumed");
		seen.set(port, { name, fingerprint, session: await session });
	}
	// Node drops bytes that are written during the event "session".
	await sleep(1);
	socket.write("hello");
	await isClosed(socket);
}

/** Hostile clients that a TLS server must survive. */
const strangers: Record<string, (port: number) => Promise<void>> = {
	async "no-tls"(port) {
		const socket = await plain(port);
		socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		await isClosed(socket);
	},
	async "old-tls"(port) {
		const old = new Promise((resolve, reject) => {
			const options = { port, host: "127.0.0.1", rejectUnauthorized: false, maxVersion: "TLSv1.1" } as const;
			connectTLS({ ...options, minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" }, () => resolve(0)).on("error", reject);
		});
		await assert.rejects(old);
	},
};

async function openUDP(): Promise<UDPSocket> {
	const socket = createSocket("udp4");
	socket.bind(0, "127.0.0.1");
	await once(socket, "listening");
	return socket;
}

/** Sends a hello to the port, which must answer with the pattern of that length. */
async function helloUDP(socket: UDPSocket, port: number, length: number): Promise<void> {
	const answered = once(socket, "message", { signal: AbortSignal.timeout(UDP_LIMIT_MS) });
	socket.send("hello", port, "127.0.0.1");
	const [bytes, from] = await answered;
	assert.ok(bytes.equals(pattern(length)), `an answer of ${bytes.length} bytes`);
	assert.equal(from.port, port);
}

/** Senders of datagrams to one of the host's ports. */
const senders: Record<string, (socket: UDPSocket, port: number) => Promise<void>> = {
	async "udp-hello"(socket, port) {
		await helloUDP(socket, port, 100);
	},
	async "udp-long"(socket, port) {
		for (const length of [1473, 4000, 1472, 0]) socket.send(pattern(length), port, "127.0.0.1");
		await helloUDP(socket, port, 1472);
	},
	async "udp-flood"(socket, port) {
		for (let i = 0; i < 200; i++) socket.send(pattern(100), port, "127.0.0.1");
		// Closing drops unsent bytes.
		await sleep(100);
	},
};

async function runSender(name: string, port: number): Promise<void> {
	const socket = await openUDP();
	try {
		await senders[name](socket, port);
	} finally {
		socket.close();
	}
}

/** Writes in pieces that fit the kernel's buffer, because writing to a full pseudo-terminal blocks this process. */
async function sendSlowly(line: LinePort, bytes: Uint8Array): Promise<void> {
	for (let at = 0; at < bytes.length; at += 512) {
		line.write(bytes.subarray(at, at + 512));
		await sleep(5);
	}
}

/** Starts the peer that a check requests. */
export async function runPeer(name: string, number: number, line: LinePort): Promise<void> {
	if (name === "echo") line.onData((bytes) => line.write(bytes));
	else if (name === "send") await sendSlowly(line, pattern(number));
	else if (name === "baud") assert.equal(await line.readerBaud?.(), number);
	else if (name.startsWith("tls-names-")) await meetNames(name.slice(10).split(","), number);
	else if (name.startsWith("tls-subject-")) await meetSubject(name.slice(12), number);
	else if (name in senders) await runSender(name, number);
	else if (name in strangers) await strangers[name](number);
	else if (name.startsWith("tls-")) await clients[name.slice(4)](secure, number);
	else await clients[name](plain, number);
}
