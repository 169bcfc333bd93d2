/** Effects of changed settings: the reactions of all parts, and a meter's learned speed through the whole gateway. */
import assert from "node:assert/strict";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { ENTRIES, PARTS } from "../../modules/app/parts.js";
import { type Put, put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import type { Core } from "../../modules/core/core.js";
import { APPLY_ACCESS_POINT, APPLY_FLAGS, APPLY_STATION } from "../../modules/network/policy.js";
import { type Part, react } from "../../modules/part/part.js";
import { HUB_URL } from "../../modules/parts/hub/fields.js";
import { HUB } from "../../modules/parts/hub/part.js";
import { LIVE_ECOTRACKER, LIVE_OFFSET_W } from "../../modules/parts/live-meter/fields.js";
import { LIVE_METER } from "../../modules/parts/live-meter/part.js";
import {
	DLMS_AUTH,
	DLMS_AUTH_KEY,
	DLMS_BLOCK_CIPHER_KEY,
	DLMS_CLIENT_ADDRESS,
	DLMS_OBIS_ENTRIES,
	DLMS_PASSWORD,
} from "../../modules/parts/meter/dlms-fields.js";
import {
	CONTROL,
	CONTROL_LOG_EN,
	CONTROL_SIMULATOR_EN,
	DLMS_LEARNED_OPENING,
	IEC_SPEED_BAUD,
	IEC62056,
	IEC62056_BATTERY,
	IEC62056_BAUDRATE_MAX,
	METER_PROTOCOL,
} from "../../modules/parts/meter/fields.js";
import { MAPPING } from "../../modules/parts/meter/mapping-fields.js";
import { METER } from "../../modules/parts/meter/part.js";
import { MQTT_ANNOUNCED_VALUES, MQTT_URL } from "../../modules/parts/mqtt/fields.js";
import { MQTT } from "../../modules/parts/mqtt/part.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	ETHERNET_DHCP,
	ETHERNET_ENABLED,
	ETHERNET_IP,
	FALLBACK_AP_ENABLED,
	WIFI_ENABLED,
	WIFI_HOSTNAME,
	WIFI_SSID,
} from "../../modules/parts/network/fields.js";
import { NETWORK } from "../../modules/parts/network/part.js";
import { NetworkSettings } from "../../modules/parts/network/settings.js";
import { POWER_MODE } from "../../modules/parts/power/fields.js";
import { SYSTEM_TIMEZONE } from "../../modules/parts/time/fields.js";
import { UPDATE } from "../../modules/parts/update/part.js";
import { ZIGBEE_ENABLED } from "../../modules/parts/zigbee/fields.js";
import { ZIGBEE } from "../../modules/parts/zigbee/part.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";

/** A store that records its change notices. */
function listened() {
	const storage = new MemoryStorage();
	const config = new ConfigStore(storage, textCodec, ENTRIES);
	const notices: string[] = [];
	const manager = {
		applySoon: (what: number) => notices.push(`apply ${what}`),
		applyCableSoon: () => notices.push("apply cable"),
	};
	const instances = new Map<Part, unknown>([
		[
			METER,
			{
				reader: { forget: () => notices.push("forget") },
				schedule: { reconfigure: () => notices.push("schedule") },
				reconfigure: () => notices.push("meter"),
			},
		],
		[NETWORK, { manager }],
		[LIVE_METER, { settingsChanged: () => notices.push("live"), meterChanged: () => notices.push("live forget") }],
		[HUB, { sender: { settingsChanged: () => notices.push("hub") } }],
		[
			MQTT,
			{ sender: { settingsChanged: () => notices.push("mqtt"), forgetMeter: () => notices.push("forget announced") } },
		],
		[UPDATE, { notice: { settingsChanged: () => notices.push("upgrade") } }],
		[ZIGBEE, { settingsChanged: () => notices.push("zigbee"), mappingChanged: () => notices.push("zigbee map") }],
	]);
	const core = {
		config,
		zone: { select: (name: string) => notices.push(`zone ${name}`) > 0 },
		refreshSoon: () => notices.push("refresh"),
	} as unknown as Core;
	const running = PARTS.map((part) => instances.get(part));
	config.listen({ settingsChanged: (changed, applied) => react(PARTS, running, core, changed, applied) });
	const noticesOf = (puts: readonly Put[], apply?: boolean) => {
		notices.length = 0;
		config.change(puts, apply);
		return notices.slice();
	};
	return { storage, config, notices, noticesOf };
}

