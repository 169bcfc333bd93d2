/**
 * Connections of the virtual world to the gateway's listeners. Bytes arrive immediately after they are sent, in
 * separate events. Each side has a limited window. If one side does not read (`paused`), the other side must stop.
 */
import type { CertificatePair } from "../../modules/io/crypto.js";
import type {
	Listener,
	ListenerOptions,
	ListenerPort,
	PendingSocket,
	Socket,
	SocketOptions,
} from "../../modules/io/host.js";
import { type Identity, requireIdentity, toIdentity } from "./certificate.js";
import type { VirtualTime } from "./virtual-time.js";

/** Limit of unread bytes in a socket of the gateway. Further bytes stay with the client. */
export const SOCKET_RECEIVE_WINDOW = 2048;
/** Limit of bytes that the gateway may write before the client reads them. */
export const SOCKET_SEND_WINDOW = 2048;
/** Limit of waiting connections. Further connections are refused. */
export const BACKLOG_LIMIT = 8;

export class VirtualListenerPort implements ListenerPort {
	readonly io = VirtualListener;
	readonly socket = VirtualSocket;
	readonly pins: { readonly port: VirtualListenerPort };
	readonly secure: boolean;
	readonly time: VirtualTime;
	/** Certificate and key of a secure port, or undefined until the port is opened. The virtual clients ignore them. */
	identity: Identity | undefined;
	testProblem = "";
	/** Number of times that the gateway has ended all trust in addresses. */
	forgotten = 0;
	readonly #number: number;
	#listener: VirtualListener | undefined;

	constructor(time: VirtualTime, number: number, secure: boolean) {
		this.time = time;
		this.#number = number;
		this.secure = secure;
		this.pins = Object.freeze({ port: this });
	}

