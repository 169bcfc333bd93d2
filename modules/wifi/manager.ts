/**
 * Decides what the radio does: joins the configured network and joins it again, gives up a new one that doesn't work
 * for the one before, and opens the access point when the device could not be reached otherwise (API text, "States and
 * transitions", Wi-Fi rows; decisions 35, 36, 50). For app/gateway.ts, which makes it, and the network routes.
 *
 *   station   OFF ─ configured ─> JOINING ─ address ─> ONLINE ─ lost ─> WAITING ─ 1, 2, 4 … 60 s ─> JOINING …
 *   trial     45 s from the first try: without an address the previous network is taken again, or none
 *   access point on   when wanted for itself (ap_enabled, or by hand), or as a help: nothing configured, or 90 s without
 *                     an address and the fallback allowed; a help ends 2 minutes after the station is there
 *
 * All is decided in one place, `update`, from the settings and the time: whatever happens calls it.
 * Limits: one scan at a time, SCAN_LIMIT networks, SCAN_WAITERS callers.
 */
import type { Clock, TextCodec, Timers } from "../io/host.js";
import {
	type StationOptions,
	type StationStatus,
	WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT,
	WIFI_REASON_AUTH_FAIL,
	WIFI_REASON_HANDSHAKE_TIMEOUT,
	WIFI_REASON_NO_AP_FOUND,
	WIFI_REASON_NO_SUITABLE_AP_FIRST,
	WIFI_REASON_NO_SUITABLE_AP_LAST,
	type WiFi,
	type WiFiPort,
} from "../io/wifi.js";
import { packNetworks } from "./scan.js";

/** Where the manager gets its settings, and tells what became of them (config/network.ts). */
export interface ManagerSettings {
	readonly wifiEnabled: boolean;
	readonly fallbackEnabled: boolean;
	readonly accessPointEnabled: boolean;
	readonly accessPoint: { readonly ssid: string; readonly password: string };
	/** Undefined: nothing is configured. */
	readonly station: StationOptions | undefined;
	readonly onTrial: boolean;
	keepStation(): void;
	revertStation(): void;
}

export interface ManagerOptions {
	readonly port: WiFiPort;
	readonly settings: ManagerSettings;
	readonly clock: Clock;
	readonly timers: Timers;
	readonly text: TextCodec;
	guard(part: string, run: () => void): void;
	trace(message: string): void;
	/** The station has its address, or has lost it, or the access point has been turned on or off. */
	onChanged?(): void;
}

/** Told once, with the networks (scan.ts), or with undefined when the scan failed. */
export interface ScanWaiter {
	scanned(networks: Uint8Array | undefined): void;
}

/** The station. */
export const STATION_OFF = 0;
/** Until it tries again. */
export const STATION_WAITING = 1;
export const STATION_JOINING = 2;
export const STATION_ONLINE = 3;

/** Why the network was not joined, or is lost. */
export const WIFI_WELL = 0;
export const WIFI_NOT_FOUND = 1;
export const WIFI_WRONG_PASSWORD = 2;
/** Joined or not, there was no address in time. */
export const WIFI_NO_ADDRESS = 3;
export const WIFI_LOST = 4;

/** What of the settings is to be taken over. */
export const APPLY_STATION = 1;
export const APPLY_ACCESS_POINT = 2;
/** Whether Wi-Fi is on, and the fallback. */
export const APPLY_FLAGS = 4;

/** Between the reply to whoever wanted a change, and the change (decision 4). */
const APPLY_DELAY_MS = 1500;
const JOIN_LIMIT_MS = 30_000;
const TRIAL_MS = 45_000;
const UNREACHABLE_MS = 90_000;
const HELP_LINGERS_MS = 120_000;
const BY_HAND_MS = 600_000;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 60_000;
const SCAN_LIMIT_MS = 15_000;
const SCAN_WAITERS = 8;
/** A try that must wait for a scan looks again after this. */
const AFTER_SCAN_MS = 500;

