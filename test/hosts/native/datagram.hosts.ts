/** The native UDP port, tested by its peer (datagram-peer.c) and Node's sockets. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { compileNative, needNative, skipBecause } from "./compile.js";
import { PeerProcess } from "./peer-process.js";

const DATAGRAM_LIMIT = 1472;
const GROUP = "224.0.0.251";
/** Generous, because other suites may run in parallel. */
const PATIENCE_MS = 10_000;

async function until(condition: () => boolean | Promise<boolean>, problem: () => string): Promise<void> {
	for (const end = Date.now() + PATIENCE_MS; !(await condition()); await sleep(2))
		assert.ok(Date.now() < end, problem());
}

let program = "";

class Peer extends PeerProcess {
	port = 0;

	private constructor(args: readonly string[]) {
		super(spawn(program, args));
	}

	/** Throws the peer's output if it does not become ready. */
	static async start({ port = 0, address = "-", group = "-" } = {}): Promise<Peer> {
		const peer = new Peer([String(port), address, group]);
		const line = await peer.line();
		if (!line.startsWith("ready ")) throw new Error(line);
		peer.port = Number(line.slice(6));
		return peer;
	}

	line(): Promise<string> {
		return this.nextLine(PATIENCE_MS);
	}

	async command(line: string): Promise<string> {
		this.process.stdin.write(`${line}\n`);
		return this.line();
	}

	/** Numbers of datagrams read, and of notifications. */
	async count(): Promise<{ received: number; notified: number }> {
		const [received, notified] = (await this.command("count")).split(" in ").map(Number);
		return { received, notified };
	}

	async untilNotified(): Promise<void> {
		await until(
			async () => (await this.count()).notified > 0,
			() => "the peer is not notified",
		);
	}
}

/** A socket that records datagrams. */
class Client {
	readonly socket: Socket;
	readonly received: { bytes: Buffer; from: RemoteInfo }[] = [];

	private constructor(socket: Socket) {
		this.socket = socket;
		socket.on("message", (bytes, from) => this.received.push({ bytes, from }));
	}

	static async open(address = "127.0.0.1", port = 0): Promise<Client> {
		const socket = createSocket({ type: "udp4", reuseAddr: true });
		const client = new Client(socket);
		socket.bind(port, address);
		await once(socket, "listening");
		return client;
	}

	get port(): number {
		return this.socket.address().port;
	}

	async send(port: number, bytes: Buffer, address = "127.0.0.1"): Promise<void> {
		await new Promise<void>((resolve, reject) =>
			this.socket.send(bytes, port, address, (error) => (error ? reject(error) : resolve())),
		);
	}

	async until(count: number): Promise<void> {
		await until(
			() => this.received.length >= count,
			() => `${this.received.length} of ${count} datagrams came`,
		);
	}
}

