/** Network routes of the API text: status, scan, Wi-Fi, access point, fallback, on and off (decisions 4, 5, 33 to 36, 40). */

import {
	ACCESS_POINT_ADDRESS,
	ACCESS_POINT_NETMASK,
	isHostAddress,
	isSameNetwork,
	parseIPv4,
	prefixOf,
} from "../bytes/ipv4.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	FALLBACK_AP_ENABLED,
	NETWORK,
	PASSWORD_LIMIT,
	PASSWORD_MINIMUM,
	SSID_BYTES_LIMIT,
	WIFI_DHCP,
	WIFI_ENABLED,
	WIFI_GATEWAY,
	WIFI_HOSTNAME,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_PASSWORD,
	WIFI_SSID,
} from "../config/network-fields.js";
import { BOOLEAN, bodyField, type Field, type Setting } from "../config/schema.js";
import type { JSONWriter } from "../json/writer.js";
import {
	TIME_BAD_REPLY,
	TIME_DOUBTED,
	TIME_NO_ADDRESS,
	TIME_NO_REPLY,
	TIME_NOT_WELCOME,
	TIME_OUT_OF_RANGE,
} from "../sntp/client.js";
import type { NetworkManager } from "../wifi/manager.js";
import {
	APPLY_ACCESS_POINT,
	APPLY_FLAGS,
	APPLY_STATION,
	type ScanWaiter,
	WIFI_LOST,
	WIFI_NO_ADDRESS,
	WIFI_NOT_FOUND,
	WIFI_WRONG_PASSWORD,
} from "../wifi/policy.js";
import { ScanCursor } from "../wifi/scan.js";
import { BUSY, INVALID_FIELD, MISSING_FIELD, UNSUPPORTED } from "./errors.js";
import type { Exchange, Services } from "./exchange.js";
import { describeMissing } from "./field-value.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { BODY_LIMIT, type BodyTable, type Value } from "./validate.js";

/** What stands where there is no address. */
const NO_ADDRESS = "0.0.0.0";
/** Time server (decision 41), where the host names none. */
const NTP_SERVER = "pool.ntp.org";

/** Connects at once. No setting. */
const APPLY = bodyField<boolean>({ name: "apply", kind: BOOLEAN, initial: false });

/** Up to `apply` in the order of WIFI. */
export const WIFI_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([
		WIFI_SSID,
		WIFI_PASSWORD,
		WIFI_DHCP,
		WIFI_IP,
		WIFI_NETMASK,
		WIFI_GATEWAY,
		WIFI_HOSTNAME,
		APPLY,
	]),
	required: Object.freeze([WIFI_SSID.name, WIFI_PASSWORD.name, WIFI_DHCP.name]),
	limit: BODY_LIMIT,
});
/** Up to `apply` in the order of NETWORK. */
export const AP_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([AP_SSID, AP_PASSWORD, AP_ENABLED, APPLY]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
});
export const FALLBACK_AP_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([FALLBACK_AP_ENABLED]),
	required: Object.freeze([FALLBACK_AP_ENABLED.name]),
	limit: BODY_LIMIT,
});
export const WIFI_ENABLED_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([WIFI_ENABLED]),
	required: Object.freeze([WIFI_ENABLED.name]),
	limit: BODY_LIMIT,
});

export function getNetworkStatus(exchange: Exchange): void {
	const { network, networkSettings, config } = exchange.services;
	const { secure } = exchange;
	const station = network?.station;
	// The bench has no radio, but can be asked to behave as reached over an access point.
	const isAccessPoint = network?.accessPointOn ?? exchange.viaAccessPoint;
	const own = isAccessPoint ? ACCESS_POINT_ADDRESS : NO_ADDRESS;
	const ip = station?.ip ?? own;
	const netmask = station?.netmask ?? (isAccessPoint ? ACCESS_POINT_NETMASK : NO_ADDRESS);
	const gateway = station?.gateway ?? own;
	const { hostname, accessPoint } = networkSettings;
	const isTemporary = network?.isTemporary ?? false;
	const lastError = errorOf(network?.lastError ?? 0);
	const clients = network?.clients ?? 0;
	const ntpServer = serverOf(exchange.services.info.timeServers);
	const lastSync = lastSyncOf(exchange.services);
	const timeError = timeErrorOf(exchange.services.time?.lastError ?? 0);
	exchange.object((writer) => {
		textMember(writer, "ip", ip);
		textMember(writer, "netmask", netmask);
		textMember(writer, "gateway", gateway);
		textMember(writer, "hostname", hostname);
		booleanMember(writer, "dhcp", config.get(WIFI_DHCP));
		textMember(writer, "ssid", station?.ssid ?? config.get(WIFI_SSID));
		numberMember(writer, "rssi", station?.rssi ?? 0);
		numberMember(writer, "channel", station?.channel ?? 0);
		numberMember(writer, "authmode", station?.authmode ?? 0);
		booleanMember(writer, "ap_mode", isAccessPoint);
		booleanMember(writer, "secure", secure);
		textMember(writer, "ntp_server", ntpServer);
		numberMember(writer, "ntp_last_sync", lastSync);
		codeMember(writer, "ntp_last_error", timeError);
		booleanMember(writer, "wifi_enabled", isEnabled(exchange));
		booleanMember(writer, "wifi_temporary", isTemporary);
		textMember(writer, "ap_ssid", accessPoint.ssid);
		booleanMember(writer, "ap_enabled", config.get(AP_ENABLED));
		numberMember(writer, "ap_clients", clients);
		booleanMember(writer, "connected", station !== undefined);
		codeMember(writer, "wifi_last_error", lastError);
	});
}

