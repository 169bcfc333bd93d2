/**
 * One gateway in virtual time with all outputs on, at a P1 meter whose telegrams a test can change, and what each way
 * out of the gateway shows of this meter.
 */
import assert from "node:assert/strict";
import { PushMeter } from "../../tools/meter/push-meter.js";
import type { JSONObject } from "../api/gateway.js";
import { readMetrics } from "../api/metrics-text.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { ADDRESS, StateServer, TOKEN } from "../hub/bed.js";
import { StatisticsServer } from "../hub/statistics-server.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { decode, METERING } from "../zigbee/bridge-bed.js";
import { VirtualRadio } from "../zigbee/virtual-radio.js";
import { P1Feed } from "./p1-feed.js";
import { ShownPage } from "./shown-page.js";

const BAUD = 115_200;
/** Shorter than the age limit of each dialect, longer than the pause of the hub. */
const PUSH_MS = 12_000;
/** Time in which a telegram reaches all outputs, ms. */
const REACH_MS = 5000;
const CLIENT = "192.0.2.40";
const HUB_PORT = 8123;
const SMA_PORT = 9522;
const MODBUS_PORT = 502;
const DIALECTS = ["ecotracker", "shelly", "homewizard", "sma", "sunspec", "telegrams", "em24"];
const HOME_AUTOMATION = 0x0104;
const TARIFF_2_WH = 3_000_000;
const ENERGY = 0x0000;
const METER_STATUS = 0x0200;
const DEMAND = 0x0400;
const DEMAND_UNKNOWN = -0x800000;

/** A number in the unit of `Values`; null: marked as unknown; undefined: absent; or what the client gets instead. */
export type Shown = number | null | undefined | string;

/** The values that a way out shows, and whether it says that the meter can't be read. */
export interface Seen {
	readonly power?: Shown;
	readonly energy?: Shown;
	readonly gas?: Shown;
	readonly time?: Shown;
	readonly state?: Shown;
	/** True if the value of `energy` is marked as doubtful. */
	readonly isMarked?: boolean;
}

/** The consumption that a way out has booked for a time: Wh, litres, and the marks of the periods. */
export interface Booked {
	readonly energy: number;
	readonly gas: number;
	readonly marks: ReadonlySet<string>;
}

export interface Way {
	readonly name: string;
	read(): Promise<Seen> | Seen;
}

export interface Book {
	readonly name: string;
	read(fromS: number, toS: number): Promise<Booked> | Booked;
}

export class WaysOut {
	readonly feed = new P1Feed(START_UTC_MS);
	readonly radio = new VirtualRadio();
	readonly gateway = new VirtualGateway("client", { zigbee: this.radio.make });
	#hub!: StateServer;
	#statistics!: StatisticsServer;
	#broker!: ScriptedBroker;
	#page!: ShownPage;

