/**
 * Wi-Fi radio of the host contract (host.ts): a station and an access point. Types, and the relevant reason codes of
 * ESP-IDF.
 */

export interface StationOptions {
	/** 1 to 32 bytes of UTF-8. */
	readonly ssid: string;
	/** Empty: join only an open network. Otherwise 8 to 63 bytes: join only a protected network. */
	readonly password: string;
	/** BSSID of the only allowed access point, 12 hex characters. */
	readonly bssid?: string;
	/** Last known channel; avoids scanning the others first. */
	readonly channel?: number;
	/** Name sent to the DHCP server. */
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

/** A network in range; `authmode` is a `wifi_auth_mode_t` of ESP-IDF. */
export interface ScannedNetwork {
	/** Invalid UTF-8 is replaced. */
	readonly ssid: string;
	/** 12 hex characters. */
	readonly bssid: string;
	/** Signal strength, dBm. */
	readonly rssi: number;
	readonly channel: number;
	readonly authmode: number;
}

export interface StationStatus extends ScannedNetwork {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

/** Maximum number of networks in a scan result, strongest first. */
export const SCAN_LIMIT = 20;

/** Reason codes of ESP-IDF (`wifi_err_reason_t`) with a specific meaning. */
export const WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15;
export const WIFI_REASON_BEACON_TIMEOUT = 200;
export const WIFI_REASON_NO_AP_FOUND = 201;
export const WIFI_REASON_AUTH_FAIL = 202;
export const WIFI_REASON_HANDSHAKE_TIMEOUT = 204;
/** Range of codes for a network that is in range but does not match the options. */
export const WIFI_REASON_NO_SUITABLE_AP_FIRST = 210;
export const WIFI_REASON_NO_SUITABLE_AP_LAST = 212;

export interface WiFiOptions {
	onConnected(): void;
	/**
	 * Called when `connect()` has failed or the network is lost, with an ESP-IDF reason code. The radio does not retry.
	 */
	onDisconnected(reason: number): void;
	/** Called at the end of a scan; false: it failed. */
	onScanned(found: boolean): void;
	/** Called when the number of access-point clients has changed. */
	onClients(count: number): void;
}

/** Station and access point, which may be on at the same time. Both are initially off. */
export interface WiFi {
	/** Network of the station, with its address; undefined while not connected. */
	readonly station: StationStatus | undefined;
	/** Present channel of the radio, common to station and access point; 0 when unknown. */
	readonly channel: number;
	/** Leaves the present network and joins this one; `onConnected` or `onDisconnected` follows. */
	connect(options: StationOptions): void;
	/** Leaves the network, or cancels joining; without a callback. */
	disconnect(): void;
	/**
	 * Starts the access point on 192.168.4.1/24, with a DHCP server that announces it as router and name server. If it is
	 * on, applies the new settings.
	 */
	startAccessPoint(options: AccessPointOptions): void;
	stopAccessPoint(): void;
	/** Starts a scan; `onScanned` follows. Returns false when the radio can't scan now. */
	scan(): boolean;
	/** Returns network `index` of the last scan; undefined beyond the last one. */
	scanned(index: number): ScannedNetwork | undefined;
	/** Lets the station sleep between beacons, which saves current but delays answers. Initially off. */
	setPowerSave(on: boolean): void;
	close(): void;
}

export interface WiFiPort {
	readonly io: new (options: WiFiOptions) => WiFi;
	readonly pins: object;
	/** WPA2 key of the unit's own access point, from its factory data: 8 to 63 characters. */
	readonly accessPointKey: string;
	/** MAC address of the station, 12 hex characters. */
	readonly mac: string;
}
