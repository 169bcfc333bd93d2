/** Checks of the host contract: outgoing connections, plain and TLS. The peer is a server. */
import {
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_NO_ADDRESS,
	CLIENT_UNREACHABLE,
	type ClientOptions,
	type ClientPort,
} from "../../../modules/io/client.js";
import type { Host } from "../../../modules/io/host.js";
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
import { LOOPBACK, RecordingClient, serverPort, trust } from "./connecting.js";

const HELLO = Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f);

/** A check's surroundings: the host, and functions that start the peer's server and connect a client to it. */
interface Stage {
	readonly host: Host;
	/** Starts a server with this behaviour; returns its port. */
	serve(script: string): Promise<number>;
	connect(options: Partial<ClientOptions>): RecordingClient;
}

type Scene = (stage: Stage) => Promise<void>;

const scenes: [name: string, scene: Scene][] = [
	[
		"carries bytes both ways, and reports the server's address",
		async ({ host, serve, connect }) => {
			const port = await serve("hello");
			const recorder = connect({ host: "localhost", port });
			expectRangeError(() => recorder.client.write(pattern(1)), "a write before onWritable");
			expectEqual(recorder.client.read(new Uint8Array(8)), undefined, "a read before onWritable");
			await recorder.connected(host);
			expectEqual(recorder.client.remoteAddress, LOOPBACK, "the server's address");
			expect(recorder.writable >= 1024, `room for ${recorder.writable} bytes only`);
			recorder.client.write(HELLO);
			expectBytes(await recorder.collect(host, 100), pattern(100), "from the server");
			expectEqual(recorder.client.read(new Uint8Array(8)), undefined, "read on empty");
			await recorder.ends(host, CLIENT_ENDED);
			expectEqual(recorder.client.remoteAddress, LOOPBACK, "the server's address, after close");
			await recorder.end(host);
		},
	],
	[
		"rejects a write that is longer than the announced room, as a whole",
		async ({ host, serve, connect }) => {
			const recorder = connect({ port: await serve("expect-3") });
			await recorder.connected(host);
			expectRangeError(() => recorder.client.write(new Uint8Array(recorder.writable + 1)), "one byte too many");
			recorder.client.write(pattern(10), 0, 3);
			await recorder.end(host);
			expectRangeError(() => recorder.client.write(pattern(1)), "a write after close");
			expectEqual(recorder.client.read(new Uint8Array(4)), undefined, "a read after close");
		},
	],
	[
		"sends 200 KB to a slow reader, and all that was written before close",
		async ({ host, serve, connect }) => {
			const recorder = connect({ port: await serve("slow-reader") });
			await recorder.sendPattern(host, 200_000);
			await recorder.end(host);
		},
	],
	[
		"holds back a server that sends faster than the client reads",
		async ({ host, serve, connect }) => {
			const recorder = connect({ port: await serve("flood") });
			await until(host, () => recorder.readable > 0, "the first bytes");
			await sleep(host, 300);
			expect(recorder.readable <= 16_384 + 65_536, `${recorder.readable} bytes were accepted unread`);
			await recorder.expectPattern(host, 500_000);
			await recorder.ends(host, CLIENT_ENDED);
		},
	],
	[
		"reports the end once, after all earlier bytes were read",
		async ({ host, serve, connect }) => {
			const recorder = connect({ port: await serve("send-and-end") });
			await until(host, () => recorder.readable === 1000, "1000 bytes waiting");
			await sleep(host, 50);
			expectEqual(recorder.codes.length, 0, "onError before the bytes were read");
			const into = new Uint8Array(600);
			expectEqual(recorder.client.read(into), 600, "first piece");
			await sleep(host, 20);
			expectEqual(recorder.codes.length, 0, "onError before all bytes were read");
			expectEqual(recorder.client.read(into), 400, "second piece");
			expectEqual(recorder.codes.length, 0, "onError inside read");
			await recorder.ends(host, CLIENT_ENDED);
		},
	],
	[
		"reports a reset as a break",
		async ({ host, serve, connect }) => {
			const recorder = connect({ port: await serve("reset") });
			await recorder.collect(host, 11);
			await recorder.ends(host, CLIENT_BROKEN);
		},
	],
	[
		"reports that nothing listens on the port",
		async ({ host, serve, connect }) => {
			await connect({ port: await serve("gone") }).fails(host, CLIENT_UNREACHABLE);
		},
	],
	[
		"reports an unknown name",
		async ({ host, connect }) => {
			const recorder = connect({ host: "nothing.invalid" });
			await recorder.fails(host, CLIENT_NO_ADDRESS);
			expectEqual(recorder.client.remoteAddress, "", "the address of an unknown name");
		},
	],
	[
		"reports no end when it is closed before or while it connects",
		async ({ host, serve, connect }) => {
			const port = await serve("silent");
			const clients: RecordingClient[] = [];
			const lookUp = connect({ host: "localhost", port });
			await lookUp.end(host);
			const closing = connect({ port });
			closing.client.close();
			for (const waitMs of [0, 1, 3, 10]) {
				const recorder = connect({ port: await serve("silent") });
				clients.push(recorder);
				await sleep(host, waitMs);
				await recorder.end(host);
			}
			expectEqual(lookUp.calls + closing.calls, 0, "calls of clients closed at once");
			for (const recorder of clients) expectEqual(recorder.codes.length, 0, "ends of clients that were closed");
		},
	],
	[
		"rejects hosts, ports and timeouts that are out of range",
		async ({ connect }) => {
			let long = "a";
			while (long.length < 254) long += ".a";
			for (const host of ["", long, "a b", "host\u0000", "::1", "a/b"]) {
				expectRangeError(() => connect({ host }), `the host "${host}"`);
			}
			for (const port of [0, -1, 65_536, 80.5, Number.NaN]) expectRangeError(() => connect({ port }), `port ${port}`);
			for (const timeoutMs of [0, 99, 60_001, Number.NaN]) {
				expectRangeError(() => connect({ timeoutMs }), `${timeoutMs} ms`);
			}
		},
	],
	[
		"may have three connections at once",
		async ({ host, serve, connect }) => {
			const ports = [await serve("hello"), await serve("hello"), await serve("hello")];
			const clients = ports.map((port) => connect({ port }));
			for (const recorder of clients) {
				await recorder.connected(host);
				recorder.client.write(HELLO);
			}
			for (const recorder of clients) {
				expectBytes(await recorder.collect(host, 100), pattern(100), "from the server");
				await recorder.ends(host, CLIENT_ENDED);
			}
		},
	],
];

function checksOf(kind: string, portOf: (host: Host) => ClientPort | undefined, prefix: string): Check[] {
	// Functions in flash can capture constants only, not parameters.
	const client = portOf;
	const server = prefix;
	return scenes.map(([name, scene]) => ({
		name: `${kind} ${name}`,
		run: (host: Host, peer: Peer) =>
			scene({
				host,
				serve: (script) => serverPort(host, peer, `${server}${script}`),
				connect: (options) => {
					const port = client(host);
					expect(port !== undefined, "this host has no such clients");
					return new RecordingClient(port, { ...(server === "server:" ? {} : { tls: trust(host) }), ...options });
				},
			}),
	}));
}

export const clientChecks = frozen([
	...checksOf("a TCP client", (host) => host.network.tcpClient, "server:"),
	...checksOf("a TLS client", (host) => host.network.tlsClient, "tls-server:"),
]);
