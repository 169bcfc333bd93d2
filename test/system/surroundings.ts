/**
 * All that a gateway with everything on talks to, on virtual time: a meter, a hub with statistics, a broker, a server of
 * hawkBit, a time server, a Zigbee network, clients of the live values, and a follower of the events. They outlast the
 * gateway's restarts, and each can be taken away for a time.
 */
import assert from "node:assert/strict";
import type { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { STATION_ADDRESS } from "../../hosts/node/virtual-udp.js";
import * as hawkBit from "../hawkbit/ddi-server.js";
import * as home from "../hub/bed.js";
import { StatisticsServer } from "../hub/statistics-server.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { serveTime } from "../sntp/time-server.js";
import { VirtualRadio } from "../zigbee/virtual-radio.js";
import { HouseMeter } from "./house-meter.js";

export const TIME_SERVER = "192.0.2.1";
const HUB_PORT = 8123;
const BROKER_PORT = 8883;
const SHELLY_PORT = 1010;
const MODBUS_PORT = 502;
const CLIENT = "192.0.2.40";
const METERING = 0x0702;
/** Time between two requests of a client, ms. */
const UDP_EACH_MS = 60_000;
const EACH_MS = 300_000;
const FOLLOW_AGAIN_MS = 2000;
/** Modbus TCP: 2 registers of the power, from 40097 on in SunSpec, and from 40 on in EM24. */
const ASK_POWER = {
	sunspec: Uint8Array.of(0, 1, 0, 0, 0, 6, 1, 3, 0x9c, 0xa1, 0, 2),
	em24: Uint8Array.of(0, 1, 0, 0, 0, 6, 1, 3, 0, 0x28, 0, 2),
};
const ASK_SHELLY = Buffer.from('{"id":1,"src":"b","method":"EM.GetStatus","params":{"id":0}}');
/** Phases and power in the telegrams, beside the counter. */
const PHASES = ["16.7.0(0.720*kW)", "32.7.0(230.1*V)", "31.7.0(3.13*A)"];
/** Lengths of Zigbee's types in the reports of Metering: uint48, int24. */
const TYPE_BYTES = new Map([
	[0x25, 6],
	[0x2a, 3],
]);

const secure = { certificate: home.OWN_CERTIFICATE.certificate };
const cert = Buffer.from(home.OWN_CERTIFICATE.certificate).toString("latin1");

/** Rise of a counter at which it is reported by Zigbee (DEFAULTS of modules/zigbee/reports.ts), Wh. */
const REPORTED_STEP_WH = 10;

/** Counters that have arrived at each receiver of readouts, Wh. */
export interface Arrived {
	readonly hub: Set<number>;
	readonly broker: Set<number>;
	readonly coordinator: Set<number>;
}

export class Surroundings {
	readonly radio = new VirtualRadio();
	readonly meter: HouseMeter;
	readonly statistics = new StatisticsServer(undefined);
	readonly hawkBit = new hawkBit.DDIServer();
	readonly arrived: Arrived = { hub: new Set(), broker: new Set(), coordinator: new Set() };
	/** Number of replies to the clients of each dialect, and of bytes of the event stream. */
	readonly live = { shelly: 0, ecotracker: 0, homewizard: 0, sunspec: 0, em24: 0 };
	streamedBytes = 0;
	/** Token of the follower. */
	token = "";
	isTimeLost = false;
	#hub!: home.StateServer;
	#broker: ScriptedBroker | undefined;
	#world!: VirtualWorld;

	constructor(startMs: number) {
		this.meter = new HouseMeter(startMs, PHASES);
		this.radio.coordinator.isOpen = true;
	}

	/** Moves into a new world: the first one, or that of a restarted gateway. */
	enter(world: VirtualWorld): void {
		this.#world = world;
		this.meter.connect(world);
		this.#hub = new home.StateServer(world);
		this.#hub.upgrade = (peer, head) => this.statistics.upgrade(peer, head);
		if (this.#broker === undefined) this.#broker = new ScriptedBroker(world, BROKER_PORT, secure);
		this.giveHub();
		this.giveBroker();
		this.hawkBit.serve(world);
		serveTime(world, TIME_SERVER, () => (this.isTimeLost ? undefined : world.time.utcMs()));
		this.askByUDP(world);
		this.each(world, EACH_MS, () => this.askByHTTP("/v1/json", "ecotracker"));
		this.each(world, EACH_MS, () => this.askByHTTP("/api/v1/data", "homewizard"));
		this.each(world, EACH_MS, () => this.askByModbus("sunspec"));
		this.each(world, EACH_MS, () => this.askByModbus("em24"));
		if (this.token !== "") this.follow(world);
	}

	/** Settings by route, in the order in which they are sent. */
	get settings(): readonly (readonly [path: string, body: object])[] {
		const names = { import_micro: 318_700, export_micro: 80_300 };
		return [
			["system/timezone", { timezone: "Europe/Berlin" }],
			["iec62056/control", { log_en: true }],
			["hub", { enabled: true, statistics: true, url: `https://${home.ADDRESS}:${HUB_PORT}`, token: home.TOKEN, cert }],
			["mqtt", { enabled: true, url: `mqtts://${BROKER_ADDRESS}:${BROKER_PORT}`, topics: "both", cert }],
			["live-meter/clients", { clients: [{ address: CLIENT }] }],
			[
				"live-meter",
				{
					ecotracker: true,
					shelly: true,
					homewizard: true,
					sunspec: true,
					em24: true,
					telegrams: true,
					shelly_udp_port: SHELLY_PORT,
					max_age_secs: 600,
				},
			],
			["peaks", { interval_mins: 15, count: 3 }],
			["prices", { periods: [{ from: "2026-01-01", ...names }], currency: "EUR" }],
			["meter/backfill", { enabled: true }],
			[
				"hawkbit",
				{
					...{ enabled: true, url: `https://${hawkBit.HOST}/fleet`, controller_id: "gateway-1", token: hawkBit.TOKEN },
					cert: Buffer.from(hawkBit.CERTIFICATE.certificate).toString(),
				},
			],
		];
	}

	/** True if this counter has arrived at the receiver; at the coordinator, if one has that it must be reported after. */
	hasArrived(receiver: keyof Arrived, wh: number): boolean {
		const arrived = this.arrived[receiver];
		const step = receiver === "coordinator" ? REPORTED_STEP_WH : 1;
		for (let less = 0; less < step; less++) if (arrived.has(wh - less) || arrived.has(wh + less)) return true;
		return false;
	}

	/** Takes the values that have arrived since the last call, and forgets the rest of what was received. */
	collect(): void {
		const inWh = (kWh: string) => Math.round(Number(kWh) * 1000);
		for (const line of this.#hub.takeLog()) {
			const [, id, state] = line.split(" ");
			if (id.endsWith("_1_8_0")) this.arrived.hub.add(inWh(state));
		}
		const broker = this.#broker!;
		for (const line of broker.published.splice(0)) {
			const [topic, value] = line.split(" ");
			if (topic.endsWith("/1_8_0")) this.arrived.broker.add(inWh(value));
		}
		for (const session of broker.sessions.splice(0, broker.sessions.length - 1)) session.isOpen = false;
		broker.current?.packets.splice(0);
		const { coordinator } = this.radio;
		for (const report of coordinator.reports(METERING)) {
			const energy = energyIn(Buffer.from(report, "hex"));
			if (energy !== undefined) this.arrived.coordinator.add(energy);
		}
		for (const list of [coordinator.reportedFrames, this.radio.lines, this.#world.udp.sent, this.#hub.heads])
			list.length = 0;
		for (const list of [this.hawkBit.requests, this.statistics.imports]) list.length = 0;
	}

	giveHub(): void {
		this.#hub.serve(HUB_PORT, secure);
	}

	takeHub(): void {
		this.#world.servers.stop(home.ADDRESS, HUB_PORT);
	}

	giveBroker(): void {
		this.#broker!.serve(this.#world);
	}

	takeBroker(): void {
		this.#world.servers.stop(BROKER_ADDRESS, BROKER_PORT);
		this.#broker!.current?.peer.reset();
	}

	giveCoordinator(): void {
		this.radio.chip.air.add(this.radio.coordinator);
	}

	takeCoordinator(): void {
		this.radio.chip.air.remove(this.radio.coordinator);
	}

	/** Follows the events; opens the stream again when it was closed. */
	follow(world: VirtualWorld): void {
		const client = this.connect(world, true);
		const again = () => void world.time.set(() => this.follow(world), FOLLOW_AGAIN_MS);
		if (client === undefined) {
			again();
			return;
		}
		client.onReceived = () => {
			this.streamedBytes += client.receivedCount;
			client.discard(client.receivedCount);
			if (client.isClosed) again();
		};
		client.send(encodeRequest("/api/v1/events", { headers: { Authorization: `Bearer ${this.token}` } }));
	}

	private connect(world: VirtualWorld, isSecure: boolean): VirtualClient | undefined {
		return (isSecure ? world.network.https : world.network.http)?.connect(CLIENT);
	}

	private each(world: VirtualWorld, ms: number, ask: () => void): void {
		const next = () => {
			ask();
			world.time.set(next, ms);
		};
		world.time.set(next, ms);
	}

	private askByUDP(world: VirtualWorld): void {
		const from = { address: CLIENT, port: 40_000 };
		world.udp.serve(from.address, from.port, () => {
			this.live.shelly++;
			return [];
		});
		const to = { address: STATION_ADDRESS, port: SHELLY_PORT };
		this.each(world, UDP_EACH_MS, () => world.udp.send({ from, to, bytes: ASK_SHELLY }));
	}

	private askByHTTP(path: string, name: "ecotracker" | "homewizard"): void {
		const client = this.connect(this.#world, false);
		if (client === undefined) return;
		client.onReceived = () => {
			if (client.text.startsWith("HTTP/1.1 200 ")) this.live[name]++;
			client.onReceived = undefined;
			client.close();
		};
		client.send(encodeRequest(path));
	}

	private askByModbus(name: keyof typeof ASK_POWER): void {
		const client = this.#world.network.tcpListener(MODBUS_PORT).connect(CLIENT);
		if (client === undefined) return;
		client.onReceived = () => {
			if (client.receivedCount > 9) this.live[name]++;
			client.onReceived = undefined;
			client.close();
		};
		client.send(ASK_POWER[name]);
	}
}

/** Energy in a report of Metering, beginning with its first attribute: attribute 0, Wh. */
function energyIn(report: Buffer): number | undefined {
	for (let at = 0; at < report.length; ) {
		const [id, type] = [report.readUInt16LE(at), report[at + 2]];
		if (id === 0) return report.readUIntLE(at + 3, 6);
		at += 3 + (TYPE_BYTES.get(type) ?? assert.fail(`type ${type}`));
	}
	return undefined;
}
