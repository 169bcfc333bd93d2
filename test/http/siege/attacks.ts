/**
 * Attackers without a password that try to occupy all connections of a gateway. Each attack is a number of connections
 * from one address of this computer, reopened whenever the gateway closes them.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTLS } from "node:tls";
import { recordHello } from "../../hosts/native/stream-server-driver.js";
import { CLIENT_HEADERS, clientFrame } from "../../websocket/peer.js";

export interface Ports {
	readonly https: number;
	readonly http: number;
}

/** An attack on one connection. */
interface Attack {
	readonly connections: number;
	/** True: acts after a TLS handshake. False: TCP only, to the HTTPS port (`toTLS`) or the plain one. */
	readonly secure: boolean;
	readonly toTLS?: boolean;
	/** The client aborts the handshake because of the certificate. */
	readonly refuses?: boolean;
	/** True if the attackers leave too little memory for readouts, which are then refused as busy. */
	readonly takesMemory?: boolean;
	/** Runs while the connection is open. `token`: a read token, "" if the attackers have none. */
	act(socket: Socket, hello: Buffer, token: string): Promise<void> | void;
}

const HEAD = "Host: gateway.local\r\n";
const LOGIN = `POST /api/v1/system/login HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n`;
/** Pause before a connection is reopened, ms; longer with more addresses, to limit this computer's load. */
const AGAIN_MS = 20;
const FEW_ADDRESSES = 3;
const BYTE_MS = 1000;
/** Interval of a handshake's bytes, ms; the gateway drops a handshake after a second of silence. */
const HANDSHAKE_BYTE_MS = 400;

async function trickle(socket: Socket, start: string, rest: string): Promise<void> {
	socket.write(start);
	for (let at = 0; !socket.destroyed; at = (at + 1) % rest.length) {
		await sleep(BYTE_MS);
		if (!socket.destroyed) socket.write(rest[at]);
	}
}

