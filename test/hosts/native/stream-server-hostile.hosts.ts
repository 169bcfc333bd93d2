import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Mutator, runAll, seedOfRun } from "../../fuzz/mutator.js";
import { needNative } from "./compile.js";
import {
	Certificates,
	Client,
	dial,
	Peer,
	type PeerOptions,
	pattern,
	recordHello,
	tlsOver,
} from "./stream-server-driver.js";

const SEED = seedOfRun();
const FUZZ_RUNS = 40;
const FUZZ_LANES = 4;
/** Limit of a correct client's handshake on a busy computer, ms. */
const HANDSHAKE_MS = 1000;

/** A proxy that may change the client's bytes; it cuts the connection if `change` returns undefined. */
async function proxy(peer: Peer, change: (bytes: Buffer) => Uint8Array | undefined) {
	const sockets: Socket[] = [];
	const servers: Socket[] = [];
	const listener = createServer((near) => {
		const far = connect({ port: peer.port, host: "127.0.0.1" });
		sockets.push(near, far);
		servers.push(far);
		for (const socket of [near, far]) socket.on("error", () => {});
		near.on("data", (bytes) => {
			const changed = change(bytes);
			if (changed === undefined) far.resetAndDestroy();
			else if (changed.length > 0) far.write(changed);
		});
		far.on("data", (bytes) => near.write(bytes));
		near.on("close", () => far.destroy());
		far.on("close", () => near.destroy());
	}).listen(0, "127.0.0.1");
	await once(listener, "listening");
	return {
		port: (listener.address() as { port: number }).port,
		/** Holds back the server's bytes, or releases them. */
		hold: (isHeld: boolean) => {
			for (const socket of servers) isHeld ? socket.pause() : socket.resume();
		},
		close: () => {
			for (const socket of sockets) socket.destroy();
			listener.close();
		},
	};
}

/** Sends the beginning of a record, then single bytes. */
async function drip({ socket }: Client): Promise<void> {
	for (const byte of Buffer.concat([Buffer.of(22, 3, 3, 1, 0), Buffer.alloc(200)])) {
		if (socket.destroyed) return;
		socket.write(Buffer.of(byte));
		await sleep(100);
	}
}

/** A client whose address the server then trusts. */
async function openTrusted(peer: Peer): Promise<Client> {
	const known = await peer.open(peer.port, "127.0.0.9");
	await known.get("/size/10", 10);
	assert.equal(await peer.command("know"), "know");
	return known;
}

/** A stalled handshake keeps its place for a quarter of this, and both clients of `serveBoth` must come in that time. */
const SLOW_MS = 2000;

/** Clients of two addresses, the second of which comes later; returns the addresses in the order of the replies. */
async function serveBoth(peer: Peer, first: string, second: string): Promise<string[]> {
	const order: string[] = [];
	const serve = async (address: string) => {
		await peer.checkServes(10, address);
		order.push(address);
	};
	await Promise.all([serve(first), sleep(20).then(() => serve(second))]);
	return order;
}

