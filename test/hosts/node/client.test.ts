/**
 * The simulator's TLS clients beyond the portable checks: memory, conditions for resuming a session, and validation of
 * certificates.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { createClientPorts, HANDSHAKE_BYTES } from "../../../hosts/node/client.js";
import { NodeResolver } from "../../../hosts/node/resolver.js";
import { makeCertificate } from "../../../hosts/node/self-signed.js";
import { parseCertificates, validate } from "../../../hosts/node/trust.js";
import {
	CLIENT_EXPIRED,
	CLIENT_OUT_OF_MEMORY,
	CLIENT_UNTRUSTED,
	CLIENT_WRONG_NAME,
	type TLSClientOptions,
} from "../../../modules/io/client.js";
import { AUTHORITY, type Made, make } from "../openssl.js";

const FROM_MS = Date.UTC(2026, 0, 1);
const TO_MS = Date.UTC(2049, 0, 1);

describe("The simulator's TLS clients", () => {
	const own = makeCertificate({ names: ["server"], validFromMs: FROM_MS, validToMs: TO_MS });
	const other = makeCertificate({ names: ["other"], validFromMs: FROM_MS, validToMs: TO_MS });
	let server: Server;
	let connections = 0;
	let free = HANDSHAKE_BYTES;

	beforeEach(async () => {
		connections = 0;
		server = createServer({ cert: Buffer.from(own.certificate), key: Buffer.from(own.key) }, (socket) => {
			socket.on("error", () => {});
			socket.end("x");
		});
		server.on("connection", () => connections++);
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
	});
	afterEach(() => server.close());

	/** Connects; returns the code of the connection's end, and the client's session. */
	async function connectOnce(tls: TLSClientOptions) {
		const { port } = server.address() as AddressInfo;
		const { tlsClient } = createClientPorts({ resolver: new NodeResolver(), freeBytes: () => free });
		const { io: TLSClient, pins } = tlsClient;
		return new Promise<{ code: number; resumed: boolean; session: Uint8Array | undefined }>((resolve) => {
			const options = { ...pins, host: "127.0.0.1", port, timeoutMs: 5000, tls };
			const client = new TLSClient({
				...options,
				onReadable: () => client.read(new Uint8Array(8)),
				onError: (code) => {
					const { resumed, session } = client;
					client.close();
					resolve({ code, resumed, session });
				},
			});
		});
	}

	it("begin no handshake without memory for it", async () => {
		free = HANDSHAKE_BYTES - 1;
		const shaken: unknown[] = [];
		server.on("secureConnection", () => shaken.push(1));
		assert.equal((await connectOnce({ trusted: own.certificate })).code, CLIENT_OUT_OF_MEMORY);
		free = HANDSHAKE_BYTES;
		assert.deepEqual(shaken, []);
		assert.equal((await connectOnce({ trusted: own.certificate })).code, 1);
		assert.equal(connections, 2);
	});

	it("resume a session only with the same trust and name", async () => {
		const { session } = await connectOnce({ trusted: own.certificate });
		assert.ok(session);
		assert.equal((await connectOnce({ trusted: own.certificate, session })).resumed, true);
		const both = Buffer.concat([own.certificate, other.certificate]);
		assert.equal((await connectOnce({ trusted: both, session })).resumed, false);
		assert.equal((await connectOnce({ trusted: own.certificate, name: "elsewhere", session })).resumed, false);
	});

	it("find the trusted certificates among other text", () => {
		const text = `# ours\n${Buffer.from(own.certificate)}\nnothing\r\n${Buffer.from(other.certificate)}`;
		assert.deepEqual(
			parseCertificates(text).map(({ subject }) => subject),
			["CN=server", "CN=other"],
		);
		assert.throws(() => parseCertificates("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"));
	});

	describe("and a server's certificate", () => {
		const DAY_MS = 86_400_000;
		const root = make({ subject: "/CN=Root", extensions: AUTHORITY, days: 10 });
		const namesake = make({ subject: "/CN=Root", extensions: AUTHORITY, days: 10 });
		const leafOf = (issuer: Made, ...extensions: string[]) =>
			make({ subject: "/CN=x", issuer, extensions: ["subjectAltName=DNS:x,IP:192.0.2.1", ...extensions], days: 10 });
		const verdict = (shown: string, trusted: string, name = "x", inDays?: number) =>
			validate({
				shown: parseCertificates(shown),
				trusted: parseCertificates(trusted),
				name,
				utcMs: inDays === undefined ? undefined : Date.now() + inDays * DAY_MS,
			});
		const leaf = leafOf(root).certificate;

		it("accept its name and address, and no similar ones", () => {
			for (const name of ["x", "X", "192.0.2.1"]) assert.equal(verdict(leaf, root.certificate, name), 0);
			for (const name of ["y", "x.x", "192.0.2.2"]) {
				assert.equal(verdict(leaf, root.certificate, name), CLIENT_WRONG_NAME);
			}
		});

		it("reject a missing certificate, an invalid signature, and a certificate for clients only", () => {
			assert.equal(verdict("", root.certificate), CLIENT_UNTRUSTED);
			assert.equal(verdict(leaf, namesake.certificate), CLIENT_UNTRUSTED);
			const forClients = leafOf(root, "extendedKeyUsage=clientAuth").certificate;
			assert.equal(verdict(forClients, root.certificate), CLIENT_UNTRUSTED);
			const forBoth = leafOf(root, "extendedKeyUsage=clientAuth,serverAuth").certificate;
			assert.equal(verdict(forBoth, root.certificate), 0);
		});

		it("check the dates of the whole chain; a newer certificate of the same name does not replace an expired one", () => {
			const middle = make({ subject: "/CN=Middle", issuer: root, extensions: AUTHORITY, days: 1 });
			const renewed = make({ subject: "/CN=Middle", issuer: root, extensions: AUTHORITY, days: 10 });
			const own = leafOf(middle).certificate;
			const chain = own + middle.certificate;
			assert.equal(verdict(chain, root.certificate, "x", 0.5), 0);
			assert.equal(verdict(chain, root.certificate, "x", 2), CLIENT_EXPIRED);
			assert.equal(verdict(chain, root.certificate), 0);
			assert.equal(verdict(chain + renewed.certificate, root.certificate, "x", 2), CLIENT_EXPIRED);
			assert.equal(verdict(chain, root.certificate + middle.certificate, "x", 0.5), 0);
		});
	});
});
