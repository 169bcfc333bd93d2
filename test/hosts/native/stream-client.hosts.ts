/** The native clients with OpenSSL servers (Node's, and its own program), under the sanitizers. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AUTHORITY, type Made, make, rsa } from "../openssl.js";
import { needNative } from "./compile.js";
import { alerting } from "./hostile-servers.js";
import { ClientPeer, checksum, pattern, TestServer, type Trusting } from "./stream-client-driver.js";

const DAY_MS = 86_400_000;
const [ENDED, BROKEN, NO_ADDRESS, UNREACHABLE, TIMEOUT] = [1, 2, 3, 4, 5];
const [OUT_OF_MEMORY, HANDSHAKE, UNTRUSTED, WRONG_NAME, EXPIRED, REFUSED] = [6, 7, 8, 9, 10, 11];
const NAMES = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:localhost,DNS:*.home.example,IP:127.0.0.1"];
const CONNECTED = /^0 connected 127\.0\.0\.1 resumed 0 session \d+$/;

describe("The native clients", function () {
	this.timeout(60_000);
	let root: Made;
	let middle: Made;
	let server: Made;
	let chained: Made;
	let own: Made;
	let peer: ClientPeer;
	const servers: TestServer[] = [];

	before(function () {
		needNative(this);
		root = make({ subject: "/CN=root", extensions: AUTHORITY });
		middle = make({ subject: "/CN=middle", issuer: root, extensions: AUTHORITY });
		server = make({ subject: "/CN=server", issuer: root, extensions: NAMES });
		const leaf = make({ subject: "/CN=leaf", issuer: middle, extensions: NAMES, key: rsa(2048) });
		chained = { certificate: leaf.certificate + middle.certificate, key: leaf.key };
		own = make({ subject: "/CN=somebody else", extensions: ["basicConstraints=CA:FALSE"] });
	});
	beforeEach(() => {
		peer = new ClientPeer();
		peer.write("root", root.certificate);
		peer.write("own", own.certificate);
	});
	afterEach(async () => {
		await Promise.all(servers.splice(0).map((each) => each.close()));
		await peer.end();
	});

	const tcp = async (...args: Parameters<typeof TestServer.tcp>) => {
		servers.push(await TestServer.tcp(...args));
		return servers[servers.length - 1];
	};
	const tls = async (...args: Parameters<typeof TestServer.tls>) => {
		servers.push(await TestServer.tls(...args));
		return servers[servers.length - 1];
	};
	/** Result of a connection to a server with this certificate and key. */
	async function resultWith(pair: Made, trusting: Trusting, host?: string): Promise<string> {
		const { port } = await tls(pair);
		const line = await peer.connect(0, { port, tls: trusting, ...(host === undefined ? {} : { host }) });
		await peer.close(0);
		return line;
	}
	const trusted = { trusted: "root" };

	for (const secure of [false, true]) {
		describe(secure ? "by TLS" : "by plain TCP", () => {
			const serve = (onConnection: Parameters<typeof TestServer.tcp>[0]) =>
				secure ? tls(server, { allowHalfOpen: true }, onConnection) : tcp(onConnection);
			const target = (port: number) => ({ port, ...(secure ? { tls: trusted } : {}) });

			it("send every byte in order over three connections at once, while they receive", async () => {
				const body = pattern(300_000);
				const chunks: Buffer[] = [];
				const { port } = await serve((socket) => {
					const pieces: Buffer[] = [];
					socket.on("data", (piece) => pieces.push(piece));
					socket.write(body);
					socket.on("end", () => {
						chunks.push(Buffer.concat(pieces));
						socket.end();
					});
				});
				for (const n of [0, 1, 2]) assert.match(await peer.connect(n, target(port)), /connected/);
				for (const n of [0, 1, 2]) peer.command(n, "send 200000");
				for (const n of [0, 1, 2]) await peer.line(new RegExp(`^${n} sent`));
				await sleep(200);
				for (const n of [0, 1, 2]) await peer.close(n);
				await peer.rests();
				assert.deepEqual(
					chunks.map((bytes) => bytes.equals(pattern(200_000))),
					[true, true, true],
				);
			});

			it("report the regular end of a connection after all bytes before it", async () => {
				const { port } = await serve((socket) => socket.end(pattern(70_000)));
				assert.match(await peer.connect(0, target(port)), /connected/);
				assert.equal(await peer.line(/over/), `0 over ${ENDED} after 70000 ${checksum(pattern(70_000))}`);
			});

			it("hold a server back while nothing is read, and are idle meanwhile", async () => {
				let sent = 0;
				const { port } = await serve((socket) => {
					const more = () => {
						for (let room = true; room && sent < 30_000_000; sent += 100_000)
							room = socket.write(Buffer.alloc(100_000));
						if (sent === 30_000_000) socket.end();
					};
					socket.on("drain", more);
					more();
				});
				await peer.open(0, target(port));
				peer.command(0, "hold");
				await peer.line(/connected/);
				await sleep(300);
				assert.ok(sent < 29_000_000, `${sent} bytes went out`);
				await peer.checkIdle();
				peer.command(0, "resume");
				assert.match(await peer.line(/over/), /^0 over 1 after 30000000 /);
			});

			it("report a reset as a break", async () => {
				const { port } = await serve((socket) => socket.once("data", () => servers[0].reset()));
				await peer.connect(0, target(port));
				peer.command(0, "send 10");
				assert.match(await peer.line(/over/), new RegExp(`^0 over ${BROKEN} `));
			});

			it("leave nothing behind after hundreds of connections", async () => {
				const { port } = await serve((socket) => socket.end("x"));
				await peer.connect(0, target(port));
				await peer.close(0);
				await peer.rests();
				const descriptors = peer.descriptors();
				const threads = peer.threads();
				const rounds = secure ? 100 : 1000;
				for (let i = 0; i < rounds; i++) {
					await peer.connect(0, target(port));
					if (i % 3 !== 0) await peer.line(/over/);
					await peer.close(0);
					if (i % 3 === 0) for (const _ of peer.unread(/over/));
				}
				await peer.rests();
				assert.equal(peer.descriptors(), descriptors);
				assert.equal(peer.threads(), threads);
			});
		});
	}

	it("give the reason for a failed connection: no name, no server, silence", async () => {
		assert.equal(await peer.fails(0, { host: "nothing.invalid", port: 80 }), NO_ADDRESS);
		const closed = await TestServer.tcp(() => {});
		const { port } = closed;
		await closed.close();
		assert.equal(await peer.fails(0, { port }), UNREACHABLE);
		const silent = await tcp(() => {});
		const begin = Date.now();
		assert.equal(await peer.fails(0, { port: silent.port, timeoutMs: 300, tls: trusted }), TIMEOUT);
		assert.ok(Date.now() - begin < 1500);
		await peer.rests();
	});

	it("report nothing after the end, even if the server keeps reading", async () => {
		const met: Socket[] = [];
		let received = 0;
		const { port } = await tcp((socket) => {
			socket.pause();
			socket.on("data", (bytes) => {
				received += bytes.length;
			});
			met.push(socket);
		});
		await peer.connect(0, { port });
		// More bytes than the system buffers, so that some are unsent at the end.
		peer.command(0, "send 30000000");
		await sleep(300);
		met[0].end();
		await peer.line(/^0 over/);
		met[0].resume();
		for (const end = Date.now() + 10_000; received === 0; await sleep(10))
			assert.ok(Date.now() < end, "the server reads nothing");
		await peer.checkIdle();
		await peer.close(0);
	});

	it("do handshakes and send at the same time although little memory is free", async () => {
		const received = [0, 0];
		const ports = [];
		for (const n of [0, 1]) {
			const { port } = await tls(server, {}, (socket) => {
				socket.on("data", (bytes) => {
					received[n] += bytes.length;
				});
			});
			ports.push(port);
		}
		assert.match(await peer.connect(0, { port: ports[0], tls: trusted }), /connected/);
		peer.command(0, "memory 45000");
		peer.command(0, "send 3000000");
		for (const end = Date.now() + 5000; received[0] === 0; await sleep(2)) assert.ok(Date.now() < end, "nothing comes");
		assert.match(await peer.connect(1, { port: ports[1], tls: trusted }), /connected/);
		assert.ok(received[0] < 3_000_000, "the two did not overlap");
		peer.command(1, "send 30000");
		await peer.line(/^1 sent/);
		await peer.line(/^0 sent/);
		await sleep(100);
		assert.deepEqual(received, [3_000_000, 30_000]);
		for (const n of [0, 1]) await peer.close(n);
	});

	it("reject a fourth connection at once, and accept it when one of three is closed", async () => {
		const { port } = await tcp(() => {});
		for (const n of [0, 1, 2]) assert.match(await peer.connect(n, { port }), /connected/);
		assert.equal(await peer.open(3, { port }), "3 not opened: ");
		await peer.close(1);
		assert.match(await peer.connect(3, { port }), /connected/);
	});

	it("give up at once when they are closed before they are connected", async () => {
		const { port } = await tcp(() => {});
		for (const wait of [0, 1, 5, 50]) {
			await peer.open(0, { port, tls: trusted });
			await sleep(wait);
			await peer.close(0);
		}
		await peer.open(0, { host: "localhost", port });
		await peer.close(0);
		await peer.rests();
	});

	describe("and trusted servers", () => {
		it("trust a chain to an authority, for a name and for an address, with ECDSA and with RSA", async () => {
			assert.match(await resultWith(server, trusted), CONNECTED);
			assert.match(await resultWith(server, trusted, "localhost"), CONNECTED);
			assert.match(await resultWith(chained, trusted), CONNECTED);
			assert.match(await resultWith(chained, { ...trusted, name: "LocalHost" }), CONNECTED);
			assert.match(await resultWith(server, { ...trusted, name: "hub.home.example" }), CONNECTED);
		});

		it("trust the pinned certificate itself, whatever its name and its issuer", async () => {
			assert.match(await resultWith(own, { trusted: "own" }), CONNECTED);
			const foreign = make({ subject: "/CN=foreign", issuer: make({ subject: "/CN=x", extensions: AUTHORITY }) });
			peer.write("foreign", foreign.certificate);
			assert.match(await resultWith(foreign, { trusted: "foreign" }), CONNECTED);
			peer.write("both", root.certificate + own.certificate);
			assert.match(await resultWith(own, { trusted: "both" }), CONNECTED);
			assert.match(await resultWith(server, { trusted: "both" }), CONNECTED);
		});

		it('trust any server if the trusted text is only the word "anybody"', async () => {
			peer.write("anybody", "anybody");
			const anybody = { trusted: "anybody", name: "example.org", utcMs: Date.now() + 40 * DAY_MS };
			const unsigned = make({ subject: "/CN=leaf", issuer: make({ subject: "/CN=root", extensions: AUTHORITY }) });
			for (const pair of [server, chained, own, unsigned]) assert.match(await resultWith(pair, anybody), CONNECTED);
			peer.write("nobody", "anybody\n");
			assert.match(await peer.open(0, { port: 9, tls: { trusted: "nobody" } }), /not opened: there is no certificate/);
		});

		it("accept a common name if the certificate has no other name", async () => {
			const common = make({ subject: "/O=Home/CN=localhost", issuer: root });
			assert.match(await resultWith(common, { ...trusted, name: "localhost" }), CONNECTED);
			assert.match(await resultWith(common, trusted), new RegExp(`over ${WRONG_NAME} `));
			const address = make({ subject: "/CN=127.0.0.1", issuer: root });
			assert.match(await resultWith(address, trusted), new RegExp(`over ${WRONG_NAME} `));
		});
	});

	describe("and rejected servers", () => {
		const refused = async (pair: Made, trusting: Trusting, code: number) => {
			// At other levels OpenSSL does not show certificates with old algorithms.
			const { port } = await tls(pair, { ciphers: "DEFAULT:@SECLEVEL=0" });
			assert.equal(await peer.fails(0, { port, tls: trusting }), code);
		};

		it("reject a server without a chain to a trusted certificate", async () => {
			await refused(own, trusted, UNTRUSTED);
			await refused(server, { trusted: "own" }, UNTRUSTED);
			const impostor = make({ subject: "/CN=root", extensions: AUTHORITY });
			await refused(make({ subject: "/CN=leaf", issuer: impostor, extensions: NAMES }), trusted, UNTRUSTED);
			const { certificate, key } = chained;
			await refused({ certificate: certificate.split(/(?<=END CERTIFICATE-----\n)/)[0], key }, trusted, UNTRUSTED);
			// An end entity is not an authority.
			const issued = make({ subject: "/CN=leaf", issuer: server, extensions: NAMES });
			await refused({ ...issued, certificate: issued.certificate + server.certificate }, trusted, UNTRUSTED);
		});

		it("reject a trusted server with another name or address", async () => {
			for (const name of ["example.org", "home.example", "a.b.home.example", "127.0.0.2", "ocalhost", "localhosts"])
				await refused(server, { ...trusted, name }, WRONG_NAME);
		});

		it("reject a certificate that has expired or is not valid yet at the given time", async () => {
			const now = Date.now();
			const at = (days: number) => ({ ...trusted, utcMs: now + days * DAY_MS });
			await refused(server, at(40), EXPIRED);
			await refused(server, at(-2), EXPIRED);
			assert.match(await resultWith(server, at(1)), CONNECTED);
			await refused(own, { trusted: "own", utcMs: now + 40 * DAY_MS }, EXPIRED);
			const old = make({ subject: "/CN=old", issuer: root, extensions: NAMES, days: -1 });
			assert.match(await resultWith(old, trusted), CONNECTED);
			await refused(old, at(1), EXPIRED);
		});

		it("reject a certificate that is not for servers", async () => {
			const extensions = [...NAMES, "extendedKeyUsage=clientAuth"];
			await refused(make({ subject: "/CN=client", issuer: root, extensions }), trusted, UNTRUSTED);
		});

		it("reject a chain with SHA-1 or with RSA of 1024 bits, at the server or above it", async () => {
			const sha1 = { subject: "/CN=sha1", issuer: root, hash: "sha1" };
			const short = { subject: "/CN=short", issuer: root, key: rsa(1024) };
			for (const old of [sha1, short]) {
				await refused(make({ ...old, extensions: NAMES }), trusted, UNTRUSTED);
				const authority = make({ ...old, extensions: AUTHORITY });
				const leaf = make({ subject: "/CN=leaf", issuer: authority, extensions: NAMES });
				await refused({ ...leaf, certificate: leaf.certificate + authority.certificate }, trusted, UNTRUSTED);
			}
		});

		it("reject an invalid trusted certificate, or a key that does not match, before connecting", async () => {
			peer.write("nothing", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
			const bad = await peer.open(0, { port: 9, tls: { trusted: "nothing" } });
			assert.equal(bad, "0 not opened: there is no certificate in what is trusted");
			peer.write("mine", server.certificate, own.key);
			const mixed = await peer.open(0, { port: 9, tls: { ...trusted, identity: "mine" } });
			assert.equal(mixed, "0 not opened: the key does not match the certificate");
			await peer.rests();
		});

		it("reject a server with TLS 1.3 only, but not one that also has TLS 1.2", async () => {
			const modern = await tls(server, { minVersion: "TLSv1.3", maxVersion: "TLSv1.3" });
			assert.equal(await peer.fails(0, { port: modern.port, tls: trusted }), HANDSHAKE);
			const both = await tls(server, { minVersion: "TLSv1.2", maxVersion: "TLSv1.3" });
			assert.match(await peer.connect(0, { port: both.port, tls: trusted }), CONNECTED);
			await peer.close(0);
		});

		it("begin no handshake without memory for it", async () => {
			peer.command(0, "memory 0");
			await refused(server, trusted, OUT_OF_MEMORY);
			peer.command(0, "memory plenty");
			assert.match(await resultWith(server, trusted), CONNECTED);
		});
	});

	it("show a certificate to a server that requests one", async () => {
		const client = make({ subject: "/CN=gateway", issuer: root });
		peer.write("mine", client.certificate, client.key);
		const names: string[] = [];
		const { port } = await tls(
			server,
			{ requestCert: true, ca: root.certificate, rejectUnauthorized: true },
			(socket) => {
				names.push(socket.getPeerCertificate().subject.CN as string);
			},
		);
		assert.match(await peer.connect(0, { port, tls: { ...trusted, identity: "mine" } }), CONNECTED);
		assert.equal(await peer.fails(1, { port, tls: trusted }), REFUSED);
		const foreign = make({ subject: "/CN=foreign" });
		peer.write("foreign", foreign.certificate, foreign.key);
		assert.equal(await peer.fails(1, { port, tls: { ...trusted, identity: "foreign" } }), REFUSED);
		await peer.close(0);
		assert.deepEqual(names, ["gateway"]);
	});

	describe("and servers that end the handshake after their ServerHelloDone", () => {
		const [HANDSHAKE_FAILURE, BAD_CERTIFICATE, UNKNOWN_CA, CERTIFICATE_REQUIRED] = [40, 42, 48, 116];
		const [BAD_RECORD_MAC, DECODE_ERROR, DECRYPT_ERROR] = [20, 50, 51];
		const identified = { trusted: "root", identity: "mine" };
		let port: number;

		beforeEach(async () => {
			const client = make({ subject: "/CN=gateway", issuer: root });
			peer.write("mine", client.certificate, client.key);
			({ port } = await tls(server, { requestCert: true, ca: root.certificate, rejectUnauthorized: false }));
		});

		async function resultOf(alert: number | undefined, trusting: Trusting, early = false): Promise<number> {
			const ending = await alerting(port, alert, early);
			servers.push(ending);
			return peer.fails(0, { port: ending.port, tls: trusting });
		}

		it("report a rejection if the alert is about their certificate, or that they have none", async () => {
			for (const alert of [HANDSHAKE_FAILURE, BAD_CERTIFICATE, 43, 44, 45, 46, UNKNOWN_CA, 49, CERTIFICATE_REQUIRED])
				for (const trusting of [trusted, identified])
					assert.equal(await resultOf(alert, trusting), REFUSED, `${alert}`);
		});

		it("report no rejection if the alert is about damaged bytes", async () => {
			for (const alert of [BAD_RECORD_MAC, DECODE_ERROR, DECRYPT_ERROR])
				for (const trusting of [trusted, identified])
					assert.equal(await resultOf(alert, trusting), HANDSHAKE, `${alert}`);
		});

		it("report the alert although sending fails before it is read", async () => {
			assert.equal(await resultOf(BAD_CERTIFICATE, trusted, true), REFUSED);
			assert.equal(await resultOf(DECRYPT_ERROR, identified, true), HANDSHAKE);
		});

		it("report a rejection for a server that only closes if they have a certificate", async () => {
			assert.equal(await resultOf(undefined, trusted), HANDSHAKE);
			assert.equal(await resultOf(undefined, identified), REFUSED);
		});
	});

	describe("and sessions", () => {
		for (const way of ["ticket", "number"]) {
			it(`resume a session with its ${way}, and report this`, async () => {
				const known = new Map<string, Buffer>();
				// SSL_OP_NO_TICKET
				const options = way === "number" ? { secureOptions: 0x4000 } : {};
				const served = await TestServer.tls(server, options, (socket) => socket.write("x"));
				servers.push(served);
				served.remember(known);
				const target = { port: served.port, tls: trusted };
				assert.match(await peer.connect(0, target), /resumed 0 session [1-9]\d+$/);
				peer.command(0, "keep 1");
				assert.match(await peer.line(/kept/), /kept \d{3,4}$/);
				await peer.close(0);
				const again = { ...target, tls: { ...trusted, session: 1 } };
				assert.match(await peer.connect(0, again), /resumed 1 session [1-9]\d+$/);
				peer.command(0, "keep 2");
				await peer.line(/kept/);
				await peer.close(0);
				assert.match(await peer.connect(0, { ...target, tls: { ...trusted, session: 2 } }), /resumed 1/);
				await peer.close(0);
				// Another name, time or trust needs a full handshake.
				const { port } = served;
				const other = { ...trusted, name: "localhost", session: 1 };
				assert.match(await peer.connect(0, { port, tls: other }), /resumed 0/);
				await peer.close(0);
				const late = { ...trusted, utcMs: Date.now() + 40 * DAY_MS, session: 1 };
				assert.equal(await peer.fails(0, { port, tls: late }), EXPIRED);
				assert.equal(await peer.fails(0, { port, tls: { trusted: "own", session: 1 } }), UNTRUSTED);
				for (let at = 0; at < 160; at += 3) {
					peer.command(0, `damage 1 ${at}`);
					assert.match(await peer.connect(0, again), /connected|over 7/);
					await peer.close(0);
					peer.command(0, `damage 1 ${at}`);
				}
			});
		}
	});

	describe("and OpenSSL's own server", () => {
		let program: ChildProcess;
		async function sServer(...args: string[]): Promise<number> {
			peer.write("server", server.certificate, server.key);
			const probe = await TestServer.tcp(() => {});
			const { port } = probe;
			await probe.close();
			const files = ["-cert", `${peer.folder}/server.pem`, "-key", `${peer.folder}/server.key`];
			program = spawn("openssl", ["s_server", "-accept", `127.0.0.1:${port}`, "-tls1_2", ...files, ...args]);
			program.stderr!.resume();
			let output = "";
			program.stdout!.on("data", (data) => {
				output += data;
			});
			while (!output.includes("ACCEPT")) await sleep(10);
			return port;
		}
		afterEach(async () => {
			if (program.exitCode !== null || program.signalCode !== null) return;
			program.kill();
			await once(program, "exit");
		});

		it("connect with either cipher suite for ECDSA", async () => {
			for (const suite of ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384"]) {
				const port = await sServer("-cipher", suite);
				assert.match(await peer.connect(0, { port, tls: trusted }), CONNECTED);
				await peer.close(0);
				program.kill();
				await once(program, "exit");
			}
			program = spawn("true");
		});

		it("survive a request to renegotiate", async () => {
			const port = await sServer();
			assert.match(await peer.connect(0, { port, tls: trusted }), CONNECTED);
			program.stdin!.write("R\n");
			await sleep(200);
			peer.command(0, "send 10");
			await peer.line(/sent|over/);
			await peer.close(0);
			await peer.rests();
		});

		it("treat an end without a closing alert as a break", async () => {
			const port = await sServer();
			assert.match(await peer.connect(0, { port, tls: trusted }), CONNECTED);
			program.kill("SIGKILL");
			assert.match(await peer.line(/over/), new RegExp(`^0 over ${BROKEN} `));
		});
	});
});
