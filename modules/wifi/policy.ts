/**
 * Decides what the radio does: joins the configured network and joins it again, gives up a new one that doesn't work
 * for the one before, and opens the access point when the device could not be reached otherwise (the Wi-Fi rows of the
 * API's states and transitions). For wifi/manager.ts, which tells it what has happened.
 *
 *   station    turned on,    turned off,   due       address   failed,   a scan     new settings
 *              configured    forgotten                         lost      is asked
 *   OFF        JOINING       –             –         –         –         –          –
 *   WAITING    –             OFF           JOINING   –         –         –          OFF
 *   JOINING    –             OFF           WAITING   ONLINE    WAITING   WAITING    OFF
 *   ONLINE     –             OFF           –         –         WAITING   –          OFF
 *
 *   WAITING lasts 1, 2, 4 … 60 s, after a scan was asked as long as that goes on, in steps of 500 ms; JOINING 30 s.
 *
 *   trial          none ─ a network that was never joined ─> not begun ─ first try ─> 45 s ─ over ─> none, and the network
 *                  before it is taken again, or none; ends with the first address, and with new settings
 *   access point   on while it is wanted for itself (ap_enabled, or by hand), or helps: nothing is configured, or 90 s have
 *                  gone without an address and the fallback is allowed; a help ends 2 minutes after the station is there.
 *                  Beside a cable that is used (`isCabled`) by hand only
 *   by hand        all of it is on for 10 minutes, whatever the settings say
 *
 * What has happened is noted by the entry methods, what follows from it is decided in one place, `settle`, which is to be
 * called after each of them, also after one that throws. The radio is told at once.
 * Limits: one scan at a time, SCAN_WAITERS callers.
 */
import type { Timed } from "../io/machine.js";
import type { ScannedNetwork, StationOptions, StationStatus, WiFi } from "../io/wifi.js";
import { errorOf, WIFI_NO_ADDRESS, WIFI_WELL } from "./failures.js";

/** Where the policy gets its settings, and tells what became of them (wifi/settings.ts). */
export interface WiFiSettings {
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

/** What of the settings is to be taken over. */
export const APPLY_STATION = 1;
export const APPLY_ACCESS_POINT = 2;
/** Whether Wi-Fi is on, and the fallback. */
export const APPLY_FLAGS = 4;
const APPLY_ALL = APPLY_STATION | APPLY_ACCESS_POINT | APPLY_FLAGS;

/** Settings, as bits. */
const ENABLED = 1;
const FALLBACK = 2;
const ACCESS_POINT = 4;

/** Why the access point is on, as bits. */
const WANTED = 1;
const HELPS = 2;

/** Between the reply to whoever wanted a change, and the change. */
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
/** A try that must wait for a scan looks again after this. */
const AFTER_SCAN_MS = 500;
const NOBODY: readonly ScanWaiter[] = Object.freeze([]);

/** A scan that goes on. */
interface Scan {
	readonly endMs: number;
	waiters: ScanWaiter[];
}

export class WiFiPolicy implements Timed {
	readonly #settings: WiFiSettings;
	readonly #trace: (message: string) => void;
	/** Undefined before `start` and after `stop`: nothing is done then. */
	#radio: WiFi | undefined;
	/** APPLY_… that wait for `#applyMs`. */
	#pending = 0;
	#applyMs = Infinity;
	/** ENABLED, FALLBACK, ACCESS_POINT: the settings as they were taken over last. */
	#flags = 0;
	/** End of Wi-Fi by hand. */
	#byHandEndMs = Infinity;
	#station: StationOptions | undefined;
	#state = STATION_OFF;
	/** End of WAITING or JOINING, else Infinity. */
	#stateEndMs = Infinity;
	/** Since when the station is ONLINE, or is not. */
	#sinceMs = 0;
	#retryMs = RETRY_FIRST_MS;
	/**
	 * `#station` was never joined: until when it is tried, Infinity before the first try. Undefined: no trial. A network
	 * that is only stored, for the next start, is on none.
	 */
	#trialEndMs: number | undefined;
	/** WIFI_… of `#station`, and of the network that was given up for it, which is told first. */
	#error = WIFI_WELL;
	#givenUp = WIFI_WELL;
	/** The unit has a cable that is used: the access point opens by hand only. Set by the owner, before `settle`. */
	isCabled = false;
	/** WANTED, HELPS. */
	#accessPoint = 0;
	#clients = 0;
	#scan: Scan | undefined;

	constructor(settings: WiFiSettings, trace: (message: string) => void) {
		this.#settings = settings;
		this.#trace = trace;
	}

	/** STATION_… */
	get state(): number {
		return this.#state;
	}

	/** The network that the station is in; undefined without an address. */
	get station(): StationStatus | undefined {
		return this.#state === STATION_ONLINE ? this.#radio?.station : undefined;
	}

