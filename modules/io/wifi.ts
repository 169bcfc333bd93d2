/**
 * The radio for Wi-Fi of the host contract (host.ts): a station and an access point. Types, and the reasons of ESP-IDF that
 * say something.
 */

/** A network that the station joins. */
export interface StationOptions {
	/** 1 to 32 bytes of UTF-8. */
	readonly ssid: string;
	/** Empty: an open network, and no other is joined; else 8 to 63 bytes, and no open one is. */
	readonly password: string;
	/** Only this access point of the network, 12 hex characters. */
	readonly bssid?: string;
	/** Where it was last; saves looking on the others first. */
	readonly channel?: number;
	/** Name told to the DHCP server. */
	readonly hostname: string;
	/** Without it, by DHCP. */
	readonly address?: StaticAddress;
}

/** IPv4, as dotted decimal text. */
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

/** A network in reach; `authmode` is a `wifi_auth_mode_t` of ESP-IDF. */
export interface ScannedNetwork {
	/** What is not UTF-8 is replaced. */
	readonly ssid: string;
	/** 12 hex characters. */
	readonly bssid: string;
	/** dBm. */
	readonly rssi: number;
	readonly channel: number;
	readonly authmode: number;
}

/** The network that the station is in. */
export interface StationStatus extends ScannedNetwork {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

/** The most networks that a scan tells of, the strongest first. */
export const SCAN_LIMIT = 20;

/** Reasons of ESP-IDF (`wifi_err_reason_t`) that say more than that it went wrong. */
export const WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15;
export const WIFI_REASON_BEACON_TIMEOUT = 200;
export const WIFI_REASON_NO_AP_FOUND = 201;
export const WIFI_REASON_AUTH_FAIL = 202;
export const WIFI_REASON_HANDSHAKE_TIMEOUT = 204;
/** The first and the last of those for a network that is there, but not as it was asked for. */
export const WIFI_REASON_NO_SUITABLE_AP_FIRST = 210;
export const WIFI_REASON_NO_SUITABLE_AP_LAST = 212;

export interface WiFiOptions {
	/** The station has its address. */
	onConnected(): void;
	/** A `connect` has failed, or the network is lost; the radio does not try again by itself. A reason of ESP-IDF. */
	onDisconnected(reason: number): void;
	/** The scan has ended; false: it failed. */
	onScanned(found: boolean): void;
	/** Clients of our access point have come or gone. */
	onClients(count: number): void;
}

/** Station and access point, side by side where both are on. Both are off at first. */
export interface WiFi {
	/** The network that the station is in, with its address; undefined without one. */
	readonly station: StationStatus | undefined;
	/** Where the radio is at this moment, which is one place for station and access point; 0 where nobody knows. */
	readonly channel: number;
	/** Leaves the network it is in and joins this one; `onConnected` or `onDisconnected` follows. */
	connect(options: StationOptions): void;
	/** Leaves, or gives up joining; nothing is called back. */
	disconnect(): void;
	/** On 192.168.4.1/24, with a DHCP server that names it as router and name server. One that is on takes the new settings. */
	startAccessPoint(options: AccessPointOptions): void;
	stopAccessPoint(): void;
	/** Looks for networks; `onScanned` follows. False: the radio can't at this moment. */
	scan(): boolean;
	/** Network `index` of the last scan; undefined beyond the last one. */
	scanned(index: number): ScannedNetwork | undefined;
	/** The station sleeps between beacons: saves current, costs time to answer. Off at first. */
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