describe(`The native stream server with hostile clients (SEED=${SEED})`, function () {
	// The first test compiles the program.
	this.timeout(60_000);
	let certificates: Certificates;
	let hello: Buffer;
	const peers: Peer[] = [];

	before(async function () {
		needNative(this);
		certificates = new Certificates();
		hello = await recordHello();
	});
	after(() => certificates?.remove());
	afterEach(async () => {
		await Promise.all(peers.splice(0).map((peer) => peer.end()));
	});

	for (const secure of [false, true]) {
		const start = async (options: PeerOptions = {}): Promise<Peer> => {
			const peer = await Peer.start(secure ? { certificates, ...options } : options);
			peers.push(peer);
			return peer;
		};

		describe(secure ? "by TLS" : "by plain TCP", () => {
			it("serves fifty clients at once with only three connections", async () => {
				const peer = await start({ connections: 3 });
				await Promise.all(new Array(50).fill(0).map(() => peer.checkServes(5000)));
				await peer.untilOpen(0);
			});

			it("serves as many clients at once as it has sockets, and then the others", async () => {
				const peer = await start({ connections: 8, descriptors: 11 });
				const there = await Promise.all([peer.open(), peer.open()]);
				for (const client of there) await client.get("/size/100", 100);
				await Promise.all(new Array(20).fill(0).map(() => peer.checkServes(5000)));
				for (const client of there) await client.get("/size/100", 100);
				const more = new Array(10).fill(0).map(() => peer.dial());
				await sleep(50);
				await peer.checkIdle();
				for (const client of [...more, ...there]) client.socket.destroy();
				await peer.checkServes();
			});

			it("survives resets at every stage", async () => {
				const peer = await start({ connections: 4, handshakeMs: HANDSHAKE_MS });
				await peer.checkServes();
				const before = peer.descriptors();
				for (const cut of [0, 1, 5, 100, hello.length]) {
					const client = peer.dial();
					if (cut > 0) client.socket.write(hello.subarray(0, cut));
					await sleep(20);
					client.reset();
				}
				for (const path of ["/size/0", "/size/5000000", "/silent", "/nowhere"]) {
					const client = await peer.open();
					client.request(`GET ${path} HTTP/1.1`);
					await sleep(20);
					client.reset();
				}
				const client = await peer.open();
				client.request("POST /echo HTTP/1.1", "Content-Length: 5000000");
				client.socket.write(pattern(1_000_000));
				await sleep(20);
				client.reset();
				await peer.untilOpen(0);
				await peer.checkServes();
				await peer.untilDescriptors(before);
				await peer.checkIdle();
			});

			it("drops connections that break before the owner accepts them, and keeps those whose client only ended its side", async () => {
				const peer = await start({ connections: 4 });
				assert.equal(await peer.command("hold"), "hold");
				const dead = await Promise.all([peer.open(), peer.open(), peer.open()]);
				for (const client of dead) client.request("GET /size/100 HTTP/1.1");
				const ended = await peer.open();
				ended.request("GET /size/100 HTTP/1.0");
				ended.socket.end();
				await sleep(50);
				for (const client of dead) client.reset();
				await sleep(50);
				await peer.checkIdle();
				const late = await peer.open();
				late.request("GET /size/100 HTTP/1.1");
				assert.equal(await peer.command("resume"), "resume");
				assert.ok((await ended.reply(200)).equals(pattern(100)));
				assert.ok((await late.reply(200)).equals(pattern(100)));
				await peer.untilOpen(1);
				late.socket.destroy();
			});

			it("holds a slow reader back, without taking memory or delaying others", async () => {
				const peer = await start({ connections: 4 });
				await peer.checkServes(1_000_000);
				const before = peer.memoryKiB();
				const slow = await Promise.all([peer.open(), peer.open(), peer.open()]);
				for (const client of slow) {
					client.socket.pause();
					client.request("GET /size/20000000 HTTP/1.1");
				}
				await sleep(300);
				for (let i = 0; i < 5; i++) await peer.checkServes(100_000);
				await peer.checkIdle();
				assert.ok(peer.memoryKiB() - before < 16384, `${peer.memoryKiB() - before} KiB more`);
				slow[0].socket.resume();
				assert.ok((await slow[0].reply(200)).equals(pattern(20_000_000)));
				for (const client of slow) client.socket.destroy();
				await peer.untilOpen(0);
			});

			it("receives nothing from a client while the owner does not read its bytes, and serves others", async () => {
				const peer = await start({ connections: 3 });
				const client = await peer.open();
				client.request("GET /silent HTTP/1.1");
				for (let i = 0; i < 10; i++) client.socket.write(pattern(1_000_000));
				await sleep(200);
				await peer.checkServes(100_000);
				await peer.checkIdle();
				assert.ok(client.socket.writableLength > 1_000_000, "the bytes were received");
				client.reset();
				await sleep(50);
				await peer.checkIdle();
				await peer.checkServes();
				assert.equal(await peer.command("drop"), "drop");
			});

			it("reports the end of a connection to the owner after all bytes before it were read", async () => {
				const peer = await start();
				const client = await peer.open();
				client.request("GET /silent HTTP/1.1");
				client.socket.end(pattern(1500));
				await sleep(50);
				await peer.untilOpen(1);
				assert.equal(await peer.command("read"), "read");
				await client.untilOver(900);
			});

			it("waits for a client that writes a byte at a time", async () => {
				const peer = await start();
				const client = await peer.open();
				for (const byte of "POST /echo HTTP/1.1\r\nContent-Length: 30\r\n\r\n") {
					client.socket.write(byte);
					await sleep(2);
				}
				await peer.checkServes();
				for (const byte of pattern(30)) {
					client.socket.write(Buffer.of(byte));
					await sleep(2);
				}
				assert.ok((await client.reply(200)).equals(pattern(30)));
				client.socket.destroy();
			});

			it("loses nothing of a reply when the owner closes the connection at once", async () => {
				const peer = await start();
				for (const delayMs of [0, 300]) {
					const client = await peer.open();
					client.socket.pause();
					client.request("GET /close/1900 HTTP/1.1");
					await sleep(delayMs);
					client.socket.resume();
					assert.ok((await client.reply(200)).equals(pattern(1900)));
					await client.until(() => client.ended);
					assert.equal(client.error, undefined);
					client.socket.end();
				}
			});

			it("loses nothing of a reply to an upload that it does not read", async () => {
				const peer = await start();
				for (const size of [10, 300_000, 3_000_000]) {
					const client = await peer.open();
					client.request("POST /refuse HTTP/1.1", `Content-Length: ${size}`);
					client.socket.write(pattern(size));
					assert.equal((await client.reply(413)).toString(), "too big");
					await client.until(() => client.ended);
					assert.equal(client.error, undefined);
					client.socket.destroy();
				}
			});

			it("gives the connection of a client that reads nothing to the next one, after its time limit", async () => {
				const peer = await start({ connections: 2, lingerMs: 1000 });
				const stuck = await peer.open();
				stuck.socket.pause();
				stuck.request("GET /size/50000000 HTTP/1.1");
				const written = new Promise((resolve) => stuck.socket.write(pattern(20_000_000), resolve));
				await sleep(200);
				/*
				 * Linux may accept more bytes than poll() reports, so each event of another client makes the server try again.
				 */
				const other = await peer.open();
				for (let i = 0; i < 200; i++) await other.get("/size/10", 10);
				assert.equal(await peer.command("drop"), "drop");
				const next = await peer.open();
				await next.get("/size/10", 10);
				await peer.checkServes();
				assert.equal((await written) ?? undefined, undefined, "the bytes were not received");
				for (const client of [stuck, other, next]) client.socket.destroy();
			});

			it("ends soon, whatever its connections are doing", async () => {
				const peer = await Peer.start(secure ? { certificates, connections: 4 } : { connections: 4 });
				const clients = await Promise.all([peer.open(), peer.open(), peer.open()]);
				clients[0].socket.pause();
				clients[0].request("GET /size/50000000 HTTP/1.1");
				clients[1].request("GET /silent HTTP/1.1");
				clients[1].socket.write(pattern(100_000));
				const half = peer.dial();
				half.socket.write(hello.subarray(0, 50));
				await sleep(100);
				const begin = Date.now();
				await peer.end();
				assert.ok(Date.now() - begin < 1000, `only after ${Date.now() - begin} ms`);
				for (const client of [...clients, half]) client.socket.destroy();
			});
		});
	}

	describe("in the TLS handshake", () => {
		let peer: Peer;
		beforeEach(async () => {
			peer = await Peer.start({ certificates, connections: 3, handshakeMs: HANDSHAKE_MS });
			peers.push(peer);
		});

		it("serves connected clients while a handshake stalls, and then the waiting ones", async () => {
			const there = await peer.open();
			for (const cut of [0, 1, 5, 60, hello.length - 1, hello.length]) {
				const half = peer.dial();
				if (cut > 0) half.socket.write(hello.subarray(0, cut));
				const waiting = peer.checkServes();
				await there.get("/size/50000", 50_000);
				const tookMs = await half.untilOver();
				assert.ok(tookMs < HANDSHAKE_MS * 3, `a hello cut at ${cut} was waited for ${tookMs} ms`);
				await waiting;
			}
			there.socket.destroy();
		});

		it("ends a handshake at its time limit even if the client keeps sending", async () => {
			const half = peer.dial();
			const begin = Date.now();
			for (const byte of hello) {
				if (half.ended || half.socket.destroyed) break;
				half.socket.write(Buffer.of(byte));
				await sleep(10);
			}
			await half.untilOver();
			assert.ok(Date.now() - begin < HANDSHAKE_MS * 4);
			await peer.checkServes();
		});

		const record = (type: number, payload: Uint8Array, length = payload.length) =>
			Buffer.concat([Buffer.of(type, 3, 3, length >> 8, length & 0xff), payload]);
		const strange: [string, () => Uint8Array][] = [
			["HTTP", () => Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
			["noise", () => randomBytes(5000)],
			["zeros", () => Buffer.alloc(5000)],
			["a record of 65535 bytes", () => record(22, Buffer.alloc(65535), 0xffff)],
			["a message of 16 MB", () => record(22, Buffer.of(1, 0xff, 0xff, 0xff, ...pattern(5000)))],
			["empty records", () => Buffer.concat(new Array(20000).fill(record(22, Buffer.alloc(0))))],
			["warnings", () => Buffer.concat(new Array(50000).fill(record(21, Buffer.of(1, 100))))],
			["data before the handshake", () => record(23, pattern(1000))],
			["a change of cipher before the handshake", () => record(20, Buffer.of(1))],
			["the hello twice", () => Buffer.concat([hello, hello])],
			["the hello and noise", () => Buffer.concat([hello, randomBytes(3000)])],
			["a hello of SSL 2", () => Buffer.from("802e0100020015000000100100800300800700c006004002008004008000", "hex")],
		];
		for (const [name, bytes] of strange)
			it(`rejects ${name}`, async () => {
				const client = peer.dial();
				client.socket.write(bytes());
				await client.untilOver();
				await peer.checkServes();
			});

		it("is idle after all these clients", async () => {
			for (const [, bytes] of strange) peer.dial().socket.write(bytes());
			await peer.checkServes();
			await peer.checkIdle();
		});
	});

	describe("in the admission queue", () => {
		const STRANGERS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
		const begin = async (options: PeerOptions = {}): Promise<Peer> => {
			const peer = await Peer.start({ certificates, connections: 2, queuePlaces: 6, handshakeMs: 3000, ...options });
			peers.push(peer);
			return peer;
		};

		it("admits no client that sends nothing or too little, and closes it after its time limit", async () => {
			const peer = await begin({ silenceMs: 1500 });
			const silent = [0, 1, 5, 60].map((length) => {
				const client = peer.dial();
				if (length > 0) client.socket.write(hello.subarray(0, length));
				return client;
			});
			await sleep(50);
			await peer.checkServes();
			await peer.checkServes();
			const over = () => silent.map(({ ended, socket }) => ended || socket.destroyed);
			assert.deepEqual(over(), [false, false, false, false]);
			// The queue then admits the two that have sent enough; their handshakes must make progress.
			await Promise.all(silent.slice(0, 2).map((client) => client.untilOver()));
			assert.deepEqual(over(), [true, true, false, false]);
			await peer.checkIdle();
			for (const client of silent) client.socket.destroy();
		});

		it("always has a place for a new address, whatever other addresses send", async () => {
			const peer = await begin({ silenceMs: 3000, pressedMs: 200 });
			const crowd = STRANGERS.flatMap((address) => new Array(20).fill(0).map(() => peer.dial(address)));
			await sleep(50);
			for (const client of crowd.slice(0, 30)) client.socket.write(hello);
			await sleep(50);
			const startMs = Date.now();
			await peer.checkServes(1000, "127.0.0.9");
			assert.ok(Date.now() - startMs < 1500, `after ${Date.now() - startMs} ms`);
			assert.ok(peer.descriptors() < 30, "the other connections are kept");
			for (const client of crowd) client.socket.destroy();
		});

		it("serves a new address again and again while each of eight others stalls a handshake, and connects again when dropped", async () => {
			const peer = await begin({ connections: 3, pressedMs: 400, queuePlaces: 6 });
			let isOver = false;
			const open = new Set<Client>();
			const stall = async (address: string) => {
				while (!isOver) {
					const client = peer.dial(address);
					open.add(client);
					client.socket.once("end", () => client.socket.destroy()).write(hello);
					await client.closed;
					open.delete(client);
					await sleep(5);
				}
			};
			const stalling = Array.from({ length: 8 }, (_, i) => stall(`127.0.1.${i + 1}`));
			// Each of them has its turn first.
			await sleep(8 * 200);
			let served = 0;
			for (let i = 0; i < 10; i++, await sleep(100)) {
				try {
					await peer.checkServes(1000, "127.0.0.9");
					served++;
				} catch {
					// It was dropped.
				}
			}
			assert.ok(served >= 9, `${served} of 10 requests`);
			isOver = true;
			for (const client of open) client.socket.destroy();
			await Promise.all(stalling);
		});

		it("admits trusted addresses first, then the address that was served longest ago", async () => {
			const peer = await begin({ connections: 2, pressedMs: SLOW_MS });
			const known = await openTrusted(peer);
			const crowd = STRANGERS.flatMap((address) => [peer.dial(address), peer.dial(address)]);
			for (const client of crowd) client.socket.write(hello);
			await sleep(50);
			assert.deepEqual(await serveBoth(peer, "127.0.0.8", "127.0.0.9"), ["127.0.0.9", "127.0.0.8"]);
			for (const client of [...crowd, known]) client.socket.destroy();
		});

		it("trusts no address after a token was revoked", async () => {
			const peer = await begin({ connections: 2, pressedMs: SLOW_MS });
			const known = await openTrusted(peer);
			assert.equal(await peer.command("forget"), "forget");
			const stalled = peer.dial("127.0.0.2");
			stalled.socket.write(hello);
			await sleep(50);
			// The address served longest ago goes first, although its connection comes later.
			assert.deepEqual(await serveBoth(peer, "127.0.0.9", "127.0.0.8"), ["127.0.0.8", "127.0.0.9"]);
			for (const client of [stalled, known]) client.socket.destroy();
		});

		it("stops trusting an address after two of its handshakes were given up", async () => {
			const peer = await begin({ pressedMs: SLOW_MS });
			const known = await openTrusted(peer);
			for (let i = 0; i < 2; i++) {
				const stalled = peer.dial("127.0.0.9");
				stalled.socket.write(hello);
				await sleep(50);
				await peer.checkServes(10, "127.0.0.2");
				await stalled.untilOver();
			}
			const other = peer.dial("127.0.0.2");
			other.socket.write(hello);
			await sleep(50);
			assert.deepEqual(await serveBoth(peer, "127.0.0.9", "127.0.0.8"), ["127.0.0.8", "127.0.0.9"]);
			for (const client of [other, known]) client.socket.destroy();
		});

		for (const [what, stall] of [
			["stalls its handshakes", () => {}],
			["sends its handshakes a byte at a time", (client: Client) => drip(client)],
		] as const)
			it(`serves another address while a trusted one ${what}`, async () => {
				const handshakeMs = 10_000;
				const peer = await begin({ connections: 3, handshakeMs, pressedMs: 300 });
				const known = await openTrusted(peer);
				known.socket.destroy();
				let isOver = false;
				const attack = async () => {
					while (!isOver) {
						const client = peer.dial("127.0.0.9");
						client.socket.write(hello);
						stall(client);
						await client.untilOver(60_000);
					}
				};
				const attacks = [attack(), attack(), attack()];
				await sleep(100);
				// If stalled handshakes were not given up early, each client below would wait for three of them.
				const startMs = Date.now();
				for (let i = 0; i < 3; i++) await peer.checkServes(10, "127.0.0.8");
				const tookMs = Date.now() - startMs;
				isOver = true;
				await peer.command("stop");
				await Promise.all(attacks);
				assert.ok(tookMs < handshakeMs, `after ${tookMs} ms`);
			});

		it("notifies the owner again of a waiting client when another one got the free connection", async () => {
			const peer = await begin();
			const there = [await peer.open(), await peer.open(peer.port, "127.0.0.9")];
			for (const client of there) await client.get("/size/10", 10);
			const pressed = async () => Number.parseInt(await peer.command("pressed"), 10);
			// This address was served last, so another address goes first.
			const slow = peer.open(peer.port, "127.0.0.9");
			while ((await pressed()) < 1) await sleep(10);
			const quick = peer.open(peer.port, "127.0.0.8");
			await sleep(100);
			there[0].socket.destroy();
			const client = await quick;
			await client.get("/size/10", 10);
			while ((await pressed()) < 3) await sleep(10);
			client.socket.destroy();
			const last = await slow;
			await last.get("/size/10", 10);
			for (const each of [last, there[1]]) each.socket.destroy();
		});

		it("asks the owner to close a connection only when it knows of all connections", async () => {
			const peer = await begin();
			const there = await peer.open();
			await there.get("/size/10", 10);
			// The owner learns of this connection 250 ms later, because it sends no request.
			const silent = await peer.open();
			const next = peer.open();
			while ((await peer.command("pressed")) === "0 pressed") await sleep(5);
			assert.equal(await peer.command("count"), "2 open");
			silent.socket.destroy();
			const client = await next;
			await client.get("/size/10", 10);
			for (const each of [there, client]) each.socket.destroy();
		});

		it("begins no handshake without memory for it, and carries out the waiting handshakes once there is memory", async () => {
			const peer = await begin();
			const there = await peer.open();
			await there.get("/size/10", 10);
			assert.equal(await peer.command("scarce"), "scarce");
			let isIn = false;
			const next = peer.open().then((client) => {
				isIn = true;
				return client;
			});
			await sleep(300);
			assert.equal(isIn, false);
			await there.get("/size/5000", 5000);
			assert.equal(await peer.command("plenty"), "plenty");
			const client = await next;
			await client.get("/size/10", 10);
			for (const each of [there, client]) each.socket.destroy();
		});

		it("notifies the owner of each waiting client when all connections are in use, and admits it when one is closed", async () => {
			const peer = await begin();
			const there = await Promise.all([peer.open(), peer.open()]);
			for (const client of there) await client.get("/size/10", 10);
			assert.equal(await peer.command("pressed"), "0 pressed");
			const next = peer.open();
			while ((await peer.command("pressed")) === "0 pressed") await sleep(10);
			await sleep(50);
			assert.equal(await peer.command("pressed"), "1 pressed");
			there[0].socket.destroy();
			const client = await next;
			await client.get("/size/10", 10);
			await there[1].get("/size/10", 10);
			client.socket.destroy();
			there[1].socket.destroy();
		});
	});

	it("reads nothing while a partly sent record waits, because an alert in reply would be sent in the middle of that record", async () => {
		const peer = await Peer.start({ certificates });
		peers.push(peer);
		let spoil = false;
		// A record with a wrong MAC, which is answered with an alert.
		const wrong = Buffer.concat([Buffer.of(23, 3, 3, 0, 40), randomBytes(40)]);
		const between = await proxy(peer, (passed) => (spoil ? wrong : passed));
		const client = await peer.open(between.port);
		client.request("GET /size/20000000 HTTP/1.1");
		await client.until(() => client.received.length > 0);
		between.hold(true);
		// Other connections wake the thread, which then sends on this connection too, until the system's buffers are full.
		const connectOthers = async () => {
			for (let i = 0; i < 30; i++) {
				const other = peer.dial();
				await sleep(20);
				other.reset();
			}
		};
		await connectOthers();
		spoil = true;
		client.request("spoilt");
		await connectOthers();
		await peer.untilOpen(1);
		between.hold(false);
		await client.until(() => client.error !== undefined || client.ended);
		await sleep(50);
		// Whole records of the reply arrive, then the alert.
		assert.equal(client.error, "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC");
		const body = client.received.subarray(client.received.indexOf("\r\n\r\n") + 4);
		assert.ok(body.equals(pattern(20_000_000).subarray(0, body.length)), "another body");
		between.close();
		await peer.untilOpen(0);
		await peer.checkServes();
	});

	it("breaks a TLS connection when a record was changed on its way, and serves the others", async () => {
		const peer = await Peer.start({ certificates });
		peers.push(peer);
		const junk = [
			randomBytes(100),
			Buffer.of(23, 3, 3, 0, 0),
			Buffer.of(23, 3, 3, 0xff, 0xff),
			Buffer.of(22, 3, 3, 0, 1, 0),
		];
		for (const bytes of junk) {
			let spoil = false;
			const between = await proxy(peer, (passed) => (spoil ? Buffer.concat([bytes, passed]) : passed));
			const client = await peer.open(between.port);
			await client.get("/size/2000", 2000);
			spoil = true;
			client.request("GET /size/2000 HTTP/1.1");
			await client.untilOver();
			assert.equal(client.received.length, 0);
			between.close();
			await peer.untilOpen(0);
			await peer.checkServes();
		}
	});

	it(`survives ${FUZZ_RUNS * FUZZ_LANES} clients whose bytes are damaged`, async () => {
		const peer = await Peer.start({
			...{ certificates, connections: 6, handshakes: FUZZ_LANES },
			...{ handshakeMs: 200, lingerMs: 100 },
		});
		peers.push(peer);
		const damage = async (mutator: Mutator): Promise<void> => {
			let left = mutator.random.below(5);
			const between = await proxy(peer, (bytes) => (left-- === 0 ? Buffer.from(mutator.mutate(bytes, hello)) : bytes));
			const carrier = dial(between.port);
			const client = new Client(tlsOver(carrier), carrier);
			client.request("POST /echo HTTP/1.1", "Content-Length: 3000");
			client.socket.write(pattern(3000));
			await Promise.race([client.reply(200).catch(() => {}), client.closed, sleep(80)]);
			client.socket.destroy();
			between.close();
		};
		await runAll("damaged TLS", SEED, FUZZ_RUNS, async ({ random }) => {
			const lanes = new Array(FUZZ_LANES).fill(0).map(() => new Mutator(random.below(1_000_000)));
			await Promise.all(lanes.map(damage));
		});
		await peer.untilOpen(0);
		await peer.checkServes(100_000);
		await peer.checkIdle();
	});
});
