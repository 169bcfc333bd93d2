/**
 * What a backup has: the groups of settings that routes show and change, each under the path of its route and with the
 * fields and rules of its POST. A test holds that no setting is left out, and that the file of the last release has all.
 */
import { DLMS_AUTH_KEY, DLMS_BLOCK_CIPHER_KEY, DLMS_PASSWORD } from "../meter/dlms-fields.js";
import { HUB_CERTIFICATE, HUB_ENABLED, HUB_TOKEN, HUB_URL } from "../hub/fields.js";
import { IEC62056_PASSWORD } from "../meter/fields.js";
import { MQTT_CERTIFICATE, MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL } from "../mqtt/fields.js";
import {
	AP_PASSWORD,
	AP_SSID,
	STATION_FIELDS,
	WIFI_ENABLED,
	WIFI_HOSTNAME,
	WIFI_PASSWORD,
	WIFI_SSID,
} from "../wifi/fields.js";
import { type Field, type Put, put, type Setting, type SettingField } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import { type BodyTable, type BodyValues, needed } from "./body.js";
import { TIMEZONE_SETTINGS } from "../time/routes.js";
import { acceptPollList, DLMS_OBIS_BODY, DLMS_SETTINGS, writePollList } from "../meter/routes/dlms.js";
import { acceptEthernet, ETHERNET_SETTINGS } from "../wifi/routes/ethernet.js";
import type { Exchange } from "./exchange.js";
import { HUB_SETTINGS } from "../hub/routes.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "../meter/routes/settings.js";
import { MQTT_SETTINGS } from "../mqtt/routes.js";
import {
	AP_BODY,
	acceptAccessPoint,
	acceptStation,
	FALLBACK_AP_SETTINGS,
	isName,
	WIFI_BODY,
	WIFI_ENABLED_SETTINGS,
} from "../wifi/routes/settings.js";
import { SCHEDULE_SETTINGS } from "../meter/routes/schedule.js";
import { putsOf, type SettingsTable } from "./settings.js";
import { POWER_MODE_SETTINGS } from "./system.js";
import { UPGRADE_SETTINGS } from "../ota/routes/upgrade.js";
import { writeMap, ZIGBEE_MAP_BODY, ZIGBEE_SETTINGS } from "../zigbee/routes.js";

export interface BackupGroup {
	/** Path of its route; its name in the file. */
	readonly path: string;
	/** What POST of the route takes, and a file may have; what `isShown` of it is in a file that we make. */
	readonly table: BodyTable & Partial<SettingsTable>;
	/** In place of the table's. */
	readonly accept: SettingsTable["accept"] | undefined;
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

/** What most groups have: their prototype, so that it takes flash once. */
const PLAIN: Omit<BackupGroup, "path" | "table"> = Object.freeze({
	accept: undefined,
	secrets: Object.freeze([]),
	boundTo: undefined,
	needing: undefined,
	own: Object.freeze([]),
	writeList: undefined,
});

function group(path: string, table: BackupGroup["table"], own: Partial<BackupGroup> = {}): BackupGroup {
	return Object.freeze(Object.setPrototypeOf({ path, table, ...own }, PLAIN));
}

export function isSetting<Value extends Setting>(field: Field<Value>): field is SettingField<Value> {
	return "entry" in field;
}

/** Whether a file has its value. */
export function isShown(field: Field): field is SettingField {
	return isSetting(field) && !field.secret;
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
function acceptWiFiEnabled(_: Exchange, values: BodyValues): readonly Put[] {
	return putsOf([WIFI_ENABLED], values);
}

export const BACKUP_GROUPS: readonly BackupGroup[] = Object.freeze([
	group("system/power_mode", POWER_MODE_SETTINGS),
	group("system/timezone", TIMEZONE_SETTINGS),
	group("system/upgrade", UPGRADE_SETTINGS),
	group("network/wifi", WIFI_BODY, {
		accept: acceptNetwork,
		secrets: Object.freeze([WIFI_PASSWORD]),
		boundTo: WIFI_SSID,
		own: Object.freeze([WIFI_HOSTNAME]),
	}),
	group("network/ap", AP_BODY, {
		accept: acceptAccessPoint,
		secrets: Object.freeze([AP_PASSWORD]),
		own: Object.freeze([AP_SSID, AP_PASSWORD]),
	}),
	group("network/fallback-ap", FALLBACK_AP_SETTINGS),
	group("network/wifi-enabled", WIFI_ENABLED_SETTINGS, { accept: acceptWiFiEnabled }),
	group("network/ethernet", ETHERNET_SETTINGS, { accept: acceptEthernet }),
	group("meter/protocol", PROTOCOL_SETTINGS),
	group("iec62056/config", IEC62056_SETTINGS, { secrets: Object.freeze([IEC62056_PASSWORD]) }),
	group("iec62056/control", CONTROL_SETTINGS),
	group("iec62056/schedule", SCHEDULE_SETTINGS),
	group("dlms/config", DLMS_SETTINGS, {
		secrets: Object.freeze([DLMS_PASSWORD, DLMS_BLOCK_CIPHER_KEY, DLMS_AUTH_KEY]),
	}),
	group("dlms/obis", DLMS_OBIS_BODY, { accept: acceptPollList, writeList: writePollList }),
	group("zigbee/config", ZIGBEE_SETTINGS),
	group("zigbee/map", ZIGBEE_MAP_BODY, { writeList: writeMap }),
	group("hub", HUB_SETTINGS, {
		secrets: Object.freeze([HUB_TOKEN, HUB_CERTIFICATE]),
		boundTo: HUB_URL,
		needing: HUB_ENABLED,
	}),
	group("mqtt", MQTT_SETTINGS, {
		secrets: Object.freeze([MQTT_PASSWORD, MQTT_CERTIFICATE]),
		boundTo: MQTT_URL,
		needing: MQTT_ENABLED,
	}),
]);
