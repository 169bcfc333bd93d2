/**
 * The radio for Wi-Fi in the hands of its policy (policy.ts): opens it, tells the policy what it says, and is what the
 * network routes and app/gateway.ts have of it. Limits of a scan: SCAN_LIMIT networks.
 */
import type { Drive, Driven, Driver } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { StationStatus, WiFi, WiFiPort } from "../io/wifi.js";
import { type ScanWaiter, WiFiPolicy, type WiFiSettings } from "./policy.js";
import { packNetworks } from "./scan.js";

export interface ManagerWorld {
	readonly driver: Driver;
	readonly text: TextCodec;
	trace(message: string): void;
}

/** Who is told of changes. */
export interface NetworkUser {
	/** The station has its address, or has lost it, or the access point has been turned on or off. */
	networkChanged(): void;
}

/** In the log. */
const PART = "network";

export class NetworkManager implements Driven {
	readonly #world: ManagerWorld;
	readonly #policy: WiFiPolicy;
	readonly #drive: Drive;
	readonly #user: NetworkUser | undefined;
	/** What the user was told of. */
	#toldAccessPoint = false;
	#toldIP = "";

	constructor(world: ManagerWorld, settings: WiFiSettings, user?: NetworkUser) {
		this.#world = world;
		this.#policy = new WiFiPolicy(settings, world.trace);
		this.#user = user;
		this.#drive = world.driver.drive(PART, this);
	}

	/** STATION_… */
	get state(): number {
		return this.#policy.state;
	}

	/** The network that the station is in; undefined without an address. */
	get station(): StationStatus | undefined {
		return this.#policy.station;
	}

	get accessPointOn(): boolean {
		return this.#policy.accessPointOn;
	}

	/** Of the access point. */
	get clients(): number {
		return this.#policy.clients;
	}

	/** Of the access point; 0 while it is off. */
	get channel(): number {
		return this.#policy.channel;
	}

	/** The network that the station is in, or tries, gives it its address; undefined without one. */
	get usesDHCP(): boolean | undefined {
		return this.#policy.usesDHCP;
	}

	/** Whether Wi-Fi is on for a while only, brought up by hand. */
	get isTemporary(): boolean {
		return this.#policy.isTemporary;
	}

	/** WIFI_… of the last failure. */
	get lastError(): number {
		return this.#policy.lastError;
	}

	/** The radio is on. */
	get isOn(): boolean {
		return this.#policy.isOn;
	}

	/** For the driver. */
	get deadlineMs(): number {
		return this.#policy.deadlineMs;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		this.#policy.advance(nowMs);
	}

	start(port: WiFiPort): void {
		const wifi = new port.io({
			...port.pins,
			onConnected: () => this.#drive.run((nowMs) => this.#policy.connected(nowMs)),
			onDisconnected: (reason) => this.#drive.run((nowMs) => this.#policy.disconnected(reason, nowMs)),
			onScanned: (found) => this.#drive.run(() => this.scanned(found)),
			onClients: (count) => this.#drive.run(() => this.#policy.clientsChanged(count)),
		});
		this.open(wifi);
	}

	/** For good. */
	stop(): void {
		this.#drive.stop();
		this.#drive.tell(() => this.#policy.stop());
	}

	/** Takes over these settings (APPLY_…) when the reply to whoever changed them has had the time to leave. */
	applySoon(what: number): void {
		this.#drive.tell((nowMs) => this.#policy.applySoon(what, nowMs));
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

	/** Apart from `start`, so that what the radio calls back holds nothing but this object. */
	private open(wifi: WiFi): void {
		this.#drive.tell((nowMs) => this.#policy.start(wifi, nowMs));
	}

	/** After each change of the policy. */
	drain(nowMs: number): void {
		const policy = this.#policy;
		if (policy.isScanOver(nowMs)) this.tellWaiters(undefined);
		policy.settle(nowMs);
		const ip = policy.station?.ip ?? "";
		if (ip === this.#toldIP && policy.accessPointOn === this.#toldAccessPoint) return;
		this.#toldIP = ip;
		this.#toldAccessPoint = policy.accessPointOn;
		this.#user?.networkChanged();
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
