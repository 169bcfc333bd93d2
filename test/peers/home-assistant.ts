/** The real Home Assistant, from PyPI (test/peers/python/home-assistant.txt), in a Debian with a recent Python. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { FORKY } from "./debian.js";
import { endChild, freePort, PeerMissing } from "./peer.js";

/** Name of its list of packages, and of its environment in the Debian; libraries of its integrations are there, too. */
export const NAME = "home-assistant";
const ROOT = FORKY.root;
const ASK = "ask_home_assistant.py";
const START_LIMIT_MS = 120_000;
const ASK_LIMIT_MS = 30_000;
/** Interval of Home Assistant's statistics, ms; they have a delay of ten seconds. */
const STATISTICS_MS = 300_000;
/** Time limit for statistics, ms: a slow machine may miss one period. */
const STATISTICS_LIMIT_MS = 330_000;
const START_USUAL_MS = 8000;

// biome-ignore lint/suspicious/noExplicitAny: JSON of others
export type Answer = any;

export interface EntityState {
	readonly entity_id: string;
	readonly state: string;
	readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * Prefix of a command line that sets a program's clock ahead. The program faketime does not pass signals on, so it
 * can't be used.
 */
function clockAhead(ms: number): string {
	const libraries = readdirSync(join(ROOT, "usr", "lib"));
	const path = libraries.map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`);
	const library = path.find((one) => existsSync(join(ROOT, one)));
	assert.ok(library, "no libfaketime");
	return `env LD_PRELOAD=${library} FAKETIME=+${Math.round(ms / 1000)}s FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 `;
}

/** Presets of the fields of a form, also of those in its sections. */
function presetsOf(fields: readonly Answer[]): Answer {
	const presets: Answer = {};
	for (const { name, default: preset, schema } of fields) {
		if (schema !== undefined) presets[name] = presetsOf(schema);
		else if (preset !== undefined) presets[name] = preset;
	}
	return presets;
}

export class HomeAssistant {
	readonly url: string;
	/** Administrator's token, for the gateway. */
	token = "";
	/** Token of a user without administrator rights. */
	guestToken = "";
	readonly #port: number;
	/**
	 * Lead of Home Assistant's clock over this computer's, ms; the next member is the latest time that the clock has had.
	 */
	#aheadMs = 0;
	#reachedMs = 0;
	#child: ChildProcess | undefined;

	/** Number of instances that this process has started, of which several may run at once. */
	static #count = 0;
	readonly #name = `config-${++HomeAssistant.#count}`;
	/** Folder of its configuration. */
	readonly folder = join(ROOT, this.#name);

	private constructor(port: number) {
		this.#port = port;
		this.url = `http://127.0.0.1:${port}`;
	}

	/**
	 * Starts a new Home Assistant with an owner and a guest; `lines` are more of its configuration, `custom` a folder with
	 * custom_components. Throws PeerMissing if it can't be installed.
	 */
	static async start(lines = "", custom?: string): Promise<HomeAssistant> {
		await FORKY.install(NAME);
		const hass = new HomeAssistant(await freePort());
		const config = hass.folder;
		rmSync(config, { recursive: true, force: true });
		mkdirSync(config);
		if (custom !== undefined) cpSync(custom, join(config, "custom_components"), { recursive: true });
		const components = ["api", "websocket_api", "config", "recorder", "history", "sensor", "energy"];
		writeFileSync(
			join(config, "configuration.yaml"),
			`http:\n  server_host: 127.0.0.1\n  server_port: ${hass.#port}\n${components.map((name) => `${name}:\n`).join("")}${lines}`,
		);
		await hass.begin();
		try {
			await hass.#onboard();
			// Otherwise it restarts with its former HTTP settings after five minutes.
			await hass.sendCommands({ type: "http/config/promote" });
		} catch (error) {
			await hass.end();
			throw error;
		}
		return hass;
	}

	/** Starts it with its former data; `aheadMs`: lead of its clock over this computer's. */
	async begin(aheadMs = 0): Promise<void> {
		this.#aheadMs = aheadMs;
		const hass = `/${NAME}/bin/hass -c /${this.#name} --skip-pip --log-no-color`;
		const child = FORKY.start(`${aheadMs === 0 ? "" : clockAhead(aheadMs)}${hass}`, "ignore", "ignore");
		this.#child = child;
		let errors = "";
		child.stderr?.on("data", (bytes: Buffer) => {
			errors = (errors + bytes.toString()).slice(-8192);
		});
		const limit = Date.now() + START_LIMIT_MS;
		for (;;) {
			const reply = await fetch(`${this.url}/api/core/state`, {
				headers: this.token === "" ? {} : { Authorization: `Bearer ${this.token}` },
			}).catch(() => undefined);
			// A refusal of a request without a token shows that Home Assistant runs.
			if (
				reply !== undefined &&
				(this.token === "" || (reply.ok && ((await reply.json()) as Answer).state === "RUNNING"))
			)
				return;
			if (child.exitCode !== null) throw new PeerMissing(`it does not start: ${errors.trim().split("\n").at(-1)}`);
			if (Date.now() > limit) {
				await this.end();
				throw new Error(`it does not start in ${START_LIMIT_MS} ms:\n${errors}`);
			}
			await sleep(200);
		}
	}

	/** Stops it, as a restart of the host does. */
	async end(): Promise<void> {
		const child = this.#child;
		this.#child = undefined;
		this.#reachedMs = Math.max(this.#reachedMs, Date.now() + this.#aheadMs);
		await endChild(child);
	}

	/** Warnings and errors since its start. */
	get log(): string {
		return readFileSync(join(this.folder, "home-assistant.log"), "utf8");
	}

	/** JSON reply of its REST API; throws an Error if refused. */
	async request(method: string, path: string, body?: unknown, token = this.token): Promise<Answer> {
		const isForm = body instanceof URLSearchParams;
		const headers: Record<string, string> = isForm ? {} : { "Content-Type": "application/json" };
		if (token !== "") headers.Authorization = `Bearer ${token}`;
		const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
		const reply = await fetch(`${this.url}${path}`, { method, headers, ...sent });
		const text = await reply.text();
		if (!reply.ok) throw new Error(`Home Assistant, ${method} ${path}: ${reply.status} ${text}`);
		return JSON.parse(text);
	}

	/** Results of commands over its websocket. */
	async sendCommands(...commands: Answer[]): Promise<Answer[]> {
		return this.#sendCommands(this.token, commands);
	}

	async #sendCommands(token: string, commands: Answer[]): Promise<Answer[]> {
		const words = commands.map((command) => JSON.stringify(command));
		const [command, ...args] = [...FORKY.script(NAME, ASK), this.url, token, ...words];
		const { stdout } = await promisify(execFile)(command, args, { timeout: ASK_LIMIT_MS, maxBuffer: 1 << 26 });
		return stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
	}

	/** State of an entity; undefined if there is no such entity. */
	async state(entity: string): Promise<EntityState | undefined> {
		return (await this.states()).find(({ entity_id }) => entity_id === entity);
	}

	async states(): Promise<EntityState[]> {
		return this.request("GET", "/api/states");
	}

	/** Calls a service for an entity, as its page does. */
	async call(service: string, entity_id: string): Promise<void> {
		await this.request("POST", `/api/services/${service}`, { entity_id });
	}

	/** Its entities and devices from MQTT. */
	async discovered(): Promise<{ entities: Answer[]; devices: Answer[] }> {
		const [entities, devices] = await this.sendCommands(
			{ type: "config/entity_registry/list" },
			{ type: "config/device_registry/list" },
		);
		const ours = entities.filter(({ platform }: Answer) => platform === "mqtt");
		const ids = new Set(ours.map(({ device_id }: Answer) => device_id));
		return { entities: ours, devices: devices.filter(({ id }: Answer) => ids.has(id)) };
	}

	/** Adds a broker, as its page does. */
	async addBroker(port: number): Promise<void> {
		const flow = await this.request("POST", "/api/config/config_entries/flow", { handler: "mqtt" });
		const presets = presetsOf(flow.data_schema);
		const result = await this.request("POST", `/api/config/config_entries/flow/${flow.flow_id}`, {
			...presets,
			broker: "127.0.0.1",
			port,
			other_settings: { ...presets.other_settings, set_ca_cert: "off", set_client_cert: false },
		});
		assert.equal(result.type, "create_entry", JSON.stringify(result));
	}

	/**
	 * Restarts Home Assistant with its clock set so that a period of five minutes ends `leadMs` after the start. At that
	 * end Home Assistant makes the statistics that an entity needs for the energy dashboard.
	 */
	async restartBeforeStatistics(leadMs: number): Promise<void> {
		await this.end();
		const headMs = START_USUAL_MS + leadMs;
		const endMs = Math.ceil((this.#reachedMs + headMs) / STATISTICS_MS) * STATISTICS_MS;
		await this.begin(endMs - headMs - Date.now());
	}

	/** Sets the sources of its energy dashboard; returns its own validation once there are statistics. */
	async validateEnergy(imported: string, exported?: string): Promise<Answer[]> {
		const grid = {
			type: "grid",
			stat_energy_from: imported,
			stat_energy_to: exported ?? null,
			cost_adjustment_day: 0,
		};
		const sources = [grid];
		const limit = Date.now() + STATISTICS_LIMIT_MS;
		for (;;) {
			const [, { energy_sources }] = await this.sendCommands(
				{ type: "energy/save_prefs", energy_sources: sources },
				{ type: "energy/validate" },
			);
			const issues = energy_sources.flat();
			const isEarly = issues.some(({ type }: Answer) => type === "statistics_not_defined");
			if (!isEarly || Date.now() > limit) return issues;
			await sleep(2000);
		}
	}

	/** Its first set-up, without the page. */
	async #onboard(): Promise<void> {
		const client = `${this.url}/`;
		const person = { client_id: client, language: "en" };
		const owner = { ...person, name: "Owner", username: "owner", password: "owner's password" };
		const { auth_code } = await this.request("POST", "/api/onboarding/users", owner);
		const tokenOf = async (code: string) =>
			(
				await this.request(
					"POST",
					"/auth/token",
					new URLSearchParams({ client_id: client, grant_type: "authorization_code", code }),
					"",
				)
			).access_token;
		const lasting = (name: string) => ({ type: "auth/long_lived_access_token", client_name: name, lifespan: 365 });
		const first = await tokenOf(auth_code);
		for (const step of ["core_config", "analytics"]) await this.request("POST", `/api/onboarding/${step}`, {}, first);
		const where = { client_id: client, redirect_uri: client };
		await this.request("POST", "/api/onboarding/integration", where, first);
		[this.token] = await this.#sendCommands(first, [lasting("gateway")]);

		const guest = { username: "guest", password: "guest's password" };
		const [{ user }] = await this.sendCommands({
			type: "config/auth/create",
			name: "Guest",
			group_ids: ["system-users"],
		});
		await this.sendCommands({ type: "config/auth_provider/homeassistant/create", user_id: user.id, ...guest });
		const flow = await this.request("POST", "/auth/login_flow", { ...where, handler: ["homeassistant", null] }, "");
		const { result } = await this.request(
			"POST",
			`/auth/login_flow/${flow.flow_id}`,
			{ client_id: client, ...guest },
			"",
		);
		[this.guestToken] = await this.#sendCommands(await tokenOf(result), [lasting("guest")]);
	}
}