	/** Opens a connection. Returns undefined if no listener is open or too many connections wait. */
	connect(address = "192.0.2.10"): VirtualClient | undefined {
		if (this.#listener === undefined) return undefined;
		const connection = new VirtualConnection(this.time, address);
		return this.#listener.offer(connection) ? new VirtualClient(connection) : undefined;
	}

	listen(listener: VirtualListener): number {
		if (this.#listener !== undefined) throw new Error(`Port ${this.#number} is in use.`);
		this.#listener = listener;
		return this.#number;
	}

	release(listener: VirtualListener): void {
		if (this.#listener === listener) this.#listener = undefined;
	}
}

export class VirtualListener implements Listener {
	readonly port: number;
	readonly #port: VirtualListenerPort;
	readonly #options: ListenerOptions;
	readonly #waiting: VirtualConnection[] = [];
	#isClosed = false;

	constructor(options: ListenerOptions) {
		const port = (options as ListenerOptions & { port?: VirtualListenerPort }).port;
		if (port === undefined) throw new Error("spread the port's pins into the options");
		this.#port = port;
		this.#options = options;
		if (port.secure) port.identity = requireIdentity(options.identity);
		this.port = port.listen(this);
	}

	read(): PendingSocket | undefined {
		return this.#waiting.shift();
	}

	setIdentity(pair: CertificatePair): void {
		this.#check();
		this.#port.identity = toIdentity(pair);
	}

	testIdentity(done: (problem: string) => void): void {
		this.#check();
		this.#port.time.set(() => {
			if (!this.#isClosed) done(this.#port.testProblem);
		}, 0);
	}

	forget(): void {
		this.#port.forgotten++;
	}

	#check(): void {
		if (this.#isClosed) throw new Error("the listener is closed");
		if (!this.#port.secure) throw new Error("this port speaks no TLS");
	}

	close(): void {
		this.#isClosed = true;
		this.#port.release(this);
		for (const connection of this.#waiting.splice(0)) connection.close();
	}

	offer(connection: VirtualConnection): boolean {
		if (this.#waiting.length >= BACKLOG_LIMIT) return false;
		this.#waiting.push(connection);
		this.#port.time.at(0, () => {
			if (!this.#isClosed && this.#waiting.length > 0) this.#options.onReadable(this.#waiting.length);
		});
		return true;
	}
}

/** A connection with its two ends. Each end notifies the other one through this object, always in a separate event. */
export class VirtualConnection implements PendingSocket {
	readonly time: VirtualTime;
	readonly address: string;
	/** Bytes that the gateway has not read. */
	readonly toGateway: number[] = [];
	/** Bytes that the client has not read. */
	readonly toClient: number[] = [];
	gateway: GatewayEnd | undefined;
	client: VirtualClient | undefined;
	isEndedByClient = false;
	/** True if the client has reset the connection. */
	isBroken = false;
	isEndedByGateway = false;

	constructor(time: VirtualTime, address: string) {
		this.time = time;
		this.address = address;
	}

	/**
	 * True if the addresses belong to the access point. The virtual access point has the same addresses as a real one.
	 */
	get viaAccessPoint(): boolean {
		return this.address.startsWith("192.168.4.");
	}

	close(): void {
		this.isEndedByGateway = true;
		this.time.at(0, () => this.client?.take());
	}
}

export class VirtualSocket implements Socket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	readonly #end: GatewayEnd;

	constructor(options: SocketOptions) {
		const { from } = options;
		if (!(from instanceof VirtualConnection)) throw new Error("`from` is not a pending socket of this world");
		if (from.gateway !== undefined) throw new Error("the connection has a socket already");
		this.remoteAddress = from.address;
		this.viaAccessPoint = from.viaAccessPoint;
		this.#end = new GatewayEnd(from, options);
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#end.read(into, start, end);
	}

	write(bytes: Uint8Array, start?: number, end?: number): number {
		return this.#end.write(bytes, start, end);
	}

	close(): void {
		this.#end.close();
	}
}

interface GatewayEvents {
	onReadable?(count: number): void;
	onWritable?(count: number): void;
	/** Called when the peer has closed the connection. `isBroken` is true if it was not closed properly. */
	onError?(isBroken: boolean): void;
}

export class GatewayEnd {
	readonly #connection: VirtualConnection;
	readonly #events: GatewayEvents;
	#announced = 0;
	#isErrorTold = false;
	#isClosed = false;

	constructor(connection: VirtualConnection, events: GatewayEvents) {
		this.#connection = connection;
		this.#events = events;
		connection.gateway = this;
		this.#post(() => events.onWritable?.(this.#room));
		this.arrive();
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		const count = Math.min(end - start, this.#waiting);
		if (count === 0) return undefined;
		into.set(this.#connection.toGateway.splice(0, count), start);
		this.#announced = Math.max(0, this.#announced - count);
		this.arrive();
		return count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (this.#isClosed || end - start > this.#room)
			throw new RangeError(`${end - start} bytes, room for ${this.#room}`);
		const connection = this.#connection;
		if (connection.isEndedByClient) return this.#room;
		for (let i = start; i < end; i++) connection.toClient.push(bytes[i]);
		connection.time.at(0, () => connection.client?.take());
		return this.#room;
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#connection.close();
	}

	arrive(): void {
		const connection = this.#connection;
		if (this.#waiting > this.#announced) {
			this.#announced = this.#waiting;
			this.#post(() => {
				if (this.#waiting > 0) this.#events.onReadable?.(this.#waiting);
			});
		}
		if (connection.isEndedByClient && connection.toGateway.length === 0 && !this.#isErrorTold) {
			this.#isErrorTold = true;
			this.#post(() => this.#events.onError?.(connection.isBroken));
		}
	}

	drain(): void {
		this.#post(() => this.#events.onWritable?.(this.#room));
	}

	get #waiting(): number {
		return Math.min(SOCKET_RECEIVE_WINDOW, this.#connection.toGateway.length);
	}

	get #room(): number {
		return this.#isClosed ? 0 : SOCKET_SEND_WINDOW - this.#connection.toClient.length;
	}

	#post(callback: () => void): void {
		this.#connection.time.at(0, () => {
			if (!this.#isClosed) callback();
		});
	}
}

/** The peer of the gateway: a browser, or a server that the gateway has connected to. */
export class VirtualClient {
	/** Called when bytes have arrived or the gateway has closed the connection. */
	onReceived: (() => void) | undefined;
	readonly #connection: VirtualConnection;
	readonly #received: number[] = [];
	#isPaused = false;

	constructor(connection: VirtualConnection) {
		this.#connection = connection;
		connection.client = this;
	}

	get received(): Uint8Array {
		return Uint8Array.from(this.#received);
	}

	get receivedCount(): number {
		return this.#received.length;
	}

	get text(): string {
		return Buffer.from(this.#received).toString("utf8");
	}

	/** True if the gateway has closed the connection and `received` is complete. */
	get isClosed(): boolean {
		return this.#connection.isEndedByGateway && this.#connection.toClient.length === 0;
	}

	get paused(): boolean {
		return this.#isPaused;
	}

	set paused(value: boolean) {
		this.#isPaused = value;
		if (!value) this.#connection.time.at(0, () => this.take());
	}

	send(bytes: Uint8Array | string): void {
		const connection = this.#connection;
		if (connection.isEndedByClient) throw new Error("the client has closed");
		for (const byte of typeof bytes === "string" ? Buffer.from(bytes) : bytes) connection.toGateway.push(byte);
		connection.time.at(0, () => connection.gateway?.arrive());
	}

	discard(count: number): void {
		this.#received.splice(0, count);
	}

	close(): void {
		const connection = this.#connection;
		connection.isEndedByClient = true;
		connection.toClient.length = 0;
		connection.time.at(0, () => connection.gateway?.arrive());
	}

	reset(): void {
		this.#connection.isBroken = true;
		this.close();
	}

	take(): void {
		if (this.#isPaused) return;
		const hasCome = this.#connection.toClient.length > 0;
		for (const byte of this.#connection.toClient.splice(0)) this.#received.push(byte);
		if (hasCome) this.#connection.gateway?.drain();
		if (hasCome || this.isClosed) this.onReceived?.();
	}
}
