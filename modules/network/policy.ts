/**
 * State machine of the radio. It joins the network, restores the previous network if a new one fails, and opens the
 * access point if the device would otherwise be unreachable. The columns of the table are events:
 *
 *   station    turned on,    turned off,   deadline  address   failed,   scan        new
 *              configured    forgotten               assigned  lost      requested   settings
 *   OFF        JOINING       –             –         –         –         –           –
 *   WAITING    –             OFF           JOINING   –         –         –           OFF
 *   JOINING    –             OFF           WAITING   ONLINE    WAITING   WAITING     OFF
 *   ONLINE     –             OFF           –         –         WAITING   –           OFF
 *
 *   WAITING lasts 1, 2, 4 … 60 s; after a scan request it polls every 500 ms for the end of the scan. JOINING lasts 30 s.
 *
 *   trial          A network that was never joined is on trial for 45 s from the first attempt. Then the previous network, if
 *                  any, is restored. The first address and new settings end the trial.
 *   access point   On if wanted (ap_enabled, or turned on by hand), or as a fallback. The fallback opens if no network is
 *                  configured, or (if enabled) after 90 s without an address. It ends when the station has been online
 *                  for 2 minutes. While a cable is in use (`isCabled`), the access point opens only if a user turns
 *                  it on by hand.
 *   by hand        Station and access point are on for 10 minutes, regardless of the settings.
 *
 * Methods for events only record the event. Call `settle` after each of them, even if it has thrown an exception.
 * Methods for commands to the radio take effect immediately. Limits: one scan at a time, and SCAN_WAITERS callers that
 * wait for it.
 */
import type { Timed } from "../io/machine.js";
import type { ScannedNetwork, StationOptions, StationStatus, WiFi } from "../io/wifi.js";
import { errorOf, WIFI_NO_ADDRESS, WIFI_WELL } from "./failures.js";

export interface WiFiSettings {
	readonly wifiEnabled: boolean;
	readonly fallbackEnabled: boolean;
	readonly accessPointEnabled: boolean;
	readonly transmitDBm: number;
	readonly accessPoint: { readonly ssid: string; readonly password: string };
	readonly station: StationOptions | undefined;
	readonly onTrial: boolean;
	keepStation(): void;
	revertStation(): void;
}

/** Called with the packed networks (scan.ts), or with undefined if the scan failed. */
export interface ScanCallback {
	scanned(networks: Uint8Array | undefined): void;
}

export const STATION_OFF = 0;
export const STATION_WAITING = 1;
export const STATION_JOINING = 2;
export const STATION_ONLINE = 3;

export const APPLY_STATION = 1;
export const APPLY_ACCESS_POINT = 2;
/** Settings that turn Wi-Fi and the fallback access point on or off, and the transmit power. */
export const APPLY_FLAGS = 4;
const APPLY_ALL = APPLY_STATION | APPLY_ACCESS_POINT | APPLY_FLAGS;

const ENABLED = 1;
const FALLBACK = 2;
const ACCESS_POINT = 4;

/** Reasons to open the access point: the settings or a user want it, or it is the fallback. */
const WANTED = 1;
const IS_FALLBACK = 2;

/** Delay before new settings are applied, ms, so that the reply to the client is sent first. */
export const APPLY_DELAY_MS = 1500;
const JOIN_LIMIT_MS = 30_000;
const TRIAL_MS = 45_000;
const UNREACHABLE_MS = 90_000;
const HELP_LINGERS_MS = 120_000;
const BY_HAND_MS = 600_000;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 60_000;
const SCAN_LIMIT_MS = 15_000;
const SCAN_WAITERS = 8;
const AFTER_SCAN_MS = 500;
const NOBODY: readonly ScanCallback[] = Object.freeze([]);

interface Scan {
	readonly endMs: number;
	callbacks: ScanCallback[];
}

