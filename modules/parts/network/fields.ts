/**
 * Settings of Wi-Fi, access point and Ethernet. A network and its password are in one entry, so that a password is
 * never used with the name of another network. An empty SSID means that no network is configured.
 */
import { ENTRY_ETHERNET, ENTRY_NETWORK, ENTRY_WIFI } from "../../config/entries.js";
import { BOOLEAN, CHOICE, entry, field, type SettingField, TEXT } from "../../config/schema.js";

/** Entry indexes, unique among all parts and never reused. */
/** Characters of SSID and password. The radio treats both as bytes, so only control characters are excluded. */
const VISIBLE = " ";
const DECIMAL_AND_DOT = "..09";
const LETTERS_DIGITS_HYPHEN = "--09AZaz";

/**
 * Maximum number of characters of an SSID. SSID_BYTES_LIMIT and PASSWORD_LIMIT also limit the number of UTF-8 bytes.
 */
export const SSID_LIMIT = 31;
export const SSID_BYTES_LIMIT = 32;
export const PASSWORD_LIMIT = 63;
export const PASSWORD_MINIMUM = 8;
export const HOSTNAME_LIMIT = 31;
const ADDRESS_LIMIT = 15;

function text(entryPosition: number, id: number, name: string, [maximum, characters]: readonly [number, string]) {
	return field<string>({
		entry: entryPosition,
		id,
		name,
		kind: TEXT,
		maximum,
		characters,
		initial: "",
	});
}

function password(entryPosition: number, id: number, name: string) {
	return field<string>({
		entry: entryPosition,
		id,
		name,
		kind: TEXT,
		maximum: PASSWORD_LIMIT,
		characters: VISIBLE,
		initial: "",
		secret: true,
	});
}

function flag(entryPosition: number, id: number, name: string, initial: boolean) {
	return field<boolean>({ entry: entryPosition, id, name, kind: BOOLEAN, initial });
}

const SSID_FORM = Object.freeze([SSID_LIMIT, VISIBLE] as const);
const ADDRESS_FORM = Object.freeze([ADDRESS_LIMIT, DECIMAL_AND_DOT] as const);
const HOSTNAME_FORM = Object.freeze([HOSTNAME_LIMIT, LETTERS_DIGITS_HYPHEN] as const);

/** Name of the network; empty if none is configured. */
export const WIFI_SSID = text(ENTRY_WIFI, 1, "ssid", SSID_FORM);
export const WIFI_PASSWORD = password(ENTRY_WIFI, 2, "password");
export const WIFI_DHCP = flag(ENTRY_WIFI, 3, "dhcp", true);
/** Static address. The three fields are empty if DHCP is used. */
export const WIFI_IP = text(ENTRY_WIFI, 4, "ip", ADDRESS_FORM);
export const WIFI_NETMASK = text(ENTRY_WIFI, 5, "netmask", ADDRESS_FORM);
export const WIFI_GATEWAY = text(ENTRY_WIFI, 6, "gateway", ADDRESS_FORM);
/** Hostname. If empty, the hostname in the unit's factory data is used. */
export const WIFI_HOSTNAME = text(ENTRY_WIFI, 7, "hostname", HOSTNAME_FORM);
/** True until the new network is joined for the first time. If it can't be joined, the previous network is restored. */
export const WIFI_ON_TRIAL = flag(ENTRY_WIFI, 8, "on_trial", false);
const WIFI_PREVIOUS_SSID = text(ENTRY_WIFI, 9, "previous_ssid", SSID_FORM);
const WIFI_PREVIOUS_PASSWORD = password(ENTRY_WIFI, 10, "previous_password");
const WIFI_PREVIOUS_DHCP = flag(ENTRY_WIFI, 11, "previous_dhcp", true);
const WIFI_PREVIOUS_IP = text(ENTRY_WIFI, 12, "previous_ip", ADDRESS_FORM);
const WIFI_PREVIOUS_NETMASK = text(ENTRY_WIFI, 13, "previous_netmask", ADDRESS_FORM);
const WIFI_PREVIOUS_GATEWAY = text(ENTRY_WIFI, 14, "previous_gateway", ADDRESS_FORM);
/** Fields of the network, and below, in the same order, fields of the previous network. */
export const STATION_FIELDS: readonly SettingField[] = Object.freeze([
	WIFI_SSID,
	WIFI_PASSWORD,
	WIFI_DHCP,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_GATEWAY,
]);
export const PREVIOUS_STATION_FIELDS: readonly SettingField[] = Object.freeze([
	WIFI_PREVIOUS_SSID,
	WIFI_PREVIOUS_PASSWORD,
	WIFI_PREVIOUS_DHCP,
	WIFI_PREVIOUS_IP,
	WIFI_PREVIOUS_NETMASK,
	WIFI_PREVIOUS_GATEWAY,
]);
export const WIFI = entry("wifi", 1, [...STATION_FIELDS, WIFI_HOSTNAME, WIFI_ON_TRIAL, ...PREVIOUS_STATION_FIELDS]);

/** Name of the access point's network. If empty, the hostname is used. */
export const AP_SSID = text(ENTRY_NETWORK, 1, "ap_ssid", SSID_FORM);
/** Password of the access point. If empty, the key in the unit's factory data is used. */
export const AP_PASSWORD = password(ENTRY_NETWORK, 2, "ap_password");
/** True to keep the access point on together with the station. */
export const AP_ENABLED = flag(ENTRY_NETWORK, 3, "ap_enabled", false);
export const FALLBACK_AP_ENABLED = flag(ENTRY_NETWORK, 4, "fallback_ap_enabled", true);
export const WIFI_ENABLED = flag(ENTRY_NETWORK, 5, "wifi_enabled", true);
/**
 * Limit of Wi-Fi's transmit power, dBm; 0: that of the board. The others are the levels of ESP-IDF
 * (`esp_wifi_set_max_tx_power`), rounded down: 8 stands for 8.5 dBm, and 16 for 16.5.
 */
export const WIFI_TX_POWER = field<number>({
	entry: ENTRY_NETWORK,
	id: 6,
	name: "tx_power_dbm",
	kind: CHOICE,
	choices: Object.freeze([0, 2, 5, 7, 8, 11, 13, 14, 15, 16, 18, 20]),
	initial: 0,
});
export const NETWORK = entry("network", 2, [
	AP_SSID,
	AP_PASSWORD,
	AP_ENABLED,
	FALLBACK_AP_ENABLED,
	WIFI_ENABLED,
	WIFI_TX_POWER,
]);

export const ETHERNET_ENABLED = flag(ENTRY_ETHERNET, 1, "ethernet_enabled", true);
export const ETHERNET_DHCP = flag(ENTRY_ETHERNET, 2, "dhcp", true);
/** Static address. The four fields are empty if DHCP is used. */
export const ETHERNET_IP = text(ENTRY_ETHERNET, 3, "ip", ADDRESS_FORM);
export const ETHERNET_NETMASK = text(ENTRY_ETHERNET, 4, "netmask", ADDRESS_FORM);
export const ETHERNET_GATEWAY = text(ENTRY_ETHERNET, 5, "gateway", ADDRESS_FORM);
/** DNS server. If empty, the gateway address is used. */
export const ETHERNET_DNS = text(ENTRY_ETHERNET, 6, "dns", ADDRESS_FORM);
export const ETHERNET = entry("ethernet", 1, [
	ETHERNET_ENABLED,
	ETHERNET_DHCP,
	ETHERNET_IP,
	ETHERNET_NETMASK,
	ETHERNET_GATEWAY,
	ETHERNET_DNS,
]);
