/**
 * Servers of the virtual world that the gateway connects to.
 *
 *   world.names.set("broker.example", "192.0.2.7");
 *   const onConnection = (peer) => {
 *       peer.onReceived = () => peer.send("hello back");
 *   };
 *   world.servers.serve("192.0.2.7", 8883, { certificate, onConnection });
 *
 * TLS is simulated without cryptography. However, certificates are checked as in the simulator (trust.ts), only one
 * handshake runs at a time, and servers resume known sessions. If an address has no server, connections to it are
 * refused.
 */
import type { X509Certificate } from "node:crypto";
import {
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_HANDSHAKE,
	CLIENT_REFUSED,
	CLIENT_UNREACHABLE,
	type ClientOptions,
	type ClientPort,
} from "../../modules/io/client.js";
import { boundSession, type TLSSettings, unboundSession } from "./client-options.js";
import { HandshakeQueue } from "./handshake-queue.js";
import { OutgoingConnection } from "./outgoing-connection.js";
import { parseCertificates, validate } from "./trust.js";
import { GatewayEnd, VirtualClient, VirtualConnection } from "./virtual-network.js";
import type { VirtualTime } from "./virtual-time.js";
import { STATION_ADDRESS, type VirtualResolver } from "./virtual-udp.js";

export const CONNECT_MS = 20;
export const HANDSHAKE_MS = 300;

/** Packets are lost, the server does not answer, or the server does not support TLS. */
export type ServerFault = "lost" | "silent" | "no TLS";

export interface VirtualServer {
	onConnection?(peer: VirtualClient): void;
	/** PEM text for TLS, beginning with the server's own certificate. If omitted, the server uses plain TCP. */
	readonly certificate?: string | Uint8Array;
	readonly asksForCertificate?: boolean;
	/** Called in each full handshake in which the client has a certificate, with its PEM text. */
	onIdentity?(certificate: string): void;
	readonly connectMs?: number;
	readonly handshakeMs?: number;
	fault?: ServerFault | undefined;
}

interface Serving {
	readonly server: VirtualServer;
	readonly shown: readonly X509Certificate[];
	readonly sessions: Set<string>;
}

export class VirtualServers {
	readonly time: VirtualTime;
	readonly resolver: VirtualResolver;
	readonly tcpClient: ClientPort;
	readonly tlsClient: ClientPort;
	hasMemory = true;
	handshakes = 0;
	readonly #serving = new Map<string, Serving>();

	constructor(time: VirtualTime, resolver: VirtualResolver) {
		this.time = time;
		this.resolver = resolver;
		const handshakeQueue = new HandshakeQueue((run) => void time.set(run, 0));
		this.tcpClient = { io: VirtualOutgoing, pins: Object.freeze({ servers: this }) };
		this.tlsClient = { io: VirtualOutgoing, pins: Object.freeze({ servers: this, handshakeQueue }) };
	}

	/** Adds a server, or replaces the one at this address and port. Open connections stay. */
	serve(address: string, port: number, server: VirtualServer): void {
		const { certificate } = server;
		const shown = certificate === undefined ? [] : parseCertificates(Buffer.from(certificate).toString());
		this.#serving.set(`${address}:${port}`, { server, shown, sessions: new Set() });
	}

	stop(address: string, port: number): void {
		this.#serving.delete(`${address}:${port}`);
	}

	at(address: string, port: number): Serving | undefined {
		return this.#serving.get(`${address}:${port}`);
	}
}

interface ClientPins {
	readonly servers: VirtualServers;
	readonly handshakeQueue?: HandshakeQueue;
}

class VirtualOutgoing extends OutgoingConnection {
	readonly #pins: ClientPins;

	constructor(options: ClientOptions) {
		const pins = options as ClientOptions & Partial<ClientPins>;
		const { servers, handshakeQueue } = pins;
		if (servers === undefined) throw new Error("spread the port's pins into the options");
		super(options, {
			resolve: (name, done) => servers.resolver.resolve(name, done),
			later: (run, delayMs) => {
				const timer = servers.time.set(run, delayMs);
				return () => servers.time.clear(timer);
			},
			handshakeQueue,
			hasMemory: () => servers.hasMemory,
		});
		this.#pins = pins as ClientPins;
	}

	protected connect(address: string): void {
		const { port } = this.options;
		const { servers } = this.#pins;
		const fault = servers.at(address, port)?.server.fault;
		if (fault === "lost") return;
		this.#later(servers.at(address, port)?.server.connectMs ?? CONNECT_MS, () => {
			const serving = servers.at(address, port);
			const { tls } = this;
			if (serving === undefined) this.fail(CLIENT_UNREACHABLE);
			else if (tls === undefined) this.#opens(serving);
			else this.queueHandshake(() => this.#shakeHands(serving, tls));
		});
	}

	protected abandon(): void {}

	#shakeHands(serving: Serving, tls: TLSSettings): void {
		const { servers } = this.#pins;
		const { fault, handshakeMs = HANDSHAKE_MS, asksForCertificate } = serving.server;
		servers.handshakes++;
		if (fault === "silent") return;
		this.#later(handshakeMs, () => {
			const speaksTLS = fault === undefined && serving.shown.length > 0;
			if (!speaksTLS) {
				this.fail(CLIENT_HANDSHAKE);
				return;
			}
			const known = unboundSession(tls)?.toString("hex");
			this.resumed = known !== undefined && serving.sessions.has(known);
			const code = this.resumed ? 0 : validate({ shown: serving.shown, ...tls });
			if (code !== 0) {
				this.fail(code);
				return;
			}
			if (asksForCertificate && !this.resumed) {
				if (tls.identity === undefined) {
					this.fail(CLIENT_REFUSED);
					return;
				}
				serving.server.onIdentity?.(tls.identity.certificate);
			}
			const session = Buffer.from(`session ${servers.handshakes}`);
			serving.sessions.add(session.toString("hex"));
			this.lastSession = boundSession(tls, session);
			this.#opens(serving);
		});
	}

	#opens({ server }: Serving): void {
		const { time } = this.#pins.servers;
		const connection = new VirtualConnection(time, STATION_ADDRESS);
		const peer = new VirtualClient(connection);
		const { options } = this;
		this.opened(
			new GatewayEnd(connection, {
				onReadable: (count) => options.onReadable?.(count),
				onWritable: (count) => options.onWritable?.(count),
				onError: (isBroken) => options.onError?.(isBroken ? CLIENT_BROKEN : CLIENT_ENDED),
			}),
		);
		server.onConnection?.(peer);
	}

	/** Calls `step` later, unless the connection was closed or has failed by then. */
	#later(ms: number, step: () => void): void {
		this.#pins.servers.time.set(() => {
			if (!this.isOver) step();
		}, ms);
	}
}
