/**
 * Depth of the stack of XS with everything on: each route, each setting that changes, each restore, and each event, over
 * a kept connection and over a new one, whose request arrives with the end of the TLS handshake. everything-on.linux.ts
 * compares the depths with the limit. As a program, this file prints them as JSON (npm run benchmark).
 */
import { once } from "node:events";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DOCUMENT } from "../../tools/api/document.js";
import type { Follower } from "../api/follower.js";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { EverythingOn, longest, SETTINGS } from "./everything-on.js";
import { DLMS } from "./memory-limits.js";
import { untilState } from "./zigbee-network.js";

export interface Depth {
	readonly action: string;
	/** Highest use of the stack, slots. */
	readonly slots: number;
}

/** Time for the work in later ticks, ms. */
const SETTLED_MS = 400;
const TRIES = 10;
const RETRY_MS = 500;
const PREFIX = "/api/v1/";
/** Routes of GET that are not measured: the stream is open all the time, and a scan ends connections. */
const LEFT_OUT = ["events", "network/scan"];
const READ = "iec62056/read";
/** Pages of the dialects, which are served by plain HTTP. */
const PLAIN_PAGES = ["/rpc/EM.GetStatus?id=0", "/v1/json", "/api/v1/data"];

type Change = readonly [path: string, one: object, other: object];

const OFF = { ecotracker: false, shelly: false, homewizard: false, sunspec: false, em24: false, ct002: false };
/** Two values of each group of settings but that of the hub, which are set in turn. */
const CHANGES = [
	["mqtt", { topics: "values" }, { topics: "both" }],
	["mqtt", { enabled: false }, { enabled: true }],
	["live-meter", { shelly: false }, { shelly: true }],
	["live-meter", OFF, SETTINGS["live-meter"]],
	["live-meter/clients", { clients: [] }, SETTINGS["live-meter/clients"]],
	["zigbee/map", { mapping: [{ obis: "1.8.0", mode: 1, mapping_id: "07020000" }] }, SETTINGS["zigbee/map"]],
	["system/upgrade", { upgrade_check_enabled: false }, { upgrade_check_enabled: true }],
	["system/timezone", { timezone: "Europe/Berlin" }, SETTINGS["system/timezone"]],
	["peaks", { interval_mins: 60, count: 1 }, SETTINGS["peaks"]],
	["meter/backfill", { enabled: false }, SETTINGS["meter/backfill"]],
	["prices", { periods: [] }, SETTINGS["prices"]],
	["iec62056/config", { baudrate_max: 4800 }, { baudrate_max: 9600 }],
	["iec62056/control", { log_en: false }, { log_en: true }],
	["iec62056/schedule", { ...SETTINGS["iec62056/schedule"], period_value: 5 }, SETTINGS["iec62056/schedule"]],
	["dlms/config", { client_address: 2 }, DLMS],
	["dlms/obis", { entries: [{ code: [1, 0, 1, 8, 0, 255], class_id: 3, attribute: 2 }] }, SETTINGS["dlms/obis"]],
	["mbus/config", { address: 2 }, { address: 1 }],
	["network/ap", { ap_ssid: "one" }, { ap_ssid: "other" }],
	["network/fallback-ap", { fallback_ap_enabled: false }, { fallback_ap_enabled: true }],
	["provision", { group: "one" }, { group: "other" }],
	["meter/protocol", { protocol: "dlms" }, { protocol: "iec62056" }],
] as readonly Change[];

export class StackDepths {
	readonly #bed: EverythingOn;
	readonly #gateway: ProcessGateway;
	readonly #changes: readonly Change[];
	#stream: Follower;
	readonly #depths = new Map<string, number>();
	/** A connection of its own for each request; TLS sessions are resumed, so a request follows the handshake at once. */
	readonly #fresh = new Agent({ keepAlive: false, rejectUnauthorized: false, maxCachedSessions: 8 });
	readonly #kept = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

