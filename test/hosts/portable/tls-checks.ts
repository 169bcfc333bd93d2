/** Checks of the host contract: a TLS listener's certificate and its self-test. The peer is a client. */
import { CERTIFICATE_FILE_LIMIT, type CertificatePair } from "../../../modules/io/crypto.js";
import type { Host, Listener } from "../../../modules/io/host.js";
import { expectEqual, expectError, frozen, type Peer, pattern, sleep, until } from "./check.js";
import { accept, connect, listen, makePair, RecordingSocket } from "./listening.js";

/** Starts a client that expects the named certificate. */
async function show(host: Host, peer: Peer, listener: Listener, name: string): Promise<void> {
	const client = await connect(host, peer, host.network.https!, listener, `tls-subject-${name}`);
	await client.collect(host, 5);
	client.socket.close();
}

function expectRefused(listener: Listener, pair: CertificatePair, what: string): void {
	expectError(() => listener.setIdentity(pair), what);
}

/** Result of the listener's handshake with itself. */
async function testOf(host: Host, listener: Listener): Promise<string> {
	const results: string[] = [];
	listener.testIdentity((problem) => results.push(problem));
	expectEqual(results.length, 0, "answers inside the call");
	await until(host, () => results.length > 0, "an answer of the test");
	await sleep(host, 50);
	expectEqual(results.length, 1, "answers");
	expectEqual(listener.read(), undefined, "a connection of the test");
	return results[0];
}

export const tlsChecks = frozen([
	{
		name: "a TLS listener rejects clients without TLS or with old TLS, and then serves others",
		async run(host, peer) {
			const port = host.network.https!;
			const listener = listen(host, port);
			peer("no-tls", listener.port);
			peer("old-tls", listener.port);
			await sleep(host, 200);
			expectEqual(listener.read(), undefined, "a connection without a handshake");
			const client = await connect(host, peer, port, listener, "tls-hello");
			await client.collect(host, 5);
			await client.sendUntilClosed(host);
			listener.close();
		},
	},
	{
		name: "a TLS listener reports the end of a client that has left after its handshake",
		async run(host, peer) {
			const port = host.network.https!;
			const listener = listen(host, port);
			// The socket is made at once in the first run, and long after the client has left in the second.
			for (const waitMs of [0, 200]) {
				peer("tls-come-and-go", listener.port);
				const pending = await accept(host, listener);
				await sleep(host, waitMs);
				const client = new RecordingSocket(port, pending);
				await until(host, () => client.errors === 1, "the end");
				expectEqual(client.readable, 0, "bytes");
				client.socket.close();
			}
			listener.close();
		},
	},
	{
		name: "a TLS listener uses the certificate with which it was opened, not that of an earlier listener",
		async run(host, peer) {
			const port = host.network.https!;
			const first = listen(host, port, makePair(host, "first"));
			await show(host, peer, first, "first");
			first.setIdentity(makePair(host, "second"));
			first.close();
			const again = listen(host, port, makePair(host, "third"));
			await show(host, peer, again, "third");
			again.close();
		},
	},
	{
		name: "a TLS listener is not opened without a certificate, nor with an unusable one",
		async run(host, peer) {
			const { io: TLSListener, pins } = host.network.https!;
			const open = (options: { identity?: CertificatePair }) => {
				new TLSListener({ ...pins, ...options, onReadable: () => {} });
			};
			const { certificate } = makePair(host, "first");
			const { key } = makePair(host, "second");
			expectError(() => open({}), "nothing");
			expectError(() => open({ identity: { certificate, key } }), "another's key");
			expectError(() => open({ identity: { certificate: pattern(300), key } }), "garbage for a certificate");
			const listener = listen(host, host.network.https!, makePair(host, "third"));
			await show(host, peer, listener, "third");
			listener.close();
		},
	},
	{
		name: "a TLS listener uses a new certificate for new clients, while existing ones stay connected",
		async run(host, peer) {
			const port = host.network.https!;
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "tls-hello");
			listener.setIdentity(makePair(host, "first"));
			await show(host, peer, listener, "first");
			await show(host, peer, listener, "first");
			listener.setIdentity(makePair(host, "second"));
			await show(host, peer, listener, "second");
			await client.collect(host, 5);
			await client.sendUntilClosed(host);
			listener.close();
			expectRefused(listener, makePair(host, "third"), "a certificate for a closed listener");
		},
	},
	{
		name: "a TLS listener uses a certificate that was made for several names and addresses and an existing key",
		async run(host, peer) {
			const before = makePair(host, "before");
			const names = ["gateway", "gateway.local", "192.168.4.1", "203.0.113.255"];
			const times = { validFromMs: 1_780_000_000_000, validToMs: 4_102_444_800_000 };
			const { certificate } = host.crypto.makeCertificate({ names, ...times, key: before.key });
			const listener = listen(host, host.network.https!, { certificate, key: before.key });
			const client = await connect(host, peer, host.network.https!, listener, `tls-names-${names.join()}`);
			await client.collect(host, 5);
			client.socket.close();
			listener.close();
		},
	},
	{
		name: "a TLS listener keeps a copy of its certificate",
		async run(host, peer) {
			const pair = makePair(host, "first");
			const listener = listen(host, host.network.https!, pair);
			pair.certificate.fill(0);
			pair.key.fill(0);
			await show(host, peer, listener, "first");
			const other = makePair(host, "second");
			listener.setIdentity(other);
			other.certificate.fill(0);
			other.key.fill(0);
			await show(host, peer, listener, "second");
			listener.close();
		},
	},
	{
		name: "a TLS listener keeps its certificate when it is given an unusable one",
		async run(host, peer) {
			const { certificate, key } = makePair(host, "first");
			const listener = listen(host, host.network.https!, { certificate, key });
			await show(host, peer, listener, "first");
			const other = makePair(host, "second");
			const nothing = new Uint8Array(0);
			const large = new Uint8Array(CERTIFICATE_FILE_LIMIT + 1).fill(0x0a);
			large.set(other.certificate);
			expectRefused(listener, { certificate: other.certificate, key }, "another's key");
			expectRefused(listener, { certificate: pattern(300), key }, "garbage for a certificate");
			expectRefused(listener, { certificate: certificate.slice(0, 300), key }, "a part of a certificate");
			expectRefused(listener, { certificate: nothing, key }, "no certificate");
			expectRefused(listener, { certificate: large, key: other.key }, "a certificate that is too large");
			expectRefused(listener, { certificate, key: pattern(100) }, "garbage for a key");
			expectRefused(listener, { certificate, key: nothing }, "no key");
			await show(host, peer, listener, "first");
			listener.close();
		},
	},
	{
		name: "a TLS listener passes its self-test, which no listener sees as a connection",
		async run(host, peer) {
			const listener = listen(host, host.network.https!, makePair(host, "first"));
			expectEqual(await testOf(host, listener), "", "the test of the first certificate");
			listener.setIdentity(makePair(host, "second"));
			expectEqual(await testOf(host, listener), "", "the test of the second certificate");
			await show(host, peer, listener, "second");
			listener.close();
		},
	},
	{
		name: "a TLS listener reports no test result after close",
		async run(host) {
			const listener = listen(host, host.network.https!);
			let results = 0;
			listener.testIdentity(() => results++);
			listener.close();
			await sleep(host, 300);
			expectEqual(results, 0, "answers after close");
		},
	},
	{
		name: "a TCP listener accepts no certificate",
		async run(host) {
			const listener = listen(host, host.network.http);
			expectRefused(listener, makePair(host, "first"), "a certificate");
			listener.close();
		},
	},
]);
