/** Network settings as one object. */

import { checkField, type Put, put, type SettingField } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { TextCodec } from "../../io/host.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	ETHERNET_DHCP,
	ETHERNET_DNS,
	ETHERNET_ENABLED,
	ETHERNET_GATEWAY,
	ETHERNET_IP,
	ETHERNET_NETMASK,
	FALLBACK_AP_ENABLED,
	PASSWORD_LIMIT,
	PASSWORD_MINIMUM,
	PREVIOUS_STATION_FIELDS,
	SSID_BYTES_LIMIT,
	STATION_FIELDS,
	WIFI_DHCP,
	WIFI_ENABLED,
	WIFI_GATEWAY,
	WIFI_HOSTNAME,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_ON_TRIAL,
	WIFI_PASSWORD,
	WIFI_SSID,
	WIFI_TX_POWER,
} from "./fields.js";

/**
 * Settings of a new network. With DHCP, the address fields are ignored. Without `hostname`, the present hostname is
 * kept.
 */
export interface NewStation {
	readonly ssid: string;
	readonly password: string;
	readonly dhcp: boolean;
	readonly ip?: string | undefined;
	readonly netmask?: string | undefined;
	readonly gateway?: string | undefined;
	readonly hostname?: string | undefined;
}

export interface NetworkDefaults {
	readonly hostname: string;
	readonly accessPointKey: string;
	/** True if Wi-Fi must take little current: in safe mode, and after a start by low voltage. */
	readonly isGentle: boolean;
}

/**
 * Limit of the transmit power if Wi-Fi must take little current, dBm. With this level, boards with a weak supply or
 * regulator join that otherwise restart (espressif/arduino-esp32#6767, HomeSpan/HomeSpan#907).
 */
const GENTLE_DBM = 8;

/** Checks that the name is not empty and has no hyphen at its ends. The setting's field checks the characters. */
export function isHostname(hostname: string): boolean {
	return hostname !== "" && !hostname.startsWith("-") && !hostname.endsWith("-");
}

export function isSSID(text: TextCodec, ssid: string): boolean {
	return ssid !== "" && checkField(WIFI_SSID, ssid) && text.encode(ssid).length <= SSID_BYTES_LIMIT;
}

export function isPassword(text: TextCodec, password: string): boolean {
	return (
		password.length >= PASSWORD_MINIMUM &&
		checkField(WIFI_PASSWORD, password) &&
		text.encode(password).length <= PASSWORD_LIMIT
	);
}

export class NetworkSettings {
	readonly #store: ConfigStore;
	readonly #defaults: NetworkDefaults;

	constructor(store: ConfigStore, defaults: NetworkDefaults) {
		this.#store = store;
		this.#defaults = defaults;
	}

	get hostname(): string {
		const hostname = this.#store.get(WIFI_HOSTNAME);
		return isHostname(hostname) ? hostname : this.#defaults.hostname;
	}

	get wifiEnabled(): boolean {
		return this.#store.get(WIFI_ENABLED);
	}

	get fallbackEnabled(): boolean {
		return this.#store.get(FALLBACK_AP_ENABLED);
	}

	get accessPointEnabled(): boolean {
		return this.#store.get(AP_ENABLED);
	}

	/** Limit of the transmit power, dBm; 0: that of the board. */
	get transmitDBm(): number {
		const dBm = this.#store.get(WIFI_TX_POWER);
		return this.#defaults.isGentle && (dBm === 0 || dBm > GENTLE_DBM) ? GENTLE_DBM : dBm;
	}

	get accessPoint() {
		return {
			ssid: this.#store.get(AP_SSID) || this.hostname,
			password: this.#store.get(AP_PASSWORD) || this.#defaults.accessPointKey,
		};
	}

	/** Options for joining the network; undefined if none is configured. The static gateway is also the DNS server. */
	get station() {
		const store = this.#store;
		const ssid = store.get(WIFI_SSID);
		if (ssid === "") return undefined;
		const base = { ssid, password: store.get(WIFI_PASSWORD), hostname: this.hostname };
		if (store.get(WIFI_DHCP)) return base;
		const gateway = store.get(WIFI_GATEWAY);
		const address = { ip: store.get(WIFI_IP), netmask: store.get(WIFI_NETMASK), gateway, dns: gateway };
		return { ...base, address };
	}

	get ethernetEnabled(): boolean {
		return this.#store.get(ETHERNET_ENABLED);
	}

	get ethernet() {
		const store = this.#store;
		const { hostname } = this;
		if (store.get(ETHERNET_DHCP)) return { hostname };
		const gateway = store.get(ETHERNET_GATEWAY);
		const dns = store.get(ETHERNET_DNS) || gateway;
		return { hostname, address: { ip: store.get(ETHERNET_IP), netmask: store.get(ETHERNET_NETMASK), gateway, dns } };
	}

	get onTrial(): boolean {
		return this.#store.get(WIFI_ON_TRIAL);
	}

	/** Stores a new network, which is then on trial. The network that was joined last becomes the previous one. */
	setStation(station: NewStation, apply = false): void {
		this.#store.change(this.stationPuts(station), apply);
	}

	stationPuts({ ssid, password, dhcp, ip, netmask, gateway, hostname }: NewStation): Put[] {
		const puts = [
			put(WIFI_SSID, ssid),
			put(WIFI_PASSWORD, password),
			put(WIFI_DHCP, dhcp),
			put(WIFI_IP, dhcp ? "" : ip),
			put(WIFI_NETMASK, dhcp ? "" : netmask),
			put(WIFI_GATEWAY, dhcp ? "" : gateway),
			put(WIFI_HOSTNAME, hostname),
			put(WIFI_ON_TRIAL, true),
		];
		if (!this.onTrial) this.copy(STATION_FIELDS, PREVIOUS_STATION_FIELDS, puts);
		return puts;
	}

	/** Stores the hostname, which must satisfy `isHostname` and takes effect immediately. */
	setHostname(hostname: string): void {
		this.#store.change([put(WIFI_HOSTNAME, hostname)]);
	}

	/** Ends the trial successfully. It has no effect after a factory reset has erased the settings. */
	keepStation(): void {
		if (this.#store.isErased) return;
		this.#store.change([put(WIFI_ON_TRIAL, false)]);
	}

	revertStation(): void {
		if (this.#store.isErased) return;
		const puts = [put(WIFI_ON_TRIAL, false)];
		this.copy(PREVIOUS_STATION_FIELDS, STATION_FIELDS, puts);
		this.#store.change(puts);
	}

	private copy(from: readonly SettingField[], to: readonly SettingField[], puts: Put[]): void {
		for (let i = 0; i < from.length; i++) puts.push(put(to[i], this.#store.get(from[i])));
	}
}
