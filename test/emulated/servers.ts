/** A stand-in for Home Assistant and a broker on this computer, both with TLS, reachable from the emulated network. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTLSServer, type Server } from "node:tls";
import { Aedes, type AedesPublishPacket } from "aedes";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { StandIn } from "../../tools/hub/home-assistant.js";
import { OUTSIDE } from "./board.js";

const DAY_MS = 86_400_000;

export class OutsideServers {
	readonly hub: StandIn;
	/** Certificate of both servers, PEM. */
	readonly certificate: string;
	/** Messages received by the broker as "topic payload", in order. */
	readonly published: string[] = [];
	readonly #broker: Aedes;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();

	private constructor(hub: StandIn, broker: Aedes, certificate: string, key: string) {
		this.hub = hub;
		this.certificate = certificate;
		this.#broker = broker;
		broker.on("publish", ({ topic, payload }: AedesPublishPacket) => {
			if (!topic.startsWith("$SYS")) this.published.push(`${topic} ${payload}`);
		});
		this.#server = createTLSServer({ cert: certificate, key }, (socket) => {
			this.#sockets.add(socket);
			socket.on("error", () => {});
			broker.handle(socket);
		});
		this.#server.on("tlsClientError", () => {});
	}

	static async start(): Promise<OutsideServers> {
		const now = Date.now();
		const times = { validFromMs: now - DAY_MS, validToMs: now + 30 * DAY_MS };
		const pair = makeCertificate({ names: [OUTSIDE], ...times });
		const [certificate, key] = [pair.certificate, pair.key].map((bytes) => Buffer.from(bytes).toString());
		const hub = await StandIn.start({ tls: { cert: certificate, key } });
		const servers = new OutsideServers(hub, await Aedes.createBroker(), certificate, key);
		servers.#server.listen(0, "127.0.0.1");
		await once(servers.#server, "listening");
		return servers;
	}

	/** The hub's address as seen from the emulated network. */
	get hubURL(): string {
		return `https://${OUTSIDE}:${new URL(this.hub.url).port}`;
	}

	get brokerURL(): string {
		return `mqtts://${OUTSIDE}:${(this.#server.address() as AddressInfo).port}`;
	}

	async end(): Promise<void> {
		await this.hub.end();
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
		await new Promise<void>((resolve) => this.#broker.close(() => resolve()));
	}
}
