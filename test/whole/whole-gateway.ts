/**
 * The gateway as it ships, with everything on: its radio in a coordinator's network, hub and MQTT by TLS, all dialects
 * of live values, a readout each minute, peaks, prices, and an open event stream. After each reply the program must be
 * alive, have logged no fault, and use no more memory than the device has.
 *
 * A program with the engine XS is what `npm start` starts; it tells its slots, but not its stack, because xsnap-worker
 * does not report it (its stack has 4096 slots, the device's has 544). The firmware on Linux tells both.
 */
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../../hosts/node/random.js";
import { BENCH_PASSWORD, BENCH_SSID } from "../../hosts/simulated/air.js";
import { PARTS } from "../../modules/app/parts.js";
import type { Follower } from "../api/follower.js";
import {
	DEFAULT_CONFIG,
	DEFAULT_CONTROL,
	type Exchange,
	type JSONObject,
	type MeterSetup,
	type Reply,
	type RequestOptions,
	succeeded,
} from "../api/gateway.js";
import { type EngineName, type Memory, ProcessGateway, type ProcessOptions } from "../api/process-gateway.js";
import { RESTARTING } from "../api/walk.js";
import { LoadPeers } from "../system/load-peers.js";
import { ANY, STACK_RESERVE } from "../system/memory-limits.js";
import { until, untilState, ZigbeeNetwork } from "../system/zigbee-network.js";

/** A line of the guard, and other signs of an exception that the gateway has survived. */
const FAULTS = /^fault: .*|.*\n\s+at .*|.*(RangeError|stack overflow|internal error|an exception escaped).*/gim;
/** Lines of a program whose XS machine has ended. */
const ENDED = /machine has ended|engine has ended/;
const RESTART = /The gateway restarts\./;
/** Paths that are served over HTTPS only, at any place (API text, "Access point"). */
const SECURE_ONLY = /^system\/(certificate|login|password)/;
const JOIN_SECONDS = 250;
/** States of a radio that has started. */
const SETTLED = ["joined", "not_joined", "joining"];
/** How often a request is repeated that was refused for lack of memory. */
const PATIENCE = 20;
/** Limit within which values arrive everywhere, ms: a hub that was away is asked again after a minute. */
const ARRIVE_MS = 120_000;
/** Time in which a program that closes its connections has ended, ms. */
const CLOSED_MS = 500;

export interface WholeOptions extends ProcessOptions {
	readonly engine: EngineName;
	/** False for a board without a radio. Default: true. */
	readonly hasRadio?: boolean;
	/** Parts and settings that the firmware lacks, by their names in tools/sdk/omissions.ts. */
	readonly without?: readonly string[];
}

/** Figures of a run, for `npm run check`. */
export interface WholeFigures {
	operations: number;
	events: number;
	parts: number;
	faults: number;
	stack: number;
	stackLimit: number;
	slots: number;
}

export class WholeGateway extends ProcessGateway {
	readonly peers: LoadPeers;
	readonly zigbee: ZigbeeNetwork | undefined;
	readonly figures: WholeFigures = { operations: 0, events: 0, parts: 0, faults: 0, stack: 0, stackLimit: 0, slots: 0 };
	readonly #mode: "client" | "ap";
	readonly #without: readonly string[];
	#stream: Follower | undefined;
	#hasMeter = false;
	#isRadioOn = true;
	/** False while a restart is due, and until everything is on. */
	#isVerified = false;

	private constructor(options: WholeOptions, peers: LoadPeers, zigbee: ZigbeeNetwork | undefined) {
		const { mode = "client", without = [], args = [] } = options;
		const radio = zigbee === undefined ? [] : ["--zigbee", zigbee.path];
		const lacks = without.length === 0 ? [] : ["--without", without.join(",")];
		// The other connection by TLS is the event stream's.
		super(options.engine, { connections: 1, ...options, args: [...radio, ...lacks, ...args] });
		this.#mode = mode;
		this.#without = without;
		this.peers = peers;
		this.zigbee = zigbee;
		this.hasRadio = zigbee !== undefined;
		this.figures.parts = PARTS.filter(({ name }) => !this.lacks(name)).length;
	}

	static async startWhole(options: WholeOptions): Promise<WholeGateway> {
		const peers = await LoadPeers.start(new SeededRandom(1));
		peers.isCalm = true;
		const zigbee = options.hasRadio === false ? undefined : new ZigbeeNetwork();
		await zigbee?.start();
		const gateway = new WholeGateway(options, peers, zigbee);
		await gateway.launch();
		return gateway;
	}