describe("The native UDP port", function () {
	this.timeout(120_000);
	const peers: Peer[] = [];
	const clients: Client[] = [];

	before(function () {
		needNative(this);
		const sources = ["datagram", "ipv4", "thread-start", "stream-socket"];
		program = compileNative({
			sources: ["test/hosts/native/datagram-peer.c", ...sources.map((name) => `hosts/native/${name}.c`)],
			output: "datagram-peer",
		});
	});

	afterEach(async () => {
		for (const client of clients.splice(0)) client.socket.close();
		await Promise.all(peers.splice(0).map((peer) => peer.end()));
	});

	async function start(options: Parameters<typeof Peer.start>[0] = {}): Promise<Peer> {
		const peer = await Peer.start(options);
		peers.push(peer);
		return peer;
	}

	async function open(...where: Parameters<typeof Client.open>): Promise<Client> {
		const client = await Client.open(...where);
		clients.push(client);
		return client;
	}

	it("receives and answers datagrams from empty to the longest", async () => {
		const peer = await start();
		const client = await open();
		const lengths = [0, 1, 512, DATAGRAM_LIMIT - 1, DATAGRAM_LIMIT];
		for (const [index, length] of lengths.entries()) {
			const bytes = Buffer.alloc(length, index + 1);
			await client.send(peer.port, bytes);
			await client.until(index + 1);
			const echoed = Buffer.concat([Buffer.from("e"), bytes]).subarray(0, DATAGRAM_LIMIT);
			assert.ok(client.received[index].bytes.equals(echoed), `another datagram for one of ${length} bytes`);
			assert.equal(client.received[index].from.port, peer.port);
		}
	});

	it("drops a received datagram that is too long, and does not send one that is too long", async () => {
		const peer = await start();
		const client = await open();
		await client.send(peer.port, Buffer.alloc(DATAGRAM_LIMIT + 1));
		await client.send(peer.port, Buffer.alloc(9000));
		await client.send(peer.port, Buffer.from("after"));
		await client.until(1);
		assert.equal(client.received[0].bytes.toString(), "eafter");
		await peer.command(`send 127.0.0.1 ${client.port} ${DATAGRAM_LIMIT + 1}`);
		await peer.command(`send 127.0.0.1 ${client.port} ${DATAGRAM_LIMIT}`);
		await client.until(2);
		assert.equal(client.received[1].bytes.length, DATAGRAM_LIMIT);
	});

	it("notifies again of waiting datagrams if only some were read", async () => {
		const peer = await start();
		const client = await open();
		await peer.command("hold");
		for (let i = 0; i < 5; i++) await client.send(peer.port, Buffer.from([i]));
		await peer.untilNotified();
		await sleep(50);
		assert.deepEqual(await peer.count(), { received: 0, notified: 1 });
		await peer.command("one");
		await peer.command("resume");
		await client.until(5);
		assert.deepEqual(await peer.count(), { received: 5, notified: 5 });
	});

	it("keeps a few datagrams of a flood, loses the rest, and continues", async () => {
		const peer = await start();
		const client = await open();
		await peer.command("hold");
		for (let i = 0; i < 2000; i++) await client.send(peer.port, Buffer.alloc(DATAGRAM_LIMIT));
		await peer.untilNotified();
		await peer.command("resume");
		const { received } = await peer.count();
		assert.ok(received >= 4 && received <= 16, `${received} were kept`);
		await sleep(50);
		assert.deepEqual(await peer.count(), { received, notified: 1 });
		await client.send(peer.port, Buffer.from("after"));
		await client.until(received + 1);
		assert.equal(client.received.at(-1)!.bytes.toString(), "eafter");
	});

	it("survives unreachable destinations", async () => {
		const peer = await start();
		const client = await open();
		for (const target of ["127.0.0.1 1", "127.0.0.1 0", "0.0.0.0 9", "255.255.255.255 9", "240.0.0.1 9"])
			assert.equal(await peer.command(`send ${target} 10`), "sent");
		await sleep(50);
		assert.deepEqual(await peer.count(), { received: 0, notified: 0 });
		await client.send(peer.port, Buffer.from("after"));
		await client.until(1);
	});

	it("can be closed while datagrams arrive", async () => {
		const client = await open();
		for (let i = 0; i < 10; i++) {
			const peer = await Peer.start();
			if (i % 2 === 1) await peer.command("slow");
			let sending = true;
			const flood = (async () => {
				for (; sending; await immediate()) await client.send(peer.port, Buffer.alloc(100)).catch(() => {});
			})();
			await sleep(20 + i);
			await peer.end();
			sending = false;
			await flood;
		}
	});

	it("reports once that the socket is dead", async () => {
		const peer = await start();
		assert.equal(await peer.command("break"), "break");
		assert.equal(await peer.line(), "failed");
		await sleep(50);
		assert.equal((await peer.count()).notified, 1);
	});

	it("gives the reason why a port can't be opened", async () => {
		const peer = await start();
		await assert.rejects(Peer.start({ port: peer.port }), /^Error: UDP port \d+ is used by another program$/);
		await assert.rejects(Peer.start({ address: "192.0.2.77" }), /^Error: UDP port 0 can't be opened: /);
		await assert.rejects(Peer.start({ group: "192.0.2.1" }), /^Error: no network for the group 192\.0\.2\.1: /);
	});

	it("exchanges datagrams only with its own network if it is bound to an address", async () => {
		const peer = await start({ address: "127.0.0.1" });
		const [near, far] = [await open("127.0.0.77"), await open("127.0.1.1")];
		await far.send(peer.port, Buffer.from("far"));
		await near.send(peer.port, Buffer.from("near"));
		await near.until(1);
		assert.equal(near.received[0].from.address, "127.0.0.1");
		await peer.command(`send 127.0.1.1 ${far.port} 10`);
		await peer.command(`send 127.0.0.77 ${near.port} 10`);
		await near.until(2);
		assert.equal(far.received.length, 0);
		assert.equal((await peer.count()).received, 1);
	});

	for (const [where, address] of [
		["in the whole network", "-"],
		["in the network of its address", "127.0.0.1"],
	])
		it(`shares its port with other members of its group, ${where}`, async function () {
			const one = await Peer.start({ address, group: GROUP }).catch((error: Error) => skipBecause(this, error.message));
			peers.push(one!);
			const other = await start({ address, group: GROUP, port: one!.port });
			await other.command("hold");
			await one!.command("hold");
			await one!.command(`send ${GROUP} ${one!.port} 10`);
			await Promise.allSettled([one!.untilNotified(), other.untilNotified()]);
			await sleep(50);
			const notified = [await one!.count(), await other.count()].map((count) => count.notified);
			if (notified[0] === 0 && notified[1] === 0) skipBecause(this, "this computer does not deliver multicast");
			assert.deepEqual(notified, [1, 1]);
		});
});
