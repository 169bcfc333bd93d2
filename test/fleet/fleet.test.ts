/** A few gateways of `npm run fleet` over real sockets, with aedes as broker, in accelerated time. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHTTPSServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Aedes } from "aedes";
import { serverIdentity } from "../api/server-identity.js";
import { ENDED, FAILED, OPEN } from "./connection-log.js";
import { Fleet, makeTemplate } from "./fleet.js";
import { measure, quantile, spreadOf } from "./measure.js";
import { reportOf } from "./report.js";
import { serialOf } from "./share.js";

const COUNT = 3;
const LEAD_MS = 12_000;
const SPEED = 60;

/** A broker that can be restarted at its port. */
class Broker {
	port = 0;
	readonly pid = undefined;
	readonly clients = new Set<string>();
	#aedes: Aedes | undefined;
	#server: Server | undefined;
	readonly #sockets = new Set<Socket>();

	async begin(): Promise<void> {
		const aedes = await Aedes.createBroker();
		aedes.on("clientReady", ({ id }) => this.clients.add(id));
		this.#aedes = aedes;
		this.#server = createServer((socket) => {
			this.#sockets.add(socket);
			socket.on("error", () => {});
			aedes.handle(socket);
		});
		this.#server.listen(this.port, "127.0.0.1");
		await once(this.#server, "listening");
		this.port = (this.#server.address() as AddressInfo).port;
	}

	async end(): Promise<void> {
		this.#server?.close();
		for (const socket of this.#sockets) socket.destroy();
		this.#sockets.clear();
		this.#aedes?.close();
	}
}

describe("The fleet", () => {
	it("starts, publishes a scheduled readout, and returns after a restart of the broker", async () => {
		const broker = new Broker();
		await broker.begin();
		const template = await makeTemplate(LEAD_MS, () => ({ mqtt: { url: `mqtt://127.0.0.1:${broker.port}` } }));
		const fleet = await Fleet.make(COUNT, 1, template);
		try {
			const figures = await measure({
				...{ fleet, broker, speed: SPEED, slowSpeed: SPEED, readoutMs: LEAD_MS + 10_000 },
				...{ steadyMs: 10_000, downMs: 1000, progress: () => {} },
			});
			const { faults, mostMessagesInOneSecond, restart, start, steady } = figures;
			assert.deepEqual(faults, []);
			assert.deepEqual([start.connections, start.failed, restart.connections], [COUNT, 0, COUNT]);
			assert.ok(start.lastS <= 10.5 && restart.lastS < 60, `${start.lastS} ${restart.lastS}`);
			assert.ok(start.bytes > COUNT * 100 && steady.sessions === 0);
			// Announcement and state of at least one gateway.
			assert.ok(mostMessagesInOneSecond >= 2);
			const names = Array.from({ length: COUNT }, (_, i) => serialOf(i).toLowerCase());
			assert.deepEqual([...broker.clients].sort(), names);
			assert.match(reportOf(figures), new RegExp(`^\\| gateways \\| ${COUNT} \\|$`, "m"));
		} finally {
			await fleet.stop();
			await broker.end();
		}
	});

	it("polls hawkBit", async () => {
		const broker = new Broker();
		await broker.begin();
		const identity = serverIdentity();
		const pollers = new Set<string | undefined>();
		const server = createHTTPSServer(identity, ({ url }, response) => {
			pollers.add(url?.split("/").at(-1));
			response.setHeader("Content-Type", "application/hal+json").end('{"config":{"polling":{"sleep":"00:01:00"}}}');
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		const { port } = server.address() as AddressInfo;
		const hawkbit = { url: `https://127.0.0.1:${port}`, token: "token", cert: identity.cert };
		const template = await makeTemplate(LEAD_MS, () => ({
			...{ mqtt: { url: `mqtt://127.0.0.1:${broker.port}` }, hawkbit },
		}));
		const fleet = await Fleet.make(COUNT, 1, template);
		try {
			const { faults, steady } = await measure({
				...{ fleet, broker, server: { port, pid: undefined }, speed: SPEED, slowSpeed: SPEED },
				...{ readoutMs: LEAD_MS, steadyMs: 180_000, downMs: 1000, progress: () => {} },
			});
			assert.deepEqual([faults, steady.failedPolls], [[], 0]);
			assert.deepEqual(
				[...pollers].sort(),
				Array.from({ length: COUNT }, (_, i) => serialOf(i)),
			);
			assert.ok(steady.pollsMs.length >= COUNT && steady.server.received > COUNT * 50);
		} finally {
			await fleet.stop();
			await broker.end();
			server.close();
		}
	});

	it("counts the connections in each second, and finds the busiest second", () => {
		const event = (what: typeof OPEN | typeof FAILED | typeof ENDED, atMs: number, port = 1) => ({
			...{ what, port, atMs, sinceMs: 1, isResumed: what === OPEN && atMs > 3000 },
		});
		const events = [1100, 1600, 1900, 2050, 4000].map((ms) => event(OPEN, ms));
		const others = [event(FAILED, 1200), event(ENDED, 1300), event(OPEN, 1400, 2)];
		assert.deepEqual(spreadOf([...events, ...others], 1, 1000), {
			...{ connections: 5, failed: 1, resumed: 1 },
			...{ perSecond: [3, 1, 0, 1], mostInOneSecond: 4, lastS: 3 },
		});
		assert.equal(quantile([5, 1, 3], 0.5), 3);
		assert.equal(quantile([], 0.5), 0);
	});
});
