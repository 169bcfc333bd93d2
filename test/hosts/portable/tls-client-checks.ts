/**
 * Checks of the host contract: servers that a TLS client trusts, and faults that it survives. The peer is a server.
 * Portable.
 */
import {
	ANYBODY,
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_EXPIRED,
	CLIENT_HANDSHAKE,
	CLIENT_REFUSED,
	CLIENT_TIMEOUT,
	CLIENT_UNTRUSTED,
	CLIENT_WRONG_NAME,
	type ClientOptions,
	SESSION_LIMIT,
	type TLSClientOptions,
	TRUSTED_LIMIT,
} from "../../../modules/io/client.js";
import type { Host } from "../../../modules/io/host.js";
import {
	type Check,
	expect,
	expectBytes,
	expectEqual,
	expectError,
	expectRangeError,
	frozen,
	type Peer,
	pattern,
	sleep,
	until,
} from "./check.js";
import { dayOfAuthority, RecordingClient, resource, serverPort, trust } from "./connecting.js";

const HELLO = Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x0a);
const HELLO_BACK = Uint8Array.of(0x6f, 0x6c, 0x6c, 0x65, 0x68, 0x0a);

function connect(
	host: Host,
	port: number,
	tls: TLSClientOptions,
	options: Partial<ClientOptions> = {},
): RecordingClient {
	const client = host.network.tlsClient;
	expect(client !== undefined, "this host has no TLS clients");
	return new RecordingClient(client, { port, tls, ...options });
}

/** Connects, exchanges bytes with the peer's server, and waits until the server has closed the connection. */
async function greets(host: Host, recorder: RecordingClient): Promise<void> {
	await recorder.connected(host);
	recorder.client.write(HELLO);
	expectBytes(await recorder.collect(host, 100), pattern(100), "from the server");
	await recorder.ends(host, CLIENT_ENDED);
}

type Scene = (host: Host, peer: Peer) => Promise<void>;

