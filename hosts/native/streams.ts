/**
 * Listeners and sockets of the host contract, plain and TLS (stream-server.h).
 *
 * Limits: a plain port has up to 4 connections at a time, a TLS port up to 3, including handshakes.
 */
import { removeAt } from "../../modules/bytes/list.js";
import type { CertificatePair } from "../../modules/io/crypto.js";
import type {
	Listener,
	ListenerOptions,
	ListenerPort,
	PendingSocket,
	Socket,
	SocketOptions,
	Timers,
} from "../../modules/io/host.js";

const PLAIN_CONNECTIONS = 4;
const TLS_CONNECTIONS = 3;

/** Kinds of events, as in stream_event. */
const PENDING = 1;
const READABLE = 2;
const WRITABLE = 3;
const ENDED = 4;
const FAILED = 5;
const TESTED = 6;
const PRESSED = 7;

const NO_IDENTITY: Partial<CertificatePair> = Object.freeze({});

class StreamServer extends Native("xs_stream_server_destructor") {
	constructor(
		target: object,
		port: number,
		connections: number,
		certificate: Uint8Array | undefined,
		key: Uint8Array | undefined,
	) {
		super();
		native("xs_stream_server").call(this, target, port, connections, certificate, key);
	}
	get port(): number {
		return native("xs_stream_server_get_port").call(this);
	}
	take(): number {
		return native("xs_stream_server_take").call(this);
	}
	get address(): string {
		return native("xs_stream_server_get_address").call(this);
	}
	get viaAccessPoint(): boolean {
		return native("xs_stream_server_get_via_access_point").call(this);
	}
	read(connection: number, into: Uint8Array, start: number, end: number): number {
		return native("xs_stream_server_read").call(this, connection, into, start, end);
	}
	write(connection: number, bytes: Uint8Array, start: number, end: number): number {
		return native("xs_stream_server_write").call(this, connection, bytes, start, end);
	}
	trust(connection: number): void {
		native("xs_stream_server_know").call(this, connection);
	}
	forget(): void {
		native("xs_stream_server_forget").call(this);
	}
	end(connection: number): void {
		native("xs_stream_server_end").call(this, connection);
	}
	setIdentity(certificate: Uint8Array, key: Uint8Array): void {
		native("xs_stream_server_set_identity").call(this, certificate, key);
	}
	test(): boolean {
		return native("xs_stream_server_test").call(this);
	}
	get testResult(): string {
		return native("xs_stream_server_get_test_result").call(this);
	}
	stop(): void {
		native("xs_stream_server_stop").call(this);
	}
	close(): void {
		native("xs_stream_server_close").call(this);
	}
}

export interface StreamSettings {
	/** Port to listen on; 0 for any free port. */
	readonly port: number;
	readonly secure: boolean;
	readonly timers: Timers;
	/** Called when a free port has replaced a port that cannot be opened. Without this member no port is replaced. */
	onReplaced?(port: number, real: number): void;
	/** Called with the actual port whenever a listener opens. */
	onListening?(port: number): void;
}

export function createListenerPort(settings: StreamSettings): ListenerPort {
	return { io: NativeListener, socket: NativeSocket, pins: { settings }, secure: settings.secure };
}

class NativeListener implements Listener {
	readonly port: number;
	readonly settings: StreamSettings;
	readonly server: StreamServer;
	/** The object keeps the callbacks instead of the options, because the options contain the private key. */
	readonly #onReadable: ListenerOptions["onReadable"];
	readonly #onError: ListenerOptions["onError"];
	readonly #connections: NativePending[] = [];
	/** Callbacks of the requested self-tests. The first test is running. Undefined if no test is requested. */
	#tests: ((problem: string) => void)[] | undefined;
	#closed = false;

	constructor(options: ListenerOptions) {
		const { settings } = options as ListenerOptions & { settings: StreamSettings };
		const { secure } = settings;
		const { identity } = options;
		if (secure && identity === undefined) {
			throw new Error("a TLS listener needs a certificate: give it the option `identity`");
		}
		this.#onReadable = options.onReadable;
		this.#onError = options.onError;
		this.settings = settings;
		this.server = this.open(secure ? identity! : NO_IDENTITY);
		this.port = this.server.port;
		settings.onListening?.(this.port);
	}

