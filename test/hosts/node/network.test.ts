/** Behaviour of the simulator's TLS, UDP and names that the conformance suite can't observe. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect as connectTCP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { createListenerPort } from "../../../hosts/node/listener.js";
import { NodeResolver } from "../../../hosts/node/resolver.js";
import { makeCertificate } from "../../../hosts/node/self-signed.js";
import { createUDPPort } from "../../../hosts/node/udp.js";
import { DATAGRAM_LIMIT, RESOLVE_LIMIT, type Socket, type UDP } from "../../../modules/io/host.js";
import { make } from "../openssl.js";

const tested = (listener: { testIdentity(done: (problem: string) => void): void }) =>
	new Promise<string>((resolve) => listener.testIdentity(resolve));

describe("A TLS listener of the simulator", () => {
	const identity = makeCertificate({ names: ["x"], validFromMs: 1_700_000_000_000, validToMs: 1_900_000_000_000 });
	const port = createListenerPort({ port: 0, secure: true });

	it("gives the reason why no client could connect", async () => {
		const listener = new port.io({
			...port.pins,
			identity,
			onReadable: () => assert.fail("the test was reported as a connection"),
		});
		// No TLS client supports certificates on this curve.
		const odd = make({ subject: "/CN=x", algorithm: ["EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"] });
		listener.setIdentity({ certificate: Buffer.from(odd.certificate), key: Buffer.from(odd.key) });
		assert.match(await tested(listener), /^the handshake has failed: \w/);
		listener.setIdentity(identity);
		assert.equal(await tested(listener), "");
		listener.close();
	});

	for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const)
		it(`still serves after a thousand clients have rejected its certificate over ${maxVersion}`, async function () {
			this.timeout(60_000);
			const sockets: Socket[] = [];
			const take = () => {
				for (let pending = listener.read(); pending !== undefined; pending = listener.read()) {
					const socket: Socket = new port.socket({ from: pending, onError: () => socket.close() });
					sockets.push(socket);
				}
			};
			const listener = new port.io({ ...port.pins, identity, onReadable: take });
			/** Returns why the client failed, or "connected". */
			const connectClient = (rejectUnauthorized: boolean) =>
				new Promise<string>((resolve) => {
					const client = connect({ port: listener.port, host: "127.0.0.1", maxVersion, rejectUnauthorized });
					let outcome = "connected";
					client.on("error", (error: NodeJS.ErrnoException) => {
						outcome = error.code ?? error.message;
					});
					client.on("secureConnect", () => client.end());
					client.on("close", () => resolve(outcome));
					client.resume();
				});
			const outcomes = new Set<string>();
			for (let i = 0; i < 1000; i++) outcomes.add(await connectClient(true));
			assert.deepEqual([...outcomes], ["DEPTH_ZERO_SELF_SIGNED_CERT"]);
			const before = sockets.length;
			assert.equal(await connectClient(false), "connected");
			assert.equal(sockets.length, before + 1);
			listener.close();
		});

	it("ends a silent handshake, and serves others meanwhile", async function () {
		this.timeout(60_000);
		let arrived = () => {};
		const isServed = new Promise<void>((resolve) => {
			arrived = resolve;
		});
		const listener = new port.io({ ...port.pins, identity, onReadable: () => arrived() });
		const silent = Array.from({ length: 400 }, () => connectTCP(listener.port, "127.0.0.1").on("error", () => {}));
		const isOver = Promise.all(silent.map((socket) => once(socket.resume(), "close")));
		await Promise.all(silent.map((socket) => socket.readyState === "open" || once(socket, "connect")));
		const client = connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
		await Promise.all([isServed, once(client, "secureConnect")]);
		client.destroy();
		await isOver;
		listener.close();
	});

	it("can run several self-tests at once", async () => {
		const listener = new port.io({
			...port.pins,
			identity,
			onReadable: () => assert.fail("the test was reported as a connection"),
		});
		assert.deepEqual(await Promise.all(Array.from({ length: 5 }, () => tested(listener))), ["", "", "", "", ""]);
		listener.close();
		assert.throws(() => listener.testIdentity(() => {}), /closed/);
		const plain = createListenerPort({ port: 0, secure: false });
		const other = new plain.io({ ...plain.pins, onReadable: () => {} });
		assert.throws(() => other.testIdentity(() => {}), /no TLS/);
		other.close();
	});
});