const slowHead = (socket: Socket) => trickle(socket, "GET / HTTP/1.1\r\nX: ", "x");
/** Rest of the request line, and the gateway's own name as Host, as a battery sends them. */
const LIVE = "HTTP/1.1\r\nHost: 127.0.0.1\r\n";
const slowFrame = (socket: Socket) => trickle(socket, `POST /rpc ${LIVE}Content-Length: 400\r\n\r\n{"src":"`, "a");
/** Sends the next request as soon as there is a reply. */
const requestLiveValues = (socket: Socket) => {
	const sendRequest = () => socket.write(`GET /rpc/Shelly.GetStatus ${LIVE}\r\n`);
	socket.on("data", sendRequest);
	sendRequest();
};
/** The same over a WebSocket. A value that the gateway sends by itself also causes a request. */
const requestBySocket = (socket: Socket) => {
	const frame = clientFrame(0x81, '{"id":1,"src":"x","method":"Shelly.GetStatus"}');
	const fields = Object.entries(CLIENT_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.on("data", () => socket.write(frame));
	socket.write(`GET /rpc ${LIVE}${fields.join("")}\r\n`);
};
const slowBody = (socket: Socket) => trickle(socket, `${LOGIN}{"username":"`, "a");

/** Handshakes that stop after the first message. */
export const STALLED = "handshakes that stop after the ClientHello";
/** Event streams of clients with a read token; of two at one port, one is refused. */
export const STREAMS = "event streams";
const REFUSING = "clients that reject the certificate";
const RECONNECTING = "clients that close after the handshake and connect again";
const SILENT = "silent connections after a handshake";
const SLOW = "slow heads over TLS";
/** Attacks of different kinds, each from addresses of its own. */
export const MIXTURE: readonly string[] = [SILENT, SLOW, REFUSING, RECONNECTING];
/** Attacks that cost the attacker almost nothing, for sieges from many addresses. */
export const CHEAP: readonly string[] = [
	"connections without a ClientHello",
	"half a ClientHello",
	STALLED,
	"silent plain connections",
];

export const ATTACKS: Readonly<Record<string, Attack>> = {
	"connections without a ClientHello": { connections: 50, secure: false, toTLS: true, act: () => {} },
	"half a ClientHello": {
		connections: 10,
		secure: false,
		toTLS: true,
		act: (socket, hello) => void socket.write(hello.subarray(0, 40)),
	},
	[STALLED]: {
		connections: 10,
		secure: false,
		toTLS: true,
		act: (socket, hello) => void socket.write(hello),
	},
	"handshakes a byte at a time": {
		connections: 10,
		secure: false,
		toTLS: true,
		act: async (socket, hello) => {
			socket.write(hello);
			for (const byte of [22, 3, 3, 1, 0, ...new Array(256).fill(0)]) {
				await sleep(HANDSHAKE_BYTE_MS);
				if (!socket.destroyed) socket.write(Uint8Array.of(byte));
			}
		},
	},
	[REFUSING]: { connections: 10, secure: true, refuses: true, act: () => {} },
	[RECONNECTING]: { connections: 4, secure: true, act: (socket) => void socket.destroy() },
	[SILENT]: { connections: 8, secure: true, act: () => {} },
	[SLOW]: { connections: 4, secure: true, act: slowHead },
	"slow logins over TLS": { connections: 4, secure: true, act: slowBody },
	"persistent connections with a request each second": {
		connections: 10,
		secure: true,
		act: async (socket) => {
			while (!socket.destroyed) {
				socket.write(`GET /api/v1/system/challenge HTTP/1.1\r\n${HEAD}\r\n`);
				await sleep(BYTE_MS);
			}
		},
	},
	"clients that do not read": {
		connections: 4,
		secure: true,
		act: (socket) => {
			socket.pause();
			socket.write(`GET / HTTP/1.1\r\n${HEAD}\r\n`.repeat(8));
		},
	},
	[STREAMS]: {
		connections: 1,
		secure: true,
		act: (socket, _, token) =>
			void socket.write(`GET /api/v1/events HTTP/1.1\r\n${HEAD}Authorization: Bearer ${token}\r\n\r\n`),
	},
	"silent plain connections": { connections: 20, secure: false, act: () => {} },
	"slow heads over plain HTTP": { connections: 8, secure: false, act: slowHead },
	"slow logins over plain HTTP": { connections: 4, secure: false, act: slowBody },
	"slow frames for live values": { connections: 4, secure: false, takesMemory: true, act: slowFrame },
	"requests for live values": { connections: 4, secure: false, act: requestLiveValues },
	"requests for live values by WebSocket": { connections: 4, secure: false, act: requestBySocket },
};

export interface SiegeOptions {
	readonly connections?: number | undefined;
	readonly token?: string;
	readonly isDivided?: boolean | undefined;
}

/** Attackers that act until `end`. */
export class Siege {
	/** Number of established connections by attack. */
	readonly established = new Map<string, number>();
	readonly #open = new Set<Socket>();
	readonly #ports: Ports;
	readonly #hello: Buffer;
	readonly #againMs: number;
	readonly #token: string;
	#isOver = false;

	private constructor(ports: Ports, hello: Buffer, againMs: number, token: string) {
		this.#token = token;
		this.#ports = ports;
		this.#hello = hello;
		this.#againMs = againMs;
	}

	/**
	 * Starts each attack from each address of the loopback network, or, with `isDivided`, from each address the next one.
	 * `connections`: number for each; default: the attack's own.
	 */
	static async begin(
		ports: Ports,
		attacks: readonly string[],
		addresses: readonly string[],
		{ connections, token = "", isDivided = false }: SiegeOptions = {},
	): Promise<Siege> {
		const againMs = AGAIN_MS * Math.max(1, addresses.length / FEW_ADDRESSES);
		const siege = new Siege(ports, await recordHello(), againMs, token);
		for (const name of attacks) {
			for (const [i, address] of addresses.entries()) {
				if (isDivided && attacks[i % attacks.length] !== name) continue;
				const count = connections ?? ATTACKS[name].connections;
				for (let rest = count; rest > 0; rest--) void siege.#attack(name, address);
			}
		}
		return siege;
	}

	async end(): Promise<void> {
		this.#isOver = true;
		for (const socket of this.#open) socket.destroy();
		await sleep(AGAIN_MS);
	}

	async #attack(name: string, address: string): Promise<void> {
		while (!this.#isOver) {
			await this.#once(name, address);
			await sleep(this.#againMs);
		}
	}

	/** Attacks until the connection is closed. */
	async #once(name: string, address: string): Promise<void> {
		const { secure, toTLS, refuses = false, act } = ATTACKS[name];
		const socket = connect({
			host: "127.0.0.1",
			port: secure || toTLS ? this.#ports.https : this.#ports.http,
			localAddress: address,
		});
		this.#open.add(socket);
		const closed = new Promise((resolve) => socket.once("close", resolve));
		socket.on("error", () => {});
		socket.on("end", () => socket.destroy());
		const countEstablished = (carrier: Socket) => {
			this.established.set(name, (this.established.get(name) ?? 0) + 1);
			carrier.resume();
			Promise.resolve(act(carrier, this.#hello, this.#token)).catch(() => {});
		};
		if (secure) {
			const tls = connectTLS({ socket, rejectUnauthorized: refuses });
			tls.on("error", () => {
				if (refuses && tls.authorizationError) this.established.set(name, (this.established.get(name) ?? 0) + 1);
				socket.destroy();
			});
			tls.on("close", () => socket.destroy());
			tls.on("end", () => socket.destroy());
			tls.once("secureConnect", () => countEstablished(tls));
		} else socket.once("connect", () => countEstablished(socket));
		await closed;
		this.#open.delete(socket);
	}
}