export class WiFiPolicy implements Timed {
	readonly #settings: WiFiSettings;
	readonly #trace: (message: string) => void;
	#radio: WiFi | undefined;
	#pending = 0;
	#applyMs = Infinity;
	/** Values of ENABLED, FALLBACK and ACCESS_POINT that were applied last. */
	#flags = 0;
	#byHandEndMs = Infinity;
	#station: StationOptions | undefined;
	#state = STATION_OFF;
	#stateEndMs = Infinity;
	/** Time at which ONLINE was last entered or left, or at which Wi-Fi was turned on, monotonic ms. */
	#sinceMs = 0;
	#retryMs = RETRY_FIRST_MS;
	/**
	 * End of the trial. Infinity before the first attempt; undefined if there is no trial, or if the network is only
	 * stored for the next start.
	 */
	#trialEndMs: number | undefined;
	/**
	 * Failure WIFI_… of `#station`. `#givenUp` is the failure of the new network that was abandoned; it is reported
	 * first.
	 */
	#error = WIFI_WELL;
	#givenUp = WIFI_WELL;
	/** True if a cable is in use. The access point then opens only by hand. Set it before `settle`. */
	isCabled = false;
	#accessPoint = 0;
	#clients = 0;
	#scan: Scan | undefined;

	constructor(settings: WiFiSettings, trace: (message: string) => void) {
		this.#settings = settings;
		this.#trace = trace;
	}

	get state(): number {
		return this.#state;
	}

	get station(): StationStatus | undefined {
		return this.#state === STATION_ONLINE ? this.#radio?.station : undefined;
	}

	get accessPointOn(): boolean {
		return this.#accessPoint !== 0;
	}

	get clients(): number {
		return this.#clients;
	}

