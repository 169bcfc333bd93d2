/** The recipes of the documents, without the programs that use them; test/peers runs those. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT } from "../../tools/api/document.js";
import { readBlocks, readTemplates } from "../peers/templates.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PEERS = join(ROOT, "test", "peers");

const routes: readonly string[] = Object.keys(DOCUMENT.paths);

/** Blocks that are no files, by page and first line, with the reason why no peer test runs them. */
const NOT_RUN: Readonly<Record<string, string>> = {
	"integrations.md: sudo apt-get install mosquitto mosquitto-clients":
		"changes the computer; the peers' broker has the same files",
	"integrations.md: define broker MQTT2_CLIENT broker.lan:1883": "tried by hand; neither npm nor Debian has FHEM",
	"integrations.md: [[inputs.mqtt_consumer]]": "tried by hand; Telegraf takes minutes to be built from source",
	'mqtt.md: "time": "2026-11-22T10:00:00Z",': "a message that the gateway publishes",
	'mqtt.md: "installed_version": "0.1.0",': "a message that the gateway publishes",
};

/** First line of a block with more than a bracket. */
const headOf = (text: string) =>
	text
		.split("\n")
		.find((line) => line.length > 1)
		?.trim();

describe("The recipes", () => {
	const others = readBlocks().filter(({ name }) => name === "");

	it("are all run by a peer test, or listed with the reason why not", () => {
		const heads = others.map(({ page, text }) => `${page}: ${headOf(text)}`);
		assert.deepEqual(heads.sort(), Object.keys(NOT_RUN).sort());
	});

	it("have valid JSON in the messages", () => {
		const messages = others.filter(({ language }) => language === "json");
		assert.ok(messages.length > 0);
		for (const { text } of messages) JSON.parse(text);
	});

	const templates = [...readTemplates()];

	it("finds each value by both names that meters use, in evcc and Node-RED", () => {
		const evcc = readTemplates().get("evcc-mqtt.yaml")!;
		const flow = readTemplates().get("node-red-mqtt.json")!;
		const expressions = [...evcc.matchAll(/jq:\s(?:>-\s+)?((?:.|\n {8})+)/g), ...flow.matchAll(/"to": "(\[.*?)", /g)];
		assert.equal(expressions.length, 12);
		for (const [, expression] of expressions) {
			const names = [...expression.matchAll(/\b(?:\d+_)+\d+\b/g)].map(([one]) => one);
			// Only P1 meters send tariffs without a total, and powers of phases in two directions.
			const long = names.filter((one) => one.startsWith("1_0_") && !/_8_[12]$|_[246][12]_7_0$/.test(one));
			const short = names.filter((one) => !one.startsWith("1_0_"));
			assert.ok(short.length > 0, expression);
			assert.deepEqual(
				long,
				short.map((one) => `1_0_${one}`),
				expression,
			);
		}
	});

	for (const [name, text] of templates) {
		it(`contains ${name}, which a peer test runs`, () => {
			const peers = readdirSync(PEERS).filter((file) => file.endsWith(".ts"));
			const users = peers.filter((file) => readFileSync(join(PEERS, file), "utf8").includes(`"${name}"`));
			assert.ok(users.length > 0, "no peer test runs it");
		});

		it(`requests existing routes in ${name}`, () => {
			for (const [, path] of text.matchAll(/\/api\/v1(\/[\w/]+)/g)) assert.ok(routes.includes(`/api/v1${path}`), path);
			if (name.endsWith(".json")) JSON.parse(text);
			for (const [, body] of text.matchAll(/-d '([^']*)'/g)) JSON.parse(body);
		});
	}
});