	/** Settings with which everything is on, by path. */
	get settings(): ReadonlyMap<string, object> {
		const all: readonly (readonly [part: string, path: string, settings: object])[] = [
			["", "meter/protocol", { protocol: "iec62056" }],
			["", "iec62056/config", DEFAULT_CONFIG],
			["", "iec62056/control", DEFAULT_CONTROL],
			["", "iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 1 }],
			["hub", "hub", this.without(this.peers.hubSettings, "statistics")],
			["mqtt", "mqtt", { ...this.peers.mqttSettings, user: "", password: "" }],
			["live-meter", "live-meter", this.without(DIALECTS, "em24", "ct002")],
			["peaks", "peaks", { interval_mins: 15, count: 3 }],
			["prices", "prices", { periods: [{ from: "2025-01-01", import_micro: 334_000 }], currency: "EUR" }],
		];
		return new Map(all.filter(([part]) => !this.#without.includes(part)).map(([, path, settings]) => [path, settings]));
	}

	override begin(method: string, path: string, options: RequestOptions = {}): Exchange {
		const isSecure = this.#mode === "client" || SECURE_ONLY.test(path);
		const exchange = super.begin(method, path, { secure: isSecure, ...options });
		return {
			...exchange,
			reply: async () => {
				const reply = await exchange.reply();
				this.figures.operations++;
				if (reply.status === 200 && mayRestart(method, path)) this.#isVerified = false;
				if (this.#isVerified) await this.verify(`${method} ${path} ${String(options.body ?? "").slice(0, 200)}`);
				return reply;
			},
		};
	}

	/**
	 * Repeats a request for which there is no memory while hub and broker get values, or whose idle connection gave way to
	 * another one.
	 */
	override async request(method: string, path: string, options?: RequestOptions): Promise<Reply> {
		// By TLS there is a place for one stream.
		if (path.startsWith("events")) {
			this.#stream?.leave();
			await this.pass(CLOSED_MS);
		}
		for (let tries = 0; ; tries++) {
			let reply: Reply;
			try {
				reply = await super.request(method, path, options);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "ECONNRESET" || tries === PATIENCE) throw error;
				await this.pass(CLOSED_MS);
				this.checkIsAlive(`${method} ${path}`);
				continue;
			}
			if (reply.status === 200 && method === "POST" && path === "zigbee/config") await this.followRadio(options?.body);
			if (reply.status !== 503 || tries === PATIENCE || JSON.parse(reply.text || "{}").error !== "busy") return reply;
			await this.pass(Number(reply.headers.get("retry-after")) * 1000);
		}
	}

	override async connectMeter(setup: MeterSetup | undefined): Promise<void> {
		this.#hasMeter = setup !== undefined;
		await super.connectMeter(setup);
	}

	override async connectProgram(args: readonly string[]): Promise<void> {
		this.#hasMeter = true;
		await super.connectProgram(args);
	}

	/** Restores the settings of a new unit, except that everything is on. */
	override async reset(): Promise<void> {
		await super.reset();
		await this.turnOn();
	}

	/** Fails if the program has ended or restarted, has logged a fault, or uses too much memory. */
	async verify(what: string): Promise<Memory> {
		this.checkIsAlive(what);
		const faults = this.diagnosis.match(FAULTS) ?? [];
		const isNew = faults.length > this.figures.faults;
		this.figures.faults = faults.length;
		assert.ok(!isNew, `${faults.at(-1)}: ${what}\n${this.diagnosis}`);
		const memory = await this.memory();
		const { slots, chunks, stack, stackLimit } = memory;
		const { figures } = this;
		figures.slots = Math.max(figures.slots, slots);
		figures.stack = Math.max(figures.stack, stack);
		figures.stackLimit = stackLimit;
		if (process.env["W_LOG"]) appendFileSync(process.env["W_LOG"], `${slots} ${chunks} ${stack} ${what}\n`);
		assert.ok(slots <= 4000, `${slots} slots: ${what}`);
		assert.ok(chunks <= ANY.chunks, `${chunks} bytes of chunks: ${what}`);
		assert.ok(stackLimit === 0 || stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack: ${what}`);
		return memory;
	}

	private checkIsAlive(what: string): void {
		assert.ok(!this.hasEnded && !ENDED.test(this.diagnosis), `the program has ended: ${what}\n${this.diagnosis}`);
		assert.doesNotMatch(this.diagnosis, RESTART, `the program has restarted: ${what}\n${this.diagnosis}`);
	}

	/** Lets something happen; then the program must be sound. */
	async happens(what: string, run: () => unknown): Promise<void> {
		await run();
		this.figures.events++;
		await this.verify(what);
	}

	/** Reads the meter, and waits until the values have arrived everywhere. */
	async worksOn(): Promise<void> {
		const { hubRequests, messages } = this.peers;
		const events = this.zigbee?.watched.events ?? [];
		events.length = 0;
		this.#stream!.events.length = 0;
		await this.read("iec62056/read");
		const isOnline = this.#mode === "client";
		const arrived = () => ({
			hub: !isOnline || this.lacks("hub") || this.peers.hubRequests > hubRequests,
			broker: !isOnline || this.lacks("mqtt") || this.peers.messages > messages,
			coordinator: this.zigbee === undefined || events.some(({ event }) => event === "values"),
			stream: this.#stream!.events.length > 0,
		});
		let states: JSONObject = {};
		await until(
			async () => {
				if (Object.values(arrived()).every(Boolean)) return true;
				// A slow device is not asked all the time.
				await this.pass(CLOSED_MS);
				const { hub_state, mqtt_state } = await this.read("system/status");
				states = { hub_state, mqtt_state };
				return undefined;
			},
			() => `the values everywhere: ${JSON.stringify({ ...arrived(), ...states })}\n${this.diagnosis}`,
			ARRIVE_MS,
		);
		await this.verify("a readout");
	}

	setCable(text: string): void {
		writeFileSync(join(this.stateFolder, "cable.txt"), text);
	}

	untilRadio(state: string): Promise<JSONObject> {
		return untilState(this, state);
	}

	/** True if the firmware lacks this part, or this setting. */
	lacks(part: string): boolean {
		return this.#without.includes(part) || (part === "zigbee" && !this.hasRadio);
	}

	/** Turns on what is off, and waits until it works; without its radio if `hasRadio` is false. */
	async turnOn({ hasRadio = true } = {}): Promise<void> {
		if (!this.#hasMeter) await this.connectProgram([]);
		await this.joinNetwork();
		for (const [path, settings] of this.settings) {
			const shown = await this.read(path);
			const isOn = Object.entries(settings).every(([name, value]) => !(name in shown) || same(shown[name], value));
			if (!isOn) succeeded(await this.post(path, settings));
		}
		if (hasRadio) await this.joinZigbee();
		await this.openStream();
		this.#isVerified = true;
	}

	/** Joins the network at the bench, if this unit is a client. A unit that was reset knows no network. */
	async joinNetwork(): Promise<void> {
		const { connected, wifi_enabled } = await this.read("network/status");
		if (!wifi_enabled) await this.write("network/wifi-enabled", { wifi_enabled: true });
		if (this.#mode === "ap" || (connected && wifi_enabled)) return;
		const station = { ssid: BENCH_SSID, password: BENCH_PASSWORD, dhcp: true, hostname: this.hostname, apply: true };
		await this.write("network/wifi", station);
		await this.untilNetwork(({ connected }) => connected);
	}

	async joinZigbee(): Promise<void> {
		if (this.zigbee === undefined) return;
		const { enabled, state } = await this.read("zigbee/config");
		this.#isRadioOn = enabled;
		if (enabled && state === "joined") return;
		if (!enabled) await this.post("zigbee/config", { enabled: true });
		const settled = await until(
			async () => {
				const now = (await this.read("zigbee/config")).state;
				return SETTLED.includes(now) ? now : undefined;
			},
			() => "the radio",
		);
		if (settled === "joined") return;
		await this.zigbee.watched.coordinator.permitJoin(JOIN_SECONDS);
		assert.equal((await this.post("zigbee/reset")).status, 200);
		await untilState(this, "joined");
	}

	/** Opens the event stream again if a request has ended it. */
	async openStream(): Promise<void> {
		if (this.#stream !== undefined && !this.#stream.isClosed) return;
		this.#stream = this.follow({ secure: this.#mode === "client" });
		await until(
			() => this.#stream?.events.length || undefined,
			() => "the event stream",
		);
	}

	override async stop(): Promise<void> {
		this.#stream?.leave();
		try {
			await super.stop();
		} finally {
			this.peers.stop();
			await this.zigbee?.stop();
			const { WHOLE_FIGURES } = process.env;
			if (WHOLE_FIGURES !== undefined) appendFileSync(WHOLE_FIGURES, `${JSON.stringify(this.figures)}\n`);
		}
	}

	/** Waits for the restart that follows if the setting of the radio has changed. */
	private async followRadio(body: unknown): Promise<void> {
		const { enabled = this.#isRadioOn } = typeof body === "string" ? JSON.parse(body) : (body as JSONObject);
		if (enabled === this.#isRadioOn || !this.hasRadio) return;
		this.#isRadioOn = enabled;
		await this.rebooted();
		await this.login();
	}

	private without(settings: object, ...names: readonly string[]): object {
		const absent = names.filter((name) => this.#without.includes(name));
		return Object.fromEntries(Object.entries(settings).filter(([name]) => !absent.includes(name)));
	}
}

const DIALECTS = {
	...{ ecotracker: true, shelly: true, homewizard: true, sma: true, sunspec: true, telegrams: true },
	...{ em24: true, ct002: true },
};

function mayRestart(method: string, path: string): boolean {
	return [...RESTARTING, "POST system/certificate/reset", "POST zigbee/config", "POST system/ota"].includes(
		`${method} ${path.split("?")[0]}`,
	);
}

function same(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
