/** Network settings of the API: Wi-Fi, access point, fallback, on and off. */

import { BODY_LIMIT, type BodyTable, type BodyValues, needed } from "../../../api/body.js";
import { MISSING_FIELD, UNSUPPORTED } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { describeMissing } from "../../../api/field-value.js";
import { booleanMember, textMember } from "../../../api/members.js";
import { failField, putsOf, settingMember, settingsOf } from "../../../api/settings.js";
import { isHostAddress, isSameNetwork, parseIPv4, prefixOf } from "../../../bytes/ipv4.js";
import { BOOLEAN, bodyField, type Put, put, type SettingField } from "../../../config/schema.js";
import type { Core } from "../../../core/core.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	ETHERNET_ENABLED,
	FALLBACK_AP_ENABLED,
	STATION_FIELDS,
	WIFI_DHCP,
	WIFI_ENABLED,
	WIFI_GATEWAY,
	WIFI_HOSTNAME,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_PASSWORD,
	WIFI_SSID,
	WIFI_TX_POWER,
} from "../fields.js";
import type { Networking } from "../networking.js";
import { isHostname, isPassword, isSSID } from "../settings.js";

/** Address in replies if there is none. */
export const NO_ADDRESS = "0.0.0.0";

/** Body member that makes a change take effect immediately; it is not stored. */
export const APPLY = bodyField<boolean>({ name: "apply", kind: BOOLEAN, initial: false });
const ADDRESS_FIELDS = Object.freeze([WIFI_IP, WIFI_NETMASK, WIFI_GATEWAY] as const);
export const AP_FIELDS = Object.freeze([AP_SSID, AP_PASSWORD, AP_ENABLED]);

export const WIFI_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([WIFI_SSID, WIFI_PASSWORD, WIFI_DHCP, ...ADDRESS_FIELDS, WIFI_HOSTNAME, APPLY]),
	required: Object.freeze([WIFI_SSID.name, WIFI_DHCP.name]),
	limit: BODY_LIMIT,
});
export const AP_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([...AP_FIELDS, APPLY]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
});
export const FALLBACK_AP_SETTINGS = settingsOf(Object.freeze([FALLBACK_AP_ENABLED]), [FALLBACK_AP_ENABLED.name], {
	applies: true,
});
export const WIFI_ENABLED_SETTINGS = settingsOf(Object.freeze([WIFI_ENABLED, WIFI_TX_POWER]), [WIFI_ENABLED.name], {
	applies: true,
	show: showWiFiEnabled,
	accept: acceptWiFiEnabled,
});

export function postWiFi(exchange: Exchange<Networking>, values: BodyValues): void {
	const apply = values.get(APPLY) ?? false;
	const puts = acceptStation(exchange, values);
	if (puts === undefined) return;
	if (apply && exchange.part.manager === undefined) failUnsupported(exchange);
	else {
		exchange.core.config.change(puts, apply);
		answerStation(exchange);
	}
}

/**
 * Returns the settings of a network, which will be on trial. If they are invalid, replies with an error and returns
 * undefined.
 */
export function acceptStation(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	const { config, text } = exchange.core;
	const { settings } = exchange.part;
	const ssid = needed(values, WIFI_SSID);
	// Without a password in the request, only address or hostname of the stored network may change.
	const isStored = ssid !== "" && ssid === config.get(WIFI_SSID);
	const password = values.get(WIFI_PASSWORD) ?? (isStored ? config.get(WIFI_PASSWORD) : undefined);
	const dhcp = needed(values, WIFI_DHCP);
	const ip = values.get(WIFI_IP);
	const netmask = values.get(WIFI_NETMASK);
	const gateway = values.get(WIFI_GATEWAY);
	const hostname = values.get(WIFI_HOSTNAME);
	if (!isSSID(text, ssid)) failField(exchange, WIFI_SSID, SSID_RULE);
	else if (password === undefined)
		exchange.fail(400, MISSING_FIELD, describeMissing(WIFI_PASSWORD.name), WIFI_PASSWORD.name);
	else if (password !== "" && !isPassword(text, password))
		failField(exchange, WIFI_PASSWORD, `password must be empty for an open network, else ${PASSWORD_RULE}`);
	else if (!dhcp && !isStatic(exchange, values, ADDRESS_FIELDS)) return undefined;
	else if (!isName(exchange, hostname)) return undefined;
	else return settings.stationPuts({ ssid, password, dhcp, ip, netmask, gateway, hostname });
	return undefined;
}

/** Replies in the form of firmware 1.0.x: the address is the static one or, with DHCP, the present one. */
function answerStation(exchange: Exchange<Networking>): void {
	const { config, hostname } = exchange.core;
	const isDHCP = config.get(WIFI_DHCP);
	const station = exchange.part.manager?.station;
	const ip = isDHCP ? (station?.ip ?? NO_ADDRESS) : config.get(WIFI_IP);
	const netmask = isDHCP ? (station?.netmask ?? NO_ADDRESS) : config.get(WIFI_NETMASK);
	const gateway = isDHCP ? (station?.gateway ?? NO_ADDRESS) : config.get(WIFI_GATEWAY);
	exchange.object((writer) => {
		textMember(writer, "ssid", config.get(WIFI_SSID));
		booleanMember(writer, "dhcp", isDHCP);
		textMember(writer, "hostname", hostname);
		textMember(writer, "ip", ip);
		textMember(writer, "netmask", netmask);
		textMember(writer, "gateway", gateway);
	});
}

