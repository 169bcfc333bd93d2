/** The network's settings as one: for the API, which changes them, and for whoever drives the radio. */
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	FALLBACK_AP_ENABLED,
	WIFI,
	WIFI_DHCP,
	WIFI_ENABLED,
	WIFI_GATEWAY,
	WIFI_HOSTNAME,
	WIFI_IP,
	WIFI_NETMASK,
	WIFI_ON_TRIAL,
	WIFI_PASSWORD,
	WIFI_PREVIOUS_SSID,
	WIFI_SSID,
} from "./network-fields.js";
import type { Setting } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** Fields of a network, at the start of WIFI. */
const NETWORK_FIELDS = 6;

/** What the unit has of its own. */
export interface NetworkDefaults {
	readonly hostname: string;
	readonly accessPointKey: string;
}

export class NetworkSettings {
	readonly #store: ConfigStore;
	readonly #defaults: NetworkDefaults;

	constructor(store: ConfigStore, defaults: NetworkDefaults) {
		this.#store = store;
		this.#defaults = defaults;
	}

	get hostname(): string {
		return this.#store.get(WIFI_HOSTNAME) || this.#defaults.hostname;
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

	get accessPoint() {
		return {
			ssid: this.#store.get(AP_SSID) || this.hostname,
			password: this.#store.get(AP_PASSWORD) || this.#defaults.accessPointKey,
		};
	}

	/** The configured network; undefined: none is. The name server of a static address is its gateway. */
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

	get onTrial(): boolean {
		return this.#store.get(WIFI_ON_TRIAL);
	}

	/** A new network and the hostname, in the order of WIFI, on trial. The last one that was joined stays as the previous one. */
	setStation(network: readonly (Setting | undefined)[]): void {
		const values = network.slice();
		values[WIFI.fields.indexOf(WIFI_ON_TRIAL)] = true;
		if (!this.onTrial) for (let i = 0; i < NETWORK_FIELDS; i++) values.push(this.#store.get(WIFI.fields[i]));
		this.#store.set(WIFI, values);
	}

	/** The network was joined. Nothing to keep on the way to a restart that forgets it. */
	keepStation(): void {
		if (this.#store.isErased) return;
		const values: (Setting | undefined)[] = [];
		values[WIFI.fields.indexOf(WIFI_ON_TRIAL)] = false;
		this.#store.set(WIFI, values);
	}

	/** The previous network is the configured one again; maybe none. */
	revertStation(): void {
		if (this.#store.isErased) return;
		const values: (Setting | undefined)[] = [];
		const previous = WIFI.fields.indexOf(WIFI_PREVIOUS_SSID);
		for (let i = 0; i < NETWORK_FIELDS; i++) values.push(this.#store.get(WIFI.fields[previous + i]));
		values[WIFI.fields.indexOf(WIFI_ON_TRIAL)] = false;
		this.#store.set(WIFI, values);
	}
}
