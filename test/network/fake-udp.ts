/**
 * UDP ports on a made-up network with virtual time: what is sent arrives 1 ms later at whoever has that address and port,
 * or is in that group, the sender included. Addresses that nobody has are played by `serve`.
 */
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import type { UDP, UDPOptions, UDPPort } from "../../modules/io/host.js";

const WAITING_LIMIT = 8;
const DELAY_MS = 1;

export interface Packet {
	readonly from: string;
	readonly fromPort: number;
	readonly to: string;
	readonly toPort: number;
	readonly bytes: Uint8Array;
	readonly timeMs: number;
}

export class FakeNetwork {
	readonly time: VirtualTime;
	readonly sent: Packet[] = [];
	readonly sockets = new Set<FakeUDP>();
	/** Ports that can't be had. */
	readonly taken = new Set<number>();
	readonly #servers = new Map<string, (packet: Packet) => void>();
	#port = 50_000;

	constructor(time: VirtualTime) {
		this.time = time;
	}

	/** The UDP of the device with this address. */
	port(address: string): UDPPort {
		const network = this;
		return {
			io: class extends FakeUDP {
				constructor(options: UDPOptions) {
					super(network, address, options);
				}
			},
			pins: {},
		};
	}

	serve(address: string, port: number, receive: (packet: Packet) => void): void {
		this.#servers.set(`${address}:${port}`, receive);
	}

	freePort(): number {
		return this.#port++;
	}

	send(packet: Omit<Packet, "timeMs">, delayMs = DELAY_MS): void {
		const whole = { ...packet, bytes: packet.bytes.slice(), timeMs: this.time.nowMs };
		this.sent.push(whole);
		this.time.set(() => this.#deliver(whole), delayMs);
	}

	#deliver(packet: Packet): void {
		this.#servers.get(`${packet.to}:${packet.toPort}`)?.(packet);
		for (const socket of [...this.sockets]) {
			if (socket.port !== packet.toPort) continue;
			if (socket.address === packet.to || socket.group === packet.to) socket.receive(packet);
		}
	}
}

export class FakeUDP implements UDP {
	readonly port: number;
	readonly address: string;
	readonly group: string | undefined;
	readonly accessPoint: boolean;
	remoteAddress = "";
	remotePort = 0;
	readonly #network: FakeNetwork;
	readonly #options: UDPOptions;
	readonly #waiting: Packet[] = [];

	constructor(network: FakeNetwork, address: string, options: UDPOptions) {
		if (network.taken.has(options.port)) throw new Error(`udp port ${options.port} is used by another program`);
		this.#network = network;
		this.#options = options;
		this.address = address;
		this.group = options.group;
		this.accessPoint = options.accessPoint ?? false;
		this.port = options.port || network.freePort();
		network.sockets.add(this);
	}

	receive(packet: Packet): void {
		if (this.#waiting.length >= WAITING_LIMIT) return;
		this.#waiting.push(packet);
		this.#options.onReadable();
	}

	/** As if the network had gone. */
	fail(): void {
		this.#options.onError?.();
	}

	read(into: Uint8Array): number | undefined {
		const packet = this.#waiting.shift();
		if (packet === undefined) return undefined;
		into.set(packet.bytes);
		this.remoteAddress = packet.from;
		this.remotePort = packet.fromPort;
		return packet.bytes.length;
	}

	write(bytes: Uint8Array, address: string, port: number): void {
		if (!this.#network.sockets.has(this)) throw new Error("written after close");
		this.#network.send({ from: this.address, fromPort: this.port, to: address, toPort: port, bytes });
	}

	close(): void {
		this.#network.sockets.delete(this);
	}
}