	async start(): Promise<void> {
		const { gateway, feed, radio } = this;
		await gateway.login();
		// A session ends after half an hour.
		gateway.token = (await gateway.write("system/tokens", { name: "test" })).token;
		const { world } = gateway;
		this.#hub = new StateServer(world);
		this.#statistics = new StatisticsServer(this.#hub);
		this.#hub.serve(HUB_PORT);
		this.#broker = new ScriptedBroker(world);
		radio.coordinator.isOpen = true;
		const settings: readonly (readonly [path: string, settings: object])[] = [
			["iec62056/config", { mode_d_enabled: true, mode_d_baudrate: BAUD }],
			["hub", { enabled: true, url: `http://${ADDRESS}:${HUB_PORT}`, token: TOKEN, statistics: true }],
			["mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}`, topics: "both", pause_secs: 1 }],
			["live-meter/clients", { clients: [{ address: CLIENT }] }],
			["live-meter", Object.fromEntries(DIALECTS.map((name) => [name, true]))],
		];
		for (const [path, body] of settings) await gateway.write(path, body);
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		const line = world.serial.meter;
		line.plugIn();
		const source = (nowMs: number) => feed.telegram(nowMs);
		line.connect(new PushMeter({ source, baud: BAUD, pushMs: PUSH_MS }, world.time.nowMs));
		this.#page = await ShownPage.open(gateway);
		await this.passUntil(120_000);
		assert.equal((await gateway.read("zigbee/config")).state, "joined");
	}

	async stop(): Promise<void> {
		this.#page?.close();
		await this.gateway.stop();
	}

	async setClock(): Promise<void> {
		const timestamp = Math.floor((START_UTC_MS + this.nowMs) / 1000);
		await this.gateway.write("system/clock", { timestamp });
	}

	get nowMs(): number {
		return this.gateway.world.time.nowMs;
	}

	async passUntil(ms: number): Promise<void> {
		await this.gateway.pass(Math.max(0, ms - this.nowMs));
	}

	/** Waits until the next telegram has reached all outputs. A silent meter sends none. */
	async untilTelegram(): Promise<void> {
		const { count, isOn } = this.feed;
		if (!isOn) return;
		for (let ms = 0; this.feed.count === count; ms += 100) {
			assert.ok(ms <= PUSH_MS, "the meter sends no telegram");
			await this.gateway.pass(100);
		}
		await this.gateway.pass(REACH_MS);
	}

	/** Each way that shows values as they are now. */
	readonly ways: readonly Way[] = [
		{ name: "API: `iec62056/last`, status", read: () => this.fromAPI() },
		{ name: "events", read: () => this.fromEvents() },
		{ name: "page and display: overview", read: () => this.#page.overview() },
		{ name: "page and display: readings", read: () => this.#page.readings() },
		{ name: "MQTT: JSON", read: () => this.fromMQTT((key) => JSON.parse(this.lastMessage("state") ?? "{}")[key]) },
		{ name: "MQTT: values", read: () => this.fromMQTT((key) => this.lastMessage(key)) },
		{ name: "hub: states", read: () => this.fromHub() },
		{ name: "Zigbee", read: () => this.fromZigbee() },
		{ name: "metrics", read: () => this.fromMetrics() },
		{ name: "EcoTracker", read: () => this.fromPage("/v1/json", ["power"], ["energyCounterIn", 1]) },
		{
			name: "Shelly",
			read: () => this.fromPage("/rpc/Shelly.GetStatus", ["em:0", "total_act_power"], ["emdata:0", "total_act", 1]),
		},
		{
			name: "HomeWizard",
			read: () => this.fromPage("/api/v1/data", ["active_power_w"], ["total_power_import_kwh", 1000]),
		},
		{ name: "SMA", read: () => this.fromSMA() },
		{ name: "SunSpec", read: () => this.fromSunSpec() },
		{ name: "EM24", read: () => this.fromEM24() },
		{ name: "backup", read: () => this.fromBackup() },
	];

	/** Each way that books consumption by time. */
	readonly books: readonly Book[] = [
		{ name: "history: JSON", read: (fromS, toS) => this.fromHistory(fromS, toS) },
		{ name: "history: CSV", read: (fromS, toS) => this.fromCSV(fromS, toS) },
		{ name: "hub: statistics", read: (fromS, toS) => this.fromStatistics(fromS, toS) },
	];

	private async fromAPI(): Promise<Seen> {
		const { readings, last_error, timestamp } = await this.gateway.read("iec62056/last");
		const find = (code: string) => readings.find(({ obis_long }: JSONObject) => obis_long === code);
		const number = (code: string) => scaled(find(code)?.value1_number, 1000);
		const isMarked = find("1-0:1.8.1")?.unconfirmed === true;
		const state = last_error === null ? "ok" : "failed";
		return {
			power: number("1-0:1.7.0"),
			energy: number("1-0:1.8.1"),
			gas: number("0-1:24.2.1"),
			time: timestamp || null,
			isMarked,
			state,
		};
	}

	private async fromEvents(): Promise<Seen> {
		const follower = this.gateway.follow();
		await this.gateway.pass(500);
		follower.leave();
		for (const name of ["state", "readout"]) assert.ok(!("readings" in follower.last(name)));
		const { timestamp } = follower.last("readout");
		return { time: timestamp || null, state: follower.last("state").meter_state === "ok" ? "ok" : "failed" };
	}

	private lastMessage(key: string): string | undefined {
		return this.#broker.last.get(`smgw/virtual0001/${key}`);
	}

	private fromMQTT(of: (key: string) => unknown): Seen {
		const number = (key: string, scale: number) => scaled(of(key), scale);
		return {
			power: number("1_0_1_7_0", 1),
			energy: number("1_0_1_8_1", 1000),
			gas: number("0_1_24_2_1", 1000),
			time: seconds(of("time")),
			state: of("meter") === "on" ? "ok" : "failed",
		};
	}

	private fromHub(): Seen {
		const of = (id: string) => this.#hub.states.get(id)?.state;
		const number = (key: string, scale: number) => scaled(of(`sensor.gateway_${key}`), scale);
		return {
			power: number("1_0_1_7_0", 1),
			energy: number("1_0_1_8_1", 1000),
			gas: number("0_1_24_2_1", 1000),
			time: seconds(of("sensor.gateway_last_readout")),
			state: of("binary_sensor.gateway_meter") === "on" ? "ok" : "failed",
		};
	}

	private async fromMetrics(): Promise<Seen> {
		const samples = readMetrics((await this.gateway.get("metrics")).text);
		const number = (name: string, scale: number, code?: string) =>
			scaled(samples.find(({ name: own, labels }) => own === name && labels["obis"] === code)?.value, scale);
		return {
			power: number("smartmeter_power_watts", 1, "1-0:1.7.0"),
			energy: number("smartmeter_energy_kwh_total", 1000, "1-0:1.8.1"),
			gas: number("smartmeter_volume_cubic_meters_total", 1000, "0-1:24.2.1"),
			time: number("smartmeter_readout_timestamp_seconds", 1),
		};
	}

	/** Reads the attributes as a coordinator does. */
	private async fromZigbee(): Promise<Seen> {
		const metering = await this.readZigbee(METERING, [ENERGY, METER_STATUS, DEMAND]);
		const [energy, status, power] = [ENERGY, METER_STATUS, DEMAND].map((id) => metering.get(id));
		const net = energy === undefined ? null : energy - TARIFF_2_WH;
		return {
			power: power === undefined || power === DEMAND_UNKNOWN ? null : power,
			energy: net,
			state: ((status ?? 0) & 1) === 0 ? "ok" : "failed",
		};
	}

	private async readZigbee(cluster: number, ids: readonly number[]): Promise<Map<number, number>> {
		const { coordinator, chip } = this.radio;
		const payload = Buffer.from([0x10, 1, 0, ...ids.flatMap((id) => [id & 0xff, id >> 8])]);
		const { length } = coordinator.reportedFrames;
		coordinator.send(chip.network!.shortAddress, { cluster, profile: HOME_AUTOMATION, payload });
		await this.gateway.pass(500);
		const answer = coordinator.reportedFrames.slice(length).find(({ payload: bytes }) => bytes[2] === 1);
		assert.ok(answer, "the bridge does not answer");
		const rows = decode(cluster, answer.payload).payload as { attrId: number; status: number; attrData: number }[];
		return new Map(rows.filter(({ status }) => status === 0).map(({ attrId, attrData }) => [attrId, attrData]));
	}

	/** `power` and `energy`: names of the nested members; the last one of `energy` is the factor to Wh. */
	private async fromPage(path: string, power: readonly string[], energy: readonly (string | number)[]): Promise<Seen> {
		const reply = await this.gateway.begin("GET", path, { secure: false, token: null, from: CLIENT }).reply();
		if (reply.status !== 200) return { power: String(reply.status), energy: String(reply.status) };
		const member = (names: readonly (string | number)[]) =>
			names.reduce<JSONObject>((object, name) => object?.[name], JSON.parse(reply.text));
		return { power: member(power), energy: total(member(energy.slice(0, -1)), Number(energy.at(-1))) };
	}

	private fromSMA(): Seen {
		const { sent } = this.gateway.world.udp;
		const last = sent.findLast(({ to }) => to.port === SMA_PORT);
		if (last === undefined || this.nowMs - last.timeMs > REACH_MS + 1000)
			return { power: "no datagram", energy: "no datagram" };
		const bytes = Buffer.from(last.bytes);
		// Channels 1.4 and 1.8 (sma.test.ts checks the whole datagram).
		assert.deepEqual([bytes.readUInt32BE(28), bytes.readUInt32BE(36)], [0x10400, 0x10800]);
		return {
			power: bytes.readUInt32BE(32) / 10,
			energy: total(Number(bytes.readBigUInt64BE(40)) / 3600, 1),
		};
	}

	/** Reads registers; returns their bytes, or the exception as it is shown. */
	private async readModbus(first: number, count: number): Promise<Buffer | string> {
		const client = this.gateway.world.network.tcpListener(MODBUS_PORT).connect(CLIENT);
		assert.ok(client, "no connection");
		client.send(Uint8Array.of(0, 1, 0, 0, 0, 6, 1, 3, first >> 8, first, 0, count));
		await this.gateway.pass(200);
		const reply = Buffer.from(client.received);
		client.close();
		return reply[7] === 3 ? reply.subarray(9) : `exception ${reply[8]}`;
	}

	/** The low word comes first. Energy is left out, because it is in tenths of a kWh. */
	private async fromEM24(): Promise<Seen> {
		const reply = await this.readModbus(0x28, 2);
		if (typeof reply === "string") return { power: reply };
		return { power: ((reply.readInt16BE(2) << 16) | reply.readUInt16BE(0)) / 10 };
	}

	private async fromSunSpec(): Promise<Seen> {
		const reply = await this.readModbus(40_071, 124);
		if (typeof reply === "string") return { power: reply, energy: reply };
		const value = (place: number) => {
			const number = reply.readFloatBE(4 * place);
			return Number.isNaN(number) ? null : number;
		};
		return { power: value(13), energy: total(value(33), 1) };
	}

	/** Looks for the values anywhere in the text. */
	private async fromBackup(): Promise<Seen> {
		const { text } = await this.gateway.get("system/backup");
		assert.ok(text.includes("live-meter"), text);
		const numbers = text.match(/\d+(\.\d+)?/g)!.map(Number);
		const { power = Number.NaN, energy = Number.NaN, gas = Number.NaN } = this.feed.right;
		for (const value of [power / 1000, energy, energy / 1000, gas, gas / 1000])
			assert.ok(!numbers.includes(value), text);
		return {};
	}

	private async fromHistory(fromS: number, toS: number): Promise<Booked> {
		const { periods } = await this.gateway.read(`meter/history?period=quarters&from=${fromS}&to=${toS}`);
		return booked(
			periods.map(({ import_wh, gas_l, ...marks }: JSONObject) => ({
				energy: import_wh,
				gas: gas_l,
				marks: Object.keys(marks).filter((name) => marks[name] === true),
			})),
		);
	}

	private async fromCSV(fromS: number, toS: number): Promise<Booked> {
		const path = `meter/history?period=quarters&from=${fromS}&to=${toS}`;
		const { text } = await this.gateway.get(path, { headers: { Accept: "text/csv" } });
		const [head, ...lines] = text.trim().split("\r\n");
		const names = head.split(",");
		const rows = lines.map((line) => {
			const cells = line.split(",");
			const cell = (name: string) => cells[names.indexOf(name)];
			const number = (name: string) => (cell(name) === "" ? null : Number(cell(name)));
			return { energy: number("import_wh"), gas: number("gas_l"), marks: cell("marks").split(" ").filter(Boolean) };
		});
		return booked(rows);
	}

	private fromStatistics(fromS: number, toS: number): Booked {
		const sum = (key: string, scale: number) =>
			[...this.#statistics.changesOf(key, "gateway")]
				.filter(([startS]) => startS >= fromS && startS < toS)
				.reduce((all, [, change]) => all + change * scale, 0);
		return { energy: sum("import", 1), gas: sum("gas", 1), marks: new Set() };
	}
}

function scaled(value: unknown, scale: number): Shown {
	if (value === undefined) return undefined;
	if (value === null || value === "" || ["unknown", "None"].includes(String(value))) return null;
	return Number(value) * scale;
}

function seconds(time: unknown): Shown {
	const shown = scaled(time && Date.parse(String(time)), 1 / 1000);
	return Number.isNaN(shown) ? null : shown;
}

/** The import in tariff 1, from that in both. */
function total(value: number | null | undefined, scale: number): Shown {
	return typeof value === "number" ? value * scale - TARIFF_2_WH : value;
}

interface Period {
	readonly energy: number | null;
	readonly gas: number | null;
	readonly marks: readonly string[];
}

function booked(periods: readonly Period[]): Booked {
	const sum = (name: "energy" | "gas") => periods.reduce((all, period) => all + (period[name] ?? 0), 0);
	return { energy: sum("energy"), gas: sum("gas"), marks: new Set(periods.flatMap(({ marks }) => marks)) };
}
