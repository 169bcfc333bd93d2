/**
 * Connects radio and Ethernet port to their policies (policy.ts, cable.ts). Because the radio takes memory, it is open
 * only if the cable's policy allows Wi-Fi, or if Wi-Fi was turned on by hand.
 */
import type { Driver, ScheduledMachine, Task } from "../io/driver.js";
import type { Ethernet, EthernetAddress, EthernetPort } from "../io/ethernet.js";
import type { TextCodec } from "../io/host.js";
import type { StationStatus, WiFi, WiFiPort } from "../io/wifi.js";
import type { CablePolicy, CableSettings } from "./cable.js";
import { type ScanCallback, WiFiPolicy, type WiFiSettings } from "./policy.js";
import { packNetworks } from "./scan.js";

export interface ManagerDeps {
	readonly driver: Driver;
	readonly text: TextCodec;
	trace(message: string): void;
}

export interface NetworkListener {
	networkChanged(): void;
}

const PART = "network";
const RETRY_MS = 60_000;

export class NetworkManager implements ScheduledMachine {
	readonly #deps: ManagerDeps;
	readonly #settings: WiFiSettings & CableSettings;
	readonly #policy: WiFiPolicy;
	readonly #task: Task;
	readonly #listener: NetworkListener | undefined;
	/** Policy of the cable; undefined on boards without Ethernet. */
	readonly #cable: CablePolicy | undefined;
	#port: WiFiPort | undefined;
	#ethernet: EthernetPort | undefined;
	/** Time of the next attempt to open the radio, monotonic ms; Infinity unless the last attempt failed. */
	#retryMs = Infinity;
	#reportedAccessPoint = false;
	#reportedCable = false;
	#reportedIP = "";

	constructor(
		deps: ManagerDeps,
		settings: WiFiSettings & CableSettings,
		listener?: NetworkListener,
		Cable?: typeof CablePolicy,
	) {
		this.#deps = deps;
		this.#settings = settings;
		this.#policy = new WiFiPolicy(settings, deps.trace);
		this.#listener = listener;
		if (Cable !== undefined) this.#cable = new Cable(settings, deps.trace);
		this.#task = deps.driver.register(PART, this);
	}

	get state(): number {
		return this.#policy.state;
	}

	/** Address in the network: that of the cable or, if it has none, that of Wi-Fi. */
	get address(): EthernetAddress | undefined {
		return this.#cable?.address ?? this.station;
	}

	get isByCable(): boolean {
		return this.#cable?.address !== undefined;
	}

	/** MAC address of the Ethernet port, 12 hex characters; empty without a port. */
	get ethernetMAC(): string {
		return this.#ethernet?.mac ?? "";
	}

	/** MAC address of the interface in use, 12 hex characters; empty if unknown. */
	get mac(): string {
		return this.isByCable ? this.ethernetMAC : (this.#port?.mac ?? this.ethernetMAC);
	}

	get station(): StationStatus | undefined {
		return this.#policy.station;
	}

	/** Policy of the cable; undefined without an Ethernet port. */
	get cable(): Omit<CablePolicy, "start" | "stop" | "changed" | "applySoon" | "advance" | "deadlineMs"> | undefined {
		return this.#cable;
	}

	get accessPointOn(): boolean {
		return this.#policy.accessPointOn;
	}

	get clients(): number {
		return this.#policy.clients;
	}

	get channel(): number {
		return this.#policy.channel;
	}

	get usesDHCP(): boolean | undefined {
		return this.isByCable ? this.#cable?.usesDHCP : this.#policy.usesDHCP;
	}

	/** True if Wi-Fi is on only because it was turned on by hand. */
	get isTemporary(): boolean {
		return this.#policy.isTemporary || (this.#policy.isByHand && this.#cable?.keepsWiFiOff === true);
	}

	/** Last failure, WIFI_…. */
	get lastError(): number {
		return this.#policy.lastError;
	}

	get isOn(): boolean {
		return this.#policy.hasRadio && this.#policy.isOn;
	}

	get deadlineMs(): number {
		return Math.min(this.#policy.deadlineMs, this.#cable?.deadlineMs ?? Infinity, this.#retryMs);
	}

	advance(nowMs: number): void {
		this.#cable?.advance(nowMs);
		this.#policy.advance(nowMs);
	}

	/**
	 * Starts radio and Ethernet port. Throws if the radio can't be opened. A failure of the Ethernet port is logged, and
	 * Wi-Fi is used instead.
	 */
	start(port: WiFiPort, ethernet?: EthernetPort): void {
		this.#task.update((nowMs) => {
			this.#port = port;
			this.#ethernet = ethernet;
			if (ethernet === undefined) return;
			this.#deps.driver.guard(PART, () => this.#cable?.start(this.openCable(ethernet), nowMs));
		});
	}

