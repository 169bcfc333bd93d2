/**
 * State machine of the Ethernet port. It keeps Wi-Fi off while the cable is or may soon be in use, because the radio
 * takes memory. The columns of the table are events:
 *
 *   state     start      turned on     turned   first     address   address    deadline
 *             of unit    later         off      link      assigned  lost
 *   OFF       SEEKING    WITHOUT (a)   –        –         –         –          –
 *   SEEKING   –          –             OFF      SEEKING   ONLINE    –          WITHOUT
 *   ONLINE    –          –             OFF      –         –         SEEKING    –
 *   WITHOUT   –          –             OFF      WITHOUT   ONLINE    –          WITHOUT (b)
 *
 *   SEEKING   keeps Wi-Fi off: 5 s after a start without a link; 30 s from the first link, or from the loss of the address
 *   ONLINE    keeps Wi-Fi off
 *   WITHOUT   allows Wi-Fi until the cable has an address
 *
 *   (a) Wi-Fi that works is not turned off for a cable that may not get an address.
 *   (b) If there was a link, but no address within 30 s, the error is `no_address`.
 *
 * After the loss of the address, SEEKING lasts 30 s, even if the link comes and goes. New settings are applied in any
 * state, and cause a short loss of the address.
 */
import type { Ethernet, EthernetAddress, EthernetSettings } from "../io/ethernet.js";
import type { Timed } from "../io/machine.js";

export interface CableSettings {
	readonly ethernetEnabled: boolean;
	readonly ethernet: EthernetSettings;
}

export const CABLE_OFF = 0;
export const CABLE_SEEKING = 1;
export const CABLE_ONLINE = 2;
export const CABLE_WITHOUT = 3;

export const CABLE_WELL = 0;
/** The cable is unplugged, or the device at its other end is off. */
export const CABLE_LOST = 1;
/** There is a link, but no DHCP server answers. */
export const CABLE_NO_ADDRESS = 2;

/** Delay before new settings are applied, ms, so that the reply to the client is sent first. */
const APPLY_DELAY_MS = 1500;
const LINK_MS = 5000;
const ADDRESS_MS = 30_000;

export class CablePolicy implements Timed {
	readonly #settings: CableSettings;
	readonly #trace: (message: string) => void;
	#port: Ethernet | undefined;
	#state = CABLE_OFF;
	#endMs = Infinity;
	#applyMs = Infinity;
	#isUsed = false;
	#hadLink = false;
	#error = CABLE_WELL;
	#usesDHCP = true;

	constructor(settings: CableSettings, trace: (message: string) => void) {
		this.#settings = settings;
		this.#trace = trace;
	}

	get state(): number {
		return this.#state;
	}

	get isLinked(): boolean {
		return this.#port?.isLinked === true;
	}

	/**
	 * True if the cable has had an address since the start, or a link before Wi-Fi was needed. From then on, the access
	 * point opens only after a press of the button.
	 */
	get isUsed(): boolean {
		return this.#isUsed;
	}

	get address(): EthernetAddress | undefined {
		return this.#state === CABLE_ONLINE ? this.#port?.address : undefined;
	}

	get speed(): number {
		return this.#port?.speed ?? 0;
	}

	/** True if the cable uses DHCP, even while the address is still being requested. */
	get usesDHCP(): boolean {
		return this.#usesDHCP;
	}

	get lastError(): number {
		return this.#error;
	}

	/** True if the cable works, or may soon work. */
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

	applySoon(nowMs: number): void {
		this.#applyMs = nowMs + APPLY_DELAY_MS;
	}

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

	private enter(state: number, endMs: number): void {
		this.#state = state;
		this.#endMs = endMs;
	}

	private linkChanged(isLinked: boolean, nowMs: number): void {
		this.#hadLink = isLinked;
		this.#trace(`network: cable ${isLinked ? "in" : "out"}`);
		if (!isLinked) this.#error = CABLE_LOST;
		// The time limit is not extended here, because a link that comes and goes must not keep Wi-Fi off forever.
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
