/**
 * Datagrams and names of the virtual world. The test acts as the network:
 *
 *   world.udp.serve("192.0.2.1", 123, (bytes, from) => [reply], 40);     // a server that takes 40 ms
 *   world.udp.send({ from: { address: "192.168.4.2", port: 5000 }, to: { address: "192.168.4.1", port: 53 }, bytes });
 *   world.names.set("pool.ntp.org", "192.0.2.1");
 *   const other = world.udp.device("192.0.2.21");                        // the UDP of one more gateway in this network
 */
import { isIPv4 } from "node:net";
import { DATAGRAM_LIMIT, RESOLVE_LIMIT, type UDP, type UDPOptions, type UDPPort } from "../../modules/io/host.js";
import type { VirtualTime } from "./virtual-time.js";

/** The gateway's address in the joined network. */
export const STATION_ADDRESS = "192.0.2.20";
/** The gateway's address in its own network. */
export const ACCESS_POINT_ADDRESS = "192.168.4.1";
const ACCESS_POINT_NETWORK = "192.168.4.";
const WAITING_LIMIT = 8;
const FIRST_FREE_PORT = 49_152;
const RESOLVE_MS = 20;

export interface Endpoint {
	readonly address: string;
	readonly port: number;
}

export interface Datagram {
	readonly from: Endpoint;
	readonly to: Endpoint;
	readonly bytes: Uint8Array;
}

export interface SentDatagram extends Datagram {
	readonly group: string | undefined;
	readonly timeMs: number;
}

interface VirtualPins {
	readonly network: VirtualUDPPort;
	/** Address in the joined network. */
	readonly address: string;
}

export type DatagramServer = (bytes: Uint8Array, from: Endpoint) => readonly Uint8Array[];

export class VirtualUDPPort implements UDPPort {
	readonly io = VirtualUDP;
	readonly pins: VirtualPins;
	readonly time: VirtualTime;
	readonly sent: SentDatagram[] = [];
	failure = "";
	readonly #open = new Set<VirtualUDP>();
	readonly #servers = new Map<string, { readonly server: DatagramServer; readonly delayMs: number }>();
	#lastFree = FIRST_FREE_PORT - 1;

	constructor(time: VirtualTime) {
		this.time = time;
		this.pins = Object.freeze({ network: this, address: STATION_ADDRESS });
	}

	device(address: string): UDPPort {
		return { io: VirtualUDP, pins: { network: this, address } };
	}

	/** Replies follow `delayMs` after each datagram that is sent there. */
	serve(address: string, port: number, server: DatagramServer, delayMs = 0): void {
		this.#servers.set(`${address}:${port}`, { server, delayMs });
	}

	/** The datagram is lost if no port receives it at that time. */
	send({ from, to, bytes }: Datagram, delayMs = 0): void {
		const copy = new Uint8Array(bytes);
		this.time.set(() => this.#deliver({ from, to, bytes: copy }), delayMs);
	}

	fail(): void {
		for (const udp of this.ports) this.time.set(() => udp.fail(), 0);
	}

	get ports(): readonly VirtualUDP[] {
		return [...this.#open];
	}

	open(udp: VirtualUDP, { port, group }: UDPOptions): number {
		if (this.failure !== "") throw new Error(this.failure);
		const same = [...this.#open].filter((other) => other.port === port && other.address === udp.address);
		if (port !== 0 && same.some((other) => !group || !other.group))
			throw new Error(`udp port ${port} is used by another program`);
		this.#open.add(udp);
		return port === 0 ? ++this.#lastFree : port;
	}

	release(udp: VirtualUDP): void {
		this.#open.delete(udp);
	}

	transmit(udp: VirtualUDP, to: Endpoint, bytes: Uint8Array): void {
		const from = { address: udp.address, port: udp.port };
		this.sent.push({ from, to, bytes, group: udp.group, timeMs: this.time.nowMs });
		this.send({ from, to, bytes });
		const known = this.#servers.get(`${to.address}:${to.port}`);
		if (known === undefined) return;
		this.time.set(() => {
			for (const reply of known.server(bytes, from)) this.#deliver({ from: to, to: from, bytes: reply });
		}, known.delayMs);
	}

	#deliver({ from, to, bytes }: Datagram): void {
		const receivers = this.ports.filter((udp) => udp.port === to.port && udp.hears(from.address));
		if (isMulticast(to.address)) {
			for (const udp of receivers) if (udp.group === to.address) udp.arrive(from, bytes);
		} else receivers.find((udp) => udp.address === to.address)?.arrive(from, bytes);
	}
}

export class VirtualUDP implements UDP {
	readonly port: number;
	readonly group: string | undefined;
	readonly address: string;
	remoteAddress = "";
	remotePort = 0;
	readonly #network: VirtualUDPPort;
	readonly #options: UDPOptions;
	readonly #waiting: { readonly from: Endpoint; readonly bytes: Uint8Array }[] = [];
	#isClosed = false;

	constructor(options: UDPOptions) {
		const { network, address } = options as UDPOptions & Partial<VirtualPins>;
		if (network === undefined || address === undefined) throw new Error("spread the port's pins into the options");
		this.#network = network;
		this.#options = options;
		this.group = options.group;
		this.address = options.accessPoint ? ACCESS_POINT_ADDRESS : address;
		this.port = network.open(this, options);
	}

	read(into: Uint8Array): number | undefined {
		const datagram = this.#waiting.shift();
		if (datagram === undefined) return undefined;
		into.set(datagram.bytes);
		this.remoteAddress = datagram.from.address;
		this.remotePort = datagram.from.port;
		return datagram.bytes.length;
	}

	/** Throws after `close`, to reveal code that still writes then. */
	write(bytes: Uint8Array, address: string, port: number): void {
		if (bytes.length > DATAGRAM_LIMIT) throw new RangeError(`a datagram has at most ${DATAGRAM_LIMIT} bytes`);
		if (!isIPv4(address)) throw new RangeError(`"${address}" is not an IPv4 address`);
		if (this.#isClosed) throw new Error("written after close");
		this.#network.transmit(this, { address, port }, new Uint8Array(bytes));
	}

	close(): void {
		this.#isClosed = true;
		this.#waiting.length = 0;
		this.#network.release(this);
	}

	hears(address: string): boolean {
		return !this.#options.accessPoint || address.startsWith(ACCESS_POINT_NETWORK);
	}

	arrive(from: Endpoint, bytes: Uint8Array): void {
		if (this.#isClosed || bytes.length > DATAGRAM_LIMIT || this.#waiting.length >= WAITING_LIMIT) return;
		this.#waiting.push({ from, bytes });
		this.#options.onReadable();
	}

	fail(): void {
		if (!this.#isClosed) this.#options.onError?.();
	}
}

export class VirtualResolver {
	readonly names = new Map<string, string>();
	readonly #time: VirtualTime;
	#going = 0;

	constructor(time: VirtualTime) {
		this.#time = time;
	}

	resolve(name: string, done: (address: string | undefined) => void): void {
		if (isIPv4(name) || this.#going >= RESOLVE_LIMIT) {
			this.#time.set(() => done(isIPv4(name) ? name : undefined), 0);
			return;
		}
		this.#going++;
		this.#time.set(() => {
			this.#going--;
			done(this.names.get(name));
		}, RESOLVE_MS);
	}
}

function isMulticast(address: string): boolean {
	const first = Number(address.split(".")[0]);
	return first >= 224 && first < 240;
}
