/**
 * The firmware on Linux with everything on: joined radio, hub and MQTT by TLS, live values in all dialects, a readout
 * each minute of the longest telegram, peaks, backfill, prices, line log, polled objects, months of history, and a
 * token. Most of it is saved as one backup file.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../hosts/node/random.js";
import type { JSONObject, Reply } from "../api/gateway.js";
import { ProcessGateway, type ProcessOptions } from "../api/process-gateway.js";
import { Simulation } from "../history/simulation.js";
import { NAMES } from "../history/unit.js";
import { iecVectors } from "../vectors.js";
import { MAP, OBJECTS } from "./load-operations.js";
import { LoadPeers } from "./load-peers.js";
import { DLMS } from "./memory-limits.js";
import { untilState, ZigbeeNetwork } from "./zigbee-network.js";

const DAY = 86_400;
const HISTORY_DAYS = 100;
const PATIENCE = 60;
const JOIN_S = 200;

export const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

/** All settings but those of hub and MQTT, which depend on the peers. */
export const SETTINGS: Readonly<Record<string, object>> = {
	"iec62056/control": { log_en: true },
	"iec62056/schedule": { enabled: true, period_unit: "minutes", period_value: 1 },
	"system/timezone": { timezone: "America/Argentina/Buenos_Aires" },
	"dlms/config": DLMS,
	"dlms/obis": JSON.parse(OBJECTS),
	"zigbee/map": JSON.parse(MAP),
	peaks: { interval_mins: 15, count: 3 },
	"meter/backfill": { enabled: true, obis: "1-0:99.1.0" },
	prices: {
		periods: [
			{ from: "2025-01-01", import_micro: 334_000 },
			{ from: "2026-01-01", import_micro: 318_700 },
		],
	},
	"live-meter": {
		...{ ecotracker: true, shelly: true, homewizard: true, sunspec: true, telegrams: true },
		...{ em24: true, ct002: true },
	},
	"live-meter/clients": { clients: [{ address: "127.0.0.1" }] },
};

export class EverythingOn {
	readonly peers: LoadPeers;
	readonly zigbee: ZigbeeNetwork;
	readonly gateway: ProcessGateway;

	private constructor(peers: LoadPeers, zigbee: ZigbeeNetwork, gateway: ProcessGateway) {
		this.peers = peers;
		this.zigbee = zigbee;
		this.gateway = gateway;
	}

	static async start({ args = [], ...options }: ProcessOptions = {}): Promise<EverythingOn> {
		const peers = await LoadPeers.start(new SeededRandom(1));
		peers.isCalm = true;
		const zigbee = new ZigbeeNetwork();
		await zigbee.start();
		const start = { ...options, args: ["--zigbee", zigbee.path, ...args] };
		const bed = new EverythingOn(peers, zigbee, await ProcessGateway.start("linux", start));
		try {
			await bed.#setUp();
		} catch (error) {
			await bed.stop();
			throw error;
		}
		return bed;
	}

	async stop(): Promise<void> {
		await this.gateway.stop();
		await this.zigbee.stop();
		this.peers.stop();
	}

	async #setUp(): Promise<void> {
		const { gateway, peers, zigbee } = this;
		const endS = (Math.floor(Date.now() / (DAY * 1000)) - 0.5) * DAY;
		const simulation = new Simulation({ seed: 1, registers: NAMES }, endS - HISTORY_DAYS * DAY);
		simulation.run(endS);
		await gateway.login();
		mkdirSync(join(gateway.stateFolder, "partitions"), { recursive: true });
		writeFileSync(join(gateway.stateFolder, "partitions", "history"), simulation.unit.partition.bytes);
		await zigbee.watched.coordinator.permitJoin(JOIN_S);
		await this.set("zigbee/reset");
		await untilState(gateway, "joined");
		for (const [path, settings] of Object.entries(SETTINGS)) await this.set(path, settings);
		await this.set("system/tokens", { name: "reader", scope: "read" });
		await this.set("mqtt", peers.mqttSettings);
		await this.set("hub", peers.hubSettings);
		await gateway.connectMeter({ telegram: longest.telegram });
		await this.read("iec62056/read");
	}

	set(path: string, settings?: object): Promise<Reply> {
		return this.#served(() => this.gateway.post(path, settings));
	}

	async read(path: string): Promise<JSONObject> {
		return JSON.parse((await this.#served(() => this.gateway.get(path))).text);
	}

	/** Repeats a request while the outputs use the memory. */
	async #served(send: () => Promise<Reply>): Promise<Reply> {
		let reply = await send();
		for (let tries = 0; reply.status === 503 && tries < PATIENCE; tries++) {
			await sleep(1000);
			reply = await send();
		}
		assert.equal(reply.status, 200, `${reply.text}\n${this.gateway.diagnosis}`);
		return reply;
	}
}
