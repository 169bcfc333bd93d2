/**
 * A reduced firmware, without some parts and protocols, starts with the settings that a full firmware has stored, then
 * the full firmware with those of the reduced one. The bundle is made as in the build for a board, but for Node, and
 * contains the virtual gateway.
 */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { withArrows } from "../../tools/sdk/arrows.js";
import { withInlined } from "../../tools/sdk/inlined.js";
import { OMISSIONS, replacementsOf } from "../../tools/sdk/omissions.js";
import { replacing } from "../../tools/sdk/script.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { withStatements } from "../../tools/sdk/statements.js";
import { API_TEXT } from "./api-text.js";
import { OPERATIONS } from "./document.js";
import { isError, type JSONObject, vectorOf } from "./gateway.js";
import { lastingPair } from "./server-identity.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const BUILD = join(ROOT, ".build");
/** The bundles must be in this folder, because modules in them find files relative to their own path. */
const bundleOf = (names: readonly string[]) => join(BUILD, "test", "api", `without-${names.join("-")}.mjs`);
/** Everything that can be left out, except the radio, which a board has or lacks (hosts/esp32/boards.ts). */
const NAMES = Object.keys(OMISSIONS).filter((name) => name !== "zigbee");

const HUB = { enabled: true, url: "https://hub.example:8123", token: "canary-hub-token", lang: "de" };
const MQTT = { enabled: true, url: "mqtt://broker.example", user: "meter", password: "canary-mqtt-secret" };
const PRICES = {
	periods: [{ from: "2026-01-01", import_micro: 318_700, export_micro: 0, base_micro: 0, base_per: "month" }],
	currency: "EUR",
};
const PEAKS = { interval_mins: 15, count: 1 };
const CLIENTS = { clients: [{ address: "192.0.2.10" }] };
const MBUS = { address: 5, meters: 3, baudrate: 300, secondary: "12345678" };
const ROUTES = [
	"mqtt",
	"prices",
	"peaks",
	"hawkbit",
	"provision",
	"live-meter",
	"live-meter/clients",
	"meter/backfill",
	"mbus/config",
];
/** Flash keys of these parts' settings and certificates. */
const THEIR_KEYS = /^(mqtt|prices|peaks|provision|live_meter|backfill|mbus)/;

const pair = lastingPair("hub.example");
const CERTIFICATE = Buffer.from(pair.certificate).toString("latin1");

const message = (name: string) => `This firmware was built without ${name}.`;

async function bundledGateway(names: readonly string[]): Promise<typeof VirtualGateway> {
	const file = bundleOf(names);
	const bundle = await rolldown({
		input: join(BUILD, "test", "api", "virtual-gateway.js"),
		cwd: BUILD,
		platform: "node",
		external: (name) => !/^[./]/.test(name),
		plugins: [
			replacing(BUILD, replacementsOf(names)),
			// These are the steps of the build for XS that must not change what the script does.
			{ name: "smaller", renderChunk: (code) => withInlined(withStatements(withArrows(code))) },
		],
	});
	await bundle.write({ file, format: "esm" });
	await bundle.close();
	const module: { VirtualGateway: typeof VirtualGateway } = await import(pathToFileURL(file).href);
	return module.VirtualGateway;
}

