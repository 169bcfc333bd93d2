/** Checks of the host contract: listeners and sockets, plain and TLS. The peer is a client. */
import type { Host, ListenerPort, PendingSocket } from "../../../modules/io/host.js";
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
import { accept, connect, listen, RecordingSocket } from "./listening.js";

type Scene = (host: Host, peer: Peer, port: ListenerPort) => Promise<void>;

const scenes: [name: string, scene: Scene][] = [
	[
		"carries bytes both ways, and reports the client's address",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "hello");
			expect(/^(127\.0\.0\.1|::1)$/.test(client.socket.remoteAddress), client.socket.remoteAddress);
			expectRangeError(() => client.socket.write(pattern(1)), "a write before onWritable");
			expectBytes(await client.collect(host, 5), Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f), "from the client");
			expectEqual(client.socket.read(new Uint8Array(8)), undefined, "read on empty");
			await client.sendUntilClosed(host);
			client.socket.close();
			expect(client.socket.remoteAddress.length > 0, "the address is gone after close");
			listener.close();
			listener.close();
		},
	],
	[
		"rejects a write that is longer than the announced room, as a whole",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "expect-3");
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
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "slow-reader");
			await client.sendPattern(host, 200_000);
			const { calls } = client;
			client.socket.close();
			await sleep(host, 100);
			expectEqual(client.calls, calls, "calls after close");
			listener.close();
		},
	],
	[
		"holds back a client that sends faster than the listener reads",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "flood");
			await until(host, () => client.readable > 0, "the first bytes");
			await sleep(host, 300);
			expect(client.readable <= 16_384 + 65_536, `${client.readable} bytes were accepted unread`);
			await client.expectPattern(host, 500_000);
			await until(host, () => client.errors === 1, "the client to close");
			client.socket.close();
			listener.close();
		},
	],
	[
		"reports the end once, after all earlier bytes were read",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "send-and-end");
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
		"survives resets: in use, while waiting, and before the socket is made",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "reset-on-request");
			await client.collect(host, 11);
			await until(host, () => client.writable > 0, "room for a byte");
			client.socket.write(Uint8Array.of(1));
			await until(host, () => client.errors === 1, "onError after a reset");
			await sleep(host, 20);
			client.socket.close();
			expectEqual(client.errors, 1, "onError");
			// The connection is reset while it waits, and after it was accepted but before it has a socket.
			peer("reset", listener.port);
			await sleep(host, 100);
			listener.read()?.close();
			peer("reset-later", listener.port);
			const pending = await accept(host, listener);
			await sleep(host, 250);
			const late = new RecordingSocket(port, pending);
			const byte = new Uint8Array(1);
			// Bytes received before the reset come first, unless they are lost.
			const isReported = () => late.socket.read(byte) === undefined && late.errors === 1;
			await until(host, isReported, "onError of a connection that was already dead");
			late.socket.close();
			listener.close();
		},
	],
	[
		"lets at most eight connections wait",
		async (host, peer, port) => {
			const listener = listen(host, port);
			peer("ten-clients", listener.port);
			// A handshake that ends during the reads would take a free place.
			await sleep(host, 1500);
			const taken: PendingSocket[] = [];
			for (let one = listener.read(); one; one = listener.read()) taken.push(one);
			expect(taken.length >= 2 && taken.length <= 8, `${taken.length} connections waiting`);
			for (const pending of taken) {
				pending.close();
				pending.close();
			}
			let refused = false;
			try {
				new RecordingSocket(port, taken[0]);
			} catch {
				refused = true;
			}
			expect(refused, "a closed connection was accepted");
			listener.close();
		},
	],
	[
		"closes waiting connections with the listener, but not accepted ones",
		async (host, peer, port) => {
			const listener = listen(host, port);
			const client = await connect(host, peer, port, listener, "hello");
			peer("expect-closed", listener.port);
			await sleep(host, 150);
			listener.close();
			expectEqual(listener.read(), undefined, "read of a closed listener");
			await client.collect(host, 5);
			await client.sendUntilClosed(host);
			peer("expect-refused", listener.port);
			await sleep(host, 50);
			const again = listen(host, port);
			again.close();
		},
	],
];

function checksOf(kind: string, list: typeof scenes, portOf: (host: Host) => ListenerPort, prefix: string): Check[] {
	// Functions in flash can capture constants only, not parameters.
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
	{
		name: "a host reports which of its listeners is secure",
		async run({ network }) {
			expectEqual(network.http.secure, false, "the plain one");
			expectEqual(network.https?.secure, true, "the other");
		},
	},
]);
