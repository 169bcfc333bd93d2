/**
 * Puts a secret into every text setting. None may appear in the diagnostic report, the metrics, the log or on the
 * console. The settings come from the tables, so new ones are included.
 */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { hasOnly } from "../../modules/bytes/ascii.js";
import { checkField, type Put, put, type SettingField, TEXT } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { HUB_ENABLED } from "../../modules/parts/hub/fields.js";
import { MQTT_ENABLED } from "../../modules/parts/mqtt/fields.js";
import { Canary } from "./canary.js";
import { openWhole, REPORT_KEY, sectionsOf } from "./report-key.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const nameOf = (field: SettingField) => `${ENTRIES[field.entry].key}.${field.name}`;
const TEXTS = ENTRIES.flatMap(({ fields }) => fields).filter(({ kind }) => kind === TEXT);
/** Texts that a report shows, with their values. They do not identify the user. */
const PUBLIC = new Map([
	["system.timezone", "Europe/Berlin"],
	["prices.currency", "PLN"],
	["tls.last_error", "canary of a public text"],
	["upgrade_found.version", "9.8.7"],
	["backfill.obis", "1-0:98.1.0"],
]);

/** A text unique to this setting and valid for it. */
function canaryFor(field: SettingField, index: number): string {
	const word = `canary${index}x`;
	if (/url$/.test(field.name)) {
		const scheme = field.name === "url" && ENTRIES[field.entry].key === "mqtt" ? "mqtts" : "https";
		return `${scheme}://${word}.example/path-${word}`;
	}
	for (const text of [`${word}-house`, `canary/${index}`, `CANARY ${index}`, `10.99.88.1${index}`, `cafe${index}ab`]) {
		const fitting = text.slice(0, field.maximum);
		if (hasOnly(fitting, field.characters)) return fitting;
	}
	throw new Error(`no canary fits ${nameOf(field)}`);
}

describe("A text setting", function () {
	this.timeout(60_000);
	let gateway: VirtualGateway;
	let canary: Canary;

	/** Starts a gateway with a secret in each text setting except the salt, which is a secret itself. */
	async function start(radio: boolean): Promise<void> {
		const storage = new VirtualStorage();
		const store = new ConfigStore(storage, new NodeText(), ENTRIES);
		canary = new Canary([]);
		const puts: Put[] = [put(HUB_ENABLED, true), put(MQTT_ENABLED, true)];
		TEXTS.forEach((field, index) => {
			if (nameOf(field) === "access.salt") return;
			const text = PUBLIC.get(nameOf(field)) ?? canaryFor(field, index + 10);
			assert.ok(checkField(field, text), `${nameOf(field)}: ${text}`);
			puts.push(put(field as SettingField<string>, text));
			if (PUBLIC.has(nameOf(field))) return;
			canary.plant(text);
			// The host of a URL alone identifies the user.
			const host = /:\/\/([^/]+)/.exec(text)?.[1];
			if (host !== undefined) canary.plant(host);
		});
		store.change(puts);
		gateway = await VirtualGateway.loggedIn("client", {
			utcMs: START_UTC_MS,
			storage,
			radio,
			info: { reportKey: REPORT_KEY },
		});
		canary.plant((await gateway.read("system/challenge", { token: null })).salt);
	}
	afterEach(() => gateway?.stop());

	it("is marked as public in its table only if it is listed here; the same holds for settings of bytes", () => {
		const shown = ENTRIES.flatMap(({ fields }) => fields).filter((field) => field.isPublic);
		// Besides texts, the report shows the requested objects of the meter and their Zigbee mappings.
		assert.deepEqual(shown.map(nameOf).sort(), [...PUBLIC.keys(), "dlms_obis.entries", "zigbee_map.mapping"].sort());
	});

	for (const radio of [true, false]) {
		it(`is in no report, metric, log or trace unless it is public, ${radio ? "with" : "without"} a radio`, async () => {
			await start(radio);
			// The gateway uses everything that a setting names: network, hub, broker, newer firmware, meter.
			for (const path of ["hub/send", "mqtt/send", "iec62056/read", "network/scan"]) await gateway.get(path);
			await gateway.pass(2 * 3_600_000);
			await gateway.restartAndLogin();
			await gateway.pass(10_000);
			const headers = { Authorization: `Bearer ${gateway.token}` };
			const { body } = gateway.world.request("/api/v1/system/diagnostic", { headers });
			const { text } = await openWhole(body);
			canary.check("the report", text);
			canary.check("the metrics", (await gateway.get("metrics")).text);
			canary.check("the log", (await gateway.get("system/log")).text);
			canary.check("the trace", gateway.diagnosis);
			const lines = sectionsOf(text).get("settings")!;
			for (const field of TEXTS) {
				// The line is empty if the gateway has changed the setting, such as the address of its own certificate.
				const line = lines.find((one) => one.startsWith(`${nameOf(field)}: `));
				if (PUBLIC.has(nameOf(field))) assert.equal(line, `${nameOf(field)}: ${PUBLIC.get(nameOf(field))}`);
				else assert.match(line ?? "", /: (|(\w+:\/\/)?\*\*\*( \(\d+ characters\))?)$/, nameOf(field));
			}
		});
	}
});