describe("Reactions to changed settings", () => {
	it("notifies the Zigbee bridge when it is switched on or off and when its mapping changes", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(ZIGBEE_ENABLED, true)], true), []);
		assert.deepEqual(noticesOf([put(ZIGBEE_ENABLED, false)]), ["zigbee"]);
		assert.deepEqual(noticesOf([put(ZIGBEE_ENABLED, true)]), ["zigbee"]);
		assert.deepEqual(noticesOf([put(MAPPING, Uint8Array.of(0))]), ["zigbee map"]);
	});

	it("notifies the hub's sender of applied settings, changed or not", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(HUB_URL, "http://hub.lan")], true), ["hub"]);
		assert.deepEqual(noticesOf([put(HUB_URL, "http://hub.lan")], true), ["hub"]);
		assert.deepEqual(noticesOf([put(HUB_URL, "http://hub.lan")]), []);
	});

	it("notifies MQTT of applied settings, changed or not, and not of the setting that MQTT writes itself", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(MQTT_URL, "mqtt://broker.lan")], true), ["mqtt"]);
		assert.deepEqual(noticesOf([put(MQTT_URL, "mqtt://broker.lan")], true), ["mqtt"]);
		assert.deepEqual(noticesOf([put(MQTT_ANNOUNCED_VALUES, Uint8Array.of(1))]), []);
	});

	it("notifies the live values of changes to their settings", () => {
		assert.deepEqual(listened().noticesOf([put(LIVE_ECOTRACKER, true), put(LIVE_OFFSET_W, 5)]), ["live"]);
	});

	it("makes the reader forget what it learned, and notifies every part that uses the meter's settings", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(IEC62056_BATTERY, true), put(IEC62056_BAUDRATE_MAX, 600)]), ["forget", "meter"]);
		assert.deepEqual(noticesOf([put(METER_PROTOCOL, "dlms")]), [
			"meter",
			"schedule",
			"live forget",
			"forget announced",
		]);
		assert.deepEqual(noticesOf([put(CONTROL_LOG_EN, true)]), ["meter"]);
		assert.deepEqual(noticesOf([put(CONTROL_SIMULATOR_EN, true)]), ["meter", "live forget"]);
		assert.deepEqual(noticesOf([put(DLMS_AUTH, "low"), put(DLMS_PASSWORD, "secret")]), ["forget", "schedule"]);
		assert.deepEqual(noticesOf([put(DLMS_CLIENT_ADDRESS, 32)]), ["forget", "schedule"]);
		for (const key of [DLMS_BLOCK_CIPHER_KEY, DLMS_AUTH_KEY])
			assert.deepEqual(noticesOf([put(key, new Uint8Array(16))]), ["forget", "schedule"]);
		assert.deepEqual(noticesOf([put(DLMS_OBIS_ENTRIES, Uint8Array.of(0))]), ["forget announced"]);
	});

	it("notifies nobody of settings that do not change", () => {
		const { noticesOf } = listened();
		for (const { fields } of ENTRIES)
			assert.deepEqual(
				noticesOf(fields.map((field) => put(field, field.initial ?? new Uint8Array(0)))),
				[],
				fields[0].name,
			);
		assert.deepEqual(noticesOf([put(IEC62056_BATTERY, undefined)]), []);
		assert.deepEqual(noticesOf([]), []);
	});

	it("sets a new time zone, and refreshes the network names for a new host name", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(SYSTEM_TIMEZONE, "Europe/Berlin")]), ["zone Europe/Berlin", "schedule"]);
		assert.deepEqual(noticesOf([put(WIFI_HOSTNAME, "cellar")]), ["refresh", "hub"]);
		assert.deepEqual(noticesOf([put(POWER_MODE, 2)]), []);
	});

	it("notifies the radio of applied settings only, changed or not", () => {
		const { noticesOf } = listened();
		const station = [put(WIFI_SSID, "home"), put(WIFI_HOSTNAME, undefined)];
		assert.deepEqual(noticesOf(station), []);
		assert.deepEqual(noticesOf(station, true), [`apply ${APPLY_STATION}`]);
		assert.deepEqual(noticesOf([put(AP_ENABLED, true)]), []);
		assert.deepEqual(noticesOf([put(AP_ENABLED, undefined), put(AP_PASSWORD, undefined)], true), [
			`apply ${APPLY_ACCESS_POINT}`,
		]);
		for (const flag of [FALLBACK_AP_ENABLED, WIFI_ENABLED])
			assert.deepEqual(noticesOf([put(flag, true)], true), [`apply ${APPLY_FLAGS}`]);
	});

	it("notifies the Ethernet port of settings that have changed", () => {
		const { noticesOf } = listened();
		assert.deepEqual(noticesOf([put(ETHERNET_ENABLED, true), put(ETHERNET_DHCP, true)], true), []);
		assert.deepEqual(noticesOf([put(ETHERNET_ENABLED, false)]), ["apply cable"]);
		assert.deepEqual(noticesOf([put(ETHERNET_IP, "192.0.2.9"), put(ETHERNET_DHCP, false)]), ["apply cable"]);
	});

	it("notifies nobody of values that the firmware stores for itself", () => {
		const { config, notices, noticesOf } = listened();
		assert.deepEqual(noticesOf([put(IEC_SPEED_BAUD, 2400), put(DLMS_LEARNED_OPENING, "direct")]), []);
		const settings = new NetworkSettings(config, { hostname: "gateway", accessPointKey: "", isGentle: false });
		settings.setStation({ ssid: "home", password: "", dhcp: true });
		settings.keepStation();
		settings.setStation({ ssid: "other", password: "", dhcp: true });
		settings.revertStation();
		assert.deepEqual(notices, []);
	});

	it("notifies nobody of a change that flash refuses", () => {
		const { storage, notices, noticesOf } = listened();
		storage.stepsLeft = 0;
		assert.throws(() => noticesOf([put(IEC62056_BATTERY, true)]), /power cut/);
		assert.deepEqual(notices, []);
	});

	it("makes the whole gateway forget what it learned of the meter when the meter's settings change", async () => {
		const storage = new VirtualStorage();
		new ConfigStore(storage, textCodec, ENTRIES).change([
			put(IEC_SPEED_BAUD, 4800),
			put(DLMS_LEARNED_OPENING, "direct"),
		]);
		const gateway = await VirtualGateway.loggedIn("ap", { storage });
		const learned = () => {
			const store = new ConfigStore(storage, textCodec, ENTRIES);
			return [store.get(IEC_SPEED_BAUD), store.get(DLMS_LEARNED_OPENING)];
		};
		const post = async (path: string, body: object) => {
			assert.equal((await gateway.post(path, body)).status, 200, path);
			return learned();
		};
		assert.deepEqual(await post("iec62056/config", { battery: false }), [4800, "direct"]);
		assert.deepEqual(await post("iec62056/control", { log_en: true }), [4800, "direct"]);
		assert.deepEqual(await post("iec62056/config", { battery: true }), [0, "auto"]);
		await gateway.stop();
	});

	it("notifies the meter part of every setting of IEC 62056-21 and of the session log and simulator", () => {
		const { noticesOf } = listened();
		for (const field of [...IEC62056.fields, ...CONTROL.fields]) {
			const other = typeof field.initial === "boolean" ? !field.initial : field.initial === "" ? "1" : 300;
			assert.ok(noticesOf([put(field, other)]).includes("meter"), field.name);
		}
	});
});
