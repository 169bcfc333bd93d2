/**
 * Outgoing connections (modules/io/client.ts). Only one TLS handshake runs at a time. Here Node accepts any
 * certificate; trust.ts checks the certificate before anything is written or read.
 */
import { connect as connectTCP, type Socket as NetSocket } from "node:net";
import { connect as connectTLS, type TLSSocket } from "node:tls";
import {
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_HANDSHAKE,
	CLIENT_REFUSED,
	CLIENT_UNREACHABLE,
	CLIENT_UNTRUSTED,
	type ClientOptions,
	type ClientPort,
} from "../../modules/io/client.js";
import { boundSession, serverNameOf, type TLSSettings, unboundSession } from "./client-options.js";
import { HandshakeQueue } from "./handshake-queue.js";
import { OutgoingConnection } from "./outgoing-connection.js";
import type { NodeResolver } from "./resolver.js";
import { NodeStream } from "./stream.js";
import { isPinned, shownBy, validate } from "./trust.js";

/** Heap that a handshake takes on a microcontroller. */
export const HANDSHAKE_BYTES = 40_000;
/** Error codes of Node that depend on the computer's clock. */
const DATE_VERDICTS = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];
/** Error codes of Node for a connection that the server has closed. */
const CLOSING_CODES = ["ECONNRESET", "EPIPE"];
/** Alerts about the client's certificate: RFC 5246, 7.2.2, and certificate_required of RFC 8446, 6.2. */
const CLIENT_ALERTS = [40, 42, 43, 44, 45, 46, 48, 49, 116];

export interface ClientSettings {
	readonly resolver: NodeResolver;
	/** Returns the free heap in bytes. If omitted, memory always suffices. */
	freeBytes?(): number;
}

export function createClientPorts(settings: ClientSettings): { tcpClient: ClientPort; tlsClient: ClientPort } {
	const handshakeQueue = new HandshakeQueue(setImmediate);
	return {
		tcpClient: { io: NodeClient, pins: { settings } },
		tlsClient: { io: NodeClient, pins: { settings, handshakeQueue } },
	};
}

interface ClientPins {
	readonly settings: ClientSettings;
	readonly handshakeQueue?: HandshakeQueue;
}

class NodeClient extends OutgoingConnection {
	/** Initially the TCP socket, later the TLS socket. */
	#socket: NetSocket | undefined;

	constructor(options: ClientOptions) {
		const { settings, handshakeQueue } = options as ClientOptions & ClientPins;
		super(options, {
			resolve: (name, done) => settings.resolver.resolve(name, done),
			later: (run, delayMs) => {
				const timer = setTimeout(run, delayMs);
				return () => clearTimeout(timer);
			},
			handshakeQueue,
			hasMemory: () => settings.freeBytes === undefined || settings.freeBytes() >= HANDSHAKE_BYTES,
		});
	}

	protected connect(address: string): void {
		const socket = connectTCP({ host: address, port: this.options.port, allowHalfOpen: true, noDelay: true });
		this.#socket = socket;
		const failed = () => this.fail(CLIENT_UNREACHABLE);
		socket.on("error", failed);
		socket.once("connect", () => {
			socket.off("error", failed);
			if (this.isOver) return;
			const { tls } = this;
			if (tls === undefined) this.#opens(socket);
			else {
				// Errors of the TCP socket are ignored, because the TLS handshake reports that the connection was closed.
				socket.on("error", () => {});
				this.queueHandshake(() => this.#shakeHands(socket, tls));
			}
		});
	}

	protected abandon(): void {
		this.#socket?.on("error", () => {});
		this.#socket?.destroy();
	}

	#shakeHands(carrier: NetSocket, tls: TLSSettings): void {
		const { authorities, identity, name } = tls;
		const session = unboundSession(tls);
		const socket = connectTLS({
			socket: carrier,
			...(tls.trusted === undefined ? {} : { ca: authorities }),
			allowPartialTrustChain: true,
			rejectUnauthorized: false,
			checkServerIdentity: () => undefined,
			servername: serverNameOf(name),
			minVersion: "TLSv1.2",
			...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
			...(session === undefined ? {} : { session }),
		});
		this.#socket = socket;
		// The keys are made after ServerHelloDone.
		let hasKeys = false;
		socket.once("keylog", () => {
			hasKeys = true;
		});
		const failed = (error: Error) => {
			const isRefused = hasKeys && refusesClient(error, identity !== undefined);
			this.fail(isRefused ? CLIENT_REFUSED : CLIENT_HANDSHAKE);
		};
		const closed = () => this.fail(CLIENT_HANDSHAKE);
		socket.on("error", failed);
		socket.on("close", closed);
		socket.on("session", (bytes) => {
			this.lastSession = boundSession(tls, bytes) ?? this.lastSession;
		});
		socket.once("secureConnect", () => {
			socket.off("error", failed);
			socket.off("close", closed);
			if (this.isOver) return;
			this.resumed = socket.isSessionReused();
			// For a resumed session, the server was checked when the session was made.
			const code = this.resumed ? 0 : verdictOf(socket, tls);
			if (code === 0) this.#opens(socket);
			else this.fail(code);
		});
	}

	#opens(socket: NetSocket): void {
		const { options } = this;
		const stream = new NodeStream(socket, {
			onReadable: (count) => options.onReadable?.(count),
			onWritable: (count) => options.onWritable?.(count),
			onEnd: (isBroken) => options.onError?.(isBroken ? CLIENT_BROKEN : CLIENT_ENDED),
		});
		this.opened(stream);
	}
}

/** Returns true if the server has refused our certificate, or that we have none (hosts/native/tls-trust.c). */
function refusesClient({ code = "", message }: NodeJS.ErrnoException, hasIdentity: boolean): boolean {
	const alert = /SSL alert number (\d+)/.exec(message)?.[1];
	return alert === undefined ? hasIdentity && CLOSING_CODES.includes(code) : CLIENT_ALERTS.includes(Number(alert));
}

function verdictOf(socket: TLSSocket, { trusted, name, utcMs }: TLSSettings): number {
	if (trusted === undefined) return 0;
	const shown = shownBy(socket);
	const code = validate({ shown, trusted, name, utcMs });
	if (code !== 0 || isPinned({ shown, trusted })) return code;
	// The code of Node's error is used, because Node also checks path lengths and weak signatures.
	const { authorizationError } = socket as { authorizationError: unknown };
	const verdict = authorizationError instanceof Error ? authorizationError.message : authorizationError;
	return !verdict || DATE_VERDICTS.includes(String(verdict)) ? 0 : CLIENT_UNTRUSTED;
}
