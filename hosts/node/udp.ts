/** UDP of the host contract. Limits: WAITING_LIMIT unread and SENDING_LIMIT unsent datagrams; further ones are lost. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv4 } from "node:net";
import { DATAGRAM_LIMIT, type UDP, type UDPOptions, type UDPPort } from "../../modules/io/host.js";

const WAITING_LIMIT = 8;
const SENDING_LIMIT = 32;
const GROUP_TTL = 255;
/** Address of the access point. In the simulator its clients are local programs. */
const ACCESS_POINT_ADDRESS = "127.0.0.1";
/** Lower ports need privileges. */
const FREE_PORTS = 1024;

interface Datagram {
	readonly bytes: Uint8Array;
	readonly from: RemoteInfo;
}

interface UDPPins {
	trace(message: string): void;
}

/** Calls `trace` when another port replaces the requested one. */
export function createUDPPort(trace: (message: string) => void): UDPPort {
	return { io: NodeUDP, pins: { trace } };
}

class NodeUDP implements UDP {
	readonly port: number;
	readonly #options: UDPOptions;
	readonly #socket: Socket;
	readonly #waiting: Datagram[] = [];
	#from: RemoteInfo | undefined;
	#sending = 0;
	#closed = false;

	constructor(options: UDPOptions) {
		this.#options = options;
		this.#socket = open(options as UDPOptions & UDPPins);
		this.port = this.#socket.address().port;
		this.#socket.on("message", (bytes, from) => this.#arrived({ bytes, from }));
		this.#socket.on("error", () => {
			if (!this.#closed) options.onError?.();
		});
	}

	get remoteAddress(): string {
		return this.#from?.address ?? "";
	}

	get remotePort(): number {
		return this.#from?.port ?? 0;
	}

	read(into: Uint8Array): number | undefined {
		const datagram = this.#waiting.shift();
		if (datagram === undefined) return undefined;
		into.set(datagram.bytes);
		this.#from = datagram.from;
		return datagram.bytes.length;
	}

	write(bytes: Uint8Array, address: string, port: number): void {
		if (bytes.length > DATAGRAM_LIMIT) throw new RangeError(`a datagram has at most ${DATAGRAM_LIMIT} bytes`);
		if (!isIPv4(address)) throw new RangeError(`"${address}" is not an IPv4 address`);
		if (this.#closed || this.#sending >= SENDING_LIMIT) return;
		this.#sending++;
		this.#socket.send(Buffer.from(bytes), port, address, () => this.#sending--);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#waiting.length = 0;
		this.#socket.close();
	}

	#arrived(datagram: Datagram): void {
		if (this.#options.accessPoint && !datagram.from.address.startsWith("127.")) return;
		if (this.#closed || datagram.bytes.length > DATAGRAM_LIMIT || this.#waiting.length >= WAITING_LIMIT) return;
		this.#waiting.push(datagram);
		this.#options.onReadable();
	}
}

function open({ port, group, accessPoint, trace }: UDPOptions & UDPPins): Socket {
	if (!accessPoint) return bind(port, "0.0.0.0", group);
	// A socket bound to an address gets no multicast datagrams.
	if (group !== undefined) return bind(port, "0.0.0.0", group, ACCESS_POINT_ADDRESS);
	try {
		return bind(port, ACCESS_POINT_ADDRESS);
	} catch (error) {
		if (port === 0 || port >= FREE_PORTS) throw error;
		const socket = bind(0, ACCESS_POINT_ADDRESS);
		const { address, port: real } = socket.address();
		trace(`udp port ${port} of the access point is ${address}:${real} here`);
		return socket;
	}
}

/** The group is joined on the interface with `memberAddress`; default: the default interface. */
function bind(port: number, address: string, group?: string, memberAddress?: string): Socket {
	const socket = createSocket({
		type: "udp4",
		reuseAddr: group !== undefined,
		// `literal` is always an IPv4 address. With a synchronous callback Node binds and sends at once.
		lookup: (literal, _options, callback) => callback(null, literal, 4),
	});
	let failure: NodeJS.ErrnoException | undefined;
	const onError = (error: NodeJS.ErrnoException) => {
		failure = error;
	};
	socket.on("error", onError);
	socket.bind({ port, address, exclusive: true });
	if (failure === undefined && group !== undefined) {
		try {
			socket.addMembership(group, memberAddress);
			if (memberAddress !== undefined) socket.setMulticastInterface(memberAddress);
			socket.setMulticastTTL(GROUP_TTL);
			socket.setMulticastLoopback(true);
		} catch (error) {
			failure = error as NodeJS.ErrnoException;
		}
	}
	socket.off("error", onError);
	if (failure === undefined) return socket;
	socket.close();
	throw new Error(failureOf(failure, port, group));
}

function failureOf(error: NodeJS.ErrnoException, port: number, group: string | undefined): string {
	if (error.code === "EADDRINUSE") return `udp port ${port} is used by another program`;
	if (error.code === "EACCES") return `udp port ${port} needs more rights (ports below 1024 are for root)`;
	if (error.syscall === "addMembership") return `group ${group} can't be joined: ${error.message}`;
	return `udp port ${port} can't be had: ${error.message}`;
}
