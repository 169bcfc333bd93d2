/** MQTT routes: the settings, the streamed certificate, and a test message while MQTT is off. */

import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";
import { lastingPair } from "./server-identity.js";

const MQTT = "mqtt";
const LIMIT = 3072;
const DEFAULT = Object.freeze({
	enabled: false,
	url: "",
	user: "",
	password_set: false,
	topic: "smgw",
	topics: "json",
	discovery: true,
	discovery_prefix: "homeassistant",
	lang: "en",
	pause_secs: 10,
	commands: false,
	client_cert: false,
	cert_set: false,
	cert_max_size: LIMIT,
});
const NO_TEXT = [0, true, null, [], {}];
const PASSWORD = "canary of the broker";

const pair = lastingPair("broker.lan");
const CERTIFICATE = Buffer.from(pair.certificate).toString("latin1");
const KEY = Buffer.from(pair.key).toString("latin1");

export function mqttChecks(gateway: () => TestGateway): void {
	describe("MQTT", () => {
		const read = async () => {
			const { base_topic, ...rest } = await gateway().read(MQTT);
			assert.match(String(base_topic), /\/[a-z0-9_-]+$/);
			return rest;
		};
		const write = async (body: JSONObject) => {
			const { base_topic: _, ...rest } = await gateway().write(MQTT, body);
			return rest;
		};
		const refused = async (body: JSONObject, code: string, field: string) => {
			const before = await read();
			isError(await gateway().post(MQTT, body), 400, code, field);
			assert.deepEqual(await read(), before);
		};

		before(() => gateway().plant(PASSWORD));
		beforeEach(async () => {
			const { cert_set: _, cert_max_size: __, password_set: ___, ...initial } = DEFAULT;
			assert.deepEqual(await write({ ...initial, password: "", cert: "" }), DEFAULT);
		});

		it("is shown as off, and mqtt/send is rejected while it is off", async () => {
			assert.deepEqual(await read(), DEFAULT);
			isError(await gateway().get("mqtt/send"), 400, "mqtt_disabled");
			assert.equal((await gateway().read("system/status")).mqtt_state, "off");
		});
		it("keeps settings that a request omits, and never shows password or certificate", async () => {
			const url = "mqtt://broker.lan";
			const set = { ...DEFAULT, url, user: "gateway", password_set: true };
			assert.deepEqual(await write({ url, user: "gateway", password: PASSWORD }), set);
			assert.deepEqual(await write({}), set);
			assert.deepEqual(await write({ topics: "both", cert: CERTIFICATE, password: PASSWORD }), {
				...set,
				topics: "both",
				cert_set: true,
			});
			assert.deepEqual(await write({ lang: "de", password: "" }), {
				...set,
				topics: "both",
				lang: "de",
				cert_set: true,
				password_set: false,
			});
		});
		it("needs the password again for another broker or certificate", async () => {
			await write({ url: "mqtt://broker.lan", user: "gateway", password: PASSWORD });
			await refused({ url: "mqtt://elsewhere.lan" }, "missing_field", "password");
			await refused({ url: "mqtts://broker.lan" }, "missing_field", "password");
			await refused({ cert: CERTIFICATE }, "missing_field", "password");
			assert.equal((await write({ url: "mqtt://broker.lan", user: "other" })).password_set, true);
			assert.equal((await write({ url: "mqtt://elsewhere.lan", password: "" })).password_set, false);
			assert.equal((await write({ url: "mqtt://third.lan" })).url, "mqtt://third.lan");
		});
		it("accepts an address with mqtt or mqtts and a host name or an IPv4 address, and no other", async () => {
			for (const url of ["mqtt://b", "MQTT://Broker.lan:1", "mqtts://192.168.1.5:65535/", "mqtt://a_b-c.local/"])
				assert.equal((await write({ url })).url, url);
			for (const url of [
				...NO_TEXT,
				"broker.lan",
				"http://broker.lan",
				"mqtt://",
				"mqtt:///",
				"mqtt://b:",
				"mqtt://b:0",
				"mqtt://b:65536",
				"mqtt://b:1x",
				"mqtt://user@b",
				"mqtt://b/topic",
				"mqtt://[fd00::1]",
				"mqtt://b c",
				`mqtt://${"b".repeat(254)}`,
			])
				await refused({ url }, "invalid_field", "url");
			await write({ url: "" });
			await refused({ enabled: true }, "invalid_field", "url");
		});
		it("needs a certificate for mqtts", async () => {
			const secure = { enabled: true, url: "mqtts://broker.invalid" };
			await refused(secure, "missing_field", "cert");
			assert.equal((await write({ ...secure, cert: CERTIFICATE })).cert_set, true);
			await refused({ cert: "" }, "missing_field", "cert");
			assert.equal((await write({ enabled: false, cert: "" })).cert_set, false);
		});
		it("rejects topics that are empty or contain wildcards, spaces or empty levels", async () => {
			for (const name of ["topic", "discovery_prefix"]) {
				for (const topic of ["a", "a/b", "Haus-1/x_y"]) assert.equal((await write({ [name]: topic }))[name], topic);
				for (const topic of [...NO_TEXT, "", "/a", "a/", "a b", "a/#", "+/a", "\u00e4", "a".repeat(65)])
					await refused({ [name]: topic }, "invalid_field", name);
			}
		});
		it("accepts any characters but control characters in user and password, up to their limits", async () => {
			assert.equal((await write({ user: "Jürgen €", password: "ü".repeat(128) })).user, "Jürgen €");
			for (const user of [...NO_TEXT, "a\n", "a".repeat(65)]) await refused({ user }, "invalid_field", "user");
			for (const password of [...NO_TEXT, "a\u0000", "a".repeat(129)])
				await refused({ password }, "invalid_field", "password");
		});
		it("rejects a certificate that is malformed, comes with a key, or is too long", async () => {
			for (const cert of [...NO_TEXT, "x", KEY, CERTIFICATE + KEY, CERTIFICATE.slice(0, -40), "#".repeat(LIMIT + 1)])
				await refused({ cert }, "invalid_field", "cert");
		});
		it("keeps its settings after a restart", async () => {
			await write({ url: "mqtt://broker.lan", user: "gateway", password: PASSWORD, topic: "house", discovery: false });
			const before = await read();
			await gateway().restartAndLogin();
			assert.deepEqual(await read(), before);
		});
	});
}
