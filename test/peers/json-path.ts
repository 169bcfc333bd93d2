/**
 * json-path for Java, from Maven Central, the library of openHAB's transformation JSONPATH, evaluates the expressions
 * of docs/integrations.md over our gateway's replies and messages. openHAB itself is in no package registry.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { download, PEER_SOURCES, PEERS_FOLDER, run } from "./peer.js";
import { type BrokerBed, brokerBed, numbersOf, PAGE_TOPIC, whilePublishing } from "./reading-bed.js";
import { template } from "./templates.js";

/** Limit for a message, ms. */
const MESSAGE_LIMIT_MS = 20_000;
const MAVEN = "https://repo1.maven.org/maven2";
const JARS = [
	[
		"com/jayway/jsonpath/json-path/2.9.0/json-path-2.9.0.jar",
		"11a9ee6f88bb31f1450108d1cf6441377dec84aca075eb6bb2343be157575bea",
	],
	[
		"net/minidev/json-smart/2.5.0/json-smart-2.5.0.jar",
		"432b9e545848c4141b80717b26e367f83bf33f19250a228ce75da6e967da2bc7",
	],
	[
		"net/minidev/accessors-smart/2.5.0/accessors-smart-2.5.0.jar",
		"12314fc6881d66a413fd66370787adba16e504fbf7e138690b0f3952e3fbd321",
	],
	["org/ow2/asm/asm/9.3/asm-9.3.jar", "1263369b59e29c943918de11d6d6152e2ec6085ce63e5710516f8c67d368e4bc"],
	[
		"org/slf4j/slf4j-api/2.0.11/slf4j-api-2.0.11.jar",
		"ce0e71d673acb9036bb55d0244b261cf033f8e4c1245f14f931dfb1937dd4c95",
	],
] as const;

interface Bed extends BrokerBed {
	readonly classPath: string;
}

export async function prepareJSONPath(): Promise<Bed> {
	const jars: string[] = [];
	for (const [path, sha256] of JARS) jars.push(await download(`${MAVEN}/${path}`, sha256));
	const classes = join(PEERS_FOLDER, "json-path-classes");
	mkdirSync(classes, { recursive: true });
	await run("javac", ["-d", classes, "-cp", jars.join(":"), join(PEER_SOURCES, "java", "ReadPaths.java")]);
	return { ...(await brokerBed()), classPath: [classes, ...jars].join(":") };
}

/** Values that the expressions of these openHAB things find in the JSON text, by channel. */
async function found({ classPath, folder }: Bed, things: string, json: string): Promise<Record<string, number>> {
	const channels = [...things.matchAll(/Type number : (\w+) .*JSONPATH:([^"]+)"/g)];
	assert.ok(channels.length > 0);
	const path = join(folder, "received.json");
	writeFileSync(path, json);
	const lines = await run("java", [
		"-cp",
		classPath,
		"ReadPaths",
		path,
		...channels.map(([, , expression]) => expression),
	]);
	const values = lines.trim().split("\n").map(Number);
	return Object.fromEntries(channels.map(([, name], index) => [name, values[index]]));
}

export const jsonPathCases = [
	{
		name: "openHAB's things find their values in the last readout",
		async run(bed: Bed) {
			const { gateway, last, token } = bed;
			const { text } = await gateway.get("iec62056/last", { token });
			const numbers = numbersOf(last);
			assert.deepEqual(await found(bed, template("openhab-http.things"), text), {
				import: numbers["1.8.0"],
				export: numbers["2.8.0"],
				power: numbers["16.7.0"],
			});
		},
	},
	{
		name: "openHAB's things find their values in the published messages, and their topics have plain numbers",
		async run(bed: Bed) {
			const { broker, gateway, state, topic } = bed;
			const things = template("openhab-mqtt.things", { [PAGE_TOPIC]: topic });
			assert.deepEqual(await found(bed, things, JSON.stringify(state)), { voltage: state["32_7_0"] });
			const topics = [...things.matchAll(/stateTopic="([^"]+\/(\d+_\d+_\d+))"/g)];
			assert.equal(topics.length, 3);
			const ofTopic = (path: string | undefined) =>
				broker.observe(`${topic}/#`, (observer) =>
					whilePublishing(gateway, () => observer.find((one) => one.topic === path, MESSAGE_LIMIT_MS)),
				);
			for (const [, path, key] of topics) assert.equal(Number((await ofTopic(path)).payload), state[key]);
			const [, status] = /availabilityTopic="([^"]+)", payloadAvailable="online"/.exec(things) ?? [];
			assert.equal((await ofTopic(status)).payload, "online");
		},
	},
	{
		name: "items name existing channels",
		async run() {
			const channels = [...template("openhab.items").matchAll(/channel="mqtt:topic:home:smgw:(\w+)"/g)];
			assert.equal(channels.length, 3);
			for (const [, name] of channels)
				assert.match(template("openhab-mqtt.things"), new RegExp(`Type number : ${name} `));
		},
	},
];