	stop(): void {
		this.#task.stop();
		this.#task.update(() => {
			this.#port = undefined;
			this.#cable?.stop();
			this.#policy.stop();
		});
	}

	applySoon(what: number): void {
		this.#task.update((nowMs) => this.#policy.applySoon(what, nowMs));
	}

	applyCableSoon(): void {
		this.#task.update((nowMs) => this.#cable?.applySoon(nowMs));
	}

	/** Turns Wi-Fi and the access point on for ten minutes, whatever the settings are. */
	bringUp(): void {
		this.#task.update((nowMs) => this.#policy.bringUp(nowMs));
	}

	/** Starts a scan. Returns false if the radio can't scan, or if too many callers wait. */
	scan(callback: ScanCallback): boolean {
		return this.#task.update((nowMs) => this.#policy.scan(callback, nowMs));
	}

	cancelScan(callback: ScanCallback): void {
		this.#task.update(() => this.#policy.cancelScan(callback));
	}

	drain(nowMs: number): void {
		const policy = this.#policy;
		if (policy.isScanOver(nowMs)) this.notifyScans(undefined);
		this.settleRadio(nowMs);
		policy.settle(nowMs);
		const { isByCable } = this;
		const ip = this.address?.ip ?? "";
		const { accessPointOn } = policy;
		if (ip === this.#reportedIP && isByCable === this.#reportedCable && accessPointOn === this.#reportedAccessPoint)
			return;
		this.#reportedIP = ip;
		this.#reportedCable = isByCable;
		this.#reportedAccessPoint = accessPointOn;
		this.#listener?.networkChanged();
	}

	private get wantsRadio(): boolean {
		const cable = this.#cable;
		if (cable === undefined || this.#policy.isByHand) return true;
		if (cable.keepsWiFiOff) return false;
		const { wifiEnabled, station } = this.#settings;
		// If there is no network to join, the radio has nothing to do, because the access point does not open while a cable
		// is in use.
		return !cable.isUsed || (wifiEnabled && station !== undefined);
	}

	private settleRadio(nowMs: number): void {
		const port = this.#port;
		const policy = this.#policy;
		if (port === undefined) return;
		policy.isCabled = this.#cable?.isUsed === true;
		if (!this.wantsRadio) {
			this.#retryMs = Infinity;
			if (!policy.hasRadio) return;
			this.notifyScans(undefined);
			policy.stop();
		} else if (!policy.hasRadio && (nowMs >= this.#retryMs || this.#retryMs === Infinity)) {
			this.#retryMs = nowMs + RETRY_MS;
			const wifi = this.openRadio(port);
			this.#retryMs = Infinity;
			policy.start(wifi, nowMs);
		}
	}

	/** This is a separate method, so that the closures for the radio's callbacks capture only this object. */
	private openRadio(port: WiFiPort): WiFi {
		return new port.io({
			...port.pins,
			onConnected: () => this.#task.fromHost((nowMs) => this.#policy.connected(nowMs)),
			onDisconnected: (reason) => this.#task.fromHost((nowMs) => this.#policy.disconnected(reason, nowMs)),
			onScanned: (found) => this.#task.fromHost(() => this.scanned(found)),
			onClients: (count) => this.#task.fromHost(() => this.#policy.clientsChanged(count)),
		});
	}

	private openCable(port: EthernetPort): Ethernet {
		return new port.io({ ...port.pins, onChanged: () => this.#task.fromHost((nowMs) => this.#cable?.changed(nowMs)) });
	}

	private scanned(found: boolean): void {
		if (!this.#policy.isScanning) return;
		this.notifyScans(found ? packNetworks((index) => this.#policy.scanned(index), this.#deps.text) : undefined);
	}

	private notifyScans(networks: Uint8Array | undefined): void {
		for (const callback of this.#policy.endScan()) {
			this.#deps.driver.guard(PART, () => callback.scanned(networks));
		}
	}
}
