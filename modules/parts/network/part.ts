/** Wi-Fi, access point, Ethernet, and the services of the device in a network. */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import type { Core } from "../../core/core.js";
import { sample } from "../../core/metrics-text.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { APPLY_ACCESS_POINT, APPLY_FLAGS, APPLY_STATION } from "../../network/policy.js";
import { applied, changed, part } from "../../part/part.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	NETWORK as ENTRY,
	ETHERNET,
	FALLBACK_AP_ENABLED,
	STATION_FIELDS,
	WIFI,
	WIFI_ENABLED,
	WIFI_HOSTNAME,
	WIFI_PASSWORD,
	WIFI_SSID,
	WIFI_TX_POWER,
} from "./fields.js";
import { Networking } from "./networking.js";
import { acceptEthernet, ETHERNET_SETTINGS, ethernetErrorOf } from "./routes/ethernet.js";
import {
	AP_BODY,
	acceptAccessPoint,
	acceptAnyWiFiEnabled,
	acceptNetwork,
	FALLBACK_AP_SETTINGS,
	isWiFiEnabled,
	postAccessPoint,
	postWiFi,
	WIFI_BODY,
	WIFI_ENABLED_SETTINGS,
} from "./routes/settings.js";
import { errorOf, getNetworkStatus, getScan, timeErrorOf } from "./routes/status.js";

export const NETWORK = part<Networking>({
	name: "network",
	entries: Object.freeze([WIFI, ENTRY, ETHERNET]),
	routes: Object.freeze([
		route(METHOD_GET, "network/status", getNetworkStatus, { scope: SCOPE_READ }),
		route(METHOD_GET, "network/scan", getScan, { waits: true }),
		route(METHOD_POST, "network/wifi", postWiFi, { body: WIFI_BODY }),
		route(METHOD_POST, "network/ap", postAccessPoint, { body: AP_BODY }),
		...settingsRoutes("network/fallback-ap", FALLBACK_AP_SETTINGS),
		...settingsRoutes("network/wifi-enabled", WIFI_ENABLED_SETTINGS),
		...settingsRoutes("network/ethernet", ETHERNET_SETTINGS),
	]),
	backup: Object.freeze([
		backupGroup("network/wifi", WIFI_BODY, {
			accept: acceptNetwork,
			secrets: Object.freeze([WIFI_PASSWORD]),
			boundTo: WIFI_SSID,
			bound: Object.freeze(STATION_FIELDS.filter((field) => field !== WIFI_SSID)),
			own: Object.freeze([WIFI_HOSTNAME]),
		}),
		backupGroup("network/ap", AP_BODY, {
			accept: acceptAccessPoint,
			secrets: Object.freeze([AP_PASSWORD]),
			own: Object.freeze([AP_SSID, AP_PASSWORD]),
		}),
		backupGroup("network/fallback-ap", FALLBACK_AP_SETTINGS),
		backupGroup("network/wifi-enabled", WIFI_ENABLED_SETTINGS, { accept: acceptAnyWiFiEnabled }),
		backupGroup("network/ethernet", ETHERNET_SETTINGS, { accept: acceptEthernet }),
	]),
	reactions: Object.freeze([
		changed(ETHERNET.fields, ({ manager }: Networking) => manager?.applyCableSoon()),
		applied(STATION_FIELDS, ({ manager }: Networking) => manager?.applySoon(APPLY_STATION)),
		applied([AP_SSID, AP_PASSWORD, AP_ENABLED], ({ manager }: Networking) => manager?.applySoon(APPLY_ACCESS_POINT)),
		applied([FALLBACK_AP_ENABLED, WIFI_ENABLED, WIFI_TX_POWER], ({ manager }: Networking) =>
			manager?.applySoon(APPLY_FLAGS),
		),
	]),
	open: (core) => new Networking(core, undefined),
	status: (networking, core) => ["wifi_enabled", isWiFiEnabled(networking, core)],
	metrics: ({ manager }) => {
		const { cable, station } = manager ?? {};
		return (
			sample("gateway_wifi_rssi_dbm", "Signal of the joined network.", station?.rssi) +
			sample("gateway_ethernet_link", "1 when the Ethernet port has a link.", cable && Number(cable.isLinked))
		);
	},
	report,
});

function report({ manager, time }: Networking, _: Core, section: string): string {
	if (section !== "network") return "";
	const { station, accessPointOn, clients, cable, lastError } = manager ?? {};
	const { rssi, channel, authmode } = station ?? {};
	return [
		`wifi: rssi ${rssi}, channel ${channel}, authmode ${authmode}`,
		`wifi_error: ${errorOf(lastError ?? 0)}`,
		`ethernet: link ${cable?.isLinked}, ${cable?.speed} Mbit/s, address ${cable && cable.address !== undefined}`,
		`ethernet_error: ${ethernetErrorOf(cable?.lastError)}`,
		`access_point: ${accessPointOn}, ${clients} clients`,
		`time_error: ${timeErrorOf(time?.lastError ?? 0)}`,
	].join("\n");
}
