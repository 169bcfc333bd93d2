/**
 * Datagrams and names of the virtual world. What is out there is played by the test:
 *
 *   world.udp.serve("192.0.2.1", 123, (bytes, from) => [reply], 40);     // a server that takes 40 ms
 *   world.udp.send({ from: { address: "192.168.4.2", port: 5000 }, to: { address: "192.168.4.1", port: 53 }, bytes });
 *   world.names.set("pool.ntp.org", "192.0.2.1");
 *
 * Everything comes as an event of its own, in the order of its time.
 */
import { isIPv4 } from "node:net";
import { DATAGRAM_LIMIT, RESOLVE_LIMIT, type UDP, type UDPOptions, type UDPPort } from "../../modules/io/host.js";
import type { VirtualTime } from "./virtual-time.js";

/** What the gateway sends from, in the network it has joined and in its own. */
export const STATION_ADDRESS = "192.0.2.20";
export const ACCESS_POINT_ADDRESS = "192.168.4.1";
const ACCESS_POINT_NETWORK = "192.168.4.";
const WAITING_LIMIT = 8;
const FIRST_FREE_PORT = 49_152;
const RESOLVE_MS = 20;

export interface Endpoint {
	readonly address: string;
	readonly port: number;
}

export interface SentDatagram extends Endpoint {
	readonly localPort: number;
	/** That the port which sent it is a member of. */
	readonly group: string | undefined;
	readonly bytes: Uint8Array;
	readonly timeMs: number;
}

export interface Datagram {
	readonly from: Endpoint;
	readonly to: Endpoint;
	readonly bytes: Uint8Array;
}

/** Its replies to one datagram. */
export type DatagramServer = (bytes: Uint8Array, from: Endpoint) => readonly Uint8Array[];

export class VirtualUDPPort implements UDPPort {
	readonly io = VirtualUDP;
	readonly pins: { readonly network: VirtualUDPPort };
	readonly time: VirtualTime;
	/** All that the gateway has sent, in order. */
	readonly sent: SentDatagram[] = [];
	/** Not empty: no port can be had, and this is why. */
	failure = "";
	readonly #open = new Set<VirtualUDP>();
	readonly #servers = new Map<string, { readonly server: DatagramServer; readonly delayMs: number }>();
	#lastFree = FIRST_FREE_PORT - 1;

	constructor(time: VirtualTime) {
		this.time = time;
		this.pins = Object.freeze({ network: this });
	}

	/** Whatever is sent there is answered so, `delayMs` later. */
	serve(address: string, port: number, server: DatagramServer, delayMs = 0): void {
		this.#servers.set(`${address}:${port}`, { server, delayMs });
	}

	/** From outside to the gateway; lost when nobody receives there. */
	send({ from, to, bytes }: Datagram): void {
		const copy = new Uint8Array(bytes);
		this.time.set(() => this.#deliver({ from, to, bytes: copy }), 0);
	}

	/** The network has gone: every port that is open is told so. */
	fail(): void {
		for (const udp of this.#open) this.time.set(() => udp.fail(), 0);
	}

	/** Numbers of the ports that are open. */
	get ports(): number[] {
		return [...this.#open].map(({ port }) => port);
	}

	/** For VirtualUDP only. */
	open(udp: VirtualUDP, { port, group }: UDPOptions): number {
		if (this.failure !== "") throw new Error(this.failure);
		const shared = [...this.#open].every((other) => other.port !== port || (group && other.group));
		if (port !== 0 && !shared) throw new Error(`udp port ${port} is used by another program`);
		this.#open.add(udp);
		return port === 0 ? ++this.#lastFree : port;
	}

	/** For VirtualUDP only. */
	release(udp: VirtualUDP): void {
		this.#open.delete(udp);
	}

	/** For VirtualUDP only. */
	transmit(udp: VirtualUDP, to: Endpoint, bytes: Uint8Array): void {
		const from = { address: udp.address, port: udp.port };
		this.sent.push({ ...to, localPort: udp.port, group: udp.group, bytes, timeMs: this.time.nowMs });
		if (isMulticast(to.address)) this.send({ from, to, bytes });
		const known = this.#servers.get(`${to.address}:${to.port}`);
		if (known === undefined) return;
		this.time.set(() => {
			for (const reply of known.server(bytes, from)) this.#deliver({ from: to, to: from, bytes: reply });
		}, known.delayMs);
	}

	#deliver({ from, to, bytes }: Datagram): void {
		const receivers = [...this.#open].filter((udp) => udp.port === to.port && udp.hears(from.address));
		if (isMulticast(to.address)) {
			for (const udp of receivers) if (udp.group === to.address) udp.arrive(from, bytes);
		} else receivers[0]?.arrive(from, bytes);
	}
}

export class VirtualUDP implements UDP {
	readonly port: number;
	readonly group: string | undefined;
	/** What it sends from. */
	readonly address: string;
	remoteAddress = "";
	remotePort = 0;
	readonly #network: VirtualUDPPort;
	readonly #options: UDPOptions;
	readonly #waiting: { readonly from: Endpoint; readonly bytes: Uint8Array }[] = [];
	#isClosed = false;

	constructor(options: UDPOptions) {
		const { network } = options as UDPOptions & { network?: VirtualUDPPort };
		if (network === undefined) throw new Error("spread the port's pins into the options");
		this.#network = network;
		this.#options = options;
		this.group = options.group;
		this.address = options.accessPoint ? ACCESS_POINT_ADDRESS : STATION_ADDRESS;
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

	write(bytes: Uint8Array, address: string, port: number): void {
		if (bytes.length > DATAGRAM_LIMIT) throw new RangeError(`a datagram has at most ${DATAGRAM_LIMIT} bytes`);
		if (!isIPv4(address)) throw new RangeError(`"${address}" is no IPv4 address`);
		if (!this.#isClosed) this.#network.transmit(this, { address, port }, new Uint8Array(bytes));
	}

	close(): void {
		this.#isClosed = true;
		this.#waiting.length = 0;
		this.#network.release(this);
	}

	/** For VirtualUDPPort only. */
	hears(address: string): boolean {
		return !this.#options.accessPoint || address.startsWith(ACCESS_POINT_NETWORK);
	}

	/** For VirtualUDPPort only. */
	arrive(from: Endpoint, bytes: Uint8Array): void {
		if (this.#isClosed || bytes.length > DATAGRAM_LIMIT || this.#waiting.length >= WAITING_LIMIT) return;
		this.#waiting.push({ from, bytes });
		this.#options.onReadable();
	}

	/** For VirtualUDPPort only. */
	fail(): void {
		if (!this.#isClosed) this.#options.onError?.();
	}
}

export class VirtualResolver {
	/** IPv4 addresses by DNS name. */
	readonly names = new Map<string, string>();
	readonly #time: VirtualTime;
	#going = 0;

	constructor(time: VirtualTime) {
		this.#time = time;
	}

	/** `Network.resolve`; answers after RESOLVE_MS, with what `names` says then. */
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
