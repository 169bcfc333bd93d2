/** The worker's proxy of the radio. */
import type {
	AccessPointOptions,
	ScannedNetwork,
	StationOptions,
	StationStatus,
	WiFi,
	WiFiOptions,
} from "../../../modules/io/wifi.js";
import {
	COMMANDS,
	EVENT_CLIENTS,
	EVENT_CONNECTED,
	EVENT_DISCONNECTED,
	EVENT_SCANNED,
	RADIO_CHANNEL,
	RADIO_CONNECT,
	RADIO_DISCONNECT,
	RADIO_SCAN,
	RADIO_SCANNED,
	RADIO_START_ACCESS_POINT,
	RADIO_STATION,
	RADIO_STOP_ACCESS_POINT,
	RADIO_TRANSMIT_POWER,
} from "./protocol.js";
import type { WirePins } from "./streams.js";
import type { Target, Wire } from "./wire.js";

export class ProxyWiFi implements WiFi, Target {
	readonly #wire: Wire;
	readonly #id: number;
	readonly #options: WiFiOptions;
	#closed = false;

	constructor(options: WiFiOptions) {
		const { wire } = options as WiFiOptions & WirePins;
		this.#wire = wire;
		this.#id = wire.newId();
		this.#options = options;
		wire.call(COMMANDS.wifi, this.#id);
		wire.attach(this.#id, this);
	}

	get station(): StationStatus | undefined {
		return this.ask(RADIO_STATION) as StationStatus | undefined;
	}

	get channel(): number {
		const channel = this.ask(RADIO_CHANNEL);
		return typeof channel === "number" ? channel : 0;
	}

	connect({ ssid, password, hostname, bssid, channel, address }: StationOptions): void {
		this.ask(RADIO_CONNECT, { ssid, password, hostname, bssid, channel, address });
	}

	disconnect(): void {
		this.ask(RADIO_DISCONNECT);
	}

	startAccessPoint({ ssid, password }: AccessPointOptions): void {
		this.ask(RADIO_START_ACCESS_POINT, { ssid, password });
	}

	stopAccessPoint(): void {
		this.ask(RADIO_STOP_ACCESS_POINT);
	}

	scan(): boolean {
		return this.ask(RADIO_SCAN) === true;
	}

	scanned(index: number): ScannedNetwork | undefined {
		return this.ask(RADIO_SCANNED, index) as ScannedNetwork | undefined;
	}

	setTransmitPower(dBm: number): void {
		this.ask(RADIO_TRANSMIT_POWER, dBm);
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#wire.close(this.#id);
	}

	handle(kind: number, number: number): void {
		if (kind === EVENT_CONNECTED) this.#options.onConnected();
		else if (kind === EVENT_DISCONNECTED) this.#options.onDisconnected(number);
		else if (kind === EVENT_SCANNED) this.#options.onScanned(number === 1);
		else if (kind === EVENT_CLIENTS) this.#options.onClients(number);
	}

	private ask(operation: number, value: unknown = null): unknown {
		if (this.#closed) return undefined;
		return this.#wire.call(COMMANDS.radio, this.#id, operation, value)?.[0];
	}
}