describe("UDP of the simulator", () => {
	let traces: string[] = [];
	const opened: { close(): void }[] = [];
	const port = createUDPPort((message) => traces.push(message));

	function open(options: { port?: number; group?: string; accessPoint?: boolean; onReadable?: () => void } = {}): UDP {
		const udp = new port.io({ ...port.pins, port: 0, onReadable: () => {}, ...options });
		opened.push(udp);
		return udp;
	}
	beforeEach(() => {
		traces = [];
	});
	afterEach(() => {
		for (const one of opened.splice(0)) one.close();
	});

	it("keeps the eight oldest datagrams", async () => {
		let report = () => {};
		const isReported = new Promise<void>((resolve) => {
			report = resolve;
		});
		const udp = open({ onReadable: report });
		const sender = createSocket("udp4");
		const send = (byte: number) => new Promise((done) => sender.send(Uint8Array.of(byte), udp.port, "127.0.0.1", done));
		for (let i = 0; i < 20; i++) await send(i);
		await isReported;
		// All datagrams are already in the system's queue, so a short wait suffices to deliver them.
		await sleep(50);
		const into = new Uint8Array(DATAGRAM_LIMIT);
		const kept: number[] = [];
		while (udp.read(into) !== undefined) kept.push(into[0]);
		assert.deepEqual(kept, [0, 1, 2, 3, 4, 5, 6, 7]);
		sender.close();
	});

	it("gives the reason why a port can't be opened", () => {
		const { port: taken } = open();
		assert.throws(() => open({ port: taken }), { message: `udp port ${taken} is used by another program` });
		assert.throws(() => open({ group: "192.0.2.1" }), /^Error: group 192\.0\.2\.1 can't be joined: /);
	});

	it("opens another port if a port below 1024 of the access point can't be opened, and reports its number", async () => {
		const squatter = createSocket("udp4");
		const hasFailed = once(squatter, "error");
		squatter.bind(67, "127.0.0.1");
		// It does not matter if this bind fails: the port is then in use by another program.
		await Promise.race([once(squatter, "listening"), hasFailed]);
		const udp = open({ port: 67, accessPoint: true });
		assert.ok(udp.port >= 1024);
		assert.deepEqual(traces, [`udp port 67 of the access point is 127.0.0.1:${udp.port} here`]);
		const { port: taken } = open({ accessPoint: true });
		assert.throws(() => open({ port: taken, accessPoint: true }), /used by another program/);
		assert.equal(traces.length, 1);
		squatter.close();
	});

	it("can be opened again at once after a close", () => {
		const first = open();
		first.close();
		assert.equal(open({ port: first.port }).port, first.port);
	});
});

describe("Names of the simulator", () => {
	it("are resolved four at a time, while addresses are always resolved", async () => {
		const resolver = new NodeResolver();
		const resolveName = (name: string) => new Promise((resolve) => resolver.resolve(name, resolve));
		const names = [...Array.from({ length: RESOLVE_LIMIT + 1 }, () => "localhost"), "192.0.2.1"];
		const answers = await Promise.all(names.map(resolveName));
		assert.deepEqual(answers.slice(RESOLVE_LIMIT), [undefined, "192.0.2.1"]);
		assert.deepEqual(answers.slice(0, RESOLVE_LIMIT), Array(RESOLVE_LIMIT).fill("127.0.0.1"));
		assert.equal(await resolveName("localhost"), "127.0.0.1");
	});
});
