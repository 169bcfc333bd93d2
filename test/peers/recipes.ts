/**
 * The recipes of docs/integrations.md that show the present power, as they are printed, with each kind of meter, when
 * the meter is silent, when the gateway is gone, and when both are back. All programs run at the same time, with the
 * gateway and the broker of the reading bed.
 *
 * A recipe may show only the present value, or none: never the last value as a present one.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JSONObject } from "../api/gateway.js";
import { evaluate, installEvaluator, meterOf } from "./gojq.js";
import { startAdapter } from "./iobroker.js";
import { channelValues, prepareJSONPath } from "./json-path.js";
import { type Flows, flowsOf, installNodeRED, startFlows } from "./node-red.js";
import { endChild, run } from "./peer.js";
import {
	type BrokerBed,
	brokerBed,
	endBrokerBed,
	PAGE_BROKER,
	PAGE_HOST,
	PAGE_TOPIC,
	READER_PASSWORD,
	shell,
	subscribing,
	useBroker,
} from "./reading-bed.js";
import { filled, installJinja, sensors } from "./scripts.js";
import {
	casesOf,
	endPrograms,
	METERS,
	type MeterBed,
	type Recipe,
	type Shown,
	shownBy,
	startOf,
} from "./situations.js";
import { template } from "./templates.js";

/** Replaces the recipes' longer age limits, s: above the pause between two messages. */
const AGE_LIMIT_S = 20;

/** Keys of the power in MQTT: of meters that send it, and import minus export. */
const POWERS = ["16_7_0", "1_0_16_7_0", "power_net"];

interface Bed extends BrokerBed, MeterBed {
	/** The last message of each of the gateway's topics. */
	readonly messages: Map<string, string>;
	endSubscriber(): Promise<void>;
}

/** Result of a program that ends with an error if the value is unknown. */
const unlessFailed = async (shown: Promise<Shown>): Promise<Shown> => shown.catch(() => ({ power: undefined }));

/** A script that prints the last readout as JSON. */
const printsJSON = (name: string): Recipe<Bed> => ({
	name,
	start: async (bed) => ({
		shown: () => unlessFailed(shell(bed.folder, filled(name, bed)).then((text) => shownBy(JSON.parse(text).readings))),
	}),
});

/** A script that prints a line with code, number and unit for each value. */
const printsLines = (name: string, command: string): Recipe<Bed> => ({
	name,
	async start(bed) {
		writeFileSync(join(bed.folder, name), filled(name, bed));
		const rowOf = (line: string): JSONObject => {
			const [obis, number, value1_unit] = line.split(" ");
			return { obis, value1_number: Number(number), value1_unit };
		};
		const readings = async () =>
			shownBy((await shell(bed.folder, `${command} ${name}`)).split("\n").slice(1).map(rowOf));
		return { shown: () => unlessFailed(readings()) };
	},
});

/** The last readout, as programs that poll get it. */
async function lastText({ authority, token }: Bed): Promise<string> {
	const url = `https://${authority}/api/v1/iec62056/last`;
	return run("curl", ["-skf", "-m", "20", "-H", `Authorization: Bearer ${token}`, url]);
}

/** openHAB's channels keep their values until the item's `expire`. */
class Channels {
	readonly #values = new Map<string, { value: number; untilMs: number }>();

	update(values: ReadonlyMap<string, number>): void {
		const untilMs = Date.now() + AGE_LIMIT_S * 1000;
		for (const [name, value] of values) this.#values.set(name, { value, untilMs });
	}