	read(): PendingSocket | undefined {
		if (this.#closed) return undefined;
		const id = this.server.take();
		if (id < 0) return undefined;
		const pending = new NativePending(this, id);
		this.#connections.push(pending);
		return pending;
	}

	setIdentity({ certificate, key }: CertificatePair): void {
		if (this.#closed) throw new Error("the listener is closed");
		this.server.setIdentity(certificate, key);
	}

	testIdentity(done: (problem: string) => void): void {
		if (this.#closed) throw new Error("the listener is closed");
		if (!this.settings.secure) throw new Error("this port speaks no TLS");
		this.#tests ??= [];
		if (this.#tests.push(done) === 1) this.server.test();
	}

	forget(): void {
		this.server.forget();
	}

	/** Closes the listener. Open connections continue; the native server ends with the last of them. */
	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		if (this.#connections.length > 0) this.server.stop();
		else this.server.close();
	}

	onStream(kind: number, id: number, count: number): void {
		if (kind === PENDING || kind === PRESSED) {
			if (!this.#closed) this.#onReadable(count);
		} else if (kind === FAILED) {
			if (!this.#closed) this.#onError?.("the network does not answer");
		} else if (kind === TESTED) {
			if (!this.#closed) this.tested();
		} else {
			for (const connection of this.#connections) if (connection.id === id) connection.onStream(kind, count);
		}
	}

	private open({ certificate, key }: Partial<CertificatePair>): StreamServer {
		const { port, secure, onReplaced } = this.settings;
		const connections = secure ? TLS_CONNECTIONS : PLAIN_CONNECTIONS;
		try {
			return new StreamServer(this, port, connections, certificate, key);
		} catch (error) {
			if (onReplaced === undefined) throw error;
			const server = new StreamServer(this, 0, connections, certificate, key);
			onReplaced(port, server.port);
			return server;
		}
	}

	private tested(): void {
		const tests = this.#tests!;
		const done = removeAt(tests, 0)!;
		const problem = this.server.testResult;
		if (tests.length > 0) this.server.test();
		done(problem);
	}

	ended(connection: NativePending): void {
		const index = this.#connections.indexOf(connection);
		if (index < 0) return;
		removeAt(this.#connections, index);
		this.server.end(connection.id);
		if (this.#closed && this.#connections.length === 0) this.server.close();
	}
}

class NativePending implements PendingSocket {
	readonly listener: NativeListener;
	readonly id: number;
	readonly address: string;
	readonly viaAccessPoint: boolean;
	taken = false;
	#socket: NativeSocket | undefined;
	/** Events that arrived before there was a socket: for each kind its last count. */
	#missed: number[] | undefined;

	constructor(listener: NativeListener, id: number) {
		this.listener = listener;
		this.id = id;
		this.address = listener.server.address;
		this.viaAccessPoint = listener.server.viaAccessPoint;
	}

	close(): void {
		if (this.taken) return;
		this.taken = true;
		this.listener.ended(this);
	}

	/** Attaches the socket. It gets the missed events asynchronously, because a constructor must not call back. */
	attach(socket: NativeSocket): void {
		if (this.taken) throw new Error("this connection was taken or closed before");
		this.taken = true;
		this.#socket = socket;
		if (this.#missed !== undefined) this.listener.settings.timers.set(() => this.catchUp(), 0);
	}

	onStream(kind: number, count: number): void {
		if (this.#socket !== undefined && this.#missed === undefined) this.#socket.onStream(kind, count);
		else {
			this.#missed ??= [];
			this.#missed[kind] = count;
		}
	}

	private catchUp(): void {
		const missed = this.#missed!;
		this.#missed = undefined;
		for (const kind of [WRITABLE, READABLE, ENDED]) {
			if (missed[kind] !== undefined) this.#socket!.onStream(kind, missed[kind]);
		}
	}
}

class NativeSocket implements Socket {
	readonly remoteAddress: string;
	readonly viaAccessPoint: boolean;
	readonly #connection: NativePending;
	readonly #options: SocketOptions;
	#writable = 0;
	#closed = false;

	constructor(options: SocketOptions) {
		const connection = options.from as NativePending;
		connection.attach(this);
		this.#connection = connection;
		this.#options = options;
		this.remoteAddress = connection.address;
		this.viaAccessPoint = connection.viaAccessPoint;
	}

	read(into: Uint8Array, start = 0, end = into.length): number | undefined {
		if (this.#closed || end <= start) return undefined;
		const { listener, id } = this.#connection;
		const count = listener.server.read(id, into, start, end);
		return count === 0 ? undefined : count;
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (end - start > this.#writable) throw new RangeError("more than may be written");
		if (end > start) {
			const { listener, id } = this.#connection;
			this.#writable = Math.max(0, listener.server.write(id, bytes, start, end));
		}
		return this.#writable;
	}

	trust(): void {
		if (!this.#closed) this.#connection.listener.server.trust(this.#connection.id);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#writable = 0;
		this.#connection.listener.ended(this.#connection);
	}

	onStream(kind: number, count: number): void {
		if (this.#closed) return;
		if (kind === READABLE) this.#options.onReadable?.(count);
		else if (kind === ENDED) this.#options.onError?.();
		else if (kind === WRITABLE) {
			this.#writable = count;
			this.#options.onWritable?.(count);
		}
	}
}
