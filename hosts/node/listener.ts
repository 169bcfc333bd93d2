/**
 * A TCP or TLS listener. At most PENDING_LIMIT connections wait to be accepted (admission-queue.ts), and at most
 * CONNECTION_LIMIT are open. With TLS there are also at most HANDSHAKE_LIMIT handshakes; one more handshake ends the
 * oldest one. A handshake may take HANDSHAKE_LIMIT_MS. Unlike the firmware's native code, this listener performs
 * handshakes even with clients that still wait to be accepted.
 */
import { randomInt } from "node:crypto";
import { createServer, type Socket as NetSocket, type Server } from "node:net";
import { createServer as createTLSServer, Server as TLSServer, type TlsOptions } from "node:tls";
import type { CertificatePair } from "../../modules/io/crypto.js";
import type { Listener, ListenerOptions, ListenerPort, PendingSocket } from "../../modules/io/host.js";
import { AdmissionQueue } from "./admission-queue.js";
import { type Identity, requireIdentity, toIdentity } from "./certificate.js";
import { HandshakeTests } from "./handshake-test.js";
import { NodeSocket, PendingConnection } from "./socket.js";

const PENDING_LIMIT = 8;
const CONNECTION_LIMIT = 64;
const HANDSHAKE_LIMIT = 256;
const HANDSHAKE_LIMIT_MS = 10_000;

export interface ListenerSettings {
	/** Port number, or 0 for any free port. */
	readonly port: number;
	readonly secure: boolean;
	/** True if all connections count as coming through the access point. */
	readonly accessPoint?: boolean;
	/** True if any free port may replace one that cannot be opened. */
	readonly replacesPort?: boolean;
	/** Called with the actual port whenever a listener opens. */
	onListening?(port: number): void;
	/** Called with a message for the user if a listener cannot open or fails. */
	onFailed?(message: string): void;
}

export function createListenerPort(settings: ListenerSettings): ListenerPort {
	return { io: NodeListener, socket: NodeSocket, pins: { settings }, secure: settings.secure };
}

class NodeListener implements Listener {
	readonly port: number;
	readonly #options: ListenerOptions;
	readonly #settings: ListenerSettings;
	readonly #server: Server;
	readonly #queue = new AdmissionQueue<PendingConnection>({
		limit: PENDING_LIMIT,
		seed: randomInt(2 ** 32),
		nowMs: () => performance.now(),
	});
	readonly #tests = new HandshakeTests(HANDSHAKE_LIMIT_MS);
	#closed = false;

	constructor(options: ListenerOptions) {
		const { settings } = options as ListenerOptions & { settings: ListenerSettings };
		this.#options = options;
		this.#settings = settings;
		const server = this.#listen(settings.port);
		this.#server = settings.replacesPort && server.address() === null ? this.#listen(0) : server;
		const address = this.#server.address();
		this.port = address !== null && typeof address === "object" ? address.port : 0;
		if (this.port !== 0) settings.onListening?.(this.port);
	}

	/**
	 * Opens the server. Because no host name is given, Node binds the port before the call returns. Node reports an error
	 * later.
	 */
	#listen(port: number): Server {
		const { secure } = this.#settings;
		const server = secure ? makeTLSServer(requireIdentity(this.#options.identity)) : makeServer();
		server.maxConnections = CONNECTION_LIMIT + (secure ? HANDSHAKE_LIMIT : 0);
		server.on(secure ? "secureConnection" : "connection", (socket: NetSocket) => this.#arrived(socket));
		server.on("error", (error: NodeJS.ErrnoException) => {
			if (this.#closed || server !== this.#server) return;
			const message = failureOf(error, port);
			this.#settings.onFailed?.(message);
			this.#options.onError?.(message);
		});
		server.listen(port);
		return server;
	}

	read(): PendingSocket | undefined {
		return this.#queue.take();
	}

	setIdentity(pair: CertificatePair): void {
		if (this.#closed) throw new Error("the listener is closed");
		if (!(this.#server instanceof TLSServer)) throw new Error("this port speaks no TLS");
		// Old session tickets become useless, because the server gets new ticket keys.
		this.#server.setSecureContext(secureOptions(toIdentity(pair)));
	}

	testIdentity(done: (problem: string) => void): void {
		if (this.#closed) throw new Error("the listener is closed");
		if (!(this.#server instanceof TLSServer)) throw new Error("this port speaks no TLS");
		this.#tests.start(this.port, done);
	}

	forget(): void {
		this.#queue.forget();
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#tests.close();
		this.#server.close();
		this.#queue.close();
	}

	#arrived(socket: NetSocket): void {
		if (this.#tests.take(socket)) return;
		const connection = new PendingConnection(socket, {
			viaAccessPoint: this.#settings.accessPoint ?? false,
			onKnown: () => this.#queue.trust(connection.remoteAddress),
			onAnswered: () => this.#queue.answered(connection.remoteAddress),
		});
		if (this.#closed) {
			connection.close();
			return;
		}
		this.#queue.add(connection);
		socket.once("close", () => this.#queue.remove(connection));
		this.#options.onReadable(this.#queue.count);
	}
}

function makeServer(): Server {
	return createServer({ allowHalfOpen: true, noDelay: true });
}

function makeTLSServer(identity: Identity): Server {
	const server = createTLSServer({
		...secureOptions(identity),
		ALPNProtocols: ["http/1.1"],
		handshakeTimeout: HANDSHAKE_LIMIT_MS,
		noDelay: true,
	});
	// If a handshake takes too long, Node only reports this and leaves the connection open.
	server.on("tlsClientError", (_error, socket) => socket.destroy());
	const shaking = new Map<string, NetSocket>();
	server.on("connection", (socket) => {
		const name = nameOf(socket);
		shaking.set(name, socket);
		socket.once("close", () => shaking.delete(name));
		const [oldest] = shaking.values();
		if (shaking.size > HANDSHAKE_LIMIT) oldest.destroy();
	});
	server.on("secureConnection", (socket) => {
		shaking.delete(nameOf(socket));
		// This is set only after the handshake. During the handshake, Node would silently keep a connection that its client
		// has ended.
		socket.allowHalfOpen = true;
	});
	return server;
}

function nameOf({ remoteAddress, remotePort }: NetSocket): string {
	return `${remoteAddress} ${remotePort}`;
}

function secureOptions({ certificate, key }: Identity): TlsOptions {
	return { cert: certificate, key, minVersion: "TLSv1.2" };
}

function failureOf(error: NodeJS.ErrnoException, port: number): string {
	if (error.code === "EADDRINUSE") return `port ${port} is used by another program`;
	if (error.code === "EACCES") return `port ${port} needs more rights (ports below 1024 are for root)`;
	return `port ${port} can't be listened on: ${error.message}`;
}