	get accessPointOn(): boolean {
		return this.#accessPoint !== 0;
	}

	get clients(): number {
		return this.#clients;
	}

	/** Channel of the access point; 0 while it is off. */
	get channel(): number {
		return this.accessPointOn ? (this.#radio?.channel ?? 0) : 0;
	}

	/** The network that the station is in, or tries, gives it its address; undefined without one. */
	get usesDHCP(): boolean | undefined {
		return this.#station && this.#station.address === undefined;
	}

	/** Whether Wi-Fi is on for a while only, brought up by hand. */
	get isTemporary(): boolean {
		return this.isByHand && !this.has(ENABLED);
	}

	/** Wi-Fi was brought up by hand, and the time of that is not over. */
	get isByHand(): boolean {
		return this.#byHandEndMs < Infinity;
	}

	/** Wi-Fi is wanted, by the settings or by hand. */
	get isOn(): boolean {
		return this.has(ENABLED) || this.isByHand;
	}

	/** Between `start` and `stop`. */
	get hasRadio(): boolean {
		return this.#radio !== undefined;
	}

	/** WIFI_… of the last failure. */
	get lastError(): number {
		return this.#givenUp === WIFI_WELL ? this.#error : this.#givenUp;
	}

	/** Network `index` of the radio's last scan. */
	scanned(index: number): ScannedNetwork | undefined {
		return this.#radio?.scanned(index);
	}

	get isScanning(): boolean {
		return this.#scan !== undefined;
	}

	/** The radio has had the time for its scan. */
	isScanOver(nowMs: number): boolean {
		return nowMs >= (this.#scan?.endMs ?? Infinity);
	}

	get deadlineMs(): number {
		if (this.#radio === undefined) return Infinity;
		let next = Math.min(this.#applyMs, this.#byHandEndMs, this.#stateEndMs);
		if (this.#trialEndMs !== undefined) next = Math.min(next, this.#trialEndMs);
		if (this.#scan !== undefined) next = Math.min(next, this.#scan.endMs);
		const helps = (this.#accessPoint & HELPS) !== 0;
		if (this.#state === STATION_ONLINE) return helps ? Math.min(next, this.#sinceMs + HELP_LINGERS_MS) : next;
		return this.isOn && this.mayHelp && !helps ? Math.min(next, this.#sinceMs + UNREACHABLE_MS) : next;
	}

	/** All settings are taken over. */
	start(radio: WiFi, nowMs: number): void {
		this.#radio = radio;
		this.#pending = APPLY_ALL;
		this.#applyMs = nowMs;
		this.advance(nowMs);
	}

	/** Closes the radio, until the next `start`. The owner has ended a scan before. */
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

	/** Takes over these settings (APPLY_…) when the reply to whoever changed them has had the time to leave. */
	applySoon(what: number, nowMs: number): void {
		this.#pending |= what;
		this.#applyMs = nowMs + APPLY_DELAY_MS;
	}

	/** Wi-Fi and access point for ten minutes. */
	bringUp(nowMs: number): void {
		if (!this.isOn) this.#sinceMs = nowMs;
		this.#byHandEndMs = nowMs + BY_HAND_MS;
	}

	/**
	 * False: the radio can't at this moment, or too many wait. A caller that comes during a scan joins it. A try to join
	 * a network is given up for it, and made again afterwards: whoever looks for networks is there now.
	 */
	scan(waiter: ScanWaiter, nowMs: number): boolean {
		if (this.#scan === undefined) {
			if (!this.isOn || this.#radio === undefined) return false;
			if (this.#state === STATION_JOINING) {
				this.#radio.disconnect();
				this.enter(STATION_WAITING, nowMs, nowMs);
			}
			if (!this.#radio.scan()) return false;
			this.#scan = { endMs: nowMs + SCAN_LIMIT_MS, waiters: [] };
		} else if (this.#scan.waiters.length >= SCAN_WAITERS) return false;
		this.#scan.waiters.push(waiter);
		return true;
	}

	/** The waiter is told nothing any more. */
	cancelScan(waiter: ScanWaiter): void {
		if (this.#scan !== undefined) this.#scan.waiters = this.#scan.waiters.filter((other) => other !== waiter);
	}

	/** The scan has ended, or lasts too long; those who are to be told. */
	endScan(): readonly ScanWaiter[] {
		const waiters = this.#scan?.waiters ?? NOBODY;
		this.#scan = undefined;
		return waiters;
	}

	/** The station has its address. */
	connected(nowMs: number): void {
		if (this.#state !== STATION_JOINING) return;
		const isKept = this.#trialEndMs !== undefined && this.isStored();
		this.enter(STATION_ONLINE, Infinity, nowMs);
		this.#retryMs = RETRY_FIRST_MS;
		this.#trialEndMs = undefined;
		this.#error = WIFI_WELL;
		// Flash may refuse: the network is as good for that, and on trial again at the next start.
		if (isKept) this.#settings.keepStation();
	}

	/** The try has failed, or the network is lost. A reason of ESP-IDF. */
	disconnected(reason: number, nowMs: number): void {
		if (this.#state === STATION_JOINING || this.#state === STATION_ONLINE) this.wait(errorOf(reason), nowMs);
	}

	/** Clients of our access point have come or gone. */
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

	/** Does what follows from all that has happened. */
	settle(nowMs: number): void {
		const radio = this.#radio;
		if (radio === undefined) return;
		this.settleStation(radio, nowMs);
		this.settleAccessPoint(radio, nowMs);
	}

	/** The access point may open where the network is not reached. */
	private get mayHelp(): boolean {
		return this.has(FALLBACK) && !this.isCabled;
	}

	private has(flag: number): boolean {
		return (this.#flags & flag) !== 0;
	}

	private setFlag(flag: number, on: boolean): void {
		this.#flags = on ? this.#flags | flag : this.#flags & ~flag;
	}

	/** The only way from one state to another. */
	private enter(state: number, endMs: number, nowMs: number): void {
		if ((state === STATION_ONLINE) !== (this.#state === STATION_ONLINE)) this.#sinceMs = nowMs;
		this.#state = state;
		this.#stateEndMs = endMs;
	}

	private apply(nowMs: number): void {
		const settings = this.#settings;
		const what = this.#pending;
		this.#pending = 0;
		this.#applyMs = Infinity;
		if (what & APPLY_STATION) this.takeStation(nowMs);
		if (what & APPLY_ACCESS_POINT) {
			this.setFlag(ACCESS_POINT, settings.accessPointEnabled);
			// One that is on has its old name yet.
			if (this.accessPointOn) this.#radio?.startAccessPoint(settings.accessPoint);
		}
		if (what & APPLY_FLAGS) {
			if (settings.wifiEnabled && !this.isOn) this.#sinceMs = nowMs;
			this.setFlag(ENABLED, settings.wifiEnabled);
			this.setFlag(FALLBACK, settings.fallbackEnabled);
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
			// What was not joined by now begins its trial when it is tried again.
			if (this.#trialEndMs !== undefined) this.#trialEndMs = Infinity;
			return;
		}
		const isDue = this.#state === STATION_OFF || (this.#state === STATION_WAITING && nowMs >= this.#stateEndMs);
		if (!isDue) return;
		if (this.#scan !== undefined) {
			// The radio can't do both; a scan is short.
			this.enter(STATION_WAITING, nowMs + AFTER_SCAN_MS, nowMs);
			return;
		}
		if (this.#trialEndMs === Infinity) this.#trialEndMs = nowMs + TRIAL_MS;
		this.enter(STATION_JOINING, nowMs + JOIN_LIMIT_MS, nowMs);
		radio.connect(this.#station);
	}

	/** The network that is tried is still the stored one: another may have been stored for the next start. */
	private isStored(): boolean {
		const stored = this.#settings.station;
		return stored?.ssid === this.#station?.ssid && stored?.password === this.#station?.password;
	}

	/** The new network is given up, for the one stored after it if there is one. */
	private revert(nowMs: number): void {
		if (!this.isStored()) {
			this.takeStation(nowMs);
			return;
		}
		this.#givenUp = this.#error === WIFI_WELL ? WIFI_NO_ADDRESS : this.#error;
		this.#trialEndMs = undefined;
		this.#trace("network: the new network gave no address, back to the one before");
		this.leave(nowMs);
		// Flash may refuse: the new one is tried on then, and its trial begins anew at the next start.
		this.#settings.revertStation();
		this.#station = this.#settings.station;
	}

	private settleAccessPoint(radio: WiFi, nowMs: number): void {
		const isOnline = this.#state === STATION_ONLINE;
		const lastsMs = nowMs - this.#sinceMs;
		const isLost = !isOnline && this.mayHelp && lastsMs >= UNREACHABLE_MS;
		const isTried = this.#trialEndMs !== undefined && this.#trialEndMs < Infinity;
		const lingers = isOnline ? lastsMs < HELP_LINGERS_MS : this.mayHelp || isTried;
		let why = 0;
		if (this.isOn) {
			const didHelp = (this.#accessPoint & HELPS) !== 0;
			const isNeeded = this.#station === undefined || isLost || (didHelp && lingers);
			if (isNeeded && !this.isCabled) why |= HELPS;
			if (this.isByHand || (this.has(ACCESS_POINT) && !this.isCabled)) why |= WANTED;
		}
		const wasOn = this.accessPointOn;
		this.#accessPoint = why;
		if (this.accessPointOn === wasOn) return;
		if (this.accessPointOn) radio.startAccessPoint(this.#settings.accessPoint);
		else {
			radio.stopAccessPoint();
			this.#clients = 0;
		}
	}
}