	constructor(bed: EverythingOn) {
		this.#bed = bed;
		this.#gateway = bed.gateway;
		this.#stream = bed.gateway.follow();
		const { hubSettings } = bed.peers;
		this.#changes = [
			["hub", { ...hubSettings, lang: "de" }, { ...hubSettings, lang: "en" }],
			["hub", { enabled: false }, hubSettings],
			...CHANGES,
		];
	}

	/** The depths, deepest first. */
	get depths(): Depth[] {
		const all = [...this.#depths].map(([action, slots]) => ({ action, slots }));
		return all.sort((a, b) => b.slots - a.slots);
	}

	/** Measures everything. It ends with a factory reset. */
	async measureAll(): Promise<void> {
		await this.#gateway.memory();
		this.#note("start, joining, first settings and readout", this.#gateway.newStack);
		for (const isNew of [true, false]) {
			await this.#measureReads(isNew);
			await this.#measureChanges(isNew);
			await this.#measureRestores(isNew);
			await this.#measureCommands(isNew);
		}
		await this.#measureEvents();
		this.#stream.leave();
		await this.#measureRestart();
		this.#fresh.destroy();
		this.#kept.destroy();
	}

	async #measureReads(isNew: boolean): Promise<void> {
		for (const [pattern, operations] of Object.entries<JSONObject>(DOCUMENT.paths)) {
			const path = pattern.slice(PREFIX.length);
			if (operations["get"] === undefined || path.includes("{") || LEFT_OUT.includes(path)) continue;
			await this.#request(isNew, "GET", path);
		}
		await this.#request(isNew, "GET", "/de");
		for (const page of PLAIN_PAGES)
			await this.#during(`GET ${page}`, () => this.#gateway.request("GET", page, { secure: false, token: null }));
	}

	async #measureChanges(isNew: boolean): Promise<void> {
		for (const [path, one, other] of this.#changes) {
			for (const body of [one, other, other]) await this.#changed(isNew, path, body);
		}
		await this.#switchRadio(isNew);
		// The outputs still have messages of a readout when their settings change.
		for (const [path, one, other] of this.#changes.slice(0, 3)) {
			for (const body of [one, other]) {
				await this.#request(isNew, "GET", READ, undefined, 0);
				await this.#changed(isNew, path, body, " with messages due");
			}
		}
	}

	async #changed(isNew: boolean, path: string, body: object, more = ""): Promise<void> {
		await this.#request(isNew, "POST", path, body, SETTLED_MS, `${JSON.stringify(body).slice(0, 40)}${more}`);
	}

	/** Turning the radio on or off by its own route restarts the firmware. */
	async #switchRadio(isNew: boolean): Promise<void> {
		for (const enabled of [false, true]) {
			await this.#changed(isNew, "zigbee/config", { enabled });
			await this.#restarted();
		}
		await untilState(this.#gateway, "joined");
	}

	async #restarted(): Promise<void> {
		await this.#gateway.rebooted();
		await this.#gateway.login();
		this.#stream.leave();
		this.#stream = this.#gateway.follow();
	}

	/** Without the event stream, because a restore takes much memory. */
	async #measureRestores(isNew: boolean): Promise<void> {
		this.#stream.leave();
		const { settings } = await this.#bed.read("system/backup");
		const restore = (groups: JSONObject, name: string) =>
			this.#request(isNew, "POST", "system/backup", { backup: 1, settings: groups }, SETTLED_MS, name);
		const radio: Change = ["zigbee/config", { enabled: false }, { enabled: true }];
		for (const [path, one, other] of [...this.#changes, radio]) {
			const before = settings[path];
			if (before === undefined) continue;
			for (const change of [one, other]) await restore({ [path]: { ...before, ...change } }, path);
			if (path === "zigbee/config") await untilState(this.#gateway, "joined");
		}
		const all = (index: 1 | 2) => {
			const changed = this.#changes
				.filter(([path]) => settings[path] !== undefined)
				.map((change) => {
					return [change[0], { ...settings[change[0]], ...change[index] }];
				});
			return { ...settings, ...Object.fromEntries(changed) };
		};
		for (const index of [1, 2] as const) await restore(all(index), "everything");
		await untilState(this.#gateway, "joined");
		this.#stream = this.#gateway.follow();
	}

	async #measureCommands(isNew: boolean): Promise<void> {
		const nowS = Math.floor(Date.now() / 1000);
		const commands: readonly (readonly [path: string, body?: object])[] = [
			["system/clock", { timestamp: nowS + 3600 }],
			["system/clock", { timestamp: nowS }],
			["meter/probe"],
			["system/certificate/reset"],
			["zigbee/reset"],
			["system/upgrade", { check: true }],
		];
		for (const [path, body] of commands) await this.#request(isNew, "POST", path, body);
		await this.#bed.zigbee.watched.coordinator.permitJoin(200);
		await untilState(this.#gateway, "joined");
	}

	async #measureEvents(): Promise<void> {
		const gateway = this.#gateway;
		await this.#during("readout", async () => {
			await gateway.get(READ);
			await sleep(5000);
		});
		await this.#during("lost meter", async () => {
			await gateway.connectMeter(undefined);
			await gateway.get(READ);
		});
		await this.#during("DLMS readout", async () => {
			await gateway.connectProgram(["--protocol", "dlms", "--mode-e", "--quiet"]);
			await gateway.post("meter/protocol", { protocol: "dlms" });
			await gateway.get(READ);
			await sleep(5000);
		});
		await this.#during("another meter", async () => {
			await gateway.connectMeter({ telegram: longest.telegram });
			await gateway.post("meter/protocol", { protocol: "iec62056" });
			await gateway.get(READ);
			await sleep(5000);
		});
		await this.#during("lost network", async () => {
			gateway.setAir("cafe -70 1\n");
			await sleep(8000);
		});
		await this.#during("network", async () => {
			gateway.setAir("");
			await sleep(15_000);
		});
		await this.#during("lost radio", async () => {
			await this.#bed.zigbee.pull();
			await sleep(3000);
		});
		await this.#during("radio", async () => {
			await this.#bed.zigbee.plugIn();
			await untilState(gateway, "joined");
		});
		await this.#during("button", async () => {
			gateway.pressButton();
			await sleep(3000);
		});
		await this.#during("a minute with a readout", () => sleep(60_000));
	}

	async #measureRestart(): Promise<void> {
		await this.#during("start", async () => {
			await this.#bed.set("system/reboot");
			await this.#restarted();
			await sleep(15_000);
		});
		await this.#during("factory reset", async () => {
			await this.#bed.set("system/factory_reset");
			await sleep(1000);
		});
	}

	async #during(action: string, run: () => Promise<unknown>): Promise<void> {
		await this.#gateway.memory();
		await run();
		await this.#gateway.memory();
		this.#note(action, this.#gateway.newStack);
	}

	#note(action: string, slots: number): void {
		if (process.env["DEPTHS"] !== undefined) process.stderr.write(`${slots} ${action}\n`);
		this.#depths.set(action, Math.max(slots, this.#depths.get(action) ?? 0));
	}

	/** Sends a request, again while the outputs use the memory. */
	async #request(
		isNew: boolean,
		method: string,
		path: string,
		body?: object,
		settledMs = SETTLED_MS,
		more = "",
	): Promise<void> {
		const isRestore = path === "system/backup" && method === "POST";
		const name = `${isRestore ? "restore of" : `${method} ${path}`} ${more}`.trim();
		const action = `${name}${isNew ? ", new connection" : ""}`;
		for (let tries = 1; ; tries++) {
			let status = 0;
			await this.#gateway.memory();
			status = await this.#send(isNew, method, path, body);
			await sleep(settledMs);
			await this.#gateway.memory();
			this.#note(action, this.#gateway.newStack);
			if ((status === 503 || status === 429) && tries < TRIES) {
				await sleep(RETRY_MS);
				continue;
			}
			if (status !== 200) process.stderr.write(`${action}: ${status}\n`);
			if (status === 401 || status === 0) throw new Error(this.#gateway.diagnosis);
			return;
		}
	}

	async #send(isNew: boolean, method: string, path: string, body?: object): Promise<number> {
		const text = body === undefined ? "" : JSON.stringify(body);
		const sent = request({
			port: this.#gateway.httpsPort,
			method,
			path: path.startsWith("/") ? path : `${PREFIX}${path}`,
			agent: isNew ? this.#fresh : this.#kept,
			headers: {
				Authorization: `Bearer ${this.#gateway.token}`,
				"Accept-Encoding": "gzip",
				...(method === "POST" && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
			},
		});
		sent.end(text);
		const [response] = await once(sent, "response");
		response.resume();
		await once(response, "end");
		return response.statusCode;
	}
}

export async function measureStackDepths(): Promise<Depth[]> {
	const bed = await EverythingOn.start();
	try {
		const depths = new StackDepths(bed);
		await depths.measureAll();
		return depths.depths;
	} catch (error) {
		throw new Error(`${(error as Error).stack}\n${bed.gateway.diagnosis}`);
	} finally {
		await bed.stop();
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	measureStackDepths().then(
		(depths) => process.stdout.write(`${JSON.stringify(depths)}\n`),
		(error: Error) => {
			process.stderr.write(`${error.stack}\n`);
			process.exitCode = 1;
		},
	);
}
