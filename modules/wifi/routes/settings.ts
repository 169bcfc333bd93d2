/** Network settings of the API text: Wi-Fi, access point, fallback, on and off (decisions 4, 5, 34 to 36, 40). */
import { isHostAddress, isSameNetwork, parseIPv4, prefixOf } from "../../bytes/ipv4.js";
import { isHostname, isPassword, isSSID } from "../settings.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	ETHERNET_ENABLED,
	FALLBACK_AP_ENABLED,
	WIFI_DHCP,
	WIFI_ENABLED,
	WIFI_GATEWAY,
	WIFI_HOSTNAME,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_PASSWORD,
	WIFI_SSID,
} from "../fields.js";
import { BOOLEAN, bodyField, type Put, type SettingField } from "../../config/schema.js";
import { BODY_LIMIT, type BodyTable, type BodyValues, needed } from "../../api/body.js";
import { MISSING_FIELD, UNSUPPORTED } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { describeMissing } from "../../api/field-value.js";
import { booleanMember, textMember } from "../../api/members.js";
import { failField, putsOf, settingsOf } from "../../api/settings.js";

/** What stands where there is no address. */
export const NO_ADDRESS = "0.0.0.0";

/** Takes effect at once. No setting. */
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
export const WIFI_ENABLED_SETTINGS = settingsOf(Object.freeze([WIFI_ENABLED]), [WIFI_ENABLED.name], {
	applies: true,
	show: showWiFiEnabled,
	accept: acceptWiFiEnabled,
});

export function postWiFi(exchange: Exchange, values: BodyValues): void {
	const apply = values.get(APPLY) ?? false;
	const puts = acceptStation(exchange, values);
	if (puts === undefined) return;
	if (apply && exchange.services.network === undefined) failUnsupported(exchange);
	else {
		exchange.services.config.change(puts, apply);
		answerStation(exchange);
	}
}

/** What makes this network the configured one, on trial. Undefined: the values are refused, and the request is answered. */
export function acceptStation(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const { networkSettings, config, text } = exchange.services;
	const ssid = needed(values, WIFI_SSID);
	// Left out it stays, so that an address or a name can be changed without it; of another network it must be told.
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
	else return networkSettings.stationPuts({ ssid, password, dhcp, ip, netmask, gateway, hostname });
	return undefined;
}

/** The reply of firmware 1.0.x: the static address, or the one that the station has now. */
function answerStation(exchange: Exchange): void {
	const { config, networkSettings, network } = exchange.services;
	const isDHCP = config.get(WIFI_DHCP);
	const station = network?.station;
	const ip = isDHCP ? (station?.ip ?? NO_ADDRESS) : config.get(WIFI_IP);
	const netmask = isDHCP ? (station?.netmask ?? NO_ADDRESS) : config.get(WIFI_NETMASK);
	const gateway = isDHCP ? (station?.gateway ?? NO_ADDRESS) : config.get(WIFI_GATEWAY);
	const { hostname } = networkSettings;
	exchange.object((writer) => {
		textMember(writer, "ssid", config.get(WIFI_SSID));
		booleanMember(writer, "dhcp", isDHCP);
		textMember(writer, "hostname", hostname);
		textMember(writer, "ip", ip);
		textMember(writer, "netmask", netmask);
		textMember(writer, "gateway", gateway);
	});
}

export function postAccessPoint(exchange: Exchange, values: BodyValues): void {
	const { network, networkSettings, config } = exchange.services;
	const puts = acceptAccessPoint(exchange, values);
	if (puts === undefined) return;
	if (values.get(AP_ENABLED) && network === undefined) failUnsupported(exchange);
	else {
		config.change(puts, values.get(APPLY));
		const accessPoint = networkSettings.accessPoint.ssid;
		exchange.object((writer) => {
			textMember(writer, AP_SSID.name, accessPoint);
			booleanMember(writer, AP_ENABLED.name, config.get(AP_ENABLED));
		});
	}
}

/** Undefined: the values are refused, and the request is answered. */
export function acceptAccessPoint(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const { text } = exchange.services;
	const ssid = values.get(AP_SSID);
	const password = values.get(AP_PASSWORD);
	if (ssid !== undefined && !isSSID(text, ssid)) failField(exchange, AP_SSID, `ap_${SSID_RULE}`);
	else if (password !== undefined && !isPassword(text, password))
		failField(exchange, AP_PASSWORD, `ap_password must be ${PASSWORD_RULE}`);
	else return putsOf(AP_FIELDS, values);
	return undefined;
}

function showWiFiEnabled(exchange: Exchange): void {
	const enabled = isWiFiEnabled(exchange);
	exchange.object((writer) => {
		booleanMember(writer, WIFI_ENABLED.name, enabled);
		writeWayBack(exchange);
	});
}

function acceptWiFiEnabled(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	if (!values.get(WIFI_ENABLED) || exchange.services.network !== undefined) return putsOf([WIFI_ENABLED], values);
	failUnsupported(exchange);
	return undefined;
}

export function isWiFiEnabled({ services }: Exchange): boolean {
	return services.network !== undefined && services.config.get(WIFI_ENABLED);
}

/** A member that says what remains when neither Ethernet nor Wi-Fi is on, of a unit that has both. */
export function writeWayBack(exchange: Exchange): void {
	const { config, network } = exchange.services;
	if (network?.cable === undefined || config.get(ETHERNET_ENABLED) || config.get(WIFI_ENABLED)) return;
	textMember(
		exchange.services.writer,
		"warning",
		"Ethernet and Wi-Fi are both off. A short press of the button turns Wi-Fi on for ten minutes. A unit without a button is reset to its factory settings by five power cycles of less than 10 s each.",
	);
}

const SSID_RULE = "ssid must be a text of 1 to 31 characters and at most 32 bytes.";
const PASSWORD_RULE = "8 to 63 characters and at most 63 bytes.";

/** Whether a device can have this name, or stays with the one it has; answers if not. */
export function isName(exchange: Exchange, hostname: string | undefined): boolean {
	if (hostname === undefined || isHostname(hostname)) return true;
	const message = "hostname must be 1 to 31 letters, digits and hyphens, with no hyphen at an end.";
	failField(exchange, WIFI_HOSTNAME, message);
	return false;
}

/** Address, netmask and gateway of one interface. */
type AddressFields = readonly [SettingField<string>, SettingField<string>, SettingField<string>];

/** Whether a device can have the address that these fields have in `values`; answers if not. */
export function isStatic(exchange: Exchange, values: BodyValues, fields: AddressFields): boolean {
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

function failUnsupported(exchange: Exchange): void {
	exchange.fail(501, UNSUPPORTED, "This device has no radio for Wi-Fi.");
}