/** Of the first time server, without its port. */
function serverOf(servers: string): string {
	return servers === "" ? NTP_SERVER : servers.split(/[,:]/, 1)[0].trim();
}

/** When a time server was last believed, Unix time in seconds; 0: never. */
function lastSyncOf({ time, clock }: Services): number {
	const successMs = time?.lastSuccessMs;
	const nowMs = clock.utcMs();
	if (successMs === undefined || nowMs === undefined) return 0;
	return Math.floor((nowMs - clock.monotonicMs() + successMs) / 1000);
}

/** A stable code, or null when all is well. */
function codeMember(writer: JSONWriter, name: string, code: string): void {
	writer.key(name);
	if (code === "") writer.null();
	else writer.string(code);
}

/** Single-flight: who comes while a scan is going on gets its networks too. Without a radio that is on there are none. */
export function getScan(exchange: Exchange): void {
	const { network } = exchange.services;
	if (!network?.isOn) {
		streamNetworks(exchange, new Uint8Array(0));
		return;
	}
	const waiter: ScanWaiter = {
		scanned: (networks) => {
			if (networks === undefined) failBusy(exchange);
			else streamNetworks(exchange, networks);
		},
	};
	if (!network.scan(waiter)) failBusy(exchange);
	else exchange.response.onCancelled = () => network.cancelScan(waiter);
}

function streamNetworks(exchange: Exchange, networks: Uint8Array): void {
	const { text, hostname } = exchange.services;
	const cursor = new ScanCursor(networks, text);
	let current = 0;
	let hasNetwork = false;
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			textMember(writer, "hostname", hostname);
			writer.key("networks");
			writer.beginArray();
			return true;
		}
		if (unit !== current) {
			current = unit;
			hasNetwork = cursor.next();
		}
		if (!hasNetwork) {
			writer.endArray();
			writer.endObject();
			return false;
		}
		writer.beginObject();
		textMember(writer, "ssid", cursor.ssid);
		textMember(writer, "bssid", cursor.bssid);
		numberMember(writer, "rssi", cursor.rssi);
		numberMember(writer, "channel", cursor.channel);
		numberMember(writer, "authmode", cursor.authmode);
		writer.endObject();
		return true;
	});
}

export function postWiFi(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { network, networkSettings } = exchange.services;
	const [ssid, password, dhcp, ip, netmask, gateway, hostname, apply] = values;
	if (!isSSID(exchange, ssid as string)) failField(exchange, WIFI_SSID, SSID_RULE);
	else if (password !== "" && !isPassword(exchange, password as string))
		failField(exchange, WIFI_PASSWORD, `password must be empty for an open network, else ${PASSWORD_RULE}`);
	else if (!dhcp && !isStatic(exchange, [ip, netmask, gateway])) return;
	else if (hostname !== undefined && !isHostname(hostname as string))
		failField(exchange, WIFI_HOSTNAME, "hostname must be letters, digits and hyphens, with none of those at an end.");
	else if (apply && network === undefined) failUnsupported(exchange);
	else {
		const address = dhcp ? ["", "", ""] : [ip, netmask, gateway];
		networkSettings.setStation([ssid, password, dhcp, ...address, hostname] as (Setting | undefined)[]);
		answerStation(exchange, network);
		if (hostname !== undefined) exchange.services.device.hostnameChanged();
		if (apply) network?.applySoon(APPLY_STATION);
	}
}

