/** Wi-Fi radio of the host contract (host.ts). */

export interface StationOptions {
	/** 1 to 32 bytes of UTF-8. */
	readonly ssid: string;
	/** Empty: joins only an open network. Otherwise 8 to 63 bytes: joins only a protected network. */
	readonly password: string;
	/** Only allowed access point, 12 hex characters. */
	readonly bssid?: string;
	readonly channel?: number;
	readonly hostname: string;
	/** Static address; undefined: DHCP. */
	readonly address?: StaticAddress;
}

/** IPv4 addresses, as dotted decimal text. */
export interface StaticAddress {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
	readonly dns: string;
}

export interface AccessPointOptions {
	readonly ssid: string;
	/** 8 to 63 bytes: WPA2 or later, never open. */
	readonly password: string;
}

export interface ScannedNetwork {
	/** Invalid UTF-8 is replaced. */
	readonly ssid: string;
	/** 12 hex characters. */
	readonly bssid: string;
	/** dBm. */
	readonly rssi: number;
	readonly channel: number;
	readonly authmode: number;
}

export interface StationStatus extends ScannedNetwork {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export const SCAN_LIMIT = 20;

/** Reasons of ESP-IDF (`wifi_err_reason_t`). */
export const WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15;
export const WIFI_REASON_BEACON_TIMEOUT = 200;
export const WIFI_REASON_NO_AP_FOUND = 201;
export const WIFI_REASON_AUTH_FAIL = 202;
export const WIFI_REASON_HANDSHAKE_TIMEOUT = 204;
/** First of the reasons for a network in range that does not match the options. */
export const WIFI_REASON_NO_SUITABLE_AP_FIRST = 210;
export const WIFI_REASON_NO_SUITABLE_AP_LAST = 212;

export interface WiFiOptions {
	onConnected(): void;
	/** `connect()` has failed or the network is lost; an ESP-IDF reason. The radio does not retry. */
	onDisconnected(reason: number): void;
	/** `found`: false if the scan failed. */
	onScanned(found: boolean): void;
	onClients(count: number): void;
}

/** Station and access point, possibly at the same time; both initially off. */
export interface WiFi {
	/** Undefined while not connected. */
	readonly station: StationStatus | undefined;
	/** Channel of station and access point; 0 when unknown. */
	readonly channel: number;
	/** Leaves the network and joins this one; `onConnected` or `onDisconnected` follows. */
	connect(options: StationOptions): void;
	/** Leaves the network, or cancels joining; no callback. */
	disconnect(): void;
	/** 192.168.4.1/24, with a DHCP server that announces it as router and name server. */
	startAccessPoint(options: AccessPointOptions): void;
	stopAccessPoint(): void;
	/** `onScanned` follows. Returns false when the radio can't scan now. */
	scan(): boolean;
	/** Undefined beyond the end. */
	scanned(index: number): ScannedNetwork | undefined;
	/** The station sleeps between beacons: less current, later answers. Initially off. */
	setPowerSave(on: boolean): void;
	close(): void;
}

export interface WiFiPort {
	readonly io: new (options: WiFiOptions) => WiFi;
	readonly pins: object;
	/** WPA2 key of the access point, from the factory data: 8 to 63 characters. */
	readonly accessPointKey: string;
	/** MAC address of the station, 12 hex characters. */
	readonly mac: string;
}
