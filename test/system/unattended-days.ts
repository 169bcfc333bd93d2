/**
 * Days of a gateway with everything on (surroundings.ts), on virtual time, in either engine. It restarts once a day, and
 * each of its peers is lost for an hour. Every readout must be made in time and arrive everywhere, the history must equal
 * the meter, nothing may be caught by a guard, and nothing may grow.
 */
import assert from "node:assert/strict";
import { queryObjects } from "node:v8";
import { NodeText } from "../../hosts/node/platform.js";
import type { VirtualOptions, VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualConnection } from "../../hosts/node/virtual-network.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { BENCH_PASSWORD, BENCH_SSID, TextAir } from "../../hosts/simulated/air.js";
import { createWiFiPort } from "../../hosts/simulated/radio.js";
import { presetNetwork } from "../../modules/app/preset.js";
import { Task } from "../../modules/io/driver.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import type { JSONObject } from "../api/gateway.js";
import { RADIO, VirtualGateway } from "../api/virtual-gateway.js";
import { makeSlots } from "../update/firmware-files.js";
import { DAY_MS, HOUR_MS, type Shown } from "./house-meter.js";
import { type Arrived, type Surroundings, TIME_SERVER } from "./surroundings.js";

export const RECEIVERS = ["hub", "broker", "coordinator"] as const;

const MINUTE_MS = 60_000;
export const START_MS = 3 * MINUTE_MS;
/** Time of day of the restart and of the first loss, and length of a loss, ms. */
const RESTART_MS = 3 * HOUR_MS + 2.5 * MINUTE_MS;
const LOSS_MS = HOUR_MS;
/** Time of the first day at which all is counted for the first time. */
const LOOK_MS = 4.5 * HOUR_MS + 0.75 * MINUTE_MS;
/** Longest time between the boundary of an hour and its reading (docs/history.md), s. */
const OFF_S = 240;
/** Time after a loss in which everything works again: longer than the longest pause between attempts. */
const RECOVERY_MS = 25 * MINUTE_MS;
/** Time after a scheduled moment within which its readout begins, and after which all has been sent. */
const BEGINS_MS = 5000;
const SENT_MS = 50_000;
/** Time after a start within which no readout needs to arrive everywhere. */
const RESTART_ROOM_MS = 3 * MINUTE_MS;

/** A gateway in virtual time, in one of the engines. */
export interface Unit {
	readonly world: VirtualWorld;
	pass(ms: number): Promise<void>;
	/** Sends a request that must succeed; returns its JSON. */
	ask(method: "GET" | "POST", path: string, body?: object): Promise<JSONObject>;
	/** Sets the networks in range, in the form of `air.txt`; "": the gateway's own. */
	setAir(text: string): void;
	/** Restarts on the same flash; `enter` prepares the new world. */
	restart(enter: (world: VirtualWorld) => void): Promise<void>;
	/** Slots that live objects take; undefined in Node. */
	slots(): Promise<number | undefined>;
	stop(): Promise<void>;
}

function optionsOf(surroundings: Surroundings, utcMs: number): VirtualOptions {
	return { utcMs, zigbee: surroundings.radio.make, slots: makeSlots(), info: { timeServers: TIME_SERVER } };
}

export class NodeUnit implements Unit {
	readonly #gateway: VirtualGateway;

	constructor(surroundings: Surroundings, utcMs: number) {
		this.#gateway = new VirtualGateway("client", optionsOf(surroundings, utcMs));
	}

	get world(): VirtualWorld {
		return this.#gateway.world;
	}

	pass(ms: number): Promise<void> {
		return this.#gateway.pass(ms);
	}