	get channel(): number {
		return this.accessPointOn ? (this.#radio?.channel ?? 0) : 0;
	}

	get usesDHCP(): boolean | undefined {
		return this.#station && this.#station.address === undefined;
	}

	get isTemporary(): boolean {
		return this.isByHand && !this.has(ENABLED);
	}

	get isByHand(): boolean {
		return this.#byHandEndMs < Infinity;
	}

	get isOn(): boolean {
		return this.has(ENABLED) || this.isByHand;
	}

	get hasRadio(): boolean {
		return this.#radio !== undefined;
	}

	get lastError(): number {
		return this.#givenUp === WIFI_WELL ? this.#error : this.#givenUp;
	}

	scanned(index: number): ScannedNetwork | undefined {
		return this.#radio?.scanned(index);
	}

	get isScanning(): boolean {
		return this.#scan !== undefined;
	}

	isScanOver(nowMs: number): boolean {
		return nowMs >= (this.#scan?.endMs ?? Infinity);
	}

	get deadlineMs(): number {
		if (this.#radio === undefined) return Infinity;
		let next = Math.min(this.#applyMs, this.#byHandEndMs, this.#stateEndMs);
		if (this.#trialEndMs !== undefined) next = Math.min(next, this.#trialEndMs);
		if (this.#scan !== undefined) next = Math.min(next, this.#scan.endMs);
		const isFallback = (this.#accessPoint & IS_FALLBACK) !== 0;
		if (this.#state === STATION_ONLINE) return isFallback ? Math.min(next, this.#sinceMs + HELP_LINGERS_MS) : next;
		return this.isOn && this.mayHelp && !isFallback ? Math.min(next, this.#sinceMs + UNREACHABLE_MS) : next;
	}

	start(radio: WiFi, nowMs: number): void {
		this.#radio = radio;
		this.#pending = APPLY_ALL;
		this.#applyMs = nowMs;
		this.advance(nowMs);
	}

	/** Closes the radio until the next `start`. Call it only when no scan is in progress. */
	stop(): void {
		this.#radio?.close();
		this.#radio = undefined;
		this.#scan = undefined;
		this.#state = STATION_OFF;
		this.#stateEndMs = Infinity;
		this.#retryMs = RETRY_FIRST_MS;
		this.#accessPoint = 0;
		this.#clients = 0;
	}

	/** Applies changed settings after a delay. `groups`: APPLY_…. */
	applySoon(groups: number, nowMs: number): void {
		this.#pending |= groups;
		this.#applyMs = nowMs + APPLY_DELAY_MS;
	}

	bringUp(nowMs: number): void {
		if (!this.isOn) this.#sinceMs = nowMs;
		this.#byHandEndMs = nowMs + BY_HAND_MS;
	}

	/**
	 * Starts a scan. Returns false if the radio can't scan, or if too many callers wait. An attempt to join is
	 * interrupted and repeated later, because a user is waiting for the scan.
	 */
	scan(callback: ScanCallback, nowMs: number): boolean {
		if (this.#scan === undefined) {
			if (!this.isOn || this.#radio === undefined) return false;
			if (this.#state === STATION_JOINING) {
				this.#radio.disconnect();
				this.enter(STATION_WAITING, nowMs, nowMs);
			}
			if (!this.#radio.scan()) return false;
			this.#scan = { endMs: nowMs + SCAN_LIMIT_MS, callbacks: [] };
		} else if (this.#scan.callbacks.length >= SCAN_WAITERS) return false;
		this.#scan.callbacks.push(callback);
		return true;
	}

	cancelScan(callback: ScanCallback): void {
		if (this.#scan !== undefined) this.#scan.callbacks = this.#scan.callbacks.filter((other) => other !== callback);
	}

	endScan(): readonly ScanCallback[] {
		const callbacks = this.#scan?.callbacks ?? NOBODY;
		this.#scan = undefined;
		return callbacks;
	}

	connected(nowMs: number): void {
		if (this.#state !== STATION_JOINING) return;
		const hasPassed = this.#trialEndMs !== undefined && this.isStored();
		this.enter(STATION_ONLINE, Infinity, nowMs);
		this.#retryMs = RETRY_FIRST_MS;
		this.#trialEndMs = undefined;
		this.#error = WIFI_WELL;
		// If the flash write fails, the network remains in use, and is on trial again at the next start.
		if (hasPassed) this.#settings.keepStation();
	}

	/** `reason`: the reason code of ESP-IDF. */
	disconnected(reason: number, nowMs: number): void {
		if (this.#state === STATION_JOINING || this.#state === STATION_ONLINE) this.wait(errorOf(reason), nowMs);
	}

	clientsChanged(count: number): void {
		this.#clients = this.accessPointOn ? count : 0;
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#applyMs) this.apply(nowMs);
		if (nowMs >= this.#byHandEndMs) this.#byHandEndMs = Infinity;
		if (this.isOn && nowMs >= (this.#trialEndMs ?? Infinity)) this.revert(nowMs);
		if (this.#state === STATION_JOINING && nowMs >= this.#stateEndMs) {
			this.#radio?.disconnect();
			this.wait(WIFI_NO_ADDRESS, nowMs);
		}
	}

	settle(nowMs: number): void {
		const radio = this.#radio;
		if (radio === undefined) return;
		this.settleStation(radio, nowMs);
		this.settleAccessPoint(radio, nowMs);
	}

	private get mayHelp(): boolean {
		return this.has(FALLBACK) && !this.isCabled;
	}

	private has(flag: number): boolean {
		return (this.#flags & flag) !== 0;
	}

	private setFlag(flag: number, on: boolean): void {
		this.#flags = on ? this.#flags | flag : this.#flags & ~flag;
	}

	private enter(state: number, endMs: number, nowMs: number): void {
		if ((state === STATION_ONLINE) !== (this.#state === STATION_ONLINE)) this.#sinceMs = nowMs;
		this.#state = state;
		this.#stateEndMs = endMs;
	}

	private apply(nowMs: number): void {
		const settings = this.#settings;
		const groups = this.#pending;
		this.#pending = 0;
		this.#applyMs = Infinity;
		if (groups & APPLY_STATION) this.takeStation(nowMs);
		if (groups & APPLY_ACCESS_POINT) {
			this.setFlag(ACCESS_POINT, settings.accessPointEnabled);
			if (this.accessPointOn) this.#radio?.startAccessPoint(settings.accessPoint);
		}
		if (groups & APPLY_FLAGS) {
			if (settings.wifiEnabled && !this.isOn) this.#sinceMs = nowMs;
			this.setFlag(ENABLED, settings.wifiEnabled);
			this.setFlag(FALLBACK, settings.fallbackEnabled);
			this.#radio?.setTransmitPower(settings.transmitDBm);
		}
	}

	private takeStation(nowMs: number): void {
		this.leave(nowMs);
		this.#station = this.#settings.station;
		this.#trialEndMs = this.#settings.onTrial ? Infinity : undefined;
		this.#sinceMs = nowMs;
		this.#error = WIFI_WELL;
		this.#givenUp = WIFI_WELL;
	}

	private leave(nowMs: number): void {
		if (this.#state === STATION_OFF) return;
		this.#radio?.disconnect();
		this.enter(STATION_OFF, Infinity, nowMs);
		this.#retryMs = RETRY_FIRST_MS;
	}

	private wait(error: number, nowMs: number): void {
		this.#trace(`network: not connected, reason ${error}`);
		this.#error = error;
		this.enter(STATION_WAITING, nowMs + this.#retryMs, nowMs);
		this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
	}

	private settleStation(radio: WiFi, nowMs: number): void {
		if (!this.isOn || this.#station === undefined) {
			this.leave(nowMs);
			// The trial begins with the next attempt.
			if (this.#trialEndMs !== undefined) this.#trialEndMs = Infinity;
			return;
		}
		const isDue = this.#state === STATION_OFF || (this.#state === STATION_WAITING && nowMs >= this.#stateEndMs);
		if (!isDue) return;
		if (this.#scan !== undefined) {
			// The radio can't scan and join at the same time.
			this.enter(STATION_WAITING, nowMs + AFTER_SCAN_MS, nowMs);
			return;
		}
		if (this.#trialEndMs === Infinity) this.#trialEndMs = nowMs + TRIAL_MS;
		this.enter(STATION_JOINING, nowMs + JOIN_LIMIT_MS, nowMs);
		radio.connect(this.#station);
	}

	private isStored(): boolean {
		const stored = this.#settings.station;
		return stored?.ssid === this.#station?.ssid && stored?.password === this.#station?.password;
	}

	/** Restores the previous network, or takes a network that was stored in the meantime. */
	private revert(nowMs: number): void {
		if (!this.isStored()) {
			this.takeStation(nowMs);
			return;
		}
		this.#givenUp = this.#error === WIFI_WELL ? WIFI_NO_ADDRESS : this.#error;
		this.#trialEndMs = undefined;
		this.#trace("network: the new network gave no address, back to the one before");
		this.leave(nowMs);
		// If the flash write fails, the attempts continue, and the trial begins again at the next start.
		this.#settings.revertStation();
		this.#station = this.#settings.station;
	}

	private settleAccessPoint(radio: WiFi, nowMs: number): void {
		const isOnline = this.#state === STATION_ONLINE;
		const lastsMs = nowMs - this.#sinceMs;
		const isLost = !isOnline && this.mayHelp && lastsMs >= UNREACHABLE_MS;
		const isTried = this.#trialEndMs !== undefined && this.#trialEndMs < Infinity;
		const lingers = isOnline ? lastsMs < HELP_LINGERS_MS : this.mayHelp || isTried;
		let reasons = 0;
		if (this.isOn) {
			const wasFallback = (this.#accessPoint & IS_FALLBACK) !== 0;
			const isNeeded = this.#station === undefined || isLost || (wasFallback && lingers);
			if (isNeeded && !this.isCabled) reasons |= IS_FALLBACK;
			if (this.isByHand || (this.has(ACCESS_POINT) && !this.isCabled)) reasons |= WANTED;
		}
		const wasOn = this.accessPointOn;
		this.#accessPoint = reasons;
		if (this.accessPointOn === wasOn) return;
		if (this.accessPointOn) radio.startAccessPoint(this.#settings.accessPoint);
		else {
			radio.stopAccessPoint();
			this.#clients = 0;
		}
	}
}
