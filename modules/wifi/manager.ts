/**
 * The radio and the Ethernet port in the hands of their policies (policy.ts, cable.ts): opens them, tells the policies what
 * they say, and is what the network routes and app/gateway.ts have of them. The radio is open only while the cable leaves
 * the network to Wi-Fi, or Wi-Fi was brought up by hand: its memory is free otherwise. Limits of a scan: SCAN_LIMIT
 * networks.
 */
import type { Drive, Driven, Driver } from "../io/driver.js";
import type { Ethernet, EthernetAddress, EthernetPort } from "../io/ethernet.js";
import type { TextCodec } from "../io/host.js";
import type { StationStatus, WiFi, WiFiPort } from "../io/wifi.js";
import type { CablePolicy, CableSettings } from "./cable.js";
import { type ScanWaiter, WiFiPolicy, type WiFiSettings } from "./policy.js";
import { packNetworks } from "./scan.js";

export interface ManagerWorld {
	readonly driver: Driver;
	readonly text: TextCodec;
	trace(message: string): void;
}

/** Told of changes. */
export interface NetworkUser {
	/** There is another address than before, or the same one by another way, or the access point was turned on or off. */
	networkChanged(): void;
}

/** In the log. */
const PART = "network";
/** Until a radio that could not be opened is tried again. */
const RETRY_MS = 60_000;

export class NetworkManager implements Driven {
	readonly #world: ManagerWorld;
	readonly #settings: WiFiSettings & CableSettings;
	readonly #policy: WiFiPolicy;
	readonly #drive: Drive;
	readonly #user: NetworkUser | undefined;
	/** Undefined where there is no Ethernet. */
	readonly #cable: CablePolicy | undefined;
	/** Undefined before `start` and after `stop`. */
	#port: WiFiPort | undefined;
	#ethernet: EthernetPort | undefined;
	/** When to try again to open the radio; Infinity: it has not failed. */
	#retryMs = Infinity;
	/** What the user was told of. */
	#toldAccessPoint = false;
	#toldCable = false;
	#toldIP = "";

	/** A firmware without Ethernet has no `Cable`, and nothing of it in its flash. */
	constructor(
		world: ManagerWorld,
		settings: WiFiSettings & CableSettings,
		user?: NetworkUser,
		Cable?: typeof CablePolicy,
	) {
		this.#world = world;
		this.#settings = settings;
		this.#policy = new WiFiPolicy(settings, world.trace);
		this.#user = user;
		if (Cable !== undefined) this.#cable = new Cable(settings, world.trace);
		this.#drive = world.driver.drive(PART, this);
	}

	/** STATION_… */
	get state(): number {
		return this.#policy.state;
	}

	/** What we have in our network, the cable's before Wi-Fi's; undefined: we are in no network but our own. */
	get address(): EthernetAddress | undefined {
		return this.#cable?.address ?? this.station;
	}

	/** `address` is the Ethernet port's. */
	get isByCable(): boolean {
		return this.#cable?.address !== undefined;
	}

	/** MAC address of the Ethernet port, 12 hex characters; empty where there is none. */
	get ethernetMAC(): string {
		return this.#ethernet?.mac ?? "";
	}

	/** The network that the station is in; undefined without an address. */
	get station(): StationStatus | undefined {
		return this.#policy.station;
	}

	/** The Ethernet port, as it is at each moment; undefined where there is none. */
	get cable(): Omit<CablePolicy, "start" | "stop" | "changed" | "applySoon" | "advance" | "deadlineMs"> | undefined {
		return this.#cable;
	}

	get accessPointOn(): boolean {
		return this.#policy.accessPointOn;
	}

	/** Stations in the access point's network. */
	get clients(): number {
		return this.#policy.clients;
	}

	/** Channel of the access point; 0 while it is off. */
	get channel(): number {
		return this.#policy.channel;
	}

	/** The network that gives `address`, or is tried, gives it by DHCP; undefined where there is none. */
	get usesDHCP(): boolean | undefined {
		return this.isByCable ? this.#cable?.usesDHCP : this.#policy.usesDHCP;
	}

	/** Whether Wi-Fi is on for a while only, brought up by hand. */
	get isTemporary(): boolean {
		return this.#policy.isTemporary || (this.#policy.isByHand && this.#cable?.keepsWiFiOff === true);
	}

	/** WIFI_… of the last failure. */
	get lastError(): number {
		return this.#policy.lastError;
	}

	/** The radio is on. */
	get isOn(): boolean {
		return this.#policy.hasRadio && this.#policy.isOn;
	}

