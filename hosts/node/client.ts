/**
 * Connections that the gateway makes itself (modules/io/client.ts), on node:net and node:tls.
 *
 * TLS: one handshake of a client at a time, as on a microcontroller; Node is told to accept any certificate, and what the
 * server has shown is judged before anything is written or read (trust.ts). Limits: those of stream.ts.
 */
import { connect as connectTCP, type Socket as NetSocket } from "node:net";
import { connect as connectTLS, type TLSSocket } from "node:tls";
import {
	CLIENT_BROKEN,
	CLIENT_ENDED,
	CLIENT_HANDSHAKE,
	CLIENT_NO_ADDRESS,
	CLIENT_OUT_OF_MEMORY,
	CLIENT_TIMEOUT,
	CLIENT_UNREACHABLE,
	CLIENT_UNTRUSTED,
	type Client,
	type ClientOptions,
	type ClientPort,
} from "../../modules/io/client.js";
import {
	boundSession,
	checkClientOptions,
	serverNameOf,
	type TLSWishes,
	tlsWishesOf,
	unboundSession,
} from "./client-options.js";
import { HandshakeTurns } from "./handshake-turns.js";
import type { NodeResolver } from "./resolver.js";
import { NodeStream } from "./stream.js";
import { isPinned, judge, shownBy } from "./trust.js";

/** What a handshake takes of a microcontroller's heap. */
export const HANDSHAKE_BYTES = 40_000;
/** Verdicts of Node that go by the computer's clock. */
const DATE_VERDICTS = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

export interface ClientSettings {
	readonly resolver: NodeResolver;
	/** Bytes that the heap has free; without it, always enough. */
	freeBytes?(): number;
}

export function createClientPorts(settings: ClientSettings): { tcpClient: ClientPort; tlsClient: ClientPort } {
	const turns = new HandshakeTurns(setImmediate);
	return {
		tcpClient: { io: NodeClient, pins: { settings } },
		tlsClient: { io: NodeClient, pins: { settings, turns } },
	};
}

interface ClientPins {
	readonly settings: ClientSettings;
	/** Of TLS. */
	readonly turns?: HandshakeTurns;
}

class NodeClient implements Client {
	remoteAddress = "";
	resumed = false;
	readonly #options: ClientOptions;
	readonly #pins: ClientPins;
	readonly #tls: TLSWishes | undefined;
	readonly #deadline: NodeJS.Timeout;
	/** What is to be destroyed when it is given up: the TCP connection, later that of TLS over it. */
	#socket: NetSocket | undefined;
	/** It stands. */
	#stream: NodeStream | undefined;
	#session: Uint8Array | undefined;
	#turn: (() => void) | undefined;
	#isOver = false;

	constructor(options: ClientOptions) {
		checkClientOptions(options);
		this.#options = options;
		this.#pins = options as ClientOptions & ClientPins;
		this.#tls = this.#pins.turns === undefined ? undefined : tlsWishesOf(options);
		this.#deadline = setTimeout(() => this.#fail(CLIENT_TIMEOUT), options.timeoutMs);
		this.#pins.settings.resolver.resolve(options.host, (address) => {
			if (this.#isOver) return;
			if (address === undefined) this.#fail(CLIENT_NO_ADDRESS);
			else this.#connect(address);
		});
	}

	get session(): Uint8Array | undefined {
		return this.#session?.slice();
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#stream?.read(into, start, end);
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		if (this.#stream !== undefined) return this.#stream.write(bytes, start, end);
		if (end > start) throw new RangeError("the connection does not stand");
		return 0;
	}

	close(): void {
		this.#stream?.close();
		this.#giveUp();
	}

	#connect(address: string): void {
		this.remoteAddress = address;
		const socket = connectTCP({ host: address, port: this.#options.port, allowHalfOpen: true, noDelay: true });
		this.#socket = socket;
		const failed = () => this.#fail(CLIENT_UNREACHABLE);
		socket.on("error", failed);
		socket.once("connect", () => {
			socket.off("error", failed);
			if (this.#isOver) return;
			if (this.#tls === undefined) this.#stands(socket);
			else this.#waitForTurn(socket, this.#tls);
		});
	}

	#waitForTurn(carrier: NetSocket, tls: TLSWishes): void {
		// Until TLS takes it over, nobody reads: the server may have closed, which its handshake will tell.
		carrier.on("error", () => {});
		this.#turn = this.#pins.turns!.ask(() => {
			const { freeBytes } = this.#pins.settings;
			if (freeBytes !== undefined && freeBytes() < HANDSHAKE_BYTES) this.#fail(CLIENT_OUT_OF_MEMORY);
			else this.#shakeHands(carrier, tls);
		});
	}

	#shakeHands(carrier: NetSocket, tls: TLSWishes): void {
		const { authorities, identity, name } = tls;
		const session = unboundSession(tls);
		const socket = connectTLS({
			socket: carrier,
			ca: authorities,
			allowPartialTrustChain: true,
			rejectUnauthorized: false,
			checkServerIdentity: () => undefined,
			servername: serverNameOf(name),
			minVersion: "TLSv1.2",
			...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
			...(session === undefined ? {} : { session }),
		});
		this.#socket = socket;
		const failed = () => this.#fail(CLIENT_HANDSHAKE);
		socket.on("error", failed);
		socket.on("close", failed);
		socket.on("session", (bytes) => {
			this.#session = boundSession(tls, bytes) ?? this.#session;
		});
		socket.once("secureConnect", () => {
			socket.off("error", failed);
			socket.off("close", failed);
			if (this.#isOver) return;
			this.resumed = socket.isSessionReused();
			// A session stands for a server that was believed before.
			const code = this.resumed ? 0 : verdictOf(socket, tls);
			if (code === 0) this.#stands(socket);
			else this.#fail(code);
		});
	}

	#stands(socket: NetSocket): void {
		clearTimeout(this.#deadline);
		this.#turn?.();
		const { onReadable, onWritable, onError } = this.#options;
		this.#stream = new NodeStream(socket, {
			onReadable: (count) => onReadable?.call(this.#options, count),
			onWritable: (count) => onWritable?.call(this.#options, count),
			onEnd: (isBroken) => onError?.call(this.#options, isBroken ? CLIENT_BROKEN : CLIENT_ENDED),
		});
	}

	/** It never stood. */
	#fail(code: number): void {
		if (this.#isOver || this.#stream !== undefined) return;
		this.#giveUp();
		this.#options.onError?.(code);
	}

	#giveUp(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		clearTimeout(this.#deadline);
		this.#turn?.();
		if (this.#stream !== undefined) return;
		this.#socket?.on("error", () => {});
		this.#socket?.destroy();
	}
}

/** 0, or CLIENT_… why this server is not believed. */
function verdictOf(socket: TLSSocket, { trusted, name, utcMs }: TLSWishes): number {
	const shown = shownBy(socket);
	const code = judge({ shown, trusted, name, utcMs });
	if (code !== 0 || isPinned({ shown, trusted })) return code;
	// Node's own look sees more than ours: path lengths, weak signatures.
	const { authorizationError } = socket as { authorizationError: unknown };
	const verdict = authorizationError instanceof Error ? authorizationError.message : authorizationError;
	return !verdict || DATE_VERDICTS.includes(String(verdict)) ? 0 : CLIENT_UNTRUSTED;
}
