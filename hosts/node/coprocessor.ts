/**
 * The Zigbee coprocessor's port: a serial port or pseudo-terminal (serial.ts), or a TCP connection, as Ethernet
 * gateways and the simulator provide. TCP has no line speed.
 */
import { connect, type Socket } from "node:net";
import {
	type CoprocessorPort,
	type LineSettings,
	SERIAL_ERROR_GONE,
	SERIAL_ERROR_OVERRUN,
	SERIAL_RECEIVE_LIMIT,
	type Serial,
	type SerialOptions,
} from "../../modules/io/host.js";
import { ByteQueue } from "./byte-queue.js";
import { createSerialPort } from "./serial.js";

const SEND_LIMIT = 1024;

type SetLines = NonNullable<CoprocessorPort["setLines"]>;

interface Peer {
	readonly name: string;
	readonly port: number;
	readonly trace: (message: string) => void;
	/** Message that was traced last. If repeated attempts fail with the same message, it is traced only once. */
	lastMessage: string;
}

/**
 * Creates the port. `where` is the path of a serial port or `tcp://HOST:PORT`. If `setLines` is omitted, the lines for
 * reset and boot loader are not wired.
 */
export function createCoprocessorPort(
	where: string,
	trace: (message: string) => void,
	setLines?: SetLines,
): CoprocessorPort {
	const lines = setLines === undefined ? {} : { setLines };
	const [, name, port] = /^tcp:\/\/(.+):(\d+)$/.exec(where) ?? [];
	if (name === undefined) return { ...createSerialPort(where, trace), ...lines };
	const peer: Peer = { name, port: Number(port), trace, lastMessage: "" };
	return { io: TCPSerial, pins: peer, hardwareParity: false, ...lines };
}

class TCPSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #peer: Peer;
	readonly #socket: Socket;
	readonly #received = new ByteQueue();
	#writable = 0;
	#unsent = 0;
	#closed = false;

	constructor(options: SerialOptions, pins: object) {
		this.#options = options;
		this.#peer = pins as Peer;
		const { name, port } = this.#peer;
		this.#socket = connect({ host: name, port, noDelay: true });
		this.#socket.on("connect", () => this.#open());
		this.#socket.on("data", (bytes) => this.#take(new Uint8Array(bytes)));
		this.#socket.on("error", (error) => this.#lost(error.message));
		this.#socket.on("close", () => this.#lost("the other side has closed it"));
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#received.read(into, start, end);
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const count = end - start;
		if (count > this.#writable) throw new RangeError(`${count} bytes are more than the ${this.#writable} announced`);
		if (count <= 0) return this.#writable;
		this.#unsent += count;
		this.#socket.write(bytes.slice(start, end), () => this.#sent(count));
		this.#writable = SEND_LIMIT - this.#unsent;
		return this.#writable;
	}

	/** Does nothing, because the UART at the other end of the connection has its own speed. */
	configure(_line: LineSettings): void {}

	close(): void {
		this.#closed = true;
		this.#writable = 0;
		this.#received.clear();
		this.#socket.destroy();
	}

	#open(): void {
		if (this.#closed) return;
		this.#peer.lastMessage = "";
		this.#announce();
	}

	#announce(): void {
		this.#writable = SEND_LIMIT - this.#unsent;
		this.#options.onWritable?.(this.#writable);
	}

	#sent(count: number): void {
		this.#unsent -= count;
		if (this.#closed) return;
		this.#announce();
		if (this.#unsent === 0 && !this.#closed) this.#options.onDrained?.();
	}

	#take(bytes: Uint8Array): void {
		if (this.#closed) return;
		const fitting = bytes.subarray(0, SERIAL_RECEIVE_LIMIT - this.#received.length);
		this.#received.push(fitting);
		if (fitting.length < bytes.length) this.#options.onError?.(SERIAL_ERROR_OVERRUN);
		if (fitting.length > 0 && !this.#closed) this.#options.onReadable?.(this.#received.length);
	}

	#lost(reason: string): void {
		if (this.#closed) return;
		this.close();
		const { name, port } = this.#peer;
		const message = `The Zigbee coprocessor at tcp://${name}:${port} is out of reach: ${reason}`;
		if (message !== this.#peer.lastMessage) this.#peer.trace(message);
		this.#peer.lastMessage = message;
		this.#options.onError?.(SERIAL_ERROR_GONE);
	}
}
