/**
 * Shared by the portable checks of clients: finding the peer's server, connecting, recording events. A peer sends its
 * port as a datagram of two bytes to the given UDP port.
 */
import type { Client, ClientOptions, ClientPort, TLSClientOptions } from "../../../modules/io/client.js";
import type { Host } from "../../../modules/io/host.js";
import { expect, expectEqual, type Peer, sleep, until } from "./check.js";
import { RecordingConnection } from "./connection.js";

export const LOOPBACK = "127.0.0.1";
const TIMEOUT_MS = 8000;
const DAY_MS = 86_400_000;

/** Starts the peer; returns its server's port. */
export async function serverPort(host: Host, peer: Peer, name: string): Promise<number> {
	const { io: UDPSocket, pins } = host.network.udp!;
	const into = new Uint8Array(1472);
	let port = 0;
	const udp = new UDPSocket({
		...pins,
		port: 0,
		onReadable: () => {
			if (udp.read(into) === 2) port = into[0] | (into[1] << 8);
		},
	});
	peer(name, udp.port);
	await until(host, () => port !== 0, `the port of ${name}`);
	udp.close();
	return port;
}

export function resource(host: Host, name: string): Uint8Array {
	const file = host.resources.get(name);
	expect(file !== undefined, `there is no ${name}: is the program openssl installed?`);
	return file;
}

/** TLS options that trust the authority of the peers, at a time when its certificates are valid. */
export function trust(host: Host, options: Partial<TLSClientOptions> = {}): TLSClientOptions {
	return { trusted: resource(host, "authority.pem"), ...options };
}

/** Time `day` days after the authority's certificate became valid; it is valid for 30 days. */
export function dayOfAuthority(host: Host, day: number): number {
	const [authority] = host.crypto.readCertificates(resource(host, "authority.pem")).certificates;
	return authority.validFromMs + day * DAY_MS;
}

/** A client that records its events. */
export class RecordingClient extends RecordingConnection {
	readonly client: Client;
	/** CLIENT_… codes. */
	readonly codes: number[] = [];

	constructor(port: ClientPort, options: Partial<ClientOptions>) {
		super();
		this.client = new port.io({
			...port.pins,
			host: LOOPBACK,
			port: 9,
			timeoutMs: TIMEOUT_MS,
			...this.notes,
			onError: (code) => {
				this.calls++;
				this.codes.push(code);
			},
			...options,
		});
		expectEqual(this.calls, 0, "calls inside the constructor");
	}

	/** Waits until the client is connected. */
	async connected(host: Host): Promise<void> {
		await until(host, () => this.writable > 0 || this.codes.length > 0, "a connection");
		expectEqual(this.codes[0], undefined, "CLIENT_… instead of a connection");
	}

	/** Waits until the client fails with this code before it is connected. */
	async fails(host: Host, code: number): Promise<void> {
		await until(host, () => this.codes.length > 0 || this.writable > 0, "an end");
		expectEqual(this.codes[0], code, "CLIENT_…");
		expectEqual(this.writable, -1, "room to write");
		await this.staysOver(host);
	}

	/** Waits until the connection ends with this code. */
	async ends(host: Host, code: number, orCode = code): Promise<void> {
		await until(host, () => this.codes.length > 0, "an end");
		expect(this.codes[0] === code || this.codes[0] === orCode, `CLIENT_… is ${this.codes[0]}, expected ${code}`);
		await this.staysOver(host);
	}

	/** Closes the client; no event may follow. */
	async end(host: Host): Promise<void> {
		this.client.close();
		const { calls } = this;
		await sleep(host, 50);
		expectEqual(this.calls, calls, "calls after close");
		this.client.close();
	}

	protected override read(into: Uint8Array, start?: number): number | undefined {
		return this.client.read(into, start);
	}

	protected override write(bytes: Uint8Array): number {
		return this.client.write(bytes);
	}

	private async staysOver(host: Host): Promise<void> {
		await sleep(host, 30);
		expectEqual(this.codes.length, 1, "number of reported ends");
		this.client.close();
	}
}
