/** Backup and restore: no setting is lost, a failed restore changes nothing, and the file holds no secret. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { isShown } from "../../modules/api/backup-group.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { BYTES, entry, type Field, field, put, type Setting } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { RESERVE } from "../../modules/io/memory.js";
import { RESTORE_COST } from "../../modules/parts/system/restore.js";
import { another } from "../../tools/api/backup-file.js";
import { expectFaults } from "../faults.js";
import { isError, type JSONObject } from "./gateway.js";
import { lastingPair } from "./server-identity.js";
import { BACKUP_GROUPS } from "./tables.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const BACKUP = "system/backup";
const FOLDER = new URL("../../../test/vectors/backups/", import.meta.url);
const PACKAGE = new URL("../../../package.json", import.meta.url);
const KEY = "000102030405060708090a0b0c0d0e0f";

/** Stored entries, and single fields of entries, that are not settings. */
const NO_SETTINGS = [
	...["access", "tokens", "tls", "iec_speed", "mqtt_announced", "upgrade_found"],
	...["provision counter", "provision applied"],
	...["wifi on_trial", "wifi previous_ssid", "wifi previous_password", "wifi previous_dhcp"],
	...["wifi previous_ip", "wifi previous_netmask", "wifi previous_gateway"],
];

/**
 * Consistent values, all different from those of a new unit. Settings that are missing here get a random valid value.
 */
const GIVEN: Readonly<Record<string, JSONObject>> = {
	"system/power_mode": { power_mode: 2 },
	"system/timezone": { timezone: "Europe/Berlin" },
	"system/upgrade": {
		upgrade_url: "https://firmware.example/{board}.ota",
		upgrade_check_enabled: false,
		security_updates: true,
	},
	"network/wifi": {
		ssid: "caf\u00e9 \u201e\u20ac\u201c",
		dhcp: false,
		ip: "192.0.2.77",
		netmask: "255.255.255.0",
		gateway: "192.0.2.1",
		hostname: "cellar",
	},
	"network/ap": { ap_ssid: "own", ap_enabled: true },
	"network/fallback-ap": { fallback_ap_enabled: false },
	"network/wifi-enabled": { wifi_enabled: true },
	"network/ethernet": {
		ethernet_enabled: false,
		dhcp: false,
		ip: "192.0.2.78",
		netmask: "255.255.255.0",
		gateway: "192.0.2.1",
		dns: "192.0.2.2",
	},
	"meter/protocol": { protocol: "dlms" },
	"mbus/config": { secondary: Array(16).fill("12345678A7321704").join(" ") },
	hawkbit: { url: "https://hawkbit.example", tenant: "fleet", controller_id: "cellar-1", enabled: true },
	"iec62056/config": {
		mode_d_enabled: true,
		mode_d_baudrate: 9600,
		baudrate_max: 4801,
		battery: true,
		mode_e_dlms: true,
		device_address: "12 34",
	},
	"iec62056/control": { simulator_en: true, log_en: true },
	"iec62056/schedule": {
		enabled: false,
		period_unit: "months",
		period_value: 6,
		trigger_hour: 23,
		trigger_minute: 59,
		trigger_day: 28,
	},
	"dlms/config": {
		auth: "high_gmac",
		use_encryption: true,
		client_address: 1,
		server_logical: 2,
		server_physical: 17,
		receive_timeout_ms: 30000,
		server_address_length: 4,
		opening: "direct",
		baudrate: 19200,
		push_baudrate: 2400,
		security_suite: 1,
		release: true,
		deviation: "swapped",
		list_rows: "ABC 09=0-0:96.1.0 06=1.8.0e1*30",
	},
	"dlms/obis": { entries: [{ code: [1, 0, 1, 7, 0, 255], class_id: 3, attribute: 2, obis: "1-0:1.7.0" }] },
	provision: { group: "cellar", url: "https://files.example/cellar.smgs" },
	"meter/backfill": { enabled: true, obis: "1-0:99.2.0" },
	"zigbee/config": { enabled: false },
	"zigbee/map": { mapping: [{ obis: "1-0:1.8.0", mapping_id: "07020000" }] },
	prices: {
		periods: [
			{
				from: "2026-01-01",
				import_micro: 318_700,
				import_t2_micro: -1,
				export_micro: 80_300,
				base_micro: 154_800_000,
				base_per: "year",
				dynamic: true,
			},
			{ from: "2026-01-01", import_micro: 200_000, weekdays: 31, start_minute: 1320, end_minute: 360 },
			{
				from: "2026-01-01",
				medium: "gas",
				import_micro: 1_100_000,
				export_micro: 0,
				base_micro: 0,
				base_per: "month",
			},
		],
		currency: "PLN",
	},
	"live-meter/clients": { clients: [{ address: "192.168.1.40" }, { address: "10.0.0.7" }] },
	hub: { enabled: true, url: "https://hub.example:8123", lang: "de", statistics: true },
	mqtt: {
		enabled: true,
		url: "mqtt://broker.example",
		user: "u\u017cytkownik",
		topic: "house/meter",
		topics: "both",
		discovery: false,
		discovery_prefix: "ha",
		lang: "pl",
		pause_secs: 60,
	},
};

