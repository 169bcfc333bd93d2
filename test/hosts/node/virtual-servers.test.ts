/** Clients of the virtual world, with servers of the test. */
import assert from "node:assert/strict";
import { makeCertificate } from "../../../hosts/node/self-signed.js";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { SOCKET_RECEIVE_WINDOW, SOCKET_SEND_WINDOW, type VirtualClient } from "../../../hosts/node/virtual-network.js";
import { CONNECT_MS, HANDSHAKE_MS, type VirtualServer } from "../../../hosts/node/virtual-servers.js";
import {
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_EXPIRED,
	CLIENT_HANDSHAKE,
	CLIENT_NO_ADDRESS,
	CLIENT_OUT_OF_MEMORY,
	CLIENT_REFUSED,
	CLIENT_TIMEOUT,
	CLIENT_UNREACHABLE,
	CLIENT_UNTRUSTED,
	CLIENT_WRONG_NAME,
	type Client,
	type ClientOptions,
	type TLSClientOptions,
} from "../../../modules/io/client.js";
import { AUTHORITY, type Made, make } from "../openssl.js";
import { pattern } from "../portable/check.js";

const ADDRESS = "192.0.2.7";
const PORT = 8883;
const FROM_MS = Date.UTC(2026, 0, 1);
const TO_MS = Date.UTC(2049, 0, 1);
/** Duration of a name look-up, ms. */
const RESOLVE_MS = 20;

