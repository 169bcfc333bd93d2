import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM, NO_CHROMIUM } from "../../../tools/page/chromium.js";
import { needNative, skipBecause } from "./compile.js";
import { Certificates, type Outcome, Peer, type PeerOptions, pattern, run } from "./stream-server-driver.js";

describe("The native stream server", function () {
	// The first test compiles the program.
	this.timeout(60_000);
	let certificates: Certificates;
	const peers: Peer[] = [];

	before(function () {
		needNative(this);
		certificates = new Certificates();
	});
	after(() => certificates?.remove());
	afterEach(async () => {
		await Promise.all(peers.splice(0).map((peer) => peer.end()));
	});

	async function start(options: PeerOptions = {}): Promise<Peer> {
		const peer = await Peer.start(options);
		peers.push(peer);
		return peer;
	}

	for (const secure of [false, true]) {
		const open = (options: PeerOptions = {}) => start(secure ? { certificates, ...options } : options);

		describe(secure ? "by TLS" : "by plain TCP", () => {
			it("sends a megabyte to curl, receives 300 KB, and keeps a connection open for many requests", async () => {
				const peer = await open();
				const folder = mkdtempSync(join(tmpdir(), "curl-"));
				const body = join(folder, "body");
				writeFileSync(body, pattern(300_000));
				const get = await run("curl", ["-sk", `${peer.url}/size/1000000`, "-w", "%{size_download}", "-o", "-"]);
				assert.ok(get.stdout.endsWith("1000000"), get.stderr);
				const echo = [
					"-sk",
					"--data-binary",
					`@${body}`,
					"-H",
					"Expect:",
					"-o",
					join(folder, "echo"),
					`${peer.url}/echo`,
				];
				assert.equal((await run("curl", echo)).status, 0);
				const compared = await run("cmp", [body, join(folder, "echo")]);
				assert.equal(compared.status, 0, compared.stdout);
				const many = await run("curl", ["-sk", `${peer.url}/size/[1-60]`, "-o", "/dev/null", "-w", "%{num_connects} "]);
				assert.equal(many.stdout.trim(), ["1", ...new Array(59).fill("0")].join(" "));
				rmSync(folder, { recursive: true });
			});

			it("carries every byte in order, in either direction, for four clients at once", async () => {
				const peer = await open();
				const body = pattern(200_000);
				await Promise.all(
					[0, 1, 2, 3].map(async () => {
						const client = await peer.open();
						for (let round = 0; round < 3; round++) {
							client.request("POST /echo HTTP/1.1", `Content-Length: ${body.length}`);
							client.socket.write(body);
							assert.ok((await client.reply(200)).equals(body));
							await client.get("/size/100000", 100_000);
						}
						client.socket.destroy();
					}),
				);
			});

			it("answers a client that has ended its direction after the request", async () => {
				const peer = await open();
				const client = await peer.open();
				client.request("GET /size/300000 HTTP/1.0");
				client.socket.end();
				assert.ok((await client.reply(200)).equals(pattern(300_000)));
				await client.until(() => client.ended);
				assert.equal(client.error, undefined);
			});

			it("returns the client's address, with an IPv4 address in its usual form", async () => {
				const peer = await open({ everywhere: true });
				const client = await peer.open();
				client.request("GET /address HTTP/1.1");
				assert.equal((await client.reply(200)).toString(), "127.0.0.1");
				client.socket.destroy();
			});

			it("stops listening on command, and keeps serving connected clients", async () => {
				const peer = await open();
				const client = await peer.open();
				await client.get("/size/10", 10);
				assert.equal(await peer.command("stop"), "stop");
				await assert.rejects(async () => {
					for (let i = 0; i < 50; i++) await peer.checkServes();
				});
				await client.get("/size/9000", 9000);
				client.socket.destroy();
			});

			it("reports once that the listening socket is dead", async () => {
				const peer = await open();
				const client = await peer.open();
				await client.get("/size/10", 10);
				assert.equal(await peer.command("break"), "break");
				assert.equal(await peer.line(), "failed");
				await client.get("/size/9000", 9000);
				client.socket.destroy();
				await peer.checkIdle();
			});
		});
	}

	it("gives the reason why it can't open a port", async () => {
		const peer = await start();
		await assert.rejects(Peer.start({ port: peer.port }), /^Error: port \d+ is used by another program$/);
		await assert.rejects(
			Peer.start({ port: peer.port, everywhere: true }),
			/^Error: port \d+ is used by another program$/,
		);
	});

	it("has no certificate to change or to test on a plain port", async () => {
		const peer = await start();
		assert.equal(await peer.command("swap"), "this port speaks no TLS");
		assert.equal(await peer.command("test"), "no test");
	});

	describe("as a TLS server", () => {
		const client = (peer: Peer, ...args: string[]) =>
			run("openssl", ["s_client", "-connect", `127.0.0.1:${peer.port}`, ...args]);

		for (const [pair, kind] of [
			["ec", "ECDSA"],
			["rsa", "RSA"],
		] as const)
			it(`supports TLS 1.2 with ECDHE-${kind} and AES-GCM`, async () => {
				const peer = await start({ certificates, pair });
				for (const suite of ["AES128-GCM-SHA256", "AES256-GCM-SHA384"]) {
					const { stdout, stderr } = await client(peer, "-cipher", `ECDHE-${kind}-${suite}`);
					assert.match(stdout, new RegExp(`New, TLSv1.2, Cipher is ECDHE-${kind}-${suite}`), stderr);
				}
			});

		it("agrees on X25519, P-256 and P-384, and on no unknown curve", async () => {
			const peer = await start({ certificates, pair: "rsa" });
			const groups = { X25519: "X25519", "P-256": "prime256v1", "P-384": "secp384r1" };
			for (const [group, name] of Object.entries(groups)) {
				const { stdout } = await client(peer, "-groups", group);
				assert.match(stdout, new RegExp(`Server Temp Key: .*${name}`));
			}
			assert.match((await client(peer, "-groups", "P-521", "-tls1_2")).stdout, /Cipher is \(NONE\)/);
		});

		it("uses a P-384 certificate, or a whole chain up to its root", async () => {
			const single = await start({ certificates, pair: "ec384" });
			assert.match((await client(single)).stdout, /Cipher is ECDHE-ECDSA/);
			const chained = await start({ certificates, pair: "chain" });
			const { stdout } = await client(chained, "-showcerts", "-CAfile", certificates.path("root.pem"));
			assert.equal(stdout.match(/BEGIN CERTIFICATE/g)?.length, 3);
			assert.match(stdout, /Verify return code: 0 \(ok\)/);
		});

		it("rejects old or weak parameters with an alert", async () => {
			const weak = "ALL:@SECLEVEL=0";
			const refused: [string[], RegExp][] = [
				[["-tls1", "-cipher", weak], /alert protocol version/],
				[["-tls1_1", "-cipher", weak], /alert protocol version/],
				[["-tls1_3"], /alert (handshake failure|protocol version)/],
				[["-tls1_2", "-cipher", "AES128-GCM-SHA256"], /alert handshake failure/],
				[["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], /alert handshake failure/],
				[["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"], /alert handshake failure/],
				[["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], /alert handshake failure/],
				[["-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305"], /alert handshake failure/],
			];
			for (const pair of ["ec", "rsa"] as const) {
				const peer = await start({ certificates, pair });
				for (const [args, alert] of refused) {
					const { stdout, stderr } = await client(peer, ...args);
					assert.match(stderr, alert, args.join(" "));
					assert.match(stdout, /Cipher is \(NONE\)/);
				}
				await peer.checkServes();
			}
		});

		it("agrees on HTTP/1.1 through ALPN, serves clients without ALPN, and rejects clients with HTTP/2 only", async () => {
			const peer = await start({ certificates });
			assert.match((await client(peer, "-alpn", "h2,http/1.1")).stdout, /ALPN protocol: http\/1.1/);
			assert.match((await client(peer)).stdout, /No ALPN negotiated/);
			assert.match((await client(peer, "-alpn", "h2")).stderr, /alert no application protocol/);
		});

		it("resumes a session, but not one of the previous certificate", async () => {
			const peer = await start({ certificates, otherPair: "rsa" });
			const session = certificates.path("session");
			assert.match((await client(peer, "-sess_out", session)).stdout, /^New, TLSv1.2/m);
			assert.match((await client(peer, "-sess_in", session)).stdout, /^Reused, TLSv1.2/m);
			assert.equal(await peer.command("swap"), "swapped");
			assert.match((await client(peer, "-sess_in", session)).stdout, /^New, TLSv1.2/m);
		});

		it("does not renegotiate", async () => {
			const peer = await start({ certificates });
			const args = ["s_client", "-tls1_2", "-connect", `127.0.0.1:${peer.port}`];
			const outcome: Outcome = await run("openssl", args, [
				[/Verify return code/, "GET /size/5 HTTP/1.1\r\n\r\n"],
				[/200 X/, "R\n"],
				[/RENEGOTIATING/, "\n"],
				[/no renegotiation/, ""],
			]);
			assert.match(outcome.stdout, /200 X/);
			assert.match(outcome.stderr, /RENEGOTIATING[\s\S]*no renegotiation/);
			await peer.checkServes();
			await peer.checkIdle();
		});

		it("uses a new certificate for new connections, while existing ones continue with theirs", async () => {
			const peer = await start({ certificates, otherPair: "rsa", connections: 3 });
			const old = await peer.open();
			await old.get("/size/10", 10);
			assert.match((await client(peer)).stdout, /subject=CN = ec\n/);
			for (let i = 0; i < 3; i++) assert.equal(await peer.command("swap"), "swapped");
			assert.match((await client(peer)).stdout, /subject=CN = rsa\n/);
			await old.get("/size/100000", 100_000);
			old.socket.destroy();
		});

		it("keeps its certificate when the new pair is invalid, and does not start with an invalid pair", async () => {
			const peer = await start({ certificates });
			assert.equal(await peer.command("swap"), "the certificate can't be read");
			await peer.checkServes();
			const mixed = async (chain: string, key: string) => {
				certificates.copy(`${chain}.pem`, "mixed.pem");
				certificates.copy(`${key}.key`, "mixed.key");
				return start({ certificates, pair: "mixed" });
			};
			await assert.rejects(mixed("ec", "rsa"), /^Error: the key does not match the certificate$/);
			await assert.rejects(mixed("ec", "leaf"), /^Error: the key does not match the certificate$/);
			certificates.copy("ec.pem", "wrong.key");
			await assert.rejects(mixed("ec", "wrong"), /^Error: the private key can't be read$/);
		});

		for (const pair of ["ec", "ec384", "ec521", "rsa", "chain"] as const)
			it(`completes a handshake with itself with the pair ${pair}`, async () => {
				const peer = await start({ certificates, pair });
				for (let i = 0; i < 3; i++) assert.equal(await peer.command("test"), "tested: ");
				await peer.checkServes();
				await peer.checkIdle();
			});

		it("reports a pair that it accepts but with which no client can connect", async () => {
			for (const pair of ["unsigning", "client"] as const) {
				const peer = await start({ certificates, pair, otherPair: "ec" });
				assert.match(
					await peer.command("test"),
					/^tested: no client can connect with this certificate and key \(Mbed TLS error -0x[0-9a-f]{4}\)$/,
				);
				await assert.rejects(peer.checkServes(), /alert handshake failure/);
				assert.equal(await peer.command("swap"), "swapped");
				assert.equal(await peer.command("test"), "tested: ");
				await peer.checkServes();
			}
		});

		it("begins the handshake with itself after running handshakes, and before later ones", async () => {
			const peer = await start({ certificates, handshakeMs: 400 });
			const other = await peer.open();
			const silent = peer.dial();
			// An incomplete record, so that the handshake lasts until its time limit.
			silent.socket.write(Buffer.concat([Buffer.of(22, 3, 3, 2, 0), Buffer.alloc(300)]));
			await sleep(100);
			const begin = Date.now();
			const tested = peer.command("test");
			const late = peer.checkServes();
			await other.get("/size/5000", 5000);
			assert.equal(await tested, "tested: ");
			assert.ok(Date.now() - begin > 200, "the running handshake was not waited for");
			await late;
			other.socket.destroy();
			silent.socket.destroy();
		});

		it("can end before the handshake with itself", async () => {
			for (let i = 0; i < 5; i++) {
				const peer = await start({ certificates, pair: "rsa" });
				peer.send("test");
				await sleep(i);
			}
		});

		it("serves a page to Chromium", async function () {
			if (CHROMIUM === "") skipBecause(this, NO_CHROMIUM);
			this.timeout(60_000);
			const peer = await start({ certificates });
			const profile = mkdtempSync(join(tmpdir(), "chromium-"));
			const quiet = [
				"--no-first-run",
				"--disable-background-networking",
				"--disable-component-update",
				"--disable-sync",
			];
			const safe = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--ignore-certificate-errors"];
			const { stdout, stderr } = await run(CHROMIUM, [
				...[...safe, ...quiet, `--user-data-dir=${profile}`, "--dump-dom"],
				`${peer.url}/address`,
			]);
			rmSync(profile, { recursive: true });
			assert.match(stdout, /127\.0\.0\.1/, stderr);
		});
	});
});
