/** A hub with HTTPS and WebSocket, and an MQTT broker with TLS on this computer, with certificates of the largest size. */

import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { createServer as createTLSServer, type Server as TLSServer } from "node:tls";
import { Aedes } from "aedes";
import type { SeededRandom } from "../../hosts/node/random.js";
import { CERTIFICATE_LIMIT } from "../../modules/config/trusted-certificates.js";
import { HUB_CERTIFICATE_LIMIT } from "../../modules/parts/hub/fields.js";
import { lastingPair } from "../api/server-identity.js";
import { CUT, StatisticsServer } from "../hub/statistics-server.js";
import { SocketPeer } from "../websocket/server.js";

const ADDRESS = "127.0.0.1";
/** Longest delay of the hub's answers, ms. */
const HUB_MS = 1500;
/** One in this many of the hub's answers is an error, and one in this many messages for it ends the connection. */
const HUB_ERRORS = 8;
const CUTS = 20;
const HUB_TOKEN = "t".repeat(512);

/** A valid certificate, padded with text in front, which PEM allows (RFC 7468, 2). */
const pair = lastingPair(ADDRESS);

export function longCertificate(length: number): string {
	return `\n${Buffer.from(pair.certificate).toString("latin1")}`.padStart(length, "#");
}

export type PeerName = "hub" | "broker";

export class LoadPeers {
	/** Number of requests that the hub has answered. */
	hubRequests = 0;
	messages = 0;
	/** True to answer at once, without errors. */
	isCalm = false;
	readonly statistics = new StatisticsServer(undefined, HUB_TOKEN);
	readonly #hub: Server;
	readonly #broker: Aedes;
	readonly #brokerServer: TLSServer;
	/** Ports of the peers; 0 before a peer has one. */
	readonly #ports: Record<PeerName, number> = { hub: 0, broker: 0 };
	readonly #sockets = new Set<Socket>();
	readonly #onMessage: (() => void)[] = [];

	private constructor(random: SeededRandom, broker: Aedes) {
		const identity = { cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) };
		this.#hub = createServer(identity, (request, response) => {
			request.resume();
			request.on("error", () => {});
			request.on("end", () => {
				this.hubRequests++;
				const status = !this.isCalm && random.oneIn(HUB_ERRORS) ? 500 : 200;
				setTimeout(() => response.writeHead(status).end("{}"), this.isCalm ? 0 : random.below(HUB_MS));
			});
		});
		this.#hub.on("upgrade", ({ method, url, rawHeaders }, socket, head) => {
			const fields = rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
			this.statistics.upgrade(new SocketPeer(socket, head), `${method} ${url} HTTP/1.1\r\n${fields}\r\n`);
		});
		this.statistics.answer = () => (!this.isCalm && random.oneIn(CUTS) ? CUT : undefined);
		this.#broker = broker;
		broker.on("publish", (_, client) => {
			// The broker publishes its own state without a client.
			if (client === null) return;
			this.messages++;
			for (const tell of this.#onMessage.splice(0)) tell();
		});
		this.#brokerServer = createTLSServer(identity, (socket) => {
			this.#sockets.add(socket);
			socket.on("error", () => {});
			socket.on("close", () => this.#sockets.delete(socket));
			broker.handle(socket);
		});
	}

	static async start(random: SeededRandom): Promise<LoadPeers> {
		const peers = new LoadPeers(random, await Aedes.createBroker());
		await peers.comeBack("hub");
		await peers.comeBack("broker");
		return peers;
	}

	/** Closes a peer and its connections until `comeBack`. */
	leave(name: PeerName): void {
		if (name === "hub") this.#hub.closeAllConnections();
		else for (const socket of this.#sockets) socket.destroy();
		this.server(name).close();
	}

	/** Opens a peer on its port. */
	async comeBack(name: PeerName): Promise<void> {
		const server = this.server(name);
		server.listen(this.#ports[name], ADDRESS);
		await once(server, "listening");
		this.#ports[name] = (server.address() as AddressInfo).port;
	}

	/** Body for `POST hub`. */
	get hubSettings(): object {
		const url = `https://${ADDRESS}:${this.#ports.hub}`;
		return { enabled: true, statistics: true, url, token: HUB_TOKEN, cert: longCertificate(HUB_CERTIFICATE_LIMIT) };
	}

	/** Body for `POST mqtt`. */
	get mqttSettings(): object {
		const url = `mqtts://${ADDRESS}:${this.#ports.broker}`;
		return { enabled: true, url, topics: "both", cert: longCertificate(CERTIFICATE_LIMIT) };
	}

	/** Body for `POST hawkbit`: the hub, whose answers name no action. */
	get hawkBitSettings(): object {
		const url = `https://${ADDRESS}:${this.#ports.hub}/fleet`;
		const cert = longCertificate(CERTIFICATE_LIMIT);
		return { enabled: true, url, controller_id: "gateway", token: "t".repeat(64), cert };
	}

	/** Resolves at the next message to the broker, or after this time. */
	async nextMessage(limitMs: number): Promise<void> {
		await new Promise<void>((resolve) => {
			this.#onMessage.push(resolve);
			setTimeout(resolve, limitMs);
		});
	}

	/** URL without firmware. */
	get upgradeURL(): string {
		return `https://${ADDRESS}:${this.#ports.hub}/firmware.json`;
	}

	stop(): void {
		this.leave("hub");
		this.leave("broker");
		this.#broker.close();
	}

	private server(name: PeerName): NetServer {
		return name === "hub" ? this.#hub : this.#brokerServer;
	}
}
