/**
 * Simulates a network as slow as the device's, in front of a local server. Both directions share a fixed rate. Only one
 * connection is served at a time, because the gateway has memory for only one with TLS.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** TCP payload of an Ethernet or Wi-Fi frame. */
const PACKET_BYTES = 1460;
/** Receive window of lwIP on the device. */
const WINDOW_BYTES = 5760;

export class SlowLine {
	port = 0;
	/** Bytes in both directions, including TLS. */
	bytes = 0;
	connections = 0;
	readonly #bitsPerSecond: number;
	readonly #serverPort: number;
	readonly #server: Server;
	readonly #waiting: Socket[] = [];
	#served: Socket | undefined;
	/** Packets that are being sent, in order. `atMs` is the time at which their transmission ends, by `performance`. */
	readonly #underway: { readonly atMs: number; readonly done: () => void }[] = [];
	#freeAtMs = 0;

	static async open(serverPort: number, bitsPerSecond: number): Promise<SlowLine> {
		const line = new SlowLine(serverPort, bitsPerSecond);
		line.#server.listen(0, "127.0.0.1");
		await once(line.#server, "listening");
		line.port = (line.#server.address() as AddressInfo).port;
		return line;
	}

	constructor(serverPort: number, bitsPerSecond: number) {
		this.#serverPort = serverPort;
		this.#bitsPerSecond = bitsPerSecond;
		this.#server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
			this.connections++;
			client.on("error", () => {});
			this.#waiting.push(client);
			this.#serveNext();
		});
	}

	close(): void {
		this.#server.close();
		for (const client of this.#waiting) client.destroy();
		this.#served?.destroy();
	}

	#serveNext(): void {
		if (this.#served !== undefined) return;
		const client = this.#waiting.shift();
		if (client === undefined) return;
		this.#served = client;
		const server = connect({ port: this.#serverPort, noDelay: true });
		server.on("error", () => client.destroy());
		this.#carry(client, server);
		this.#carry(server, client);
		client.once("close", () => {
			server.destroy();
			this.#served = undefined;
			this.#serveNext();
		});
		server.once("close", () => client.end());
		client.resume();
	}

	#carry(from: Socket, to: Socket): void {
		let underway = 0;
		from.on("data", (data) => {
			for (let at = 0; at < data.length; at += PACKET_BYTES) {
				const packet = data.subarray(at, at + PACKET_BYTES);
				underway += packet.length;
				this.#pass(packet.length, () => {
					underway -= packet.length;
					if (underway < WINDOW_BYTES) from.resume();
					if (to.writable) to.write(packet);
				});
			}
			if (underway >= WINDOW_BYTES) from.pause();
		});
	}

	#pass(bytes: number, done: () => void): void {
		this.bytes += bytes;
		this.#freeAtMs = Math.max(this.#freeAtMs, performance.now()) + (bytes * 8000) / this.#bitsPerSecond;
		this.#underway.push({ atMs: this.#freeAtMs, done });
		if (this.#underway.length === 1) this.#wait();
	}

	#wait(): void {
		setTimeout(() => {
			while (this.#underway.length > 0 && this.#underway[0].atMs <= performance.now()) this.#underway.shift()?.done();
			if (this.#underway.length > 0) this.#wait();
		}, this.#underway[0].atMs - performance.now());
	}
}
