/**
 * Additions of mode "everything" to the random load (random-load.ts): a radio in a Zigbee network, clients of all
 * dialects, an event stream, a readout each minute, and all parts on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { CLIENT } from "../live-meter/dialect-clients.js";
import { LiveClients } from "../live-meter/live-clients.js";
import { type ChangeDeps, changeOperations, Losses } from "./load-changes.js";
import type { Operations } from "./load-operations.js";
import type { LoadPeers } from "./load-peers.js";
import { NODE, untilState, ZigbeeNetwork } from "./zigbee-network.js";

const SHELLY_PORT = 2220;
const JOIN_SECS = 250;
const STREAM_LOOK_MS = 500;

export const LIVE_VALUES = Object.freeze({
	...{ ecotracker: true, shelly: true, homewizard: true, sunspec: true, telegrams: true, em24: true },
	...{ ct002: true, sma: false, inverted: false },
	...{ shelly_udp_port: SHELLY_PORT, offset_w: 0, total_on: "l1", pause_ms: 0, max_age_secs: 70 },
});
const PRICES = Object.freeze({
	periods: Array.from({ length: 4 }, (_, i) => ({
		...{ from: `202${3 + i}-01-01`, import_micro: 318_700, export_micro: 80_300 },
		...{ base_micro: 12_900_000, base_per: "month" },
	})),
	currency: "EUR",
});

/** Sends a POST that must succeed in the end. */
export type SetUp = (path: string, settings: object) => Promise<Reply>;

export class Everything {
	readonly losses = new Losses();
	/** Number of times that the stream was opened again. */
	streams = 0;
	readonly #network: ZigbeeNetwork;
	#live: LiveClients | undefined;
	#streaming: Promise<void> | undefined;
	#isPaused = false;
	#isOver = false;

	private constructor(network: ZigbeeNetwork) {
		this.#network = network;
	}

	static async start(): Promise<Everything> {
		const network = new ZigbeeNetwork();
		await network.start();
		return new Everything(network);
	}

	/** Arguments of the gateway's program. */
	get args(): readonly string[] {
		return ["--zigbee", this.#network.path];
	}

	/** Joins the Zigbee network. */
	async join(gateway: ProcessGateway, set: SetUp): Promise<void> {
		await this.#network.watched.coordinator.permitJoin(JOIN_SECS);
		await set("zigbee/reset", {});
		await untilState(gateway, "joined");
	}

	/** Turns on what random-load.ts leaves off, with the initial values of what the operations change. */
	async turnOn(set: SetUp, peers: LoadPeers): Promise<void> {
		await set("system/clock", { timestamp: Math.floor(Date.now() / 1000) });
		await set("system/backup", { backup: 1, settings: { "zigbee/config": { enabled: true } } });
		await set("zigbee/map", { mapping: [] });
		await set("live-meter/clients", { clients: [{ address: CLIENT }] });
		await set("live-meter", LIVE_VALUES);
		await set("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 1 });
		await set("peaks", { interval_mins: 15, count: 1 });
		await set("prices", PRICES);
		await set("meter/backfill", { enabled: true });
		await set("hawkbit", peers.hawkBitSettings);
		await set("system/upgrade", { enabled: true, url: peers.upgradeURL });
	}

	/** Starts the clients and the stream. */
	follow(gateway: ProcessGateway): void {
		this.#live = new LiveClients(gateway, SHELLY_PORT);
		this.#streaming = this.#stream(gateway);
	}

	operations(deps: Omit<ChangeDeps, "network" | "losses">): Operations {
		return changeOperations({ ...deps, network: this.#network, losses: this.losses });
	}

	/** Number of messages from the gateway that the coordinator has received. */
	get zigbeeMessages(): number {
		return this.#network.watched.events.filter(({ event }) => event === "values").length;
	}

	get liveValues(): number {
		return Object.values(this.#live?.counts ?? {}).reduce((sum, count) => sum + count, 0);
	}

	get summary(): string {
		const values = Object.keys(this.#network.watched.coordinator.values.get(NODE) ?? {}).length;
		const live = JSON.stringify(this.#live?.counts);
		return `${this.zigbeeMessages} messages to the coordinator (${values} values), ${this.streams} streams, live ${live}`;
	}

	/** Lets clients and stream rest, and waits until nothing is lost any more. */
	async rest(): Promise<void> {
		this.#isPaused = true;
		this.#live?.pause();
		await this.losses.over();
	}

	resume(): void {
		this.#isPaused = false;
		this.#live?.resume();
	}

	async stop(): Promise<void> {
		this.#isOver = true;
		await this.losses.over();
		await Promise.all([this.#live?.end(), this.#streaming]);
		await this.#network.stop();
	}

	/** Keeps a stream open: the gateway closes it when connections are short, and when it restarts. */
	async #stream(gateway: ProcessGateway): Promise<void> {
		let follower = gateway.follow();
		while (!this.#isOver) {
			if (this.#isPaused) follower.leave();
			else if (follower.isClosed) {
				follower = gateway.follow();
				this.streams++;
			}
			await sleep(STREAM_LOOK_MS);
		}
		follower.leave();
	}
}
