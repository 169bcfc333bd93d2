/**
 * What a backup has: the groups of settings that routes show and change, each under the path of its route and with the
 * fields and rules of its POST. A test holds that no setting is left out, and that the file of the last release has all.
 */
import { DLMS_AUTH_KEY, DLMS_BLOCK_CIPHER_KEY, DLMS_PASSWORD } from "../config/dlms-fields.js";
import { HUB_CERTIFICATE, HUB_ENABLED, HUB_TOKEN, HUB_URL } from "../config/hub-fields.js";
import { MQTT_CERTIFICATE, MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL } from "../config/mqtt-fields.js";
import {
	AP_PASSWORD,
	AP_SSID,
	STATION_FIELDS,
	WIFI_ENABLED,
	WIFI_HOSTNAME,
	WIFI_PASSWORD,
	WIFI_SSID,
} from "../config/network-fields.js";
import { BOOLEAN, bodyField, type Field, type Put, put, type Setting, type SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import { type BodyTable, type BodyValues, needed } from "./body.js";
import { TIMEZONE_SETTINGS } from "./clock.js";
import { acceptPollList, DLMS_OBIS_BODY, DLMS_SETTINGS, writePollList } from "./dlms.js";
import type { Exchange } from "./exchange.js";
import { HUB_SETTINGS } from "./hub.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "./meter-settings.js";
import { MQTT_SETTINGS } from "./mqtt.js";
import {
	AP_BODY,
	APPLY,
	acceptAccessPoint,
	acceptStation,
	FALLBACK_AP_SETTINGS,
	isName,
	WIFI_BODY,
} from "./network-settings.js";
import { SCHEDULE_SETTINGS } from "./schedule.js";
import { putsOf, type SettingsTable, settingsOf } from "./settings.js";
import { POWER_MODE_SETTINGS } from "./system.js";
import { UPGRADE_SETTINGS } from "./upgrade.js";
import { writeMap, ZIGBEE_MAP_BODY } from "./zigbee.js";

export interface BackupGroup {
	/** Path of its route; its name in the file. */
	readonly path: string;
	/** What the file has of it, in this order. */
	readonly fields: readonly SettingField[];
	/** What a file may have of it: more than `fields`, since one may put secrets in; last the `<name>_set` of `secrets`. */
	readonly body: BodyTable;
	readonly accept: (exchange: Exchange, values: BodyValues) => readonly Put[] | undefined;
	/** Secrets and certificates. The file only has, as `<name>_set`, whether there is one. */
	readonly secrets: readonly SettingField[];
	/** They were given for this address or network, and are not kept for another. */
	readonly boundTo: SettingField<string> | undefined;
	/** Is turned off when one of them has to be entered again: without it, nothing can be sent, or not safely. */
	readonly needing: SettingField<boolean> | undefined;
	/** Texts that, when empty, stand for what the unit has of its own: the route takes no empty one. */
	readonly own: readonly SettingField<string>[];
	/** Writes the value of the one field, a list. */
	readonly writeList: ((writer: JSONWriter, stored: Uint8Array) => void) | undefined;
}

const NO_FIELDS: readonly never[] = Object.freeze([]);

function group(path: string, table: BodyTable & Partial<SettingsTable>, own: Partial<BackupGroup> = {}): BackupGroup {
	const given = table.fields.filter((field) => field.name !== table.long?.name && field !== APPLY);
	const { secrets = NO_FIELDS, own: texts = NO_FIELDS } = own;
	const flags = secrets.map(({ name }) => bodyField<boolean>({ name: `${name}_set`, kind: BOOLEAN }));
	const body = Object.freeze({ ...table, fields: Object.freeze([...given, ...flags]) });
	const fields = Object.freeze(given.filter((field) => isSetting(field) && !field.secret) as SettingField[]);
	const accept = table.accept ?? ((_: Exchange, values: BodyValues) => putsOf(fields, values));
	const none = { boundTo: undefined, needing: undefined, writeList: undefined };
	const lists = { own: Object.freeze(texts), secrets: Object.freeze(secrets) };
	return Object.freeze({ path, fields, body, accept, ...none, ...own, ...lists });
}

export function isSetting<Value extends Setting>(field: Field<Value>): field is SettingField<Value> {
	return "entry" in field;
}

/** The network of the file, on trial as any new one. One that is configured already is not tried anew. */
function acceptNetwork(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const hostname = values.get(WIFI_HOSTNAME);
	if (needed(values, WIFI_SSID) === "") {
		return isName(exchange, hostname) ? [put(WIFI_HOSTNAME, hostname)] : undefined;
	}
	const puts = acceptStation(exchange, values);
	const { config } = exchange.services;
	const isOther = ({ field, value }: Put) =>
		STATION_FIELDS.includes(field) && value !== undefined && value !== config.get(field);
	return puts?.some(isOther) === false ? [put(WIFI_HOSTNAME, hostname)] : puts;
}

/** Without a radio it is kept all the same: the file may be another unit's. */
const WIFI_ENABLED_BODY = settingsOf(Object.freeze([WIFI_ENABLED]));

export const BACKUP_GROUPS: readonly BackupGroup[] = Object.freeze([
	group("system/power_mode", POWER_MODE_SETTINGS),
	group("system/timezone", TIMEZONE_SETTINGS),
	group("system/upgrade", UPGRADE_SETTINGS),
	group("network/wifi", WIFI_BODY, {
		accept: acceptNetwork,
		secrets: [WIFI_PASSWORD],
		boundTo: WIFI_SSID,
		own: [WIFI_HOSTNAME],
	}),
	group("network/ap", AP_BODY, { accept: acceptAccessPoint, secrets: [AP_PASSWORD], own: [AP_SSID, AP_PASSWORD] }),
	group("network/fallback-ap", FALLBACK_AP_SETTINGS),
	group("network/wifi-enabled", WIFI_ENABLED_BODY),
	group("meter/protocol", PROTOCOL_SETTINGS),
	group("iec62056/config", IEC62056_SETTINGS),
	group("iec62056/control", CONTROL_SETTINGS),
	group("iec62056/schedule", SCHEDULE_SETTINGS),
	group("dlms/config", DLMS_SETTINGS, { secrets: [DLMS_PASSWORD, DLMS_BLOCK_CIPHER_KEY, DLMS_AUTH_KEY] }),
	group("dlms/obis", DLMS_OBIS_BODY, { accept: acceptPollList, writeList: writePollList }),
	group("zigbee/map", ZIGBEE_MAP_BODY, { writeList: writeMap }),
	group("hub", HUB_SETTINGS, { secrets: [HUB_TOKEN, HUB_CERTIFICATE], boundTo: HUB_URL, needing: HUB_ENABLED }),
	group("mqtt", MQTT_SETTINGS, {
		secrets: [MQTT_PASSWORD, MQTT_CERTIFICATE],
		boundTo: MQTT_URL,
		needing: MQTT_ENABLED,
	}),
]);