	async ask(method: "GET" | "POST", path: string, body?: object): Promise<JSONObject> {
		await this.#gateway.login();
		return bodyOf(path, await this.#gateway.request(method, path, { body }));
	}

	setAir(text: string): void {
		this.#gateway.setAir(text);
	}

	async restart(enter: (world: VirtualWorld) => void): Promise<void> {
		this.#gateway.onWorld = enter;
		await this.#gateway.restart();
	}

	async slots(): Promise<undefined> {
		return undefined;
	}

	stop(): Promise<void> {
		return this.#gateway.stop();
	}
}

/** Length of a piece of time in XS, ms: input of a piece arrives together. */
const PIECE_MS = 100;

export class XSUnit implements Unit {
	readonly #options: VirtualOptions;
	#xs: XSWorld;
	#air = "";
	#starts = 0;

	private constructor(options: VirtualOptions) {
		const air = new TextAir(() => this.#air);
		const wifi = (timers: VirtualTime) => createWiFiPort({ air, timers, ...RADIO });
		this.#options = { ...options, wifi };
		this.#xs = undefined as never;
	}

	static async start(surroundings: Surroundings, utcMs: number): Promise<XSUnit> {
		const storage = new VirtualStorage();
		presetNetwork(storage, new NodeText(), { ssid: BENCH_SSID, password: BENCH_PASSWORD });
		const unit = new XSUnit({ ...optionsOf(surroundings, utcMs), storage });
		await unit.begin({}, () => {});
		return unit;
	}

	get world(): VirtualWorld {
		return this.#xs.world;
	}

	pass(ms: number): Promise<void> {
		return this.#xs.advance(ms);
	}

	async ask(method: "GET" | "POST", path: string, body?: object): Promise<JSONObject> {
		await this.#xs.login();
		return bodyOf(path, await this.#xs.request(path, { method, ...(body === undefined ? {} : { body }) }));
	}

	setAir(text: string): void {
		this.#air = text;
	}

	async restart(enter: (world: VirtualWorld) => void): Promise<void> {
		await this.#xs.stop();
		const { flash, retained, time } = this.world;
		await this.begin({ flash, retained, utcMs: time.utcMs()! }, enter);
	}

	slots(): Promise<number> {
		return this.#xs.slots();
	}

	stop(): Promise<void> {
		return this.#xs.stop();
	}

	private async begin(options: VirtualOptions, enter: (world: VirtualWorld) => void): Promise<void> {
		const seed = 1000 + this.#starts++;
		this.#xs = await XSWorld.start({ pieceMs: PIECE_MS, ...this.#options, ...options, seed }, enter);
	}
}

function bodyOf(path: string, { status, text }: { readonly status: number; readonly text: string }): JSONObject {
	assert.equal(status, 200, `${path}: ${text}`);
	return text === "" ? {} : JSON.parse(text);
}

/** Something that is away for an hour. */
interface Loss {
	readonly name: string;
	/** Receivers that get nothing meanwhile. */
	readonly deaf: readonly (keyof Arrived)[];
	take(): void;
	give(): void;
}

/** Counts after the first restart, or at the end of a day. */
interface Count {
	readonly keys: string;
	readonly timers: number;
	readonly tasks: number;
	readonly connections: number;
	readonly slots: number | undefined;
}

export interface DaysOptions {
	/** Start of a local day in Berlin, Unix ms. */
	readonly startMs: number;
	readonly days: number;
	/** Number of losses in a day. */
	readonly lossesADay: number;
	/** Minutes between two readouts. */
	readonly period: number;
}

interface Span {
	readonly fromMs: number;
	readonly toMs: number;
}

export class UnattendedDays {
	readonly counts: Count[] = [];
	readonly surroundings: Surroundings;
	readonly unit: Unit;
	readonly #options: DaysOptions;
	readonly #losses: readonly Loss[];
	/** Times in which no readout needs to be made, and in which none needs to arrive at a receiver. */
	readonly #unread: Span[] = [];
	readonly #deaf: Readonly<Record<keyof Arrived, Span[]>> = { hub: [], broker: [], coordinator: [] };

	constructor(options: DaysOptions, surroundings: Surroundings, unit: Unit) {
		this.#options = options;
		this.surroundings = surroundings;
		this.unit = unit;
		const { meter, radio } = surroundings;
		this.#losses = [
			{
				...{ name: "network", deaf: ["hub", "broker"] },
				take: () => unit.setAir("elsewhere -70 1\n"),
				give: () => unit.setAir(""),
			},
			{ name: "hub", deaf: ["hub"], take: () => surroundings.takeHub(), give: () => surroundings.giveHub() },
			{
				name: "broker",
				deaf: ["broker"],
				take: () => surroundings.takeBroker(),
				give: () => surroundings.giveBroker(),
			},
			{ name: "meter", deaf: RECEIVERS, take: () => meter.silence(true), give: () => meter.silence(false) },
			{ name: "radio", deaf: ["coordinator"], take: () => radio.plug(false), give: () => radio.plug(true) },
			{
				...{ name: "coordinator", deaf: ["coordinator"] },
				take: () => surroundings.takeCoordinator(),
				give: () => surroundings.giveCoordinator(),
			},
			{
				...{ name: "time server", deaf: [] },
				take: () => {
					surroundings.isTimeLost = true;
				},
				give: () => {
					surroundings.isTimeLost = false;
				},
			},
		];
	}

	get nowMs(): number {
		return this.unit.world.time.utcMs() ?? assert.fail("the clock is set");
	}

	/** Turns everything on, and lets the days pass. */
	async run(): Promise<void> {
		const { days, lossesADay } = this.#options;
		await this.begin();
		let losses = [...this.#losses];
		for (let day = 0; day < days; day++) {
			const startMs = this.#options.startMs + day * DAY_MS;
			await this.until(startMs + RESTART_MS);
			await this.restart();
			await this.until(startMs + LOOK_MS);
			if (day === 0) await this.look();
			for (const [i, loss] of losses.slice(0, lossesADay).entries())
				await this.lose(loss, startMs + (5 + 2.5 * i) * HOUR_MS + 1.7 * MINUTE_MS);
			losses = losses.slice(lossesADay);
			await this.until(startMs + DAY_MS - MINUTE_MS / 4);
			await this.look();
		}
		assert.deepEqual(losses, [], "everything was lost once");
		// The history of the last day is complete with the next readout.
		await this.until(this.#options.startMs + days * DAY_MS + this.#options.period * MINUTE_MS);
		this.collect();
	}

	/** Every scheduled readout was made once, and begins at its moment. */
	checkReadouts(): void {
		const readAt = new Map<number, number>();
		for (const { ms } of this.scheduled()) {
			const moment = ms - (ms % this.#stepMs);
			readAt.set(moment, (readAt.get(moment) ?? 0) + 1);
		}
		for (const moment of this.moments()) {
			if (isIn(this.#unread, moment)) continue;
			assert.equal(readAt.get(moment), 1, `readouts at ${new Date(moment).toISOString()}`);
		}
	}

	/** Every readout has arrived at this receiver, except while that was impossible. */
	checkArrived(receiver: keyof Arrived): void {
		const { surroundings } = this;
		const spans = this.#deaf[receiver];
		const missing = this.scheduled().filter(({ ms, wh }) => {
			return ms < this.nowMs - SENT_MS && !isIn(spans, ms) && !surroundings.hasArrived(receiver, wh);
		});
		const shown = missing.slice(0, 5).map(({ ms, wh }) => `${new Date(ms).toISOString()} ${wh} Wh`);
		assert.equal(missing.length, 0, `${missing.length} readouts are not at the ${receiver}: ${shown.join(", ")}`);
	}

	/** Periods of the history, each of which equals what the meter counted. */
	async trueHistory(period: string): Promise<JSONObject[]> {
		const { periods } = await this.unit.ask("GET", `meter/history?period=${period}`);
		for (let i = 1; i < periods.length; i++) assert.equal(periods[i].start, periods[i - 1].end, "no gap");
		const whole = periods.filter(({ partial, interpolated }: JSONObject) => !partial && !interpolated);
		for (const one of whole) this.isTrue(one);
		return whole;
	}

	/** Checks the energy of a period. A boundary without a readout at its moment may be a little off. */
	isTrue(period: JSONObject): void {
		const isOff = [period.start, period.end].some((boundary) => isIn(this.#unread, boundary * 1000));
		this.surroundings.meter.isTrue(period, isOff ? OFF_S : 0);
	}

	private async begin(): Promise<void> {
		const { surroundings, unit } = this;
		const { period, startMs } = this.#options;
		surroundings.enter(unit.world);
		await unit.pass(10_000);
		for (const [path, body] of surroundings.settings) await unit.ask("POST", path, body);
		await unit.ask("POST", "iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: period });
		surroundings.token = (await unit.ask("POST", "system/tokens", { name: "follower", scope: "read" })).token;
		surroundings.follow(unit.world);
		await unit.ask("POST", "zigbee/reset");
		for (let tries = 0; (await unit.ask("GET", "zigbee/config")).state !== "joined"; tries++) {
			assert.ok(tries < 60, "the gateway does not join");
			await unit.pass(500);
		}
		assert.ok(this.nowMs < startMs, "everything is on before the first day");
		await this.until(startMs);
		surroundings.meter.shown.length = 0;
	}

	private async until(utcMs: number): Promise<void> {
		await this.unit.pass(utcMs - this.nowMs);
	}

	private moments(): number[] {
		const { startMs, days } = this.#options;
		return Array.from({ length: (days * DAY_MS) / this.#stepMs }, (_, i) => startMs + (i + 1) * this.#stepMs);
	}

	get #stepMs(): number {
		return this.#options.period * MINUTE_MS;
	}

	/** Scheduled readouts. The meter also answers the sign-ons of the search for gaps in the history. */
	private scheduled(): Shown[] {
		return this.surroundings.meter.shown.filter(({ ms }) => ms % this.#stepMs < BEGINS_MS);
	}

	private collect(): void {
		this.surroundings.collect();
		this.unit.world.traced.length = 0;
	}

	private async restart(): Promise<void> {
		this.collect();
		const fromMs = this.nowMs;
		await this.unit.restart((world) => this.surroundings.enter(world));
		const span = { fromMs: fromMs - MINUTE_MS, toMs: this.nowMs + RESTART_ROOM_MS };
		for (const spans of Object.values(this.#deaf)) spans.push(span);
	}

	private async lose(loss: Loss, atMs: number): Promise<void> {
		await this.until(atMs);
		loss.take();
		await this.until(atMs + LOSS_MS);
		loss.give();
		const span = { fromMs: atMs - MINUTE_MS, toMs: this.nowMs + RECOVERY_MS };
		if (loss.name === "meter") this.#unread.push(span);
		for (const receiver of loss.deaf) this.#deaf[receiver].push(span);
		await this.until(span.toMs);
		// The newest readout has arrived everywhere, whatever was missed before.
		this.collect();
		const newest = this.scheduled().findLast(({ ms }) => ms < this.nowMs - SENT_MS)!.wh;
		for (const receiver of RECEIVERS) {
			const has = this.surroundings.hasArrived(receiver, newest);
			assert.ok(has, `after the loss of the ${loss.name}: the ${receiver} lacks ${newest} Wh`);
		}
	}

	private async look(): Promise<void> {
		const { world } = this.unit;
		this.collect();
		this.counts.push({
			keys: world.storage.keys().join(" "),
			timers: world.time.waiting,
			tasks: queryObjects(Task, { format: "count" }),
			connections: queryObjects(VirtualConnection, { format: "count" }),
			slots: await this.unit.slots(),
		});
	}
}

function isIn(spans: readonly Span[], ms: number): boolean {
	return spans.some(({ fromMs, toMs }) => ms >= fromMs && ms <= toMs);
}
