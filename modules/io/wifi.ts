/** Wi-Fi radio of the host contract (host.ts). */

export interface StationOptions {
	/** 1 to 32 bytes of UTF-8. */
	readonly ssid: string;
	/** If empty, the radio joins only an open network. With 8 to 63 bytes, it joins only a protected network. */
	readonly password: string;
	/** The only access point that may be joined, as 12 hex characters; default: any. */
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
	/** 8 to 63 bytes. The access point uses WPA2 or later and is never open. */
	readonly password: string;
}

export interface ScannedNetwork {
	/** Network name, in which invalid UTF-8 was replaced. */
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
/** First of ESP-IDF's reasons for a network that is in range but does not match the options. */
export const WIFI_REASON_NO_SUITABLE_AP_FIRST = 210;
export const WIFI_REASON_NO_SUITABLE_AP_LAST = 212;

export interface WiFiOptions {
	onConnected(): void;
	/** `connect()` has failed, or the network is lost. `reason` is ESP-IDF's. The radio does not try again. */
	onDisconnected(reason: number): void;
	/** The scan has ended. `found` is false if it failed. */
	onScanned(found: boolean): void;
	onClients(count: number): void;
}

/** Station and access point. Both are off initially and may be on at the same time. */
export interface WiFi {
	/** Undefined while not connected. */
	readonly station: StationStatus | undefined;
	/** Channel of station and access point; 0 if unknown. */
	readonly channel: number;
	/** Leaves the current network and joins this one. `onConnected` or `onDisconnected` follows. */
	connect(options: StationOptions): void;
	/** Leaves the network, or cancels joining. No callback follows. */
	disconnect(): void;
	/** Starts the access point at 192.168.4.1/24. Its DHCP server announces this address as router and name server. */
	startAccessPoint(options: AccessPointOptions): void;
	stopAccessPoint(): void;
	/** Starts a scan; `onScanned` follows. Returns false if the radio can't scan now. */
	scan(): boolean;
	/** Returns a network that the last scan found; undefined beyond the last one. */
	scanned(index: number): ScannedNetwork | undefined;
	/** Limits the transmit power, dBm, 2 to 20; 0: the limit of the board, as at first. */
	setTransmitPower(dBm: number): void;
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