describe("virtual servers", () => {
	const own = makeCertificate({ names: ["broker.example"], validFromMs: FROM_MS, validToMs: TO_MS });
	const other = makeCertificate({ names: ["broker.example"], validFromMs: FROM_MS, validToMs: TO_MS });
	let world: VirtualWorld;
	let events: string[];

	beforeEach(() => {
		world = new VirtualWorld();
		world.names.set("broker.example", ADDRESS);
		events = [];
	});

	/** Connects; events are recorded with time and name. */
	function connect(options: Partial<ClientOptions> = {}, name = ""): Client {
		const port = options.tls === undefined ? world.network.tcpClient! : world.network.tlsClient!;
		const note = (what: string) => events.push(`${name}${what} at ${world.time.nowMs}`);
		let isConnected = false;
		return new port.io({
			...port.pins,
			host: ADDRESS,
			port: PORT,
			timeoutMs: 5000,
			onWritable: (count) => {
				if (!isConnected) note(`connected, ${count}`);
				isConnected = true;
			},
			onError: (code) => note(`over ${code}`),
			...options,
		});
	}

	/** Connects over TLS; returns the events. */
	function eventsOfTLS(server: VirtualServer, tls: TLSClientOptions, host = "broker.example"): string {
		events = [];
		world.servers.serve(ADDRESS, PORT, server);
		connect({ host, tls });
		world.advance(6000);
		assert.equal(events.length, 1);
		return events[0].replace(/,.*| at .*/, "");
	}

	it("exchange bytes with a client both ways, each side within its window", () => {
		let peer: VirtualClient | undefined;
		world.servers.serve(ADDRESS, PORT, {
			onConnection: (one) => {
				peer = one;
				peer.paused = true;
				peer.send(pattern(5000));
			},
		});
		const client = connect({ host: "broker.example" });
		assert.throws(() => client.write(pattern(1)), RangeError);
		assert.equal(client.read(new Uint8Array(1)), undefined);
		world.advance(100);
		assert.deepEqual(events, [`connected, ${SOCKET_SEND_WINDOW} at ${RESOLVE_MS + CONNECT_MS}`]);
		assert.equal(client.remoteAddress, ADDRESS);
		const into = new Uint8Array(8000);
		assert.equal(client.read(into), SOCKET_RECEIVE_WINDOW);
		assert.equal(client.read(into, SOCKET_RECEIVE_WINDOW), SOCKET_RECEIVE_WINDOW);
		assert.equal(client.read(into, 2 * SOCKET_RECEIVE_WINDOW), 5000 - 2 * SOCKET_RECEIVE_WINDOW);
		assert.deepEqual(into.subarray(0, 5000), pattern(5000));
		assert.equal(client.write(pattern(SOCKET_SEND_WINDOW)), 0);
		assert.throws(() => client.write(pattern(1)), RangeError);
		peer!.paused = false;
		world.advance(1);
		assert.deepEqual(peer!.received, pattern(SOCKET_SEND_WINDOW));
		client.close();
		world.advance(1);
		assert.equal(peer!.isClosed, true);
	});

	it("may answer as soon as bytes arrive", () => {
		world.servers.serve(ADDRESS, PORT, {
			onConnection: (peer) => {
				peer.onReceived = () => {
					if (!peer.isClosed) peer.send(`you said ${peer.text}`);
				};
			},
		});
		const into = new Uint8Array(100);
		const client = connect({
			onWritable: () => {},
			onReadable: () => events.push(Buffer.from(into.subarray(0, client.read(into))).toString()),
		});
		world.advance(100);
		client.write(Buffer.from("hello"));
		world.advance(1);
		assert.deepEqual(events, ["you said hello"]);
	});

	it("end or reset a connection only after all earlier bytes were read", () => {
		for (const [act, code] of [["close", CLIENT_ENDED] as const, ["reset", CLIENT_BROKEN] as const]) {
			events = [];
			world.servers.serve(ADDRESS, PORT, {
				onConnection: (peer) => {
					peer.send("last words");
					peer[act]();
				},
			});
			const client = connect();
			world.advance(100);
			assert.equal(events.length, 1);
			assert.equal(client.read(new Uint8Array(100)), 10);
			assert.equal(events.length, 1);
			world.advance(1);
			assert.match(events[1], new RegExp(`^over ${code} at`));
		}
	});

	it("may be missing, have an unknown name, be unreachable, or stay silent", () => {
		connect({}, "nobody: ");
		connect({ host: "nothing.example" }, "no name: ");
		world.servers.serve("192.0.2.8", 1, { fault: "lost" });
		connect({ host: "192.0.2.8", port: 1, timeoutMs: 700 }, "lost: ");
		world.servers.serve("192.0.2.9", 1, { fault: "silent", certificate: own.certificate });
		connect({ host: "192.0.2.9", port: 1, timeoutMs: 900, tls: { trusted: own.certificate } }, "silent: ");
		world.advance(2000);
		assert.deepEqual(events, [
			`no name: over ${CLIENT_NO_ADDRESS} at ${RESOLVE_MS}`,
			`nobody: over ${CLIENT_UNREACHABLE} at ${CONNECT_MS}`,
			`lost: over ${CLIENT_TIMEOUT} at 700`,
			`silent: over ${CLIENT_TIMEOUT} at 900`,
		]);
	});

	it("see no client that was closed before it was connected, and report nothing to that client", () => {
		let connections = 0;
		world.servers.serve(ADDRESS, PORT, { certificate: own.certificate, onConnection: () => connections++ });
		for (const closeMs of [0, 10, RESOLVE_MS, RESOLVE_MS + CONNECT_MS, RESOLVE_MS + CONNECT_MS + 100]) {
			const client = connect({ host: "broker.example", tls: { trusted: own.certificate } });
			world.advance(closeMs);
			client.close();
			client.close();
			world.advance(6000);
		}
		assert.deepEqual(events, []);
		assert.equal(connections, 0);
	});

	it("do one handshake at a time, and none without memory", () => {
		const tls = { trusted: own.certificate };
		world.servers.serve(ADDRESS, PORT, { certificate: own.certificate });
		for (const name of ["a ", "b ", "c "]) connect({ tls }, name);
		world.advance(5000);
		assert.deepEqual(events, [
			`a connected, ${SOCKET_SEND_WINDOW} at ${CONNECT_MS + HANDSHAKE_MS}`,
			`b connected, ${SOCKET_SEND_WINDOW} at ${CONNECT_MS + 2 * HANDSHAKE_MS}`,
			`c connected, ${SOCKET_SEND_WINDOW} at ${CONNECT_MS + 3 * HANDSHAKE_MS}`,
		]);
		assert.equal(world.servers.handshakes, 3);
		world.servers.hasMemory = false;
		assert.equal(eventsOfTLS({ certificate: own.certificate }, tls), `over ${CLIENT_OUT_OF_MEMORY}`);
		assert.equal(world.servers.handshakes, 3);
	});

	it("are trusted if their certificate is valid and is either pinned, whatever its name, or has a trusted chain and the right name", () => {
		const certificate = own.certificate;
		assert.equal(eventsOfTLS({ certificate }, { trusted: certificate }), "connected");
		assert.equal(eventsOfTLS({ certificate }, { trusted: certificate }, ADDRESS), "connected");
		assert.equal(eventsOfTLS({ certificate }, { trusted: other.certificate }), `over ${CLIENT_UNTRUSTED}`);
		const at = (utcMs: number) => eventsOfTLS({ certificate }, { trusted: certificate, utcMs });
		assert.equal(at(FROM_MS), "connected");
		assert.equal(at(FROM_MS - 1), `over ${CLIENT_EXPIRED}`);
		assert.equal(at(TO_MS + 1), `over ${CLIENT_EXPIRED}`);
		const { root, leaf } = makeChain();
		const trusted = Buffer.from(root.certificate);
		assert.equal(eventsOfTLS({ certificate: leaf.certificate }, { trusted }), "connected");
		assert.equal(eventsOfTLS({ certificate: leaf.certificate }, { trusted }, ADDRESS), `over ${CLIENT_WRONG_NAME}`);
		assert.equal(eventsOfTLS({ certificate: leaf.certificate }, { trusted, name: "x" }), `over ${CLIENT_WRONG_NAME}`);
		assert.equal(eventsOfTLS({ certificate: leaf.certificate }, { trusted, utcMs: TO_MS }), `over ${CLIENT_EXPIRED}`);
	});

	it("may speak no TLS, or request our certificate", () => {
		const tls = { trusted: own.certificate };
		const certificate = own.certificate;
		assert.equal(eventsOfTLS({}, tls), `over ${CLIENT_HANDSHAKE}`);
		assert.equal(eventsOfTLS({ certificate, fault: "no TLS" }, tls), `over ${CLIENT_HANDSHAKE}`);
		assert.equal(eventsOfTLS({ certificate, asksForCertificate: true }, tls), `over ${CLIENT_REFUSED}`);
		const shown: string[] = [];
		const asking = { certificate, asksForCertificate: true, onIdentity: (one: string) => shown.push(one) };
		assert.equal(eventsOfTLS(asking, { ...tls, identity: other }), "connected");
		assert.deepEqual(shown, [Buffer.from(other.certificate).toString()]);
	});

	it("resume only their own sessions", () => {
		const tls = { trusted: own.certificate };
		world.servers.serve(ADDRESS, PORT, { certificate: own.certificate });
		const resume = (session: Uint8Array | undefined, trusted = own.certificate) => {
			const client = connect({ tls: { trusted, session } });
			world.advance(1000);
			return client;
		};
		const first = resume(undefined);
		assert.equal(first.resumed, false);
		assert.ok(first.session);
		assert.equal(resume(first.session).resumed, true);
		assert.equal(resume(first.session, Buffer.concat([own.certificate, other.certificate])).resumed, false);
		assert.equal(resume(pattern(100)).resumed, false);
		const shows = connect({ tls: { ...tls, session: first.session, identity: other } });
		world.advance(1000);
		assert.equal(shows.resumed, false);
		world.servers.serve(ADDRESS, PORT, { certificate: own.certificate });
		assert.equal(resume(first.session).resumed, false);
		assert.throws(() => connect({ tls: { ...tls, session: new Uint8Array(3073) } }), RangeError);
	});
});

function makeChain(): { root: Made; leaf: Made } {
	const root = make({ subject: "/CN=Root", extensions: AUTHORITY });
	const extensions = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:broker.example"];
	return { root, leaf: make({ subject: "/CN=broker", issuer: root, extensions }) };
}
