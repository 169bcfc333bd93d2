/**
 * A Wi-Fi radio with simulated networks around it (air.ts). The networks can accept the radio, reject the password,
 * assign no address, or vanish.
 */
import type { Timers } from "../../modules/io/host.js";
import {
	type AccessPointOptions,
	SCAN_LIMIT,
	type ScannedNetwork,
	type StationOptions,
	type StationStatus,
	WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT,
	WIFI_REASON_BEACON_TIMEOUT,
	WIFI_REASON_NO_AP_FOUND,
	type WiFi,
	type WiFiOptions,
	type WiFiPort,
} from "../../modules/io/wifi.js";
import type { Air, SimulatedNetwork } from "./air.js";

/** Channel of the access point while no network is joined. */
const ACCESS_POINT_CHANNEL = 1;
const JOIN_MS = 2500;
/** `joinMs` of the programs, which are ready only in their network. */
export const QUICK_JOIN_MS = 300;
/** Longest time that a program waits for its network before it says that it is ready, ms. */
export const UP_LIMIT_MS = 8000;
const REFUSE_MS = 3000;
const SEARCH_MS = 2000;
const SCAN_MS = 2200;
const BEACON_MS = 2000;
const LOST_BEACONS = 3;
/** Values of `WIFI_AUTH_…` in ESP-IDF. */
const AUTH_OPEN = 0;
const AUTH_WPA2_PSK = 3;

export interface RadioSettings {
	readonly air: Air;
	readonly timers: Timers;
	readonly lease: { readonly ip: string; readonly netmask: string; readonly gateway: string };
	readonly accessPointKey: string;
	/** Time until a network is joined. Default: JOIN_MS. */
	readonly joinMs?: number;
	/** Interval of beacons. Default: BEACON_MS. The network is lost after LOST_BEACONS missing beacons. */
	readonly beaconMs?: number;
	/** Called when the station has got its address, and when the access point has been turned on. */
	onUp?(): void;
	onMade?(radio: SimulatedRadio): void;
}

export function createWiFiPort(settings: RadioSettings): WiFiPort {
	const { accessPointKey } = settings;
	return { io: SimulatedRadio, pins: { settings }, accessPointKey, mac: "02005e100001" };
}

export class SimulatedRadio implements WiFi {
	station: StationStatus | undefined;
	/** Settings of the access point, or undefined while it is off. */
	accessPoint: AccessPointOptions | undefined;
	/** Last argument of `connect`, or undefined after `disconnect`. */
	wanted: StationOptions | undefined;
	connects = 0;
	scans = 0;
	transmitDBm = 0;
	readonly #settings: RadioSettings;
	readonly #options: WiFiOptions;
	#stationTimer = -1;
	#scanTimer = -1;
	#found: ScannedNetwork[] = [];
	#closed = false;

	constructor(options: WiFiOptions) {
		const { settings } = options as WiFiOptions & { settings: RadioSettings };
		this.#settings = settings;
		this.#options = options;
		settings.onMade?.(this);
	}

	connect(options: StationOptions): void {
		this.disconnect();
		this.connects++;
		this.wanted = options;
		const network = this.find(options.ssid);
		if (network === undefined) this.failAfter(SEARCH_MS, WIFI_REASON_NO_AP_FOUND);
		else if (network.password !== options.password) this.failAfter(REFUSE_MS, WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT);
		else this.stationAfter(this.#settings.joinMs ?? JOIN_MS, () => this.join(options));
	}

	/** As in ESP-IDF, the joined network determines the channel. */
	get channel(): number {
		return this.station?.channel ?? (this.accessPoint === undefined ? 0 : ACCESS_POINT_CHANNEL);
	}

	disconnect(): void {
		this.#settings.timers.clear(this.#stationTimer);
		this.wanted = undefined;
		this.station = undefined;
	}

	startAccessPoint(options: AccessPointOptions): void {
		this.accessPoint = options;
		this.#settings.onUp?.();
	}

	stopAccessPoint(): void {
		this.accessPoint = undefined;
	}

	scan(): boolean {
		this.scans++;
		this.#scanTimer = this.#settings.timers.set(() => {
			const networks = this.#settings.air.networks();
			this.#found = networks.map((network) => describe(network)).sort((a, b) => b.rssi - a.rssi);
			this.#found.length = Math.min(this.#found.length, SCAN_LIMIT);
			this.#options.onScanned(true);
		}, SCAN_MS);
		return true;
	}

	scanned(index: number): ScannedNetwork | undefined {
		return this.#found[index];
	}

	setTransmitPower(dBm: number): void {
		this.transmitDBm = dBm;
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.disconnect();
		this.#settings.timers.clear(this.#scanTimer);
		this.accessPoint = undefined;
	}

	private find(ssid: string): SimulatedNetwork | undefined {
		return this.#settings.air.networks().find((network) => network.ssid === ssid);
	}

	private stationAfter(ms: number, run: () => void): void {
		this.#stationTimer = this.#settings.timers.set(run, ms);
	}

	private failAfter(ms: number, reason: number): void {
		this.stationAfter(ms, () => {
			this.station = undefined;
			this.wanted = undefined;
			this.#options.onDisconnected(reason);
		});
	}

	private join(options: StationOptions): void {
		const network = this.find(options.ssid);
		if (network === undefined) this.failAfter(0, WIFI_REASON_NO_AP_FOUND);
		else if (network.givesAddress || options.address !== undefined) {
			const { ip, netmask, gateway } = options.address ?? this.#settings.lease;
			this.station = { ...describe(network), ip, netmask, gateway };
			this.awaitBeacon(options.ssid, 0);
			this.#options.onConnected();
			this.#settings.onUp?.();
		}
	}

	/** Called when a beacon is due. `missed` is the number of beacons that were missed before. */
	private listen(ssid: string, missed: number): void {
		const missedNow = this.find(ssid) === undefined ? missed + 1 : 0;
		if (missedNow >= LOST_BEACONS) this.failAfter(0, WIFI_REASON_BEACON_TIMEOUT);
		else this.awaitBeacon(ssid, missedNow);
	}

	private awaitBeacon(ssid: string, missed: number): void {
		this.stationAfter(this.#settings.beaconMs ?? BEACON_MS, () => this.listen(ssid, missed));
	}
}

function describe({ ssid, rssi, channel, password }: SimulatedNetwork): ScannedNetwork {
	const bssid = `02005e2000${channel > 15 ? "" : "0"}${channel.toString(16)}`;
	return { ssid, bssid, rssi, channel, authmode: password === "" ? AUTH_OPEN : AUTH_WPA2_PSK };
}
