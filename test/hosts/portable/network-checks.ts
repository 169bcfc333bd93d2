/** Checks of the host contract: listeners and sockets, plain and TLS. The peer at the other end is a client. */
import {
	CERTIFICATE_FILE_LIMIT,
	type CertificatePair,
	type Host,
	type Listener,
	type ListenerPort,
	type PendingSocket,
	type Socket,
} from "../../../modules/io/host.js";
import {
	type Check,
	expect,
	expectBytes,
	expectEqual,
	expectRangeError,
	frozen,
	type Peer,
	pattern,
	sleep,
	until,
} from "./check.js";

const PIECE = 2048;

/** A socket that notes all it is told. */
class Noted {
	readonly socket: Socket;
	writable = -1;
	readable = 0;
	errors = 0;
	calls = 0;

	constructor(port: ListenerPort, from: PendingSocket) {
		this.socket = new port.socket({
			from,
			onReadable: (count) => {
				this.calls++;
				this.readable = count;
			},
			onWritable: (count) => {
				this.calls++;
				this.writable = count;
			},
			onError: () => {
				this.calls++;
				this.errors++;
			},
		});
		expectEqual(this.calls, 0, "calls inside the constructor");
	}

	/** All that came, once it is `count` bytes. */
	async collect(host: Host, count: number): Promise<Uint8Array> {
		const bytes = new Uint8Array(count + 1);
		let length = 0;
		await until(
			host,
			() => {
				for (let got = this.socket.read(bytes, length); got; got = this.socket.read(bytes, length)) length += got;
				return length >= count;
			},
			`${count} bytes from the client`,
		);
		return bytes.subarray(0, length);
	}

	/** Reads the pattern of that length, piece by piece. */
	async expectPattern(host: Host, length: number): Promise<void> {
		const piece = new Uint8Array(PIECE);
		let at = 0;
		await until(
			host,
			() => {
				for (let got = this.socket.read(piece); got; got = this.socket.read(piece)) {
					expectBytes(piece.subarray(0, got), pattern(got, at), `what the client sent, from ${at} on`);
					at += got;
				}
				return at >= length;
			},
			`${length} bytes from the client`,
		);
		expectEqual(at, length, "bytes from the client");
	}

	/** Writes the pattern of that length, as room is made. */
	async sendPattern(host: Host, length: number): Promise<void> {
		let at = 0;
		await until(host, () => this.writable > 0, "onWritable");
		while (at < length) {
			const piece = pattern(Math.min(length - at, this.writable, PIECE), at);
			this.writable = this.socket.write(piece);
			at += piece.length;
			await until(host, () => this.writable > 0, "room to write");
		}
	}
}

function listen(port: ListenerPort): Listener {
	let early = true;
	const listener = new port.io({
		...port.pins,
		onReadable: () => expect(!early, "onReadable inside the constructor"),
	});
	early = false;
	expect(listener.port > 0, `listens on port ${listener.port}`);
	expectEqual(listener.read(), undefined, "read where nobody has come");
	return listener;
}

async function accept(host: Host, listener: Listener): Promise<PendingSocket> {
	let pending: PendingSocket | undefined;
	await until(
		host,
		() => {
			pending = listener.read();
			return pending !== undefined;
		},
		"a connection",
	);
	return pending!;
}

type Scene = (host: Host, peer: Peer, port: ListenerPort) => Promise<void>;

