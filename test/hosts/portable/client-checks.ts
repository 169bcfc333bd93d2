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
import { LOOPBACK, NotedClient, serverPort, trust } from "./connecting.js";

const HELLO = Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f);

/** Functions for a scene: `serve` opens the server, `connect` the client. */
interface Stage {
	readonly host: Host;
	/** Starts a server with this behaviour; returns its port. */
	serve(script: string): Promise<number>;
	connect(options: Partial<ClientOptions>): NotedClient;
}

type Scene = (stage: Stage) => Promise<void>;

const scenes: [name: string, scene: Scene][] = [
	[
		"carries bytes both ways, and reports the server's address",
		async ({ host, serve, connect }) => {
			const port = await serve("hello");
			const noted = connect({ host: "localhost", port });
			expectRangeError(() => noted.client.write(pattern(1)), "a write before onWritable");
			expectEqual(noted.client.read(new Uint8Array(8)), undefined, "a read before onWritable");
			await noted.stands(host);
			expectEqual(noted.client.remoteAddress, LOOPBACK, "the server's address");
			expect(noted.writable >= 1024, `room for ${noted.writable} bytes only`);
			noted.client.write(HELLO);
			expectBytes(await noted.collect(host, 100), pattern(100), "from the server");
			expectEqual(noted.client.read(new Uint8Array(8)), undefined, "read on empty");
			await noted.ends(host, CLIENT_ENDED);
			expectEqual(noted.client.remoteAddress, LOOPBACK, "the server's address, after close");
			await noted.end(host);
		},
	],
	[
		"rejects a write that is longer than the announced room, as a whole",
		async ({ host, serve, connect }) => {
			const noted = connect({ port: await serve("expect-3") });
			await noted.stands(host);
			expectRangeError(() => noted.client.write(new Uint8Array(noted.writable + 1)), "one byte too many");
			noted.client.write(pattern(10), 0, 3);
			await noted.end(host);
			expectRangeError(() => noted.client.write(pattern(1)), "a write after close");
			expectEqual(noted.client.read(new Uint8Array(4)), undefined, "a read after close");
		},
	],
	[
		"sends 200 KB to a slow reader, and all that was written before close",
		async ({ host, serve, connect }) => {
			const noted = connect({ port: await serve("slow-reader") });
			await noted.sendPattern(host, 200_000);
			await noted.end(host);
		},
	],
	[
		"holds back a server that sends faster than the client reads",
		async ({ host, serve, connect }) => {
			const noted = connect({ port: await serve("flood") });
			await until(host, () => noted.readable > 0, "the first bytes");
			await sleep(host, 300);
			expect(noted.readable <= 16_384 + 65_536, `${noted.readable} bytes were accepted unread`);
			await noted.expectPattern(host, 500_000);
			await noted.ends(host, CLIENT_ENDED);
		},
	],
	[
		"reports the end once, after all earlier bytes were read",
		async ({ host, serve, connect }) => {
			const noted = connect({ port: await serve("send-and-end") });
			await until(host, () => noted.readable === 1000, "1000 bytes waiting");
			await sleep(host, 50);
			expectEqual(noted.codes.length, 0, "onError before the bytes were read");
			const into = new Uint8Array(600);
			expectEqual(noted.client.read(into), 600, "first piece");
			await sleep(host, 20);
			expectEqual(noted.codes.length, 0, "onError before all bytes were read");
			expectEqual(noted.client.read(into), 400, "second piece");
			expectEqual(noted.codes.length, 0, "onError inside read");
			await noted.ends(host, CLIENT_ENDED);
		},
	],
	[
		"reports a reset as a break",
		async ({ host, serve, connect }) => {
			const noted = connect({ port: await serve("reset") });
			await noted.collect(host, 11);
			await noted.ends(host, CLIENT_BROKEN);
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
			const noted = connect({ host: "nothing.invalid" });
			await noted.fails(host, CLIENT_NO_ADDRESS);
			expectEqual(noted.client.remoteAddress, "", "the address of an unknown name");
		},
	],
	[
		"reports no end when it is closed before or while it connects",
		async ({ host, serve, connect }) => {
			const port = await serve("silent");
			const clients: NotedClient[] = [];
			const lookUp = connect({ host: "localhost", port });
			await lookUp.end(host);
			const closing = connect({ port });
			closing.client.close();
			for (const waitMs of [0, 1, 3, 10]) {
				const noted = connect({ port: await serve("silent") });
				clients.push(noted);
				await sleep(host, waitMs);
				await noted.end(host);
			}
			expectEqual(lookUp.calls + closing.calls, 0, "calls of clients closed at once");
			for (const noted of clients) expectEqual(noted.codes.length, 0, "ends of clients that were closed");
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
			for (const noted of clients) {
				await noted.stands(host);
				noted.client.write(HELLO);
			}
			for (const noted of clients) {
				expectBytes(await noted.collect(host, 100), pattern(100), "from the server");
				await noted.ends(host, CLIENT_ENDED);
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
					return new NotedClient(port, { ...(server === "server:" ? {} : { tls: trust(host) }), ...options });
				},
			}),
	}));
}

export const clientChecks = frozen([
	...checksOf("a TCP client", (host) => host.network.tcpClient, "server:"),
	...checksOf("a TLS client", (host) => host.network.tlsClient, "tls-server:"),
]);