export class NetworkManager {
	readonly #options: ManagerOptions;
	#wifi: WiFi | undefined;
	#timer: number | undefined;
	/** APPLY_… that wait for `#applyMs`. */
	#pending = 0;
	#applyMs = 0;
	#enabled = false;
	#fallback = false;
	#accessPointEnabled = false;
	#station: StationOptions | undefined;
	/** `#station` was never joined. A network that is only stored, for the next start, is none of it. */
	#onTrial = false;
	#state = STATION_OFF;
	/** End of JOINING or WAITING. */
	#stateEndMs = 0;
	#retryMs = RETRY_FIRST_MS;
	/** End of the trial; 0: none. */
	#trialEndMs = 0;
	/** Since when the station is ONLINE, or is not. */
	#sinceMs = 0;
	/** End of Wi-Fi by hand; 0: none. */
	#byHandEndMs = 0;
	/** The access point is on because the device could not be reached otherwise. */
	#helps = false;
	#accessPointOn = false;
	/** What `onChanged` has told of. */
	#toldAccessPoint = false;
	#toldIP = "";
	#clients = 0;
	#error = WIFI_WELL;
	/** The error is that of a network that was given up: the previous one is no reason to forget it. */
	#reverted = false;
	#waiters: ScanWaiter[] = [];
	/** 0: no scan is going on. */
	#scanEndMs = 0;

	constructor(options: ManagerOptions) {
		this.#options = options;
	}

	/** STATION_… */
	get state(): number {
		return this.#state;
	}

	/** The network that the station is in; undefined without an address. */
	get station(): StationStatus | undefined {
		return this.#state === STATION_ONLINE ? this.#wifi?.station : undefined;
	}

	get accessPointOn(): boolean {
		return this.#accessPointOn;
	}

	get clients(): number {
		return this.#clients;
	}

	/** Whether Wi-Fi is on for a while only, brought up by hand. */
	get isTemporary(): boolean {
		return this.#byHandEndMs > 0 && !this.#enabled;
	}

	/** WIFI_… of the last failure. */
	get lastError(): number {
		return this.#error;
	}

