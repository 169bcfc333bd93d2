/** UDP of the host contract, implemented with native sockets (datagram.h), for every host that runs in XS. */
import type { UDP, UDPOptions, UDPPort } from "../../modules/io/host.js";

const FREE_PORTS = 1024;

class DatagramSocket extends Native("xs_datagram_destructor") {
	constructor(target: object, port: number, group: string | undefined, address: string | undefined) {
		super();
		native("xs_datagram").call(this, target, port, group, address);
	}
	get port(): number {
		return native("xs_datagram_get_port").call(this);
	}
	get remoteAddress(): string {
		return native("xs_datagram_get_remote_address").call(this);
	}
	get remotePort(): number {
		return native("xs_datagram_get_remote_port").call(this);
	}
	read(into: Uint8Array): number {
		return native("xs_datagram_read").call(this, into);
	}
	write(bytes: Uint8Array, address: string, port: number): void {
		native("xs_datagram_write").call(this, bytes, address, port);
	}
	close(): void {
		native("xs_datagram_close").call(this);
	}
}

export interface UDPSettings {
	readonly accessPoint: string;
	/** True if any free port may replace one that is reserved for the access point. */
	readonly replacePorts: boolean;
	trace(message: string): void;
}

export function createUDPPort(settings: UDPSettings): UDPPort {
	return { io: NativeUDP, pins: { settings } };
}

class NativeUDP implements UDP {
	readonly port: number;
	/** The object keeps the callbacks, because the options would take more slots. */
	readonly #onReadable: UDPOptions["onReadable"];
	readonly #onError: UDPOptions["onError"];
	readonly #socket: DatagramSocket;
	#closed = false;

	constructor(options: UDPOptions) {
		this.#onReadable = options.onReadable;
		this.#onError = options.onError;
		this.#socket = this.open(options as UDPOptions & { settings: UDPSettings });
		this.port = this.#socket.port;
	}

	get remoteAddress(): string {
		return this.#socket.remoteAddress;
	}

	get remotePort(): number {
		return this.#socket.remotePort;
	}

	read(into: Uint8Array): number | undefined {
		const length = this.#socket.read(into);
		return length < 0 ? undefined : length;
	}

	write(bytes: Uint8Array, address: string, port: number): void {
		this.#socket.write(bytes, address, port);
	}

	close(): void {
		this.#closed = true;
		this.#socket.close();
	}

	onDatagram(failed: boolean): void {
		if (this.#closed) return;
		if (failed) this.#onError?.();
		else this.#onReadable();
	}

	private open(options: UDPOptions & { settings: UDPSettings }): DatagramSocket {
		const { port, group, accessPoint = false, settings } = options;
		if (!accessPoint) return new DatagramSocket(this, port, group, undefined);
		const address = settings.accessPoint;
		try {
			return new DatagramSocket(this, port, group, address);
		} catch (error) {
			if (!settings.replacePorts || port === 0 || port >= FREE_PORTS) throw error;
		}
		const socket = new DatagramSocket(this, 0, group, address);
		settings.trace(`udp port ${port} of the access point is ${address}:${socket.port} here`);
		return socket;
	}
}