function anotherOf(field: Field): Setting {
	const value = another(field);
	assert.ok(value !== undefined, `${field.name}: add a valid text for it to GIVEN`);
	return value;
}

const SET: Readonly<Record<string, JSONObject>> = Object.fromEntries(
	BACKUP_GROUPS.map(({ path, table }) => {
		const given = GIVEN[path] ?? {};
		const others = table.fields.filter((one) => isShown(one) && !(one.name in given) && one.kind !== BYTES);
		const isList = table.list !== undefined || path === "hub";
		return [path, { ...Object.fromEntries(isList ? [] : others.map((one) => [one.name, anotherOf(one)])), ...given }];
	}),
);
const SECRETS: Readonly<Record<string, JSONObject>> = {
	"network/wifi": { password: "canary-wifi-secret" },
	"network/ap": { ap_password: "canary-own-secret" },
	"iec62056/config": { password: "canary-iec-secret" },
	"dlms/config": { password: "canary-dlms-secret", block_cipher_key: KEY, auth_key: [...KEY].reverse().join("") },
	hub: { token: "canary-hub-token" },
	hawkbit: { token: "canary-hawkbit-token" },
	mqtt: { password: "canary-mqtt-secret" },
};
const FLAGS: Readonly<Record<string, readonly string[]>> = {
	"network/wifi": ["password_set"],
	"network/ap": ["ap_password_set"],
	"iec62056/config": ["password_set"],
	"dlms/config": ["password_set", "block_cipher_key_set", "auth_key_set"],
	hub: ["token_set", "cert_set"],
	hawkbit: ["token_set", "cert_set"],
	provision: ["cert_set"],
	mqtt: ["password_set", "cert_set"],
};
const pair = lastingPair("hub.example");
const CERTIFICATE = Buffer.from(pair.certificate).toString();

function file(settings: JSONObject, head: JSONObject = {}): JSONObject {
	return { backup: 1, product: "smart-meter-gw", ...head, settings };
}

/** Merges groups of settings; later groups override earlier ones. */
function merged(...all: readonly JSONObject[]): JSONObject {
	const groups: JSONObject = {};
	for (const one of all) for (const path of Object.keys(one)) groups[path] = { ...groups[path], ...one[path] };
	return groups;
}

/** SET as a backup file shows it, with a flag in place of each secret. */
function shown(cert: boolean): JSONObject {
	const flags = Object.entries(FLAGS).map(([path, names]) => {
		return [path, Object.fromEntries(names.map((name) => [name, name !== "cert_set" || (cert && path === "hub")]))];
	});
	return merged(SET, Object.fromEntries(flags));
}