/** Trusted and untrusted server certificates. */
const trusting: [name: string, scene: Scene][] = [
	[
		"trusts a chain to its authority that is for the name or the address",
		async (host, peer) => {
			const server = () => serverPort(host, peer, "tls-server:hello");
			await greets(host, connect(host, await server(), trust(host)));
			await greets(host, connect(host, await server(), trust(host), { host: "localhost" }));
			await greets(host, connect(host, await server(), trust(host, { name: "localhost" })));
			const wild = await serverPort(host, peer, "tls-server:hello:wildcard");
			await greets(host, connect(host, wild, trust(host, { name: "one.home.example" })));
		},
	],
	[
		"trusts several authorities, one of them in the middle of the chain",
		async (host, peer) => {
			const other = resource(host, "other-authority.pem");
			const middle = resource(host, "middle-authority.pem");
			const trusted = new Uint8Array(other.length + middle.length);
			trusted.set(other);
			trusted.set(middle, other.length);
			const port = await serverPort(host, peer, "tls-server:hello");
			const recorder = connect(host, port, { trusted });
			trusted.fill(0);
			await greets(host, recorder);
		},
	],
	[
		"trusts a pinned server certificate whatever its name",
		async (host, peer) => {
			const trusted = resource(host, "self-signed.pem");
			const port = await serverPort(host, peer, "tls-server:hello:self-signed");
			await greets(host, connect(host, port, { trusted }));
			const again = await serverPort(host, peer, "tls-server:hello:self-signed");
			await greets(host, connect(host, again, { trusted, name: "elsewhere.example" }));
		},
	],
	[
		"trusts any server if `trusted` is exactly the agreed word, and throws for any other word",
		async (host, peer) => {
			const trusted = host.text.encode(ANYBODY);
			for (const kind of [
				"",
				":self-signed",
				":without-middle",
				":impostor",
				":by-end-entity",
				":wildcard",
				":expired",
			]) {
				const port = await serverPort(host, peer, `tls-server:hello${kind}`);
				await greets(host, connect(host, port, { trusted, name: "elsewhere.example", utcMs: dayOfAuthority(host, 5) }));
			}
			for (const word of ["", "Anybody", "anybody\n", "any"]) {
				const given = host.text.encode(word);
				expectError(() => connect(host, 1, { trusted: given }), word);
			}
		},
	],
	[
		"does not trust another certificate of the same name",
		async (host, peer) => {
			const trusted = resource(host, "self-signed.pem");
			const port = await serverPort(host, peer, "tls-server:refused:self-signed-other");
			await connect(host, port, { trusted }).fails(host, CLIENT_UNTRUSTED);
			const self = await serverPort(host, peer, "tls-server:refused:self-signed");
			await connect(host, self, trust(host)).fails(host, CLIENT_UNTRUSTED);
		},
	],
	[
		"does not trust a chain to another authority, or to none",
		async (host, peer) => {
			const trusted = resource(host, "other-authority.pem");
			const port = await serverPort(host, peer, "tls-server:refused");
			await connect(host, port, { trusted }).fails(host, CLIENT_UNTRUSTED);
			const lone = await serverPort(host, peer, "tls-server:refused:without-middle");
			await connect(host, lone, trust(host)).fails(host, CLIENT_UNTRUSTED);
			const impostor = await serverPort(host, peer, "tls-server:refused:impostor");
			await connect(host, impostor, trust(host)).fails(host, CLIENT_UNTRUSTED);
			const usurped = await serverPort(host, peer, "tls-server:refused:by-end-entity");
			await connect(host, usurped, trust(host)).fails(host, CLIENT_UNTRUSTED);
		},
	],
	[
		"rejects a trusted server with another name or address",
		async (host, peer) => {
			const server = () => serverPort(host, peer, "tls-server:refused");
			await connect(host, await server(), trust(host, { name: "elsewhere.example" })).fails(host, CLIENT_WRONG_NAME);
			await connect(host, await server(), trust(host, { name: "127.0.0.2" })).fails(host, CLIENT_WRONG_NAME);
			const wild = await serverPort(host, peer, "tls-server:refused:wildcard");
			await connect(host, wild, trust(host)).fails(host, CLIENT_WRONG_NAME);
		},
	],
	[
		"checks dates if it knows the time, and only then",
		async (host, peer) => {
			const at = (day: number) => trust(host, { utcMs: dayOfAuthority(host, day) });
			await greets(host, connect(host, await serverPort(host, peer, "tls-server:hello"), at(5)));
			await connect(host, await serverPort(host, peer, "tls-server:refused"), at(40)).fails(host, CLIENT_EXPIRED);
			await connect(host, await serverPort(host, peer, "tls-server:refused"), at(-5)).fails(host, CLIENT_EXPIRED);
			const expired = await serverPort(host, peer, "tls-server:refused:expired");
			await connect(host, expired, at(5)).fails(host, CLIENT_EXPIRED);
			const unknown = await serverPort(host, peer, "tls-server:hello:expired");
			await greets(host, connect(host, unknown, trust(host)));
		},
	],
	[
		"shows its certificate to a server that requests it",
		async (host, peer) => {
			const certificate = resource(host, "client.pem");
			const key = resource(host, "client-key.pem");
			const both = new Uint8Array(certificate.length + key.length);
			both.set(certificate);
			both.set(key, certificate.length);
			for (const identity of [
				{ certificate, key },
				{ certificate: both, key: both },
			]) {
				const port = await serverPort(host, peer, "tls-server:hello:asks");
				await greets(host, connect(host, port, trust(host, { identity })));
			}
		},
	],
	[
		"reports a server that rejects it",
		async (host, peer) => {
			const port = await serverPort(host, peer, "openssl:verifies");
			// With TLS 1.3 a client learns of its rejection only after its own handshake.
			await connect(host, port, trust(host)).ends(host, CLIENT_REFUSED, CLIENT_BROKEN);
		},
	],
	[
		"does not take a damaged handshake for a rejection",
		async (host, peer) => {
			const port = await serverPort(host, peer, "tls-hostile:damaged");
			await connect(host, port, trust(host)).fails(host, CLIENT_HANDSHAKE);
		},
	],
	[
		"rejects unusable options",
		async (host) => {
			const open = (options: Partial<TLSClientOptions>) => connect(host, 9, trust(host, options));
			const { certificate } = { certificate: resource(host, "client.pem") };
			expectRangeError(
				() => open({ trusted: new Uint8Array(TRUSTED_LIMIT + 1) }),
				"too long a list of trusted certificates",
			);
			expectRangeError(() => open({ session: new Uint8Array(SESSION_LIMIT + 1) }), "too long a session");
			expectError(() => open({ trusted: new Uint8Array(0) }), "an empty list of trusted certificates");
			expectError(() => open({ trusted: pattern(500) }), "garbage as trusted certificates");
			expectError(() => open({ identity: { certificate, key: pattern(100) } }), "garbage as a key");
			expectError(() => open({ identity: { certificate, key: new Uint8Array(0) } }), "no key");
			const { io: TLSClient, pins } = host.network.tlsClient!;
			expectError(() => new TLSClient({ ...pins, host: "localhost", port: 9, timeoutMs: 1000 }), "no TLS options");
		},
	],
];