const scenes: [name: string, scene: Scene][] = [
	[
		"carries bytes both ways and tells who the client is",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("hello", listener.port);
			const client = new Noted(port, await accept(host, listener));
			expect(/^(127\.0\.0\.1|::1)$/.test(client.socket.remoteAddress), client.socket.remoteAddress);
			expectRangeError(() => client.socket.write(pattern(1)), "a write before onWritable");
			expectBytes(await client.collect(host, 5), Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f), "from the client");
			expectEqual(client.socket.read(new Uint8Array(8)), undefined, "read on empty");
			await client.sendPattern(host, 100);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			client.socket.close();
			expect(client.socket.remoteAddress.length > 0, "the address is gone after close");
			listener.close();
			listener.close();
		},
	],
	[
		"refuses a write beyond the room as a whole",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("expect-3", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await until(host, () => client.writable > 0, "onWritable");
			expect(client.writable >= 1024, `room for ${client.writable} bytes only`);
			expectRangeError(() => client.socket.write(new Uint8Array(client.writable + 1)), "one byte too many");
			client.socket.write(pattern(10), 0, 3);
			client.socket.close();
			expectRangeError(() => client.socket.write(pattern(1)), "a write after close");
			expectEqual(client.socket.read(new Uint8Array(4)), undefined, "a read after close");
			await sleep(host, 30);
			listener.close();
		},
	],
	[
		"sends a long reply to a slow reader, and all that was written before close",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("slow-reader", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await client.sendPattern(host, 200_000);
			const { calls } = client;
			client.socket.close();
			await sleep(host, 100);
			expectEqual(client.calls, calls, "calls after close");
			listener.close();
		},
	],
	[
		"holds a client back that sends faster than is read",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("flood", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await until(host, () => client.readable > 0, "the first bytes");
			await sleep(host, 300);
			expect(client.readable <= 16_384 + 65_536, `${client.readable} bytes were taken unread`);
			await client.expectPattern(host, 500_000);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			listener.close();
		},
	],
	[
		"tells of the end once, after all that came before it was read",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("send-and-end", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await until(host, () => client.readable === 1000, "1000 bytes waiting");
			await sleep(host, 50);
			expectEqual(client.errors, 0, "onError before the bytes were read");
			const into = new Uint8Array(600);
			expectEqual(client.socket.read(into), 600, "first piece");
			await sleep(host, 20);
			expectEqual(client.errors, 0, "onError before all bytes were read");
			expectEqual(client.socket.read(into), 400, "second piece");
			expectEqual(client.errors, 0, "onError inside read");
			await until(host, () => client.errors > 0, "onError");
			await sleep(host, 20);
			expectEqual(client.errors, 1, "onError");
			client.socket.close();
			listener.close();
		},
	],
	[
		"survives resets, at any moment",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("reset", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await client.collect(host, 11);
			await until(host, () => client.errors === 1, "onError after a reset");
			await sleep(host, 20);
			client.socket.close();
			expectEqual(client.errors, 1, "onError");
			// Reset while the connection waits to be taken, and after it was taken but before it got its socket.
			peer("reset", listener.port);
			await sleep(host, 100);
			listener.read()?.close();
			peer("reset-later", listener.port);
			const pending = await accept(host, listener);
			await sleep(host, 250);
			const late = new Noted(port, pending);
			await until(host, () => late.errors === 1, "onError of a connection that was dead already");
			late.socket.close();
			listener.close();
		},
	],
	[
		"lets up to eight connections wait, and leaves or closes what comes beyond",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("ten-clients", listener.port);
			await sleep(host, 400);
			const taken: PendingSocket[] = [];
			for (let one = listener.read(); one; one = listener.read()) taken.push(one);
			expect(taken.length >= 2 && taken.length <= 8, `${taken.length} connections waiting`);
			for (const pending of taken) {
				pending.close();
				pending.close();
			}
			let refused = false;
			try {
				new Noted(port, taken[0]);
			} catch {
				refused = true;
			}
			expect(refused, "a closed connection was taken");
			listener.close();
		},
	],
	[
		"closes those who wait with the listener, but not those taken",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("hello", listener.port);
			const client = new Noted(port, await accept(host, listener));
			peer("expect-closed", listener.port);
			await sleep(host, 150);
			listener.close();
			expectEqual(listener.read(), undefined, "read of a closed listener");
			await client.collect(host, 5);
			await client.sendPattern(host, 100);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			peer("expect-refused", listener.port);
			await sleep(host, 50);
			const again = listen(port);
			again.close();
		},
	],
];