	/** For the driver. */
	get deadlineMs(): number {
		return Math.min(this.#policy.deadlineMs, this.#cable?.deadlineMs ?? Infinity, this.#retryMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		this.#cable?.advance(nowMs);
		this.#policy.advance(nowMs);
	}

	/** Throws what the radio does that can't be opened. An Ethernet port that can't be is logged: Wi-Fi is used then. */
	start(port: WiFiPort, ethernet?: EthernetPort): void {
		this.#drive.tell((nowMs) => {
			this.#port = port;
			this.#ethernet = ethernet;
			if (ethernet === undefined) return;
			this.#world.driver.guard(PART, () => this.#cable?.start(this.openCable(ethernet), nowMs));
		});
	}

	/** For good. */
	stop(): void {
		this.#drive.stop();
		this.#drive.tell(() => {
			this.#port = undefined;
			this.#cable?.stop();
			this.#policy.stop();
		});
	}

	/** Takes over these settings (APPLY_…) when the reply to whoever changed them has had the time to leave. */
	applySoon(what: number): void {
		this.#drive.tell((nowMs) => this.#policy.applySoon(what, nowMs));
	}

	/** The same for those of Ethernet. */
	applyCableSoon(): void {
		this.#drive.tell((nowMs) => this.#cable?.applySoon(nowMs));
	}

	/** Wi-Fi and access point for ten minutes, whatever the settings say. */
	bringUp(): void {
		this.#drive.tell((nowMs) => this.#policy.bringUp(nowMs));
	}

	/** False: the radio can't at this moment, or too many wait. */
	scan(waiter: ScanWaiter): boolean {
		return this.#drive.tell((nowMs) => this.#policy.scan(waiter, nowMs));
	}

	/** The waiter is told nothing any more. */
	cancelScan(waiter: ScanWaiter): void {
		this.#drive.tell(() => this.#policy.cancelScan(waiter));
	}

	/** After each change of a policy. */
	drain(nowMs: number): void {
		const policy = this.#policy;
		if (policy.isScanOver(nowMs)) this.tellWaiters(undefined);
		this.settleRadio(nowMs);
		policy.settle(nowMs);
		const { isByCable } = this;
		const ip = this.address?.ip ?? "";
		const { accessPointOn } = policy;
		if (ip === this.#toldIP && isByCable === this.#toldCable && accessPointOn === this.#toldAccessPoint) return;
		this.#toldIP = ip;
		this.#toldCable = isByCable;
		this.#toldAccessPoint = accessPointOn;
		this.#user?.networkChanged();
	}

	/** Whether Wi-Fi has something to do. */
	private get wantsRadio(): boolean {
		const cable = this.#cable;
		if (cable === undefined || this.#policy.isByHand) return true;
		if (cable.keepsWiFiOff) return false;
		const { wifiEnabled, station } = this.#settings;
		// Its access point would not open.
		return !cable.isUsed || (wifiEnabled && station !== undefined);
	}

	/** Opens or closes the radio. */
	private settleRadio(nowMs: number): void {
		const port = this.#port;
		const policy = this.#policy;
		if (port === undefined) return;
		policy.isCabled = this.#cable?.isUsed === true;
		if (!this.wantsRadio) {
			this.#retryMs = Infinity;
			if (!policy.hasRadio) return;
			this.tellWaiters(undefined);
			policy.stop();
		} else if (!policy.hasRadio && (nowMs >= this.#retryMs || this.#retryMs === Infinity)) {
			this.#retryMs = nowMs + RETRY_MS;
			const wifi = this.openRadio(port);
			this.#retryMs = Infinity;
			policy.start(wifi, nowMs);
		}
	}

	/** Apart from its callers, so that what the radio calls back holds nothing but this object. */
	private openRadio(port: WiFiPort): WiFi {
		return new port.io({
			...port.pins,
			onConnected: () => this.#drive.run((nowMs) => this.#policy.connected(nowMs)),
			onDisconnected: (reason) => this.#drive.run((nowMs) => this.#policy.disconnected(reason, nowMs)),
			onScanned: (found) => this.#drive.run(() => this.scanned(found)),
			onClients: (count) => this.#drive.run(() => this.#policy.clientsChanged(count)),
		});
	}

	/** The same for the Ethernet port. */
	private openCable(port: EthernetPort): Ethernet {
		return new port.io({ ...port.pins, onChanged: () => this.#drive.run((nowMs) => this.#cable?.changed(nowMs)) });
	}

	private scanned(found: boolean): void {
		if (!this.#policy.isScanning) return;
		this.tellWaiters(found ? packNetworks((index) => this.#policy.scanned(index), this.#world.text) : undefined);
	}

	private tellWaiters(networks: Uint8Array | undefined): void {
		for (const waiter of this.#policy.endScan()) {
			this.#world.driver.guard(PART, () => waiter.scanned(networks));
		}
	}
}