	shown(): Shown {
		const of = (name: string) => this.#values.get(name)?.value;
		const present = (name: string) => ((this.#values.get(name)?.untilMs ?? 0) > Date.now() ? of(name) : undefined);
		// Sum of the items' group.
		const parts = ["import", "import_t1", "import_t2"].map(of).filter((one) => one !== undefined);
		const [taken, given] = [present("power_import"), present("power_export")];
		return {
			power: present("power") ?? (taken === undefined || given === undefined ? undefined : taken - given),
			imported: parts.length === 0 ? undefined : parts.reduce((sum, one) => sum + one),
		};
	}

	/** As the owner does who removes the items of another meter. */
	async forget(): Promise<void> {
		this.#values.clear();
	}
}

export const RECIPES: readonly Recipe<Bed>[] = [
	printsJSON("pinned.sh"),
	printsJSON("read.sh"),
	printsLines("read_last.py", "python3"),
	printsLines("read-last.mjs", "node"),
	{
		name: "follow.mjs",
		async start(bed) {
			writeFileSync(join(bed.folder, "follow.mjs"), filled("follow.mjs", bed).replace("sleep(30_000)", "sleep(3_000)"));
			const child = spawn(process.execPath, ["follow.mjs"], { cwd: bed.folder, stdio: ["ignore", "pipe", "ignore"] });
			let line = "";
			createInterface(child.stdout).on("line", (text) => {
				// The gateway also closes the stream when another program needs the connection.
				if (bed.gateway.hasEnded || !text.endsWith("no connection to the gateway")) line = text;
			});
			return {
				shown: () => {
					const [, power] = / (-?[\d.]+) W$/.exec(line) ?? [];
					return { power: power === undefined ? undefined : Number(power) };
				},
				end: () => endChild(child),
			};
		},
	},
	{
		name: "subscribe.sh",
		start: async ({ messages, topic }) => ({
			shown: () => {
				const state = JSON.parse(messages.get(`${topic}/state`) ?? "{}");
				const power = state["16_7_0"] ?? state["1_0_16_7_0"] ?? state.power_net ?? undefined;
				return { power: messages.get(`${topic}/status`) === "online" ? power : undefined };
			},
		}),
	},
	{
		name: "home-assistant.yaml",
		async start(bed) {
			const packages = await installJinja();
			const number = ([isAvailable, text]: [string, string]) => (isAvailable === "True" ? Number(text) : undefined);
			const shown = async () => {
				const reply = await lastText(bed);
				const found = await sensors({ ...bed, packages }, JSON.parse(reply));
				return { power: number(found.Power), imported: number(found["Energy import"]) };
			};
			return { shown: () => unlessFailed(shown()) };
		},
	},
	{
		name: "evcc-http.yaml",
		async start(bed) {
			const evaluator = await installEvaluator(bed.folder);
			const meter = await meterOf(evaluator, "evcc-http.yaml");
			const shown = async () => {
				const last = JSON.parse(await lastText(bed));
				return {
					power: await evaluate(evaluator, meter.power, last),
					imported: await evaluate(evaluator, meter.energy, last),
				};
			};
			return { shown: () => unlessFailed(shown()) };
		},
	},
	{
		name: "evcc-mqtt.yaml",
		async start({ folder, messages, topic }) {
			const evaluator = await installEvaluator(folder);
			const words = { [PAGE_TOPIC]: topic, "180": String(AGE_LIMIT_S) };
			const meter = await meterOf(evaluator, "evcc-mqtt.yaml", words);
			const shown = async () => {
				const state = JSON.parse(messages.get(meter.power.topic) ?? "null");
				return {
					power: await evaluate(evaluator, meter.power, state),
					imported: await evaluate(evaluator, meter.energy, state),
				};
			};
			return { shown: () => unlessFailed(shown()) };
		},
	},
	{
		name: "openhab-http.things",
		async start(bed) {
			const classPath = await prepareJSONPath();
			const things = template("openhab-http.things");
			const channels = new Channels();
			return {
				async shown() {
					const text = await lastText(bed).catch(() => undefined);
					const path = join(bed.folder, "openhab-http.json");
					if (text !== undefined) channels.update(await channelValues(classPath, things, path, text));
					return channels.shown();
				},
				forget: () => channels.forget(),
			};
		},
	},
	{
		name: "openhab-mqtt.things",
		async start({ folder, messages, topic }) {
			const classPath = await prepareJSONPath();
			const things = template("openhab-mqtt.things", { [PAGE_TOPIC]: topic });
			const stateTopic = /stateTopic="([^"]+)"/.exec(things)![1];
			const channels = new Channels();
			let before = "";
			return {
				async shown() {
					const text = messages.get(stateTopic) ?? "{}";
					const path = join(folder, "openhab-mqtt.json");
					if (text !== before) channels.update(await channelValues(classPath, things, path, text));
					before = text;
					return channels.shown();
				},
				forget: () => channels.forget(),
			};
		},
	},
	{
		name: "node-red-mqtt.json",
		async start({ broker }) {
			const words = { [PAGE_BROKER]: "127.0.0.1", '"1883"': `"${broker.port}"` };
			const typed = { "smgw-broker": { user: "reader", password: READER_PASSWORD } };
			const flows = startFlows(await installNodeRED(), flowsOf("node-red-mqtt.json", words), typed);
			return { shown: () => ({ power: lastSeen(flows) ?? undefined }), end: () => flows.end() };
		},
	},
	{
		name: "node-red-http.json",
		async start({ authority, folder, token }) {
			const words = {
				...{ [PAGE_HOST]: authority, "/data/gateway.pem": join(folder, "gateway.pem") },
				// Node-RED's connections stay open for 5 s, and the gateway serves three at a time.
				'"repeat": "60"': '"repeat": "20"',
			};
			const typed = { "smgw-last": { password: token } };
			const flows = startFlows(await installNodeRED(), flowsOf("node-red-http.json", words), typed);
			const rows = (numbers: object) =>
				Object.entries(numbers).map(([obis, value1_number]) => ({ obis, value1_number }));
			return { shown: () => shownBy(rows(lastSeen(flows) ?? {})), end: () => flows.end() };
		},
	},
	{
		name: "iobroker.json",
		async start({ broker, topic }) {
			const adapter = await startAdapter(broker);
			const base = topic.replaceAll("/", ".");
			const number = async (key: string) => {
				const text = await adapter.value(`${base}.state.${key}`);
				return text === undefined || text === "" || text === "null" ? undefined : Number(text);
			};
			return {
				async shown() {
					if ((await adapter.value(`${base}.status`)) !== "online") return { power: undefined };
					for (const key of POWERS) {
						const power = await number(key);
						if (power !== undefined) return { power };
					}
					return { power: undefined };
				},
				// ioBroker keeps the states of the last meter's values.
				async forget() {
					for (const key of POWERS) await adapter.clear(`${base}.state.${key}`);
				},
				end: () => adapter.end(),
			};
		},
	},
];

/** The last payload that a flow's node has shown. */
function lastSeen(flows: Flows): JSONObject {
	return JSON.parse([...flows.log().matchAll(/SEEN \w+ (.*)/g)].at(-1)?.[1] ?? "null");
}

export async function prepareRecipes(): Promise<Bed> {
	const shared = await brokerBed();
	const { broker, gateway, topic } = shared;
	// Other peers have used the gateway with other brokers.
	await gateway.write("hub", { enabled: false });
	await useBroker(shared);
	const messages = new Map<string, string>();
	const command = `exec stdbuf -oL ${subscribing(broker, `${topic}/#`)}`;
	const subscriber = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
	createInterface(subscriber.stdout).on("line", (line) => {
		const [path] = line.split(" ", 1);
		messages.set(path, line.slice(path.length + 1));
	});
	return { ...shared, messages, programs: new Map(), endSubscriber: () => endChild(subscriber) };
}

export async function endRecipes(bed: Bed): Promise<void> {
	await endPrograms(bed);
	await bed.endSubscriber();
	await endBrokerBed(bed);
}

export const recipeCases = [...RECIPES.map(startOf), ...METERS.flatMap(casesOf)];
