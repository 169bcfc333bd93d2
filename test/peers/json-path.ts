/**
 * The transformations of docs/integrations.md for openHAB: json-path for Java, from Maven Central, is the library of
 * JSONPATH, and Java's own expressions are those of REGEX. openHAB itself is in no package registry.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { download, PEER_SOURCES, PEERS_FOLDER, run } from "./peer.js";
import { template } from "./templates.js";

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

/** The class path of ReadPaths. Throws PeerMissing. */
export async function prepareJSONPath(): Promise<string> {
	const jars: string[] = [];
	for (const [path, sha256] of JARS) jars.push(await download(`${MAVEN}/${path}`, sha256));
	const classes = join(PEERS_FOLDER, "json-path-classes");
	mkdirSync(classes, { recursive: true });
	await run("javac", ["-d", classes, "-cp", jars.join(":"), join(PEER_SOURCES, "java", "ReadPaths.java")]);
	return [classes, ...jars].join(":");
}

/** The channels of openHAB's things, by name: unit and transformation. */
function channelsOf(things: string): Map<string, { unit: string; transformation: string }> {
	const lines = [
		...things.matchAll(/Type number : (\w+) .*(?:stateTransformation|transformationPattern)="(.*?[^\\])"(.*)/g),
	];
	return new Map(
		lines.map(([, name, text, rest]) => [
			name,
			{ unit: /unit="(\w+)"/.exec(rest)?.[1] ?? "", transformation: text.replaceAll('\\"', '"') },
		]),
	);
}

const FACTORS: Readonly<Record<string, number>> = { W: 1, kW: 1000, kWh: 1, Wh: 0.001 };

/**
 * Values that the channels of these things get from a JSON text, in W and kWh, by name. A channel that gets no number is
 * absent.
 */
export async function channelValues(
	classPath: string,
	things: string,
	path: string,
	json: string,
): Promise<Map<string, number>> {
	const channels = [...channelsOf(things)];
	assert.ok(channels.length > 0);
	writeFileSync(path, json);
	const transformations = channels.map(([, { transformation }]) => transformation);
	const lines = (await run("java", ["-cp", classPath, "ReadPaths", path, ...transformations])).split("\n");
	return new Map(
		channels.flatMap(([name, { unit }], index) => {
			// A text without a unit has the channel's.
			const [number, ownUnit = unit] = lines[index].trim().split(" ");
			const value = number === "" ? Number.NaN : Number(number) * FACTORS[ownUnit];
			return Number.isNaN(value) ? [] : [[name, value] as const];
		}),
	);
}

export const jsonPathCases = [
	{
		name: "items name existing channels, and no tariffs are added to a total",
		async run(classPath: string) {
			const channels = [...template("openhab.items").matchAll(/channel="mqtt:topic:home:smgw:(\w+)"/g)];
			const names = channels.map(([, name]) => name);
			assert.deepEqual(names, [...channelsOf(template("openhab-mqtt.things")).keys()]);
			const reading = (obis: string, value1_number: number) => ({
				...{ obis, value1_number, value1_unit: "kWh" },
				billing_period: null,
			});
			const folder = mkdtempSync(join(tmpdir(), "openhab-"));
			const path = join(folder, "received.json");
			try {
				const last = { readings: [reading("1.8.0", 3), reading("1.8.1", 1), reading("1.8.2", 2)] };
				const http = await channelValues(classPath, template("openhab-http.things"), path, JSON.stringify(last));
				assert.deepEqual([...http], [["import", 3]]);
				const state = '{"1_0_21_8_0":9,"1_0_1_8_0":3,"1_0_1_8_1":1,"1_0_1_8_2":2,"1_0_16_7_0":-421}';
				const mqtt = await channelValues(classPath, template("openhab-mqtt.things"), path, state);
				assert.deepEqual(
					[...mqtt],
					[
						["import", 3],
						["power", -421],
					],
				);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		},
	},
];