/** Checks with servers of different kinds. */
const meeting: [name: string, scene: Scene][] = [
	[
		"connects to OpenSSL with TLS 1.2 and 1.3, or reports that they have no version in common",
		async (host, peer) => {
			let connections = 0;
			for (const name of ["openssl:tls1_2", "openssl:tls1_3"]) {
				const recorder = connect(host, await serverPort(host, peer, name), trust(host, { name: "localhost" }));
				await until(host, () => recorder.writable > 0 || recorder.codes.length > 0, "a connection");
				if (recorder.codes.length > 0) {
					await recorder.ends(host, CLIENT_HANDSHAKE);
					continue;
				}
				connections++;
				recorder.client.write(HELLO);
				expectBytes(await recorder.collect(host, HELLO.length), HELLO_BACK, `from ${name}`);
				await recorder.end(host);
			}
			expect(connections > 0, "it speaks neither TLS 1.2 nor 1.3");
		},
	],
	[
		"resumes a session if the server still knows it, and only then",
		async (host, peer) => {
			const port = await serverPort(host, peer, "tls-server:hello-thrice");
			const first = connect(host, port, trust(host));
			expectEqual(first.client.resumed, false, "resumed before it is connected");
			await first.connected(host);
			expectEqual(first.client.resumed, false, "resumed without a session");
			first.client.write(HELLO);
			await first.collect(host, 100);
			const { session } = first.client;
			await first.ends(host, CLIENT_ENDED);
			expect(session !== undefined && session.length <= SESSION_LIMIT, `a session of ${session?.length} bytes`);
			const second = connect(host, port, trust(host, { session }));
			await second.connected(host);
			expectEqual(second.client.resumed, true, "resumed at the same server");
			await greets(host, second);
			const third = connect(host, port, trust(host, { session: pattern(200) }));
			await third.connected(host);
			expectEqual(third.client.resumed, false, "resumed with garbage");
			await greets(host, third);
			const other = connect(host, await serverPort(host, peer, "tls-server:hello"), trust(host, { session }));
			await other.connected(host);
			expectEqual(other.client.resumed, false, "resumed at another server");
			await greets(host, other);
		},
	],
	[
		"waits while another handshake is running",
		async (host, peer) => {
			const silent = await serverPort(host, peer, "server:silent");
			const good = await serverPort(host, peer, "tls-server:hello");
			const first = connect(host, silent, trust(host), { timeoutMs: 700 });
			await sleep(host, 200);
			const hasty = connect(host, good, trust(host), { timeoutMs: 100 });
			const second = connect(host, good, trust(host));
			await hasty.fails(host, CLIENT_TIMEOUT);
			expectEqual(first.codes.length, 0, "ends of the first meanwhile");
			await second.connected(host);
			expectEqual(first.codes[0], CLIENT_TIMEOUT, "the end of the first");
			await greets(host, second);
			await first.end(host);
		},
	],
	[
		"waits for a silent server only up to its timeout",
		async (host, peer) => {
			const port = await serverPort(host, peer, "server:silent");
			const startMs = host.clock.monotonicMs();
			await connect(host, port, trust(host), { timeoutMs: 300 }).fails(host, CLIENT_TIMEOUT);
			const tookMs = host.clock.monotonicMs() - startMs;
			expect(tookMs >= 300 && tookMs < 1500, `300 ms took ${tookMs}`);
			const half = await serverPort(host, peer, "tls-hostile:stops");
			await connect(host, half, trust(host), { timeoutMs: 500 }).fails(host, CLIENT_TIMEOUT);
		},
	],
	[
		"survives servers that speak no TLS, break off or send garbage",
		async (host, peer) => {
			for (const name of ["server:plain-text", "tls-hostile:breaks", "tls-hostile:garbage", "tls-hostile:nonsense"]) {
				await connect(host, await serverPort(host, peer, name), trust(host)).fails(host, CLIENT_HANDSHAKE);
			}
			await greets(host, connect(host, await serverPort(host, peer, "tls-server:hello"), trust(host)));
		},
	],
	[
		"survives a chain of certificates that is far too long",
		async (host, peer) => {
			const port = await serverPort(host, peer, "tls-server:refused:huge");
			await connect(host, port, trust(host)).fails(host, CLIENT_HANDSHAKE);
			await greets(host, connect(host, await serverPort(host, peer, "tls-server:hello"), trust(host)));
		},
	],
	[
		"reports an invalid record as a break",
		async (host, peer) => {
			const recorder = connect(host, await serverPort(host, peer, "tls-hostile:bad-record"), trust(host));
			await recorder.connected(host);
			recorder.client.write(HELLO);
			await recorder.ends(host, CLIENT_BROKEN);
		},
	],
	[
		"reports an end without the closing alert, between records or inside one",
		async (host, peer) => {
			for (const name of ["tls-hostile:no-alert", "tls-hostile:half-record"]) {
				const recorder = connect(host, await serverPort(host, peer, name), trust(host));
				await recorder.connected(host);
				recorder.client.write(HELLO);
				await recorder.ends(host, CLIENT_ENDED, CLIENT_BROKEN);
			}
		},
	],
	[
		"survives a server that renegotiates",
		async (host, peer) => {
			const recorder = connect(host, await serverPort(host, peer, "openssl:renegotiates"), trust(host));
			await until(host, () => recorder.writable > 0 || recorder.codes.length > 0, "a connection");
			if (recorder.codes.length > 0) {
				await recorder.ends(host, CLIENT_HANDSHAKE);
				return;
			}
			recorder.client.write(HELLO);
			await sleep(host, 400);
			if (recorder.codes.length > 0) await recorder.ends(host, CLIENT_BROKEN, CLIENT_ENDED);
			else await recorder.end(host);
		},
	],
];

function checksOf(scenes: typeof trusting): Check[] {
	return scenes.map(([name, scene]) => ({ name: `a TLS client ${name}`, run: scene }));
}

export const tlsClientChecks = frozen([...checksOf(trusting), ...checksOf(meeting)]);
