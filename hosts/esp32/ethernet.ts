/** Ethernet port of the host contract (ethernet/ethernet-core.h). */
import type {
	Ethernet,
	EthernetAddress,
	EthernetOptions,
	EthernetPort,
	EthernetSettings,
} from "../../modules/io/ethernet.js";
import type { Timers } from "../../modules/io/host.js";
import type { Board } from "./boards.js";

type Row = NonNullable<Board["ethernet"]>;

/**
 * Time until a failed start is retried, ms. A retry can succeed if the PHY had no power; other causes are permanent.
 */
const RETRY_MS = 30_000;
/** GPIO number of a pin that does not exist, as ETHERNET_NO_PIN of ethernet-driver.h. */
const NONE = -1;

class NativePort extends Native("xs_ethernet_destructor") {
	constructor(target: object, a: number, b: number, c: number, d: number, e: number, f: number) {
		super();
		native("xs_ethernet").call(this, target, a, b, c, d, e, f);
	}
	get speed(): number {
		return native("xs_ethernet_get_speed").call(this);
	}
	get address(): EthernetAddress | undefined {
		return native("xs_ethernet_get_address").call(this);
	}
	/** Starts the port. The four addresses are "" if DHCP shall assign them. */
	start(hostname: string, ip: string, netmask: string, gateway: string, dns: string): boolean {
		return native("xs_ethernet_start").call(this, hostname, ip, netmask, gateway, dns);
	}
	stop(): void {
		native("xs_ethernet_stop").call(this);
	}
	close(): void {
		native("xs_ethernet_close").call(this);
	}
	static mac(): string {
		return native("xs_ethernet_mac").call(this);
	}
}

export interface EthernetPortSettings {
	readonly row: Row;
	readonly timers: Timers;
	trace(message: string): void;
}

export function createEthernetPort(settings: EthernetPortSettings): EthernetPort {
	return { io: ESP32Ethernet, pins: { settings }, mac: NativePort.mac() };
}

function open(target: object, row: Row): NativePort {
	if (row.kind === "rmii") {
		const { phy, mdc, mdio, power = NONE, clock } = row;
		return new NativePort(target, phy, mdc, mdio, power, clock, NONE);
	}
	if (row.kind === "openeth") return new NativePort(target, NONE, NONE, NONE, NONE, NONE, NONE);
	const { miso, mosi, clock, select, interrupt, reset } = row;
	return new NativePort(target, miso, mosi, clock, select, interrupt, reset);
}

class ESP32Ethernet implements Ethernet {
	readonly #options: EthernetOptions;
	readonly #settings: EthernetPortSettings;
	readonly #port: NativePort;
	#retryTimer: number | undefined;
	#closed = false;

	constructor(options: EthernetOptions) {
		const { settings } = options as EthernetOptions & { settings: EthernetPortSettings };
		this.#options = options;
		this.#settings = settings;
		this.#port = open(this, settings.row);
	}

	get isLinked(): boolean {
		return this.speed !== 0;
	}

	get address(): EthernetAddress | undefined {
		return this.#port.address;
	}

	get speed(): number {
		return this.#port.speed;
	}

	start(settings: EthernetSettings): void {
		const { ip = "", netmask = "", gateway = "", dns = "" } = settings.address ?? {};
		this.forgetRetry();
		if (this.#port.start(settings.hostname, ip, netmask, gateway, dns)) return;
		this.#settings.trace("Ethernet: the port does not start");
		this.#retryTimer = this.#settings.timers.set(() => {
			this.#retryTimer = undefined;
			this.start(settings);
		}, RETRY_MS);
	}

	stop(): void {
		this.forgetRetry();
		this.#port.stop();
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.forgetRetry();
		this.#port.close();
	}

	onEthernet(): void {
		if (!this.#closed) this.#options.onChanged();
	}

	private forgetRetry(): void {
		if (this.#retryTimer !== undefined) this.#settings.timers.clear(this.#retryTimer);
		this.#retryTimer = undefined;
	}
}