export function postAccessPoint(exchange: Exchange<Networking>, values: BodyValues): void {
	const { config } = exchange.core;
	const { manager, settings } = exchange.part;
	const puts = acceptAccessPoint(exchange, values);
	if (puts === undefined) return;
	if (values.get(AP_ENABLED) && manager === undefined) failUnsupported(exchange);
	else {
		config.change(puts, values.get(APPLY));
		const accessPoint = settings.accessPoint.ssid;
		exchange.object((writer) => {
			textMember(writer, AP_SSID.name, accessPoint);
			booleanMember(writer, AP_ENABLED.name, config.get(AP_ENABLED));
		});
	}
}

export function acceptAccessPoint(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	const { text } = exchange.core;
	const ssid = values.get(AP_SSID);
	const password = values.get(AP_PASSWORD);
	if (ssid !== undefined && !isSSID(text, ssid)) failField(exchange, AP_SSID, `ap_${SSID_RULE}`);
	else if (password !== undefined && !isPassword(text, password))
		failField(exchange, AP_PASSWORD, `ap_password must be ${PASSWORD_RULE}`);
	else return putsOf(AP_FIELDS, values);
	return undefined;
}

function showWiFiEnabled(exchange: Exchange<Networking>): void {
	const enabled = isWiFiEnabled(exchange.part, exchange.core);
	exchange.object((writer) => {
		booleanMember(writer, WIFI_ENABLED.name, enabled);
		settingMember(writer, WIFI_TX_POWER.name, exchange.core.config.get(WIFI_TX_POWER));
		writeWayBack(exchange);
	});
}

function acceptWiFiEnabled(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	if (!values.get(WIFI_ENABLED) || exchange.part.manager !== undefined)
		return putsOf(WIFI_ENABLED_SETTINGS.stored, values);
	failUnsupported(exchange);
	return undefined;
}

export function isWiFiEnabled({ manager }: Networking, { config }: Core): boolean {
	return manager !== undefined && config.get(WIFI_ENABLED);
}

/** Writes a `warning` if Ethernet and Wi-Fi are both off. */
export function writeWayBack(exchange: Exchange<Networking>): void {
	const { config } = exchange.core;
	if (exchange.part.manager?.cable === undefined || config.get(ETHERNET_ENABLED) || config.get(WIFI_ENABLED)) return;
	textMember(
		exchange.core.writer,
		"warning",
		"Ethernet and Wi-Fi are both off. A short press of the button turns Wi-Fi on for ten minutes. A unit without a button is reset to its factory settings by a pattern of power cuts.",
	);
}

const SSID_RULE = "ssid must be a text of 1 to 31 characters and at most 32 bytes.";
const PASSWORD_RULE = "8 to 63 characters and at most 63 bytes.";

export function isName(exchange: Exchange<Networking>, hostname: string | undefined): boolean {
	if (hostname === undefined || isHostname(hostname)) return true;
	const message = "hostname must be 1 to 31 letters, digits and hyphens, with no hyphen at an end.";
	failField(exchange, WIFI_HOSTNAME, message);
	return false;
}

type AddressFields = readonly [SettingField<string>, SettingField<string>, SettingField<string>];

export function isStatic(exchange: Exchange<Networking>, values: BodyValues, fields: AddressFields): boolean {
	for (const field of fields) {
		const value = values.get(field);
		if (value !== undefined && parseIPv4(value) >= 0) continue;
		const { name } = field;
		if (value === undefined) exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
		else failField(exchange, field, `${name} must be an IPv4 address.`);
		return false;
	}
	const [ip, netmask, gateway] = fields.map((field) => parseIPv4(needed(values, field)));
	const prefix = prefixOf(netmask);
	if (prefix < 0) failField(exchange, fields[1], "netmask must be one of 255.0.0.0 to 255.255.255.252.");
	else if (!isHostAddress(ip, prefix))
		failField(exchange, fields[0], "ip must be the address of a device in its network.");
	else if (gateway === ip || !isHostAddress(gateway, prefix) || !isSameNetwork(ip, gateway, prefix))
		failField(exchange, fields[2], "gateway must be another device in the network of ip.");
	else return true;
	return false;
}

function failUnsupported(exchange: Exchange<Networking>): void {
	exchange.fail(501, UNSUPPORTED, "This device has no radio for Wi-Fi.");
}

/**
 * Returns the settings of a network from a backup. A different network will be on trial; the present network gets no
 * new trial.
 */
export function acceptNetwork(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	const hostname = values.get(WIFI_HOSTNAME);
	if (needed(values, WIFI_SSID) === "") {
		return isName(exchange, hostname) ? [put(WIFI_HOSTNAME, hostname)] : undefined;
	}
	const puts = acceptStation(exchange, values);
	const { config } = exchange.core;
	const isOther = ({ field, value }: Put) =>
		STATION_FIELDS.includes(field) && value !== undefined && value !== config.get(field);
	return puts?.some(isOther) === false ? [put(WIFI_HOSTNAME, hostname)] : puts;
}

/** Accepts the setting even without a radio, because the backup may come from another unit. */
export function acceptAnyWiFiEnabled(_: Exchange<Networking>, values: BodyValues): readonly Put[] {
	return putsOf(WIFI_ENABLED_SETTINGS.stored, values);
}
