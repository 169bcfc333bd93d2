/** The native clients with hostile or broken servers, under the sanitizers. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Mutator, seedOfRun } from "../../fuzz/mutator.js";
import { AUTHORITY, type Made, make } from "../openssl.js";
import { needNative } from "./compile.js";
import { between, fuzzClients } from "./hostile-servers.js";
import { ClientPeer, TestServer } from "./stream-client-driver.js";

const SEED = seedOfRun();
const RUNS = 25;
const [TIMEOUT, HANDSHAKE, UNTRUSTED] = [5, 7, 8];
const trusted = { trusted: "root" };

/** A record of TLS 1.2. */
const record = (type: number, body: readonly number[], length = body.length) =>
	Buffer.from([type, 3, 3, length >> 8, length & 0xff, ...body]);
const ALERT_RECORD = 21;
const HANDSHAKE_RECORD = 22;
const DATA_RECORD = 23;

describe(`The native clients with faulty servers (SEED=${SEED})`, function () {
	this.timeout(60_000);
	let root: Made;
	let pair: Made;
	let peer: ClientPeer;
	const servers: TestServer[] = [];

	before(function () {
		needNative(this);
		root = make({ subject: "/CN=root", extensions: AUTHORITY });
		pair = make({ subject: "/CN=server", issuer: root, extensions: ["subjectAltName=IP:127.0.0.1"] });
	});
	beforeEach(() => {
		peer = new ClientPeer();
		peer.write("root", root.certificate);
	});
	afterEach(async () => {
		await Promise.all(servers.splice(0).map((each) => each.close()));
		await peer.end();
	});

	async function registered(server: Promise<TestServer>): Promise<TestServer> {
		servers.push(await server);
		return server;
	}

	/** Result of a connection to a server with this behaviour. */
	async function resultOf(behave: (socket: Socket) => void, timeoutMs = 600): Promise<number> {
		const { port } = await registered(TestServer.tcp(behave));
		return peer.fails(0, { port, timeoutMs, tls: trusted });
	}

	it("fail if a server speaks no TLS, rejects the handshake, or breaks it off", async () => {
		const random = Buffer.from(new Mutator(SEED).random.bytes(500));
		for (const bytes of [
			Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
			Buffer.concat([Buffer.from([1]), random]),
			record(ALERT_RECORD, [2, 40]),
			record(HANDSHAKE_RECORD, [], 20_000),
			record(DATA_RECORD, [1, 2, 3]),
			record(HANDSHAKE_RECORD, [0, 0, 0, 0]),
			record(HANDSHAKE_RECORD, [2, 0, 0, 4, 3, 3, 0, 0]),
			record(HANDSHAKE_RECORD, [11, 255, 255, 255, 0, 0]),
			Buffer.from([22, 3, 4, 0, 0]),
		]) {
			assert.equal(
				await resultOf((socket) => void socket.once("data", () => socket.end(bytes))),
				HANDSHAKE,
				`${bytes}`,
			);
		}
		assert.equal(await resultOf((socket) => void socket.once("data", () => socket.end())), HANDSHAKE);
		assert.equal(await resultOf((socket) => void socket.once("data", () => socket.resetAndDestroy())), HANDSHAKE);
	});

	it("wait for silent servers only up to the timeout", async () => {
		assert.equal(await resultOf(() => {}), TIMEOUT);
		assert.equal(await resultOf((socket) => void socket.write(record(HANDSHAKE_RECORD, [2, 0, 0], 70))), TIMEOUT);
	});

	it("give up a silent server's handshake after two seconds if another client waits, and report a timeout", async () => {
		const good = await registered(TestServer.tls(pair, {}, (socket) => void socket.write("x")));
		// In the second case the server keeps sending single bytes, which never form a message.
		for (const drip of [false, true]) {
			let greet = () => {};
			const greeted = new Promise<void>((resolve) => {
				greet = resolve;
			});
			const silent = await registered(
				TestServer.tcp((socket) => {
					socket.once("data", greet);
					socket.write(record(HANDSHAKE_RECORD, [], 70));
					const timer = setInterval(() => drip && socket.write(Buffer.of(2)), 300);
					socket.on("close", () => clearInterval(timer));
				}),
			);
			const timeoutMs = 60_000;
			assert.equal(await peer.open(0, { port: silent.port, timeoutMs, tls: trusted }), "0 opened");
			// From its ClientHello on, this client is the one that does a handshake.
			await greeted;
			// The other client is connected before the silent server's time-out.
			assert.match(await peer.connect(1, { port: good.port, timeoutMs: 8000, tls: trusted }), /^1 connected/);
			assert.match(await peer.line(/^0 over/), new RegExp(`^0 over ${TIMEOUT} `));
			await peer.close(0);
			await peer.close(1);
		}
	});

	it("wait longer for a silent server if no other client waits for a handshake", async () => {
		const { port } = await registered(TestServer.tls(pair, {}, (socket) => void socket.write("x")));
		const late = await registered(
			between(port, (piece, near) => {
				setTimeout(() => near.write(piece), 1500);
				return Buffer.alloc(0);
			}),
		);
		assert.match(await peer.connect(0, { port: late.port, timeoutMs: 60_000, tls: trusted }), /connected/);
		await peer.close(0);
	});

	it("are not kept busy by a server that sends without end", async () => {
		for (const bytes of [record(ALERT_RECORD, [1, 90]), record(HANDSHAKE_RECORD, [])]) {
			const flood = Buffer.concat(new Array(2000).fill(bytes));
			const { port } = await registered(
				TestServer.tcp((socket) => {
					const more = () => {
						while (socket.writable && socket.write(flood));
					};
					socket.on("drain", more);
					more();
				}),
			);
			const good = await registered(TestServer.tcp((socket) => void socket.write("hello")));
			await peer.open(0, { port, timeoutMs: 1000, tls: trusted });
			assert.match(await peer.connect(1, { port: good.port, timeoutMs: 900 }), /connected/);
			assert.match(await peer.line(/^0 over/), new RegExp(`over (${TIMEOUT}|${HANDSHAKE}) `));
			await peer.close(0);
			await peer.close(1);
		}
	});

	it("accept bytes that arrive one at a time", async () => {
		const { port } = await registered(TestServer.tls(pair, {}, (socket) => void socket.write("x")));
		const slow = await registered(
			between(port, (piece, near) => {
				for (const byte of piece) near.write(Buffer.from([byte]));
				return Buffer.alloc(0);
			}),
		);
		assert.match(await peer.connect(0, { port: slow.port, tls: trusted }), /connected/);
		await peer.close(0);
	});

	it("fail when the server is cut off, at each stage of the handshake", async () => {
		const { port } = await registered(TestServer.tls(pair));
		for (let limit = 0; limit < 700; limit += 60) {
			let left = limit;
			const cut = await registered(
				between(port, (piece) => {
					if (left === 0) return undefined;
					const part = piece.subarray(0, left);
					left -= part.length;
					return part;
				}),
			);
			assert.match(await peer.connect(0, { port: cut.port, timeoutMs: 200, tls: trusted }), /over [57] after 0 /);
			await peer.close(0);
		}
	});

	it("reject an endless chain", async () => {
		let issuer = root;
		let chain = "";
		for (let i = 0; i < 12; i++) {
			issuer = make({ subject: `/CN=authority ${i}`, issuer, extensions: AUTHORITY });
			chain = issuer.certificate + chain;
		}
		const leaf = make({ subject: "/CN=leaf", issuer, extensions: ["subjectAltName=IP:127.0.0.1"] });
		const { port } = await registered(TestServer.tls({ certificate: leaf.certificate + chain, key: leaf.key }));
		assert.equal(await peer.fails(0, { port, tls: trusted }), UNTRUSTED);
	});

	it("survive any damage to the server's bytes", async () => {
		const { port } = await registered(TestServer.tls(pair, {}, (socket) => void socket.write("x".repeat(3000))));
		await peer.rests();
		const descriptors = peer.descriptors();
		await fuzzClients(peer, port, SEED, RUNS);
		assert.match(await peer.connect(0, { port, tls: trusted }), /connected/);
		await peer.checkIdle();
		await peer.close(0);
		await peer.rests();
		assert.equal(peer.descriptors(), descriptors);
	});
});