/** The reply of firmware 1.0.x: the static address, or the one that the station has now. */
function answerStation(exchange: Exchange, network: NetworkManager | undefined): void {
	const { config, networkSettings } = exchange.services;
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

export function postAccessPoint(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { network, networkSettings, config } = exchange.services;
	const [ssid, password, enabled, apply] = values;
	if (ssid !== undefined && !isSSID(exchange, ssid as string)) failField(exchange, AP_SSID, `ap_${SSID_RULE}`);
	else if (password !== undefined && !isPassword(exchange, password as string))
		failField(exchange, AP_PASSWORD, `ap_password must be ${PASSWORD_RULE}`);
	else if (enabled && network === undefined) failUnsupported(exchange);
	else {
		config.set(NETWORK, [ssid, password, enabled]);
		const accessPoint = networkSettings.accessPoint.ssid;
		exchange.object((writer) => {
			textMember(writer, AP_SSID.name, accessPoint);
			booleanMember(writer, AP_ENABLED.name, config.get(AP_ENABLED));
		});
		if (apply) network?.applySoon(APPLY_ACCESS_POINT);
	}
}

export function getFallbackAP(exchange: Exchange): void {
	const enabled = exchange.services.config.get(FALLBACK_AP_ENABLED);
	exchange.object((writer) => booleanMember(writer, FALLBACK_AP_ENABLED.name, enabled));
}

export function postFallbackAP(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	setFlag(exchange, FALLBACK_AP_ENABLED, values[0] as boolean);
	getFallbackAP(exchange);
}

export function getWiFiEnabled(exchange: Exchange): void {
	const enabled = isEnabled(exchange);
	exchange.object((writer) => booleanMember(writer, WIFI_ENABLED.name, enabled));
}

export function postWiFiEnabled(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	if (values[0] && exchange.services.network === undefined) {
		failUnsupported(exchange);
		return;
	}
	setFlag(exchange, WIFI_ENABLED, values[0] as boolean);
	getWiFiEnabled(exchange);
}

function setFlag(exchange: Exchange, flag: Field<boolean>, value: boolean): void {
	const changes: Setting[] = [];
	changes[NETWORK.fields.indexOf(flag)] = value;
	exchange.services.config.set(NETWORK, changes);
	exchange.services.network?.applySoon(APPLY_FLAGS);
}

function isEnabled({ services }: Exchange): boolean {
	return services.network !== undefined && services.config.get(WIFI_ENABLED);
}

const SSID_RULE = "ssid must be a text of 1 to 31 characters and at most 32 bytes.";
const PASSWORD_RULE = "8 to 63 characters and at most 63 bytes.";

function isSSID(exchange: Exchange, ssid: string): boolean {
	return ssid !== "" && exchange.services.text.encode(ssid).length <= SSID_BYTES_LIMIT;
}

function isPassword(exchange: Exchange, password: string): boolean {
	return password.length >= PASSWORD_MINIMUM && exchange.services.text.encode(password).length <= PASSWORD_LIMIT;
}

/** Of its characters the field takes care. */
function isHostname(hostname: string): boolean {
	return hostname !== "" && !hostname.startsWith("-") && !hostname.endsWith("-");
}

/** Whether a device can have this address; answers if not. */
function isStatic(exchange: Exchange, values: readonly (Value | undefined)[]): boolean {
	const fields = [WIFI_IP, WIFI_NETMASK, WIFI_GATEWAY];
	for (let i = 0; i < fields.length; i++) {
		const value = values[i];
		if (value !== undefined && parseIPv4(value as string) >= 0) continue;
		const { name } = fields[i];
		if (value === undefined) exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
		else failField(exchange, fields[i], `${name} must be an IPv4 address.`);
		return false;
	}
	const [ip, netmask, gateway] = values.map((value) => parseIPv4(value as string));
	const prefix = prefixOf(netmask);
	if (prefix < 0) failField(exchange, WIFI_NETMASK, "netmask must be one of 255.0.0.0 to 255.255.255.252.");
	else if (!isHostAddress(ip, prefix))
		failField(exchange, WIFI_IP, "ip must be the address of a device in its network.");
	else if (gateway === ip || !isHostAddress(gateway, prefix) || !isSameNetwork(ip, gateway, prefix))
		failField(exchange, WIFI_GATEWAY, "gateway must be another device in the network of ip.");
	else return true;
	return false;
}

function failField(exchange: Exchange, { name }: Field, message: string): void {
	exchange.fail(400, INVALID_FIELD, message, name);
}

function failUnsupported(exchange: Exchange): void {
	exchange.fail(501, UNSUPPORTED, "This device has no radio for Wi-Fi.");
}

function failBusy(exchange: Exchange): void {
	exchange.response.header("Retry-After", "5");
	exchange.fail(503, BUSY, "The radio can't scan at this moment; try again later.");
}

/** Stable code for `wifi_last_error`; "" when all is well. */
function errorOf(error: number): string {
	switch (error) {
		case WIFI_NOT_FOUND:
			return "wifi/not-found";
		case WIFI_WRONG_PASSWORD:
			return "wifi/wrong-password";
		case WIFI_NO_ADDRESS:
			return "wifi/no-address";
		case WIFI_LOST:
			return "wifi/lost";
		default:
			return "";
	}
}

/** Stable code for `ntp_last_error`; "" when all is well. */
function timeErrorOf(error: number): string {
	switch (error) {
		case TIME_NO_ADDRESS:
			return "time/no-address";
		case TIME_NO_REPLY:
			return "time/no-reply";
		case TIME_BAD_REPLY:
			return "time/bad-reply";
		case TIME_NOT_WELCOME:
			return "time/not-welcome";
		case TIME_OUT_OF_RANGE:
			return "time/out-of-range";
		case TIME_DOUBTED:
			return "time/doubted";
		default:
			return "";
	}
}
