/**
 * A radio and the air around it, for tests on virtual time: networks that can be joined, refuse the password, give no
 * address, vanish. It takes the time that a radio takes, and calls back from a timer only.
 *
 *   const networks = new Map([["home", { password: "secret-of-home" }]]);
 *   const world = new VirtualWorld({ wifi: (timers) => new SimulatedAir(timers, networks).port });
 */
import {
	type AccessPointOptions,
	SCAN_LIMIT,
	type ScannedNetwork,
	type StationOptions,
	type StationStatus,
	type Timers,
	WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT,
	WIFI_REASON_BEACON_TIMEOUT,
	WIFI_REASON_NO_AP_FOUND,
	type WiFi,
	type WiFiOptions,
	type WiFiPort,
} from "../../modules/io/host.js";

export interface SimulatedNetwork {
	/** Empty: open. */
	readonly password: string;
	readonly rssi?: number;
	readonly channel?: number;
	/** False: DHCP never answers. */
	readonly givesAddress?: boolean;
}

const JOIN_MS = 2500;
const REFUSE_MS = 3000;
const SEARCH_MS = 2000;
const SCAN_MS = 2200;
/** A radio that has lost its network notices after some missing beacons. */
const LOSS_MS = 6000;
/** `WIFI_AUTH_OPEN` and `WIFI_AUTH_WPA2_PSK` of ESP-IDF. */
const AUTH_OPEN = 0;
const AUTH_WPA2_PSK = 3;

export class SimulatedAir {
	/** In reach, by SSID. */
	readonly networks: Map<string, SimulatedNetwork>;
	readonly port: WiFiPort;
	/** Of the radio that is on; the last one. */
	radio: SimulatedRadio | undefined;
	readonly timers: Timers;

	constructor(timers: Timers, networks = new Map<string, SimulatedNetwork>()) {
		this.timers = timers;
		this.networks = networks;
		const air = this;
		this.port = {
			io: class extends SimulatedRadio {
				constructor(options: WiFiOptions) {
					super(air, options);
					air.radio = this;
				}
			},
			pins: {},
			accessPointKey: "access-point-key",
			mac: "02005e100001",
		};
	}

	/** The network is gone; who is in it loses it. */
	vanish(ssid: string): void {
		this.networks.delete(ssid);
		this.radio?.lose(ssid);
	}

	describe(ssid: string): ScannedNetwork {
		const network = this.networks.get(ssid);
		return {
			ssid,
			bssid: "02005e200001",
			rssi: network?.rssi ?? -50,
			channel: network?.channel ?? 6,
			authmode: network?.password === "" ? AUTH_OPEN : AUTH_WPA2_PSK,
		};
	}
}

export class SimulatedRadio implements WiFi {
	station: StationStatus | undefined;
	/** Undefined: it is off. */
	accessPoint: AccessPointOptions | undefined;
	/** What `connect` was called with last; undefined after `disconnect`. */
	wanted: StationOptions | undefined;
	/** Calls of `connect` and of `scan`. */
	connects = 0;
	scans = 0;
	powerSave = false;
	readonly #air: SimulatedAir;
	readonly #options: WiFiOptions;
	#stationTimer = -1;
	#scanTimer = -1;
	#found: ScannedNetwork[] = [];
	#closed = false;

	constructor(air: SimulatedAir, options: WiFiOptions) {
		this.#air = air;
		this.#options = options;
	}

	connect(options: StationOptions): void {
		this.disconnect();
		this.connects++;
		this.wanted = options;
		const network = this.#air.networks.get(options.ssid);
		if (network === undefined) this.#failAfter(SEARCH_MS, WIFI_REASON_NO_AP_FOUND);
		else if (network.password !== options.password) this.#failAfter(REFUSE_MS, WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT);
		else if (network.givesAddress !== false || options.address !== undefined)
			this.#stationTimer = this.#air.timers.set(() => this.#join(options), JOIN_MS);
	}

	disconnect(): void {
		this.#air.timers.clear(this.#stationTimer);
		this.wanted = undefined;
		this.station = undefined;
	}

	startAccessPoint(options: AccessPointOptions): void {
		this.accessPoint = options;
	}

	stopAccessPoint(): void {
		this.accessPoint = undefined;
	}

	scan(): boolean {
		this.scans++;
		this.#scanTimer = this.#air.timers.set(() => {
			const names = [...this.#air.networks.keys()];
			this.#found = names.map((ssid) => this.#air.describe(ssid)).sort((a, b) => b.rssi - a.rssi);
			this.#found.length = Math.min(this.#found.length, SCAN_LIMIT);
			this.#options.onScanned(true);
		}, SCAN_MS);
		return true;
	}

	scanned(index: number): ScannedNetwork | undefined {
		return this.#found[index];
	}

	setPowerSave(on: boolean): void {
		this.powerSave = on;
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.disconnect();
		this.#air.timers.clear(this.#scanTimer);
		this.accessPoint = undefined;
	}

	/** The network `ssid` is gone. */
	lose(ssid: string): void {
		if (this.station?.ssid === ssid) this.#failAfter(LOSS_MS, WIFI_REASON_BEACON_TIMEOUT);
		else if (this.wanted?.ssid === ssid) this.#failAfter(SEARCH_MS, WIFI_REASON_NO_AP_FOUND);
	}

	#failAfter(ms: number, reason: number): void {
		this.#air.timers.clear(this.#stationTimer);
		this.#stationTimer = this.#air.timers.set(() => {
			this.station = undefined;
			this.wanted = undefined;
			this.#options.onDisconnected(reason);
		}, ms);
	}

	#join(options: StationOptions): void {
		const address = options.address ?? { ip: "192.0.2.20", netmask: "255.255.255.0", gateway: "192.0.2.1" };
		const { ip, netmask, gateway } = address;
		this.station = { ...this.#air.describe(options.ssid), ip, netmask, gateway };
		this.#options.onConnected();
	}
}