const FROM_MS = 1_780_000_000_000;
const TO_MS = 4_102_444_800_000;

const makePair = ({ crypto }: Host, name: string): CertificatePair =>
	crypto.makeCertificate({ names: [name], validFromMs: FROM_MS, validToMs: TO_MS });

/** Lets a client come that expects the certificate with this name. */
async function show(host: Host, peer: Peer, port: ListenerPort, listener: Listener, name: string): Promise<void> {
	peer(`tls-subject-${name}`, listener.port);
	const client = new Noted(port, await accept(host, listener));
	await client.collect(host, 5);
	client.socket.close();
}

function expectRefused(listener: Listener, pair: CertificatePair, what: string): void {
	let message = "";
	try {
		listener.setIdentity(pair);
	} catch (error) {
		message = (error as Error).message;
	}
	expect(message.length > 0, `${what} is taken`);
}

const tlsScenes: [name: string, scene: Scene][] = [
	[
		"does not mind clients that speak no TLS, old TLS or nothing at all",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("no-tls", listener.port);
			peer("old-tls", listener.port);
			await sleep(host, 200);
			expectEqual(listener.read(), undefined, "a connection without a handshake");
			peer("tls-hello", listener.port);
			const client = new Noted(port, await accept(host, listener));
			await client.collect(host, 5);
			await client.sendPattern(host, 100);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			listener.close();
		},
	],
	[
		"shows a new certificate to those who come, while those who are there stay",
		async (host, peer, port) => {
			const listener = listen(port);
			peer("tls-hello", listener.port);
			const client = new Noted(port, await accept(host, listener));
			listener.setIdentity(makePair(host, "first"));
			await show(host, peer, port, listener, "first");
			await show(host, peer, port, listener, "first");
			listener.setIdentity(makePair(host, "second"));
			await show(host, peer, port, listener, "second");
			await client.collect(host, 5);
			await client.sendPattern(host, 100);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			listener.close();
			expectRefused(listener, makePair(host, "third"), "a certificate for a closed listener");
			const again = listen(port);
			await show(host, peer, port, again, "second");
			again.close();
		},
	],
	[
		"goes on with its certificate when it is given one that can't be used",
		async (host, peer, port) => {
			const listener = listen(port);
			const { certificate, key } = makePair(host, "first");
			listener.setIdentity({ certificate, key });
			await show(host, peer, port, listener, "first");
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
			await show(host, peer, port, listener, "first");
			listener.close();
			const again = listen(port);
			await show(host, peer, port, again, "first");
			again.close();
		},
	],
];

function checksOf(kind: string, list: typeof scenes, portOf: (host: Host) => ListenerPort, prefix: string): Check[] {
	// What a function in flash refers to has to be constant; parameters are not.
	const clientOf = prefix;
	const port = portOf;
	return list.map(([name, scene]) => ({
		name: `${kind} ${name}`,
		run: (host, peer) => scene(host, (script, number) => peer(clientOf + script, number), port(host)),
	}));
}

export const networkChecks = frozen([
	...checksOf("a TCP listener", scenes, (host) => host.network.http, ""),
	...checksOf("a TLS listener", scenes, (host) => host.network.https!, "tls-"),
	...checksOf("a TLS listener", tlsScenes, (host) => host.network.https!, ""),
	{
		name: "a host tells which of its listeners is secure",
		async run({ network }) {
			expectEqual(network.http.secure, false, "the plain one");
			expectEqual(network.https?.secure, true, "the other");
		},
	},
	{
		name: "a TCP listener takes no certificate",
		async run(host) {
			const listener = listen(host.network.http);
			expectRefused(listener, makePair(host, "first"), "a certificate");
			listener.close();
		},
	},
]);
