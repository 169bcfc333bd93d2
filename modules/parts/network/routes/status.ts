/** Routes of the API that read the network: status and scan. */

import { BUSY } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../../api/members.js";
import { ACCESS_POINT_ADDRESS, ACCESS_POINT_NETMASK } from "../../../bytes/ipv4.js";
import type { Cost } from "../../../io/memory.js";
import type { JSONWriter } from "../../../json/writer.js";
import { WIFI_LOST, WIFI_NO_ADDRESS, WIFI_NOT_FOUND, WIFI_WRONG_PASSWORD } from "../../../network/failures.js";
import type { ScanCallback } from "../../../network/policy.js";
import { ScanCursor } from "../../../network/scan.js";
import {
	TIME_BAD_REPLY,
	TIME_DOUBTED,
	TIME_NO_ADDRESS,
	TIME_NO_REPLY,
	TIME_NOT_WELCOME,
	TIME_OUT_OF_RANGE,
} from "../../../sntp/client.js";
import { AP_ENABLED, WIFI_DHCP, WIFI_SSID } from "../fields.js";
import type { Networking } from "../networking.js";
import { ethernetErrorOf, isEthernetEnabled } from "./ethernet.js";
import { isWiFiEnabled, NO_ADDRESS } from "./settings.js";

/** Memory for the buffer in which networks are packed, and for the packed networks. */
export const SCAN_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 5120 });

/** Time server to show if the host has none configured. */
const NTP_SERVER = "pool.ntp.org";

export function getNetworkStatus(exchange: Exchange<Networking>): void {
	const { config, info, saving } = exchange.core;
	const { manager: network, settings: networkSettings, time } = exchange.part;
	const { secure } = exchange;
	const { station, address, cable } = network ?? {};
	// The simulator has no radio, but it can simulate that clients use its access point.
	const isAccessPoint = network?.accessPointOn ?? exchange.viaAccessPoint;
	const own = isAccessPoint ? ACCESS_POINT_ADDRESS : NO_ADDRESS;
	const ip = address?.ip ?? own;
	const netmask = address?.netmask ?? (isAccessPoint ? ACCESS_POINT_NETMASK : NO_ADDRESS);
	const gateway = address?.gateway ?? own;
	const { hostname, accessPoint } = networkSettings;
	// The reply contains SSID and channel of the joined network. If none is joined, they are those of the access point.
	const isOnItsOwn = isAccessPoint && station === undefined;
	const usesDHCP = (address !== undefined || !isOnItsOwn) && (network?.usesDHCP ?? config.get(WIFI_DHCP));
	const ssid = station?.ssid ?? (isOnItsOwn ? accessPoint.ssid : config.get(WIFI_SSID));
	const channel = station?.channel ?? network?.channel ?? 0;
	// A device that sleeps turns Wi-Fi on only while a user is active.
	const isForNow = saving !== undefined && saving.awakeUntilMs < Number.POSITIVE_INFINITY;
	const isTemporary = network?.isTemporary === true || (isForNow && network?.isOn === true);
	const lastError = errorOf(network?.lastError ?? 0);
	const clients = network?.clients ?? 0;
	const ntpServer = serverOf(info.timeServers);
	const lastSync = lastSyncOf(exchange);
	const timeError = timeErrorOf(time?.lastError ?? 0);
	exchange.object((writer) => {
		textMember(writer, "ip", ip);
		textMember(writer, "netmask", netmask);
		textMember(writer, "gateway", gateway);
		textMember(writer, "hostname", hostname);
		booleanMember(writer, "dhcp", usesDHCP);
		textMember(writer, "ssid", ssid);
		numberMember(writer, "rssi", station?.rssi ?? 0);
		numberMember(writer, "channel", channel);
		numberMember(writer, "authmode", station?.authmode ?? 0);
		booleanMember(writer, "ap_mode", isAccessPoint);
		booleanMember(writer, "secure", secure);
		textMember(writer, "ntp_server", ntpServer);
		numberMember(writer, "ntp_last_sync", lastSync);
		codeMember(writer, "ntp_last_error", timeError);
		booleanMember(writer, "wifi_enabled", isWiFiEnabled(exchange.part, exchange.core));
		booleanMember(writer, "wifi_temporary", isTemporary);
		textMember(writer, "wifi_ssid", config.get(WIFI_SSID));
		booleanMember(writer, "wifi_dhcp", config.get(WIFI_DHCP));
		textMember(writer, "ap_ssid", accessPoint.ssid);
		booleanMember(writer, "ap_enabled", config.get(AP_ENABLED));
		numberMember(writer, "ap_clients", clients);
		booleanMember(writer, "connected", address !== undefined);
		codeMember(writer, "wifi_last_error", lastError);
		textMember(writer, "interface", interfaceOf(network, isAccessPoint));
		booleanMember(writer, "ethernet", cable?.isLinked === true);
		booleanMember(writer, "ethernet_enabled", isEthernetEnabled(exchange));
		numberMember(writer, "ethernet_speed", cable?.speed ?? 0);
		textMember(writer, "ethernet_mac", network?.ethernetMAC ?? "");
		codeMember(writer, "ethernet_last_error", ethernetErrorOf(cable?.lastError));
	});
}

function interfaceOf(network: Networking["manager"], isAccessPoint: boolean): string {
	if (network?.isByCable) return "ethernet";
	if (network?.station !== undefined) return "wifi";
	return isAccessPoint ? "access_point" : "none";
}

/** Returns the first server without its port. */
function serverOf(servers: string): string {
	return servers === "" ? NTP_SERVER : servers.split(",", 1)[0].split(":", 1)[0].trim();
}

function lastSyncOf({ core: { clock }, part: { time } }: Exchange<Networking>): number {
	const successMs = time?.lastSuccessMs;
	const nowMs = clock.utcMs();
	if (successMs === undefined || nowMs === undefined) return 0;
	return Math.floor((nowMs - clock.monotonicMs() + successMs) / 1000);
}

/** Writes a code; null if there is no error. */
function codeMember(writer: JSONWriter, name: string, code: string): void {
	writer.key(name);
	if (code === "") writer.null();
	else writer.string(code);
}

/** Replies with the visible networks. The list is empty if the radio is off. */
export function getScan(exchange: Exchange<Networking>): void {
	const { manager: network } = exchange.part;
	if (!exchange.claim(SCAN_COST)) return;
	if (!network?.isOn) {
		streamNetworks(exchange, new Uint8Array(0));
		return;
	}
	const callback: ScanCallback = {
		scanned: (networks) => {
			if (networks === undefined) failBusy(exchange);
			else streamNetworks(exchange, networks);
		},
	};
	if (network.scan(callback)) {
		exchange.response.onCancelled = () => {
			network.cancelScan(callback);
			exchange.core.ledger.release(SCAN_COST);
		};
	} else failBusy(exchange);
}

function streamNetworks(exchange: Exchange<Networking>, networks: Uint8Array): void {
	const { hostname, text } = exchange.core;
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
	}, SCAN_COST);
}

function failBusy(exchange: Exchange<Networking>): void {
	exchange.response.header("Retry-After", "5");
	exchange.core.ledger.release(SCAN_COST);
	exchange.fail(503, BUSY, "The radio can't scan now; try again later.");
}

export function errorOf(error: number): string {
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

export function timeErrorOf(error: number): string {
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