	start(): void {
		const { port } = this.#options;
		this.#wifi = new port.io({
			...port.pins,
			onConnected: () => this.guarded(() => this.connected()),
			onDisconnected: (reason) => this.guarded(() => this.failed(errorOf(reason))),
			onScanned: (found) => this.guarded(() => this.endScan(found)),
			onClients: (count) => {
				this.#clients = count;
			},
		});
		this.#pending = APPLY_STATION | APPLY_ACCESS_POINT | APPLY_FLAGS;
		this.#applyMs = this.nowMs();
		this.update();
	}

	stop(): void {
		if (this.#timer !== undefined) this.#options.timers.clear(this.#timer);
		this.#timer = undefined;
		this.#wifi?.close();
		this.#wifi = undefined;
		this.#waiters = [];
	}

	/** Takes over these settings (APPLY_…) when the reply to whoever changed them has had the time to leave. */
	applySoon(what: number): void {
		this.#pending |= what;
		this.#applyMs = this.nowMs() + APPLY_DELAY_MS;
		this.update();
	}

	/** Wi-Fi and access point for ten minutes, whatever the settings say. */
	bringUp(): void {
		const now = this.nowMs();
		if (!this.isOn) this.#sinceMs = now;
		this.#byHandEndMs = now + BY_HAND_MS;
		this.update();
	}

	/**
	 * False: the radio can't at this moment, or too many wait. Who comes while a scan is going on joins it. A try to join
	 * a network is given up for it, and made again afterwards: whoever looks for networks is there now.
	 */
	scan(waiter: ScanWaiter): boolean {
		if (this.#waiters.length >= SCAN_WAITERS) return false;
		if (this.#scanEndMs === 0) {
			const now = this.nowMs();
			if (!this.isOn) return false;
			if (this.#state === STATION_JOINING) {
				this.#wifi?.disconnect();
				this.#state = STATION_WAITING;
				this.#stateEndMs = now;
			}
			if (!this.#wifi?.scan()) return false;
			this.#scanEndMs = now + SCAN_LIMIT_MS;
		}
		this.#waiters.push(waiter);
		this.update();
		return true;
	}

	/** The waiter is told nothing any more. */
	cancelScan(waiter: ScanWaiter): void {
		this.#waiters = this.#waiters.filter((other) => other !== waiter);
	}

	/** The radio is on. */
	get isOn(): boolean {
		return this.#enabled || this.#byHandEndMs > 0;
	}

	private nowMs(): number {
		return this.#options.clock.monotonicMs();
	}

	private guarded(run: () => void): void {
		this.#options.guard("network", run);
	}

	private update(): void {
		const wifi = this.#wifi;
		if (wifi === undefined) return;
		const now = this.nowMs();
		if (this.#pending !== 0 && now >= this.#applyMs) this.apply(now);
		if (this.#byHandEndMs > 0 && now >= this.#byHandEndMs) this.#byHandEndMs = 0;
		if (this.#scanEndMs > 0 && now >= this.#scanEndMs) this.tellWaiters(undefined);
		this.updateStation(wifi, now);
		this.updateAccessPoint(wifi, now);
		this.setTimer(now);
		this.tellChanges();
	}

	private tellChanges(): void {
		const ip = this.station?.ip ?? "";
		if (ip === this.#toldIP && this.#accessPointOn === this.#toldAccessPoint) return;
		this.#toldIP = ip;
		this.#toldAccessPoint = this.#accessPointOn;
		this.#options.onChanged?.();
	}

	private apply(now: number): void {
		const { settings } = this.#options;
		const what = this.#pending;
		this.#pending = 0;
		if (what & APPLY_STATION) this.takeStation(now);
		if (what & APPLY_ACCESS_POINT) {
			this.#accessPointEnabled = settings.accessPointEnabled;
			// One that is on has its old name yet.
			if (this.#accessPointOn) this.#wifi?.startAccessPoint(settings.accessPoint);
		}
		if (what & APPLY_FLAGS) {
			if (settings.wifiEnabled && !this.isOn) this.#sinceMs = now;
			this.#enabled = settings.wifiEnabled;
			this.#fallback = settings.fallbackEnabled;
		}
	}

	private takeStation(now: number): void {
		this.leave(now);
		this.#station = this.#options.settings.station;
		this.#onTrial = this.#options.settings.onTrial;
		this.#sinceMs = now;
		this.#trialEndMs = 0;
		this.#error = WIFI_WELL;
		this.#reverted = false;
	}

	/** Off, so that `updateStation` begins anew. */
	private leave(now: number): void {
		if (this.#state === STATION_OFF) return;
		this.#wifi?.disconnect();
		if (this.#state === STATION_ONLINE) this.#sinceMs = now;
		this.#state = STATION_OFF;
		this.#retryMs = RETRY_FIRST_MS;
	}

	private updateStation(wifi: WiFi, now: number): void {
		if (!this.isOn || this.#station === undefined) {
			this.leave(now);
			this.#trialEndMs = 0;
			return;
		}
		if (this.#trialEndMs > 0 && now >= this.#trialEndMs) this.revert(now);
		if (this.#state === STATION_JOINING && now >= this.#stateEndMs) {
			wifi.disconnect();
			this.wait(now, WIFI_NO_ADDRESS);
		}
		const isDue = this.#state === STATION_OFF || (this.#state === STATION_WAITING && now >= this.#stateEndMs);
		if (!isDue || this.#station === undefined) return;
		if (this.#scanEndMs > 0) {
			// The radio can't do both; a scan is short.
			this.#state = STATION_WAITING;
			this.#stateEndMs = now + AFTER_SCAN_MS;
			return;
		}
		if (this.#trialEndMs === 0 && this.#onTrial) this.#trialEndMs = now + TRIAL_MS;
		this.#state = STATION_JOINING;
		this.#stateEndMs = now + JOIN_LIMIT_MS;
		wifi.connect(this.#station);
	}

	private connected(): void {
		if (this.#state !== STATION_JOINING) return;
		this.#state = STATION_ONLINE;
		this.#sinceMs = this.nowMs();
		this.#retryMs = RETRY_FIRST_MS;
		if (this.#onTrial && this.isStored()) this.#options.settings.keepStation();
		this.#onTrial = false;
		this.#trialEndMs = 0;
		if (!this.#reverted) this.#error = WIFI_WELL;
		this.update();
	}

	private failed(error: number): void {
		if (this.#state !== STATION_JOINING && this.#state !== STATION_ONLINE) return;
		const now = this.nowMs();
		if (this.#state === STATION_ONLINE) this.#sinceMs = now;
		this.wait(now, error);
		this.update();
	}

	private wait(now: number, error: number): void {
		this.#options.trace(`network: not connected, reason ${error}`);
		if (!this.#reverted) this.#error = error;
		this.#state = STATION_WAITING;
		this.#stateEndMs = now + this.#retryMs;
		this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
	}

	/** The network that is tried is still the stored one: another may have been stored for the next start. */
	private isStored(): boolean {
		const stored = this.#options.settings.station;
		return stored?.ssid === this.#station?.ssid && stored?.password === this.#station?.password;
	}

	/** The new network is given up, for the one stored after it if there is one. */
	private revert(now: number): void {
		const { settings, trace } = this.#options;
		if (!this.isStored()) {
			this.takeStation(now);
			return;
		}
		if (this.#error === WIFI_WELL) this.#error = WIFI_NO_ADDRESS;
		trace("network: the new network gave no address, back to the one before");
		settings.revertStation();
		this.leave(now);
		this.#station = settings.station;
		this.#onTrial = false;
		this.#trialEndMs = 0;
		this.#reverted = true;
	}

	private updateAccessPoint(wifi: WiFi, now: number): void {
		const isOnline = this.#state === STATION_ONLINE;
		const lasts = now - this.#sinceMs;
		const isLost = !isOnline && this.#fallback && lasts >= UNREACHABLE_MS;
		const lingers = isOnline ? lasts < HELP_LINGERS_MS : this.#fallback || this.#trialEndMs > 0;
		this.#helps = this.isOn && (this.#station === undefined || isLost || (this.#helps && lingers));
		const isWanted = this.isOn && (this.#helps || this.#accessPointEnabled || this.#byHandEndMs > 0);
		if (isWanted === this.#accessPointOn) return;
		this.#accessPointOn = isWanted;
		if (isWanted) wifi.startAccessPoint(this.#options.settings.accessPoint);
		else {
			wifi.stopAccessPoint();
			this.#clients = 0;
		}
	}

	/** One timer, for what comes first. */
	private setTimer(now: number): void {
		const { timers } = this.#options;
		let next = Infinity;
		const at = (timeMs: number, counts: boolean) => {
			if (counts && timeMs > now && timeMs < next) next = timeMs;
		};
		const isOnline = this.#state === STATION_ONLINE;
		at(this.#applyMs, this.#pending !== 0);
		at(this.#byHandEndMs, this.#byHandEndMs > 0);
		at(this.#scanEndMs, this.#scanEndMs > 0);
		at(this.#stateEndMs, this.#state === STATION_WAITING || this.#state === STATION_JOINING);
		at(this.#trialEndMs, this.#trialEndMs > 0);
		at(this.#sinceMs + UNREACHABLE_MS, !isOnline && this.#fallback && this.isOn);
		at(this.#sinceMs + HELP_LINGERS_MS, isOnline && this.#helps);
		if (this.#timer !== undefined) timers.clear(this.#timer);
		this.#timer = next === Infinity ? undefined : timers.set(() => this.timeUp(), next - now);
	}

	private timeUp(): void {
		this.#timer = undefined;
		this.guarded(() => this.update());
	}

	private endScan(found: boolean): void {
		if (this.#scanEndMs === 0) return;
		this.tellWaiters(found ? packNetworks((index) => this.#wifi?.scanned(index), this.#options.text) : undefined);
		this.update();
	}

	private tellWaiters(networks: Uint8Array | undefined): void {
		const waiters = this.#waiters;
		this.#waiters = [];
		this.#scanEndMs = 0;
		for (const waiter of waiters) this.guarded(() => waiter.scanned(networks));
	}
}

function errorOf(reason: number): number {
	switch (reason) {
		case WIFI_REASON_NO_AP_FOUND:
			return WIFI_NOT_FOUND;
		case WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT:
		case WIFI_REASON_AUTH_FAIL:
		case WIFI_REASON_HANDSHAKE_TIMEOUT:
			return WIFI_WRONG_PASSWORD;
		default:
			return reason >= WIFI_REASON_NO_SUITABLE_AP_FIRST && reason <= WIFI_REASON_NO_SUITABLE_AP_LAST
				? WIFI_NOT_FOUND
				: WIFI_LOST;
	}
}
