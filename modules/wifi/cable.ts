/**
 * Decides what the Ethernet port does, and when its cable keeps Wi-Fi off (decisions 182 and 183). For wifi/manager.ts,
 * which tells it what has happened.
 *
 *   state     the unit   turned on,     turned   the first   an        the address   its time
 *             starts     off before     off      link        address   is lost       is over
 *   OFF       SEEKING    WITHOUT (a)    –        –           –         –             –
 *   SEEKING   –          –              OFF      SEEKING     ONLINE    –             WITHOUT
 *   ONLINE    –          –              OFF      –           –         SEEKING       –
 *   WITHOUT   –          –              OFF      WITHOUT     ONLINE    –             WITHOUT (b)
 *
 *   SEEKING   keeps Wi-Fi off: 5 s after a start without a link; 30 s from the first link, or from the loss of the address
 *   ONLINE    keeps Wi-Fi off
 *   WITHOUT   leaves the network to Wi-Fi, until the cable has an address
 *
 *   (a) Wi-Fi that works is not dropped for a cable that may have no address.
 *   (b) A link that has given no address for 30 s is noted as `no_address`.
 *
 * A link that comes and goes does not lengthen SEEKING: the 30 s are those without an address. New settings are taken over
 * in any state; the port then loses its address for a moment.
 */
import type { Ethernet, EthernetAddress, EthernetSettings } from "../io/ethernet.js";
import type { Timed } from "../io/machine.js";

/** Where the policy gets its settings (wifi/settings.ts). */
export interface CableSettings {
	readonly ethernetEnabled: boolean;
	readonly ethernet: EthernetSettings;
}

export const CABLE_OFF = 0;
/** The cable may still give an address. */
export const CABLE_SEEKING = 1;
export const CABLE_ONLINE = 2;
/** The cable gives no address at this time. */
export const CABLE_WITHOUT = 3;

/** Why the cable has no address, or had none. */
export const CABLE_WELL = 0;
/** The link was lost: no cable, or nothing alive at its other end. */
export const CABLE_LOST = 1;
/** There is a link, and DHCP has not answered. */
export const CABLE_NO_ADDRESS = 2;

/** Between the reply to whoever changed the settings, and the change. */
const APPLY_DELAY_MS = 1500;
/** At a start, for a link. */
const LINK_MS = 5000;
/** For an address. */
const ADDRESS_MS = 30_000;

export class CablePolicy implements Timed {
	readonly #settings: CableSettings;
	readonly #trace: (message: string) => void;
	/** Undefined before `start` and after `stop`: nothing is done then. */
	#port: Ethernet | undefined;
	#state = CABLE_OFF;
	/** End of SEEKING, or of the wait for an address in WITHOUT. */
	#endMs = Infinity;
	/** New settings wait for it. */
	#applyMs = Infinity;
	#isUsed = false;
	/** The port had a link when it was looked at last. */
	#hadLink = false;
	/** CABLE_… of the last failure. */
	#error = CABLE_WELL;
	#usesDHCP = true;

	constructor(settings: CableSettings, trace: (message: string) => void) {
		this.#settings = settings;
		this.#trace = trace;
	}

	/** CABLE_OFF … CABLE_WITHOUT. */
	get state(): number {
		return this.#state;
	}

	get isLinked(): boolean {
		return this.#port?.isLinked === true;
	}

	/**
	 * The cable was in before Wi-Fi was needed, or has had an address since the start: the access point is opened by the
	 * button only.
	 */
	get isUsed(): boolean {
		return this.#isUsed;
	}

	/** Undefined without an address. */
	get address(): EthernetAddress | undefined {
		return this.#state === CABLE_ONLINE ? this.#port?.address : undefined;
	}

	/** Mbit/s; 0 without a link. */
	get speed(): number {
		return this.#port?.speed ?? 0;
	}

	/** The address is from DHCP, or is asked for there. */
	get usesDHCP(): boolean {
		return this.#usesDHCP;
	}

	/** CABLE_WELL, CABLE_LOST or CABLE_NO_ADDRESS. */
	get lastError(): number {
		return this.#error;
	}

	/** Wi-Fi is not needed, or may soon not be. */
	get keepsWiFiOff(): boolean {
		return this.#state === CABLE_SEEKING || this.#state === CABLE_ONLINE;
	}

	get deadlineMs(): number {
		return this.#port === undefined ? Infinity : Math.min(this.#endMs, this.#applyMs);
	}

	start(port: Ethernet, nowMs: number): void {
		this.#port = port;
		if (!this.#settings.ethernetEnabled) return;
		this.enter(CABLE_SEEKING, nowMs + LINK_MS);
		this.turnOn(port);
	}

	stop(): void {
		this.#port?.close();
		this.#port = undefined;
		this.enter(CABLE_OFF, Infinity);
	}

	/** Takes over the settings when the reply to whoever changed them has had the time to leave. */
	applySoon(nowMs: number): void {
		this.#applyMs = nowMs + APPLY_DELAY_MS;
	}

	/** Link or address of the port is another than before. */
	changed(nowMs: number): void {
		const port = this.#port;
		if (port === undefined || this.#state === CABLE_OFF) return;
		const { isLinked, address } = port;
		if (isLinked !== this.#hadLink) this.linkChanged(isLinked, nowMs);
		if (address !== undefined) {
			this.#error = CABLE_WELL;
			this.enter(CABLE_ONLINE, Infinity);
		} else if (this.#state === CABLE_ONLINE) this.enter(CABLE_SEEKING, nowMs + ADDRESS_MS);
		if (isLinked && this.keepsWiFiOff) this.#isUsed = true;
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#applyMs) this.apply();
		if (nowMs < this.#endMs) return;
		if (this.isLinked) {
			this.#error = CABLE_NO_ADDRESS;
			this.#trace("network: the cable gives no address");
		}
		this.enter(CABLE_WITHOUT, Infinity);
	}

	/** The only way from one state to another. */
	private enter(state: number, endMs: number): void {
		this.#state = state;
		this.#endMs = endMs;
	}

	private linkChanged(isLinked: boolean, nowMs: number): void {
		this.#hadLink = isLinked;
		this.#trace(`network: cable ${isLinked ? "in" : "out"}`);
		if (!isLinked) this.#error = CABLE_LOST;
		// A link that comes and goes must not keep Wi-Fi off for ever.
		else if (!this.#isUsed || this.#state === CABLE_WITHOUT) this.#endMs = nowMs + ADDRESS_MS;
	}

	private apply(): void {
		this.#applyMs = Infinity;
		const port = this.#port;
		if (port === undefined) return;
		this.#error = CABLE_WELL;
		if (!this.#settings.ethernetEnabled) {
			this.enter(CABLE_OFF, Infinity);
			this.#hadLink = false;
			this.#isUsed = false;
			port.stop();
			return;
		}
		if (this.#state === CABLE_OFF) this.enter(CABLE_WITHOUT, Infinity);
		this.turnOn(port);
	}

	private turnOn(port: Ethernet): void {
		const settings = this.#settings.ethernet;
		this.#usesDHCP = settings.address === undefined;
		port.start(settings);
	}
}