/** Routes that need a meter, a hub or a parameter, or whose reply never ends. */
const NOT_ASKED = /\{|read$|\/send$|events$|diagnostic$/;

/** Requests everything that the document shows without parameters. Each reply is compared with the document. */
async function checkAll(gateway: VirtualGateway): Promise<void> {
	for (const operation of OPERATIONS.keys()) {
		const path = operation.replace("GET /api/v1/", "");
		if (path === operation || NOT_ASKED.test(path)) continue;
		const { status, text } = await gateway.get(path);
		if (API_TEXT.includes(`GET ${path}`))
			assert.ok(status !== 404 && !text.includes("built without"), `${path}: ${text}`);
	}
}

describe("A firmware without some parts and protocols", function () {
	this.timeout(60_000);
	const storage = new VirtualStorage();
	let Small: typeof VirtualGateway;
	let full: VirtualGateway;
	let gateway: VirtualGateway;
	let backup: JSONObject;

	const messageOf = ({ text }: { text: string }) => JSON.parse(text).message;
	async function start(Kind: typeof VirtualGateway, flash = storage): Promise<VirtualGateway> {
		const made = new Kind("client", { utcMs: START_UTC_MS, storage: flash });
		await made.login();
		for (const { token, password } of [HUB, MQTT] as JSONObject[]) made.plant(token ?? password);
		return made;
	}

	before(async () => {
		Small = await bundledGateway(NAMES);
		full = await start(VirtualGateway);
		assert.equal((await full.read("system/status"))["without"], undefined);
		await full.write("hub", { ...HUB, cert: CERTIFICATE });
		await full.write("mqtt", { ...MQTT, cert: CERTIFICATE });
		await full.write("prices", PRICES);
		await full.write("peaks", PEAKS);
		await full.write("live-meter", { ecotracker: true });
		await full.write("live-meter/clients", CLIENTS);
		await full.write("mbus/config", MBUS);
		await full.write("meter/protocol", { protocol: "sml" });
		backup = await full.read("system/backup");
		await full.stop();
		storage.set("hub_statistics", new Uint8Array(8));
		gateway = await start(Small);
	});
	after(async () => {
		await gateway.stop();
		gateway.checkTraces();
		rmSync(bundleOf(NAMES));
	});

	it("starts with the settings of a full firmware, and lists its omissions", async () => {
		const status = await gateway.read("system/status");
		assert.equal(status["without"], NAMES.join(" "));
		assert.equal(status["storage_state"], "ok");
		assert.deepEqual([status["home_hub_enabled"], status["hub_statistics"]], [true, "absent"]);
		assert.deepEqual([status["mqtt_state"], status["mqtt_sent"]], ["absent", 0]);
		assert.equal((await gateway.get("metrics")).status, 200);
	});

	it("answers each route as the API description says, and has all routes of the API text", () => checkAll(gateway));

	it("serves the page", async () => {
		const { status, headers } = await gateway.get("/");
		assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
	});

	for (const path of ROUTES)
		it(`refuses GET and POST of ${path}`, async () => {
			const name = path === "meter/backfill" ? "backfill" : path.split("/")[0];
			const shown = await gateway.get(path);
			isError(shown, 404, "not_found");
			const set = await gateway.post(path, { enabled: true });
			isError(set, 501, "unsupported");
			assert.deepEqual([messageOf(shown), messageOf(set)], [message(name), message(name)]);
			isError(await gateway.get(path, { token: null }), 401, "unauthorized");
		});

	it("refuses the routes that send at once", async () => {
		for (const path of ["mqtt/send", "live-meter/status"]) isError(await gateway.get(path), 404, "not_found");
	});

	it("answers in no dialect of another maker's meter", async () => {
		assert.equal((await gateway.get("/v1/json", { secure: false })).status, 301);
	});

	it("shows the stored protocol, whose readouts fail, and refuses to set a protocol that was left out", async () => {
		assert.deepEqual(await gateway.read("meter/protocol"), {
			...{ protocol: "sml", rx_inverted: false, tx_inverted: false, rx_pin: -1, tx_pin: -1 },
		});
		const failed = await gateway.get("iec62056/read");
		isError(failed, 500, "meter_error");
		assert.equal(JSON.parse(failed.text).code, "protocol/absent");
		for (const protocol of ["tic", "kmp"]) {
			const refused = await gateway.post("meter/protocol", { protocol });
			isError(refused, 501, "unsupported", "protocol");
			assert.equal(messageOf(refused), message(`the protocol ${protocol}`));
		}
		await gateway.write("iec62056/config", { mode_e_dlms: true });
	});

	it("reads a meter with a protocol that was not left out", async () => {
		const { telegram, readings } = vectorOf("landis-gyr-zmf100-m26-padded-left");
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.write("iec62056/config", { baudrate_max: 4800 });
		await gateway.connectMeter({ telegram });
		assert.equal((await gateway.read("iec62056/read"))["readings"].length, readings.length);
	});

	it("names the protocol of telegrams that it can't read, and reports that this protocol was left out", async () => {
		const telegram = Uint8Array.from(Buffer.from(`1b1b1b1b01010101760100${"00".repeat(40)}1b1b1b1b1a000000`, "hex"));
		gateway.world.serial.meter.connect(
			new PushMeter({ source: () => telegram, baud: 9600, pushMs: 2000 }, gateway.world.time.nowMs),
		);
		const found = await gateway.write("meter/probe", {});
		assert.equal(
			found["message"],
			"The meter pushes SML, at 9600 Bd, 8N1. This firmware was built without the protocol sml.",
		);
		assert.equal(found["unasked"].supported, false);
		assert.equal(found["settings"], null);
		await gateway.connectMeter(undefined);
	});

	it("restores a full firmware's backup without the settings of omitted parts, and keeps its protocol", async () => {
		const { ignored } = await gateway.write("system/backup", backup);
		assert.deepEqual([...ignored].sort(), [...ROUTES].sort());
		assert.deepEqual(await gateway.read("meter/protocol"), {
			...{ protocol: "sml", rx_inverted: false, tx_inverted: false, rx_pin: -1, tx_pin: -1 },
		});
		assert.equal("mqtt" in (await gateway.read("system/backup"))["settings"], false);
	});

	it("keeps the settings of omitted parts in flash for a full firmware", async () => {
		await gateway.stop();
		full = await start(VirtualGateway);
		const { enabled, url, token_set, cert_set } = await full.read("hub");
		assert.deepEqual([enabled, url, token_set, cert_set], [true, HUB.url, true, true]);
		const mqtt = await full.read("mqtt");
		assert.deepEqual([mqtt["url"], mqtt["password_set"]], [MQTT.url, true]);
		assert.deepEqual(await full.read("prices"), PRICES);
		assert.deepEqual(await full.read("peaks"), PEAKS);
		assert.deepEqual(await full.read("live-meter/clients"), CLIENTS);
		assert.equal((await full.read("live-meter"))["ecotracker"], true);
		assert.deepEqual(await full.read("mbus/config"), MBUS);
		await full.stop();
		gateway = await start(Small);
	});

	it("erases the settings of omitted parts at a factory reset", async () => {
		assert.ok(storage.keys().some((key) => key.startsWith("mqtt_cert")));
		await gateway.post("system/factory_reset");
		await gateway.rebooted();
		assert.deepEqual(
			storage.keys().filter((key) => THEIR_KEYS.test(key)),
			[],
		);
		await gateway.login();
	});
});

describe("A firmware without statistics for the hub, and without two dialects", () => {
	const names = ["statistics", "em24", "ct002"];
	const withStatistics = { ...HUB, cert: CERTIFICATE, statistics: true };
	let gateway: VirtualGateway;

	before(async () => {
		const Small = await bundledGateway(names);
		gateway = new Small("client", { utcMs: START_UTC_MS, storage: new VirtualStorage() });
		await gateway.login();
	});
	after(async () => {
		await gateway.stop();
		rmSync(bundleOf(names));
	});

	it("lists the omissions", async () => {
		const { hub_state, hub_statistics, hub_statistics_upto, without } = await gateway.read("system/status");
		assert.deepEqual([without, hub_state, hub_statistics, hub_statistics_upto], [names.join(" "), "off", "absent", 0]);
	});

	it("refuses to turn them on, and sends states", async () => {
		isError(await gateway.post("hub", withStatistics), 501, "unsupported", "statistics");
		assert.equal((await gateway.write("hub", { ...withStatistics, statistics: false }))["statistics"], false);
		assert.equal((await gateway.read("system/status"))["hub_state"], "waiting");
	});

	it("refuses to turn on the dialects, and has the others", async () => {
		for (const name of ["em24", "ct002"])
			isError(await gateway.post("live-meter", { sunspec: true, [name]: true }), 501, "unsupported", name);
		assert.equal((await gateway.read("live-meter")).sunspec, false);
		assert.equal((await gateway.write("live-meter", { sunspec: true, em24: false, ct002: false })).sunspec, true);
		const { dialects } = await gateway.read("live-meter/status");
		assert.deepEqual(
			dialects.map(({ name }: JSONObject) => name),
			["ecotracker", "shelly", "homewizard", "sma", "sunspec", "telegrams"],
		);
	});

	it("keeps the settings of a backup for a firmware that has them", async () => {
		const backup = await gateway.read("system/backup");
		backup["settings"]["hub"]["statistics"] = true;
		Object.assign(backup["settings"]["live-meter"], { em24: true, ct002: true });
		await gateway.write("system/backup", backup);
		assert.equal((await gateway.read("hub"))["statistics"], true);
		const { em24, ct002 } = await gateway.read("live-meter");
		assert.deepEqual([em24, ct002], [true, true]);
		assert.ok(!gateway.world.udp.ports.some(({ port }) => port === 12_345));
	});
});