describe("A backup", () => {
	let gateway: VirtualGateway;
	const gateways: VirtualGateway[] = [];

	async function make(...options: ConstructorParameters<typeof VirtualGateway>): Promise<VirtualGateway> {
		const made = new VirtualGateway(...options);
		gateways.push(made);
		await made.login();
		for (const group of Object.values(SECRETS)) for (const secret of Object.values(group)) made.plant(String(secret));
		return made;
	}

	const settingsOf = async (one: VirtualGateway): Promise<JSONObject> => (await one.read(BACKUP)).settings;
	const restore = (body: unknown, one = gateway) => one.write(BACKUP, body as JSONObject);

	/** Sets all of SET and the secrets through the settings routes. */
	async function setAll(one: VirtualGateway): Promise<void> {
		const all = merged(SET, SECRETS, { hub: { cert: CERTIFICATE } });
		for (const path of Object.keys(all)) {
			const reply = await one.post(path, all[path]);
			assert.equal(reply.status, 200, `${path}: ${reply.text}`);
		}
	}

	beforeEach(async () => {
		gateway = await make();
	});
	afterEach(async () => {
		for (const one of gateways.splice(0)) {
			one.checkTraces();
			await one.stop();
		}
	});

	describe("when created", () => {
		it("covers every setting and secret of the user, and nothing else that is stored", () => {
			const had = BACKUP_GROUPS.flatMap(({ table, secrets }) => [...table.fields.filter(isShown), ...secrets]);
			const all = ENTRIES.flatMap(({ key, fields }) => fields.map((field) => ({ key, field })));
			const isOwners = ({ key, field }: (typeof all)[0]) =>
				!NO_SETTINGS.includes(key) && !NO_SETTINGS.includes(`${key} ${field.name}`);
			const missing = all.filter((one) => isOwners(one) && !had.includes(one.field));
			assert.deepEqual(
				missing.map(({ key, field }) => `${key} ${field.name}`),
				[],
				"a new setting needs a backup group in its part, and a value in test/vectors/backups",
			);
			for (const { field } of all.filter((one) => !isOwners(one))) assert.ok(!had.includes(field), field.name);
		});
		it("is a file to download that names its firmware, board and date", async () => {
			const reply = await gateway.get(BACKUP);
			assert.equal(reply.status, 200);
			assert.equal(reply.headers.get("content-type"), "application/json");
			assert.equal(
				reply.headers.get("content-disposition"),
				`attachment; filename="${gateway.hostname}-2026-11-20.json"`,
			);
			const { settings, ...head } = JSON.parse(reply.text);
			assert.deepEqual(head, {
				backup: 1,
				product: "smart-meter-gw",
				version: "0.0.0",
				build_number: 0,
				board: "virtual",
				created: "2026-11-20T06:00:00Z",
			});
			assert.deepEqual(
				Object.keys(settings),
				BACKUP_GROUPS.map(({ path }) => path),
			);
		});
		it("has no date while the clock is not set", async () => {
			const other = await make("client", {});
			const reply = await other.get(BACKUP);
			assert.equal(JSON.parse(reply.text).created, "");
			assert.equal(reply.headers.get("content-disposition"), `attachment; filename="${gateway.hostname}.json"`);
		});
		it("shows the value of each setting, and no secret in any form", async () => {
			await setAll(gateway);
			// The test gateway searches every reply for the secrets.
			assert.deepEqual(await settingsOf(gateway), shown(true));
		});
		it("does not mix old and new values if a setting changes during a slow download", async () => {
			await setAll(gateway);
			const expected = await settingsOf(gateway);
			const client = gateway.world.connect(true, gateway.clientAddress);
			client.paused = true;
			const head = `GET /api/v1/${BACKUP} HTTP/1.1\r\nHost: gateway.local\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`;
			client.send(head);
			await gateway.pass(100);
			const { status } = await gateway.post("mqtt", { topic: "x", user: "a-much-longer-name-of-a-user-than-before" });
			assert.equal(status, 200);
			client.paused = false;
			const { text } = gateway.world.awaitReply(client);
			client.close();
			assert.deepEqual(JSON.parse(text).settings, expected);
		});
	});

	describe("when restored", () => {
		it("changes nothing on the same unit, and asks for no secret", async () => {
			await setAll(gateway);
			const before = await gateway.read(BACKUP);
			const writes = gateway.world.storage.writes;
			const { restored, ...rest } = await restore(before);
			assert.deepEqual(rest, { enter_again: [], ignored: [], restart: false });
			assert.equal(
				restored,
				BACKUP_GROUPS.reduce((sum, { table }) => sum + table.fields.filter(isShown).length, 0),
			);
			assert.equal(gateway.world.storage.writes, writes);
			assert.deepEqual(await settingsOf(gateway), before.settings);
		});
		it("sets all but the network on another unit, turns off outputs that lack a secret, and lists the missing secrets", async () => {
			await setAll(gateway);
			const other = await make();
			const before = await settingsOf(other);
			const { enter_again, ignored } = await restore(await gateway.read(BACKUP), other);
			assert.deepEqual(enter_again, [
				...["network/wifi.password", "network/ap.ap_password", "iec62056/config.password"],
				...["dlms/config.password", "dlms/config.block_cipher_key", "dlms/config.auth_key"],
				...["hub.token", "hub.cert", "mqtt.password", "hawkbit.token"],
			]);
			assert.deepEqual(ignored, []);
			const station = { ...before["network/wifi"], hostname: "cellar" };
			const off = { hub: { enabled: false }, mqtt: { enabled: false }, hawkbit: { enabled: false } };
			const none = Object.entries(FLAGS).map(([path, names]) => {
				return [path, Object.fromEntries(names.map((name) => [name, before[path][name]]))];
			});
			const expected = merged(SET, off, Object.fromEntries(none), { "network/wifi": station });
			assert.deepEqual(await settingsOf(other), expected);
		});
		it("sets everything on another unit if the secrets were added to the file", async () => {
			await setAll(gateway);
			await gateway.write("hub", { enabled: true, ...SET["hub"], ...SECRETS["hub"], cert: "" });
			const { settings, ...head } = await gateway.read(BACKUP);
			const other = await make();
			const { enter_again } = await restore(file(merged(settings, SECRETS), head), other);
			assert.deepEqual(enter_again, []);
			assert.deepEqual(await settingsOf(other), shown(false));
			await other.restartAndLogin();
			assert.deepEqual(await settingsOf(other), shown(false));
		});
		it("leaves settings unchanged that the file lacks", async () => {
			await setAll(gateway);
			const before = await settingsOf(gateway);
			assert.equal((await restore(file({}))).restored, 0);
			assert.deepEqual(await settingsOf(gateway), before);
			const part = {
				hub: { lang: "pl" },
				"network/wifi": { hostname: "attic" },
				"iec62056/schedule": { trigger_day: 1 },
			};
			assert.equal((await restore(file(part))).restored, 3);
			assert.deepEqual(await settingsOf(gateway), merged(before, part));
		});
		it("takes effect at once", async () => {
			await restore(
				file({ "system/timezone": { timezone: "Asia/Tokyo" }, "iec62056/control": { simulator_en: true } }),
			);
			assert.match((await gateway.read("system/clock")).localtime, /\+09:00$/);
			assert.equal((await gateway.get("iec62056/read")).status, 200);
			const { events } = await gateway.read("system/log");
			assert.ok(events.some(({ detail }: JSONObject) => detail === "control system"));
		});
		it("can be used on a unit without a radio", async () => {
			const other = await make("client", { utcMs: START_UTC_MS, radio: false });
			await setAll(gateway);
			const { settings } = await gateway.read(BACKUP);
			await restore(file(merged(settings, SECRETS)), other);
			assert.deepEqual((await settingsOf(other))["network/ap"], shown(false)["network/ap"]);
		});
		it("ignores unknown members, as newer firmware may write them, and lists them", async () => {
			const newer = {
				...file({
					"a/newer": { group: [[{ deep: [] }]] },
					hub: { lang: "pl", color: { of: ["it"] }, "": 1, ["x".repeat(65)]: 2 },
					"meter/protocol": { protocol: "dlms", "\u00fc": null },
				}),
				signature: [1],
			};
			assert.deepEqual(await restore(newer), {
				restored: 2,
				enter_again: [],
				ignored: ["a/newer", "hub.color", "hub.", "hub.\u2026", "meter/protocol.\u00fc"],
				restart: false,
			});
			assert.equal((await settingsOf(gateway))["hub"].lang, "pl");
			const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`group/${i}`, i]));
			assert.deepEqual((await restore(file(many))).ignored, Object.keys(many).slice(0, 16));
		});
		it("uses the last of duplicate members", async () => {
			const text = `{"settings":{"hub":{"lang":"de"},"hub":{"lang":"pl","lang":"en"}},"product":"smart-meter-gw","settings":
				{"meter/protocol":{"protocol":"dlms"},"dlms/obis":{"entries":[],"entries":[]}},"backup":1}`;
			assert.equal((await restore(text)).restored, 3);
			const settings = await settingsOf(gateway);
			assert.deepEqual([settings["hub"].lang, settings["meter/protocol"].protocol], ["en", "dlms"]);
			assert.deepEqual(settings["dlms/obis"].entries, []);
		});
	});

	describe("with secrets", () => {
		const at = (hub: JSONObject, mqtt: JSONObject) => file({ hub, mqtt });
		beforeEach(() => setAll(gateway));

		it("clears the secrets and the certificate if the address changes", async () => {
			const { enter_again } = await restore(
				at(
					{ enabled: true, url: "https://other.example", token_set: true, cert_set: true },
					{ enabled: true, url: "mqtt://other.example", password_set: true, cert_set: false },
				),
			);
			assert.deepEqual(enter_again, ["hub.token", "hub.cert", "mqtt.password"]);
			const { hub, mqtt } = await settingsOf(gateway);
			assert.deepEqual([hub.enabled, hub.token_set, hub.cert_set], [false, false, false]);
			assert.deepEqual([mqtt.enabled, mqtt.password_set], [false, false]);
		});
		it("asks for no secret that the file marks as not set", async () => {
			const mqtt = { enabled: true, url: "mqtt://open.example", password_set: false, cert_set: false };
			const { enter_again } = await restore(file({ mqtt }));
			assert.deepEqual(enter_again, []);
			const now = (await settingsOf(gateway))["mqtt"];
			assert.deepEqual([now.enabled, now.password_set], [true, false]);
		});
		it("keeps no secret for a new address, even if the file omits the flags of the secrets", async () => {
			const hub = { enabled: true, url: "http://thief.example" };
			const { enter_again } = await restore(file({ hub, mqtt: { url: "mqtt://thief.example" } }));
			assert.deepEqual(enter_again, ["hub.token", "hub.cert", "mqtt.password"]);
			const settings = await settingsOf(gateway);
			assert.deepEqual([settings["hub"].token_set, settings["mqtt"].password_set], [false, false]);
			assert.deepEqual([settings["hub"].enabled, settings["mqtt"].enabled], [false, false]);
			isError(await gateway.post(BACKUP, file({ hub })), 400, "invalid_field", "hub.token");
			await restore(file({ "network/wifi": { ssid: "thief", dhcp: true } }));
			assert.equal((await settingsOf(gateway))["network/wifi"].ssid, SET["network/wifi"]!["ssid"]);
		});
		it("sets secrets that a script added to the file, but lists certificates as ignored", async () => {
			const url = "https://new-hub.example";
			const hub = { enabled: true, url, token: "token-of-a-script", cert_set: true, cert: CERTIFICATE };
			const { enter_again, ignored } = await restore(file({ hub }));
			assert.deepEqual([enter_again, ignored], [["hub.cert"], ["hub.cert"]]);
			const { enabled, token_set, cert_set } = await gateway.read("hub");
			assert.deepEqual([enabled, token_set, cert_set], [false, true, false]);
			await gateway.write("hub", { enabled: true, url, token: "token-of-a-script", cert: CERTIFICATE });
			assert.equal((await gateway.read("hub")).enabled, true);
		});

		it("needs a certificate for a broker over TLS", async () => {
			const mqtt = { enabled: true, url: "mqtts://broker.example", password: "of-the-new-broker" };
			isError(await gateway.post(BACKUP, file({ mqtt })), 400, "missing_field", "mqtt.cert");
			assert.deepEqual((await restore(file({ mqtt: { ...mqtt, cert_set: true } }))).enter_again, ["mqtt.cert"]);
			assert.equal((await settingsOf(gateway))["mqtt"].enabled, false);
		});
		it("clears the host name and the name and password of the access point if they are empty", async () => {
			await restore(file({ "network/ap": { ap_password: "", ap_ssid: "" }, "network/wifi": { hostname: "" } }));
			const settings = await settingsOf(gateway);
			const { ap_ssid, ap_password_set } = settings["network/ap"];
			assert.deepEqual([ap_ssid, ap_password_set, settings["network/wifi"].hostname], ["", false, ""]);
		});
	});

	describe("with an error", () => {
		const long = "x".repeat(300);
		const wrong: readonly (readonly [string, unknown, string, string | undefined])[] = [
			["no JSON", "x", "invalid_json", undefined],
			["empty", "", "invalid_json", undefined],
			["a list", "[]", "invalid_json", undefined],
			["a text", '"backup"', "invalid_json", undefined],
			["cut", JSON.stringify(file({ hub: { lang: "de" } })).slice(0, -1), "invalid_json", undefined],
			["text after the JSON", `${JSON.stringify(file({}))}x`, "invalid_json", undefined],
			["nested too deep", file({ x: [[[[[[[[]]]]]]]] }), "invalid_json", undefined],
			["no format number", { product: "smart-meter-gw", settings: {} }, "missing_field", "backup"],
			["no settings", { backup: 1, product: "smart-meter-gw" }, "missing_field", "settings"],
			["a newer format", file({}, { backup: 2 }), "invalid_field", "backup"],
			["the format number in a list", { settings: {}, backup: [1] }, "invalid_field", "backup"],
			["the format number as text", file({}, { backup: "1" }), "invalid_field", "backup"],
			["a list in place of the settings", { ...file({}), settings: [] }, "invalid_field", "settings"],
			["null in place of the settings", { ...file({}), settings: null }, "invalid_field", "settings"],
			["a list in place of a group", file({ hub: [{ lang: "de" }] }), "invalid_field", "hub"],
			["a number in place of a group", file({ "dlms/obis": 3 }), "invalid_field", "dlms/obis"],
			["a value of the wrong type", file({ hub: { enabled: "true" } }), "invalid_field", "hub.enabled"],
			["an object in place of a value", file({ hub: { lang: { of: "de" } } }), "invalid_field", "hub.lang"],
			["null in place of a value", file({ mqtt: { url: null } }), "invalid_field", "mqtt.url"],
			["a text that is too long", file({ mqtt: { url: long } }), "invalid_field", "mqtt.url"],
			["an invalid flag", file({ hub: { token_set: 1 } }), "invalid_field", "hub.token_set"],
			["an invalid choice", file({ "dlms/config": { auth: "x" } }), "invalid_field", "dlms/config.auth"],
			["an invalid key", file({ "dlms/config": { auth_key: "00" } }), "invalid_field", "dlms/config.auth_key"],
			[
				"an address length that is too short for the address",
				file({ "dlms/config": { server_physical: 9000, server_address_length: 1 } }),
				"invalid_field",
				"dlms/config.server_address_length",
			],
			[
				"an unknown time zone",
				file({ "system/timezone": { timezone: "Mars/X" } }),
				"invalid_field",
				"system/timezone.timezone",
			],
			[
				"an invalid period",
				file({ "iec62056/schedule": { period_unit: "hours", period_value: 3 } }),
				"invalid_field",
				"iec62056/schedule.period_value",
			],
			[
				"a trigger time out of range",
				file({ "iec62056/schedule": { period_unit: "days", period_value: 1, trigger_hour: 24 } }),
				"invalid_field",
				"iec62056/schedule.trigger_hour",
			],
			["an invalid host name", file({ "network/wifi": { hostname: "-x" } }), "invalid_field", "network/wifi.hostname"],
			[
				"an invalid IP address",
				file({ "network/wifi": { ssid: "other", password: "", dhcp: false, ip: "1.2.3" } }),
				"invalid_field",
				"network/wifi.ip",
			],
			[
				"a password that is too short",
				file({ "network/ap": { ap_password: "short" } }),
				"invalid_field",
				"network/ap.ap_password",
			],
			["an invalid topic", file({ mqtt: { topic: "/x" } }), "invalid_field", "mqtt.topic"],
			["an invalid URL", file({ hub: { url: "ftp://x" } }), "invalid_field", "hub.url"],
			[
				"an object requested twice",
				file({ "dlms/obis": { entries: Array(2).fill({ code: [1, 0, 1, 7, 0, 255], class_id: 3, attribute: 2 }) } }),
				"invalid_field",
				"dlms/obis.entries[1]",
			],
			[
				"an object without its code",
				file({ "dlms/obis": { entries: [{ class_id: 3, attribute: 2 }] } }),
				"missing_field",
				"dlms/obis.entries[0].code",
			],
			[
				"an invalid mapping",
				file({ "zigbee/map": { mapping: [{ obis: "1.8.0", mapping_id: "07020002" }] } }),
				"invalid_field",
				"zigbee/map.mapping[0].mapping_id",
			],
			[
				"two prices from the same day",
				file({ prices: { periods: [1, 2].map((import_micro) => ({ from: "2026-01-01", import_micro })) } }),
				"invalid_field",
				"prices.periods[1].from",
			],
		];
		for (const [what, body, code, field] of wrong) {
			it(`changes nothing, even if the rest is valid (${what})`, async () => {
				const before = await settingsOf(gateway);
				isError(await gateway.post(BACKUP, body), 400, code, field);
				if (typeof body !== "string" && (body as JSONObject)["settings"]?.constructor === Object) {
					const { settings } = body as JSONObject;
					const around = {
						"system/power_mode": { power_mode: 1 },
						...settings,
						"meter/protocol": { protocol: "dlms" },
					};
					isError(await gateway.post(BACKUP, { ...(body as JSONObject), settings: around }), 400, code, field);
				}
				assert.deepEqual(await settingsOf(gateway), before);
			});
		}
		it("is rejected for its first error, but invalid JSON is reported before any other error", async () => {
			const two = file({ hub: { lang: "xx", enabled: 1 }, mqtt: { url: 1 } });
			isError(await gateway.post(BACKUP, two), 400, "invalid_field", "hub.lang");
			isError(await gateway.post(BACKUP, `${JSON.stringify(two)}x`), 400, "invalid_json");
		});
		it("is rejected if it is larger than 16,384 bytes", async () => {
			const text = JSON.stringify(await gateway.read(BACKUP));
			const padded = (bytes: number) => `${text}${" ".repeat(bytes - Buffer.byteLength(text))}`;
			assert.equal((await gateway.post(BACKUP, padded(16_384))).status, 200);
			isError(await gateway.post(BACKUP, padded(16_385)), 413, "too_large");
			isError(await gateway.post(BACKUP, padded(16_385), { chunked: true }), 413, "too_large");
		});
	});

	it("is neither created nor restored while memory is short: 503", async () => {
		const memory = { slots: 10_000, suffices: (slots: number) => slots <= memory.slots };
		const other = await make("client", { utcMs: START_UTC_MS, memory });
		for (let i = 0; i < 3; i++) {
			memory.slots = RESERVE.slots + RESTORE_COST.slots;
			assert.equal((await other.get(BACKUP)).status, 200);
			isError(await other.post(BACKUP, "{"), 400, "invalid_json");
			other.begin("POST", BACKUP, { body: "{" }).abandon();
			await other.pass(100);
			memory.slots = 100;
			isError(await other.get(BACKUP), 503, "busy");
			isError(await other.post(BACKUP, file({})), 503, "busy");
		}
	});

	describe("in flash", () => {
		/**
		 * Restores all of SET on a new unit. Returns a copy of the flash before the restore, the file, and the settings
		 * before and after it.
		 */
		async function prepare(): Promise<[VirtualStorage, JSONObject, JSONObject, JSONObject]> {
			const storage = new VirtualStorage();
			const one = await make("client", { utcMs: START_UTC_MS, storage });
			const before = await settingsOf(one);
			const start = storage.copy();
			const body = file(merged(shown(false), SECRETS));
			await restore(body, one);
			return [start, body, before, await settingsOf(one)];
		}

		it("is restored completely or not at all if a write fails, also after a restart", async () => {
			expectFaults(/^fault: flash: \w+: the flash refuses/);
			const [start, body, before, after] = await prepare();
			let count = 1;
			for (let seen = ""; seen !== "taken"; count++) {
				const storage = start.copy();
				const one = await make("client", { utcMs: START_UTC_MS, storage });
				storage.refuseAt(count);
				const { status } = await one.post(BACKUP, body);
				seen = storage.refusals > 0 ? "taken" : "refused";
				storage.refusals = 0;
				const expected = status === 200 ? after : before;
				assert.deepEqual(await settingsOf(one), expected, `write ${count}`);
				await one.restartAndLogin();
				assert.deepEqual(await settingsOf(one), expected, `write ${count}, restarted`);
			}
			assert.ok(count > BACKUP_GROUPS.length);
		});
		it("is restored completely or not at all if power fails during a write", async () => {
			expectFaults(/^fault: flash: \w+: (power cut|no power)/, /^fault: http: PowerCut: no power/);
			const [start, body, before, after] = await prepare();
			const seen = new Set<string>();
			for (let count = 1; count <= BACKUP_GROUPS.length + 3; count++) {
				for (const keepsNew of [false, true]) {
					const storage = start.copy();
					const one = await make("client", { utcMs: START_UTC_MS, storage });
					storage.cutPowerAt(count, keepsNew);
					await one.post(BACKUP, body);
					storage.powerUp();
					await one.losePower(1000);
					await one.login();
					const settings = await settingsOf(one);
					const isAfter = JSON.stringify(settings) === JSON.stringify(after);
					assert.deepEqual(settings, isAfter ? after : before, `write ${count}`);
					seen.add(isAfter ? "after" : "before");
				}
			}
			assert.deepEqual([...seen], ["before", "after"]);
		}).timeout(120_000);
		it("fits in flash at its greatest length, even if newer firmware has stored long settings of its own", async () => {
			const storage = new VirtualStorage();
			const newer = ENTRIES.map((one, index) => {
				const extra = field({ entry: index, id: 200, name: "newer", kind: BYTES, maximum: 1500 });
				return NO_SETTINGS.includes(one.key) ? one : entry(one.key, one.version + 1, [...one.fields, extra]);
			});
			const store = new ConfigStore(storage, new NodeText(), newer);
			for (const { fields } of newer) {
				const extra = fields.find(({ name }) => name === "newer");
				if (extra !== undefined) store.change([put(extra, new Uint8Array(1500).fill(7))]);
			}
			const one = await make("client", { utcMs: START_UTC_MS, storage });
			const secret = (length: number) => "s".repeat(length);
			const longest = merged(shown(false), {
				"network/wifi": { ssid: "n".repeat(31), password: secret(63), hostname: "h".repeat(31) },
				"network/ap": { ap_ssid: "a".repeat(31), ap_password: secret(63) },
				"iec62056/config": { device_address: "1".repeat(32), password: secret(32) },
				"dlms/config": { password: secret(64), block_cipher_key: KEY, auth_key: KEY },
				"dlms/obis": {
					entries: Array.from({ length: 32 }, (_, i) => ({ code: [1, 0, i, 7, 0, 255], class_id: 3, attribute: 2 })),
				},
				"zigbee/map": { mapping: Array.from({ length: 16 }, (_, i) => ({ obis: `1.${i}.0`, mapping_id: "07020000" })) },
				"system/upgrade": { upgrade_url: `https://h/${"u".repeat(245)}` },
				hub: { url: `http://h/${"p".repeat(246)}`, token: secret(512) },
				hawkbit: {
					url: `https://h/${"p".repeat(70)}`,
					tenant: "t".repeat(20),
					controller_id: "c".repeat(32),
					token: secret(64),
				},
				provision: { group: "g".repeat(32), url: `https://h/${"p".repeat(118)}` },
				mqtt: {
					url: `mqtt://${"h".repeat(240)}`,
					user: "\u20ac".repeat(64),
					password: "\u20ac".repeat(128),
					topic: "t".repeat(64),
					discovery_prefix: "d".repeat(32),
				},
			});
			assert.deepEqual((await restore(file(longest), one)).enter_again, []);
			await one.restartAndLogin();
			const { settings } = await one.read(BACKUP);
			assert.equal(settings.mqtt.user, "\u20ac".repeat(64));
			assert.ok(JSON.stringify(settings).length < 8000, "the longest backup takes more than half of a request");
		});
	});

	describe("with another Wi-Fi network", () => {
		const HOME = { ssid: "home", password: "home-secret", dhcp: true };
		let air: VirtualAir;

		beforeEach(async () => {
			const wifi = (timers: VirtualTime) => {
				const networks = { home: { password: "home-secret" }, new: { password: "new-secret" }, open: { password: "" } };
				air = new VirtualAir(timers, networks);
				return air.port;
			};
			gateway = await make("client", { utcMs: START_UTC_MS, wifi });
			await gateway.write("network/wifi", { ...HOME, apply: true });
			await gateway.pass(5000);
			for (const secret of ["home-secret", "new-secret"]) gateway.plant(secret);
		});
		const station = async () => {
			const { ssid, connected } = await gateway.read("network/status");
			return [ssid, connected];
		};
		const network = (ssid: string, more: JSONObject) => file({ "network/wifi": { ssid, dhcp: true, ...more } });

		it("makes the gateway join it if the file has the password or the network needs none", async () => {
			assert.deepEqual(await station(), ["home", true]);
			await restore(network("new", { password: "new-secret", password_set: true }));
			await gateway.pass(5000);
			assert.deepEqual(await station(), ["new", true]);
			await restore(network("open", { password_set: false }));
			await gateway.pass(5000);
			assert.deepEqual(await station(), ["open", true]);
		});
		it("makes the gateway return to the previous network after 45 s without success", async () => {
			await restore(network("absent", { password: "new-secret" }));
			await gateway.pass(44_000);
			assert.deepEqual((await station())[1], false);
			await gateway.pass(6000);
			assert.deepEqual(await station(), ["home", true]);
			assert.equal((await settingsOf(gateway))["network/wifi"].ssid, "home");
		});
		it("keeps the gateway in its network if the password is missing, or if the file names the same network or none", async () => {
			const { enter_again } = await restore(network("new", { password_set: true }));
			assert.deepEqual(enter_again, ["network/wifi.password"]);
			assert.deepEqual((await restore(network("home", { password_set: true }))).enter_again, []);
			assert.deepEqual((await restore(network("", { password_set: false }))).enter_again, []);
			for (let i = 0; i < 10; i++) {
				await gateway.pass(1000);
				assert.deepEqual(await station(), ["home", true]);
			}
		});
	});

	describe("of each release", () => {
		const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
		const contentOf = (name: string): JSONObject => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
		const { version } = JSON.parse(readFileSync(PACKAGE, "utf8"));

		for (const name of files) {
			it(`is restored completely on a unit where every setting has another value (${name})`, async () => {
				const { settings, ...head } = contentOf(name);
				// The only setting that has the same value in the file and in a new unit.
				await gateway.write("network/wifi-enabled", { wifi_enabled: false });
				const fresh = await settingsOf(gateway);
				for (const path of Object.keys(settings)) {
					for (const [field, value] of Object.entries(settings[path])) {
						if (!field.endsWith("_set")) assert.notDeepEqual(fresh[path][field], value, `${path} ${field}`);
					}
				}
				const { enter_again, ignored } = await restore(file(merged(settings, SECRETS), head));
				assert.deepEqual([enter_again, ignored], [[], []]);
				const now = await settingsOf(gateway);
				for (const path of Object.keys(settings)) {
					for (const [field, value] of Object.entries(settings[path]))
						assert.deepEqual(now[path][field], value, `${path} ${field}`);
				}
			});
		}
		it("exists for this version, and has every setting of the current firmware", async () => {
			assert.ok(files.includes(`${version}.json`), `test/vectors/backups has no ${version}.json`);
			const names = (settings: JSONObject) =>
				Object.entries(settings)
					.map(([path, group]) => [path, Object.keys(group as JSONObject)] as const)
					.sort(([a], [b]) => (a < b ? -1 : 1));
			const { settings } = contentOf(`${version}.json`);
			assert.deepEqual(names(settings), names(await settingsOf(gateway)));
		});
	});
});
