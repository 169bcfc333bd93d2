/**
 * The Wi-Fi radio of modules/io/wifi.ts, implemented by wifi-core.h. `onConnected` is called again after each change of
 * the address.
 */
import type { Timers } from "../../modules/io/host.js";
import type {
	AccessPointOptions,
	ScannedNetwork,
	StationOptions,
	StationStatus,
	WiFi,
	WiFiOptions,
	WiFiPort,
} from "../../modules/io/wifi.js";

/** Kinds of notices (wifi_notice_kind). */
const CONNECTED = 1;
const DISCONNECTED = 2;
const SCANNED = 3;
const CLIENTS = 4;

/** Longest wait for the radio's report that a network was left. */
const LEAVE_LIMIT_MS = 2000;

class NativeRadio extends Native("xs_wifi_destructor") {
	constructor(target: object, country: string) {
		super();
		native("xs_wifi").call(this, target, country);
	}
	get station(): StationStatus | undefined {
		return native("xs_wifi_get_station").call(this);
	}
	get channel(): number {
		return native("xs_wifi_get_channel").call(this);
	}
	/** Joins a network. BSSID "" and channel 0 mean any. The four addresses are "" if DHCP shall assign them. */
	connect(
		ssid: string,
		password: string,
		bssid: string,
		channel: number,
		hostname: string,
		ip: string,
		netmask: string,
		gateway: string,
		dns: string,
	): boolean {
		return native("xs_wifi_connect").call(this, ssid, password, bssid, channel, hostname, ip, netmask, gateway, dns);
	}
	disconnect(): boolean {
		return native("xs_wifi_disconnect").call(this);
	}
	leaveOverdue(): void {
		native("xs_wifi_leave_overdue").call(this);
	}
	startAccessPoint(ssid: string, password: string): boolean {
		return native("xs_wifi_start_access_point").call(this, ssid, password);
	}
	stopAccessPoint(): void {
		native("xs_wifi_stop_access_point").call(this);
	}
	scan(): boolean {
		return native("xs_wifi_scan").call(this);
	}
	scanned(index: number): ScannedNetwork | undefined {
		return native("xs_wifi_scanned").call(this, index);
	}
	/** Limits the transmit power, in quarters of a dBm. */
	setTransmitPower(quarters: number): void {
		native("xs_wifi_set_transmit_power").call(this, quarters);
	}
	close(): void {
		native("xs_wifi_close").call(this);
	}
	static mac(): string {
		return native("xs_wifi_mac").call(this);
	}
}

export interface WiFiSettings {
	/** WPA2 key from the factory data: 8 to 63 characters. */
	readonly accessPointKey: string;
	/**
	 * Country code: two letters, or "01" for the channels that are allowed everywhere. It is used until a network
	 * announces its country.
	 */
	readonly country: string;
	/** Limit of the transmit power, 2 to 20 dBm. */
	readonly transmitDBm: number;
	readonly timers: Timers;
	trace(message: string): void;
}

export function createWiFiPort(settings: WiFiSettings): WiFiPort {
	const { accessPointKey } = settings;
	return { io: ESP32WiFi, pins: { settings }, accessPointKey, mac: NativeRadio.mac() };
}

class ESP32WiFi implements WiFi {
	readonly #options: WiFiOptions;
	readonly #settings: WiFiSettings;
	readonly #radio: NativeRadio;
	#leaveTimer: number | undefined;
	#closed = false;

	constructor(options: WiFiOptions) {
		const { settings } = options as WiFiOptions & { settings: WiFiSettings };
		this.#options = options;
		this.#settings = settings;
		this.#radio = new NativeRadio(this, settings.country);
	}

	get station(): StationStatus | undefined {
		return this.#radio.station;
	}

	get channel(): number {
		return this.#radio.channel;
	}

	connect(options: StationOptions): void {
		const { ssid, password, bssid = "", channel = 0, hostname, address } = options;
		const { ip = "", netmask = "", gateway = "", dns = "" } = address ?? {};
		this.left();
		if (this.#radio.connect(ssid, password, bssid, channel, hostname, ip, netmask, gateway, dns)) this.awaitLeft();
	}

	disconnect(): void {
		this.left();
		if (this.#radio.disconnect()) this.awaitLeft();
	}

	startAccessPoint(options: AccessPointOptions): void {
		if (this.#radio.startAccessPoint(options.ssid, options.password)) return;
		this.#settings.trace("Wi-Fi: the access point does not start");
	}

	stopAccessPoint(): void {
		this.#radio.stopAccessPoint();
	}

	scan(): boolean {
		const done = this.#radio.scan();
		if (done && this.#leaveTimer === undefined) this.awaitLeft();
		return done;
	}

	scanned(index: number): ScannedNetwork | undefined {
		return this.#radio.scanned(index);
	}

	setTransmitPower(dBm: number): void {
		// Half a dBm more, because the levels are rounded down: 8 stands for 8.5 dBm.
		this.#radio.setTransmitPower((dBm || this.#settings.transmitDBm) * 4 + 2);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.left();
		this.#radio.close();
	}

	onWiFi(kind: number, value: number): void {
		if (this.#closed) return;
		if (kind === CONNECTED) this.#options.onConnected();
		else if (kind === DISCONNECTED) this.#options.onDisconnected(value);
		else if (kind === SCANNED) this.#options.onScanned(value !== 0);
		else if (kind === CLIENTS) this.#options.onClients(value);
	}

	private awaitLeft(): void {
		this.#leaveTimer = this.#settings.timers.set(() => {
			this.#leaveTimer = undefined;
			this.#radio.leaveOverdue();
		}, LEAVE_LIMIT_MS);
	}

	private left(): void {
		if (this.#leaveTimer !== undefined) this.#settings.timers.clear(this.#leaveTimer);
		this.#leaveTimer = undefined;
	}
}
