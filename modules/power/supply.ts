/** USB or batteries, and detection of empty batteries. */
import type { Power } from "../io/host.js";

/** Below this the device runs on its batteries, V. */
const USB_MIN = 4;
/** V per cell. Below it the supply soon breaks down, perhaps during a write. */
const CUT_OFF = 1;
/** V per cell, ends `isLow`; an empty cell recovers by about 0.1 V without load. */
const RECOVERED = 1.2;
/** V per cell; below it the batteries must be replaced. */
const WEAK = 1.1;
/** Number of consecutive low measurements that count, because a single one may be due to the radio's start. */
const TIMES = 2;

/** `battery`: total voltage, 0 without cells. */
export function runsOnBattery(battery: number, usb: number): boolean {
	return battery > 0 && usb < USB_MIN;
}

export function isOnBattery(power: Power | undefined): boolean {
	return runsOnBattery(power?.batteryVoltage() ?? 0, power?.usbVoltage() ?? 0);
}

/** `battery`: total voltage. */
export function isWeak(battery: number, cells: number): boolean {
	return battery > 0 && battery < cells * WEAK;
}

export class Supply {
	readonly #power: Power | undefined;
	#times = TIMES - 1;
	isOnBattery = false;
	/** True on USB power; false if the board cannot measure it. */
	isOnUSB = true;
	/** True if the cells are nearly empty, until they reach RECOVERED or USB supplies power. */
	isLow: boolean;

	/**
	 * Measures at once; at the present light load a single low value is sufficient. `wasLow`: the cells were empty
	 * before this start.
	 */
	constructor(power: Power | undefined, wasLow: boolean) {
		this.#power = power;
		this.isLow = wasLow;
		this.measure();
	}

	/** True if USB was plugged in since the previous call. */
	measure(): boolean {
		const { cells = 0 } = this.#power ?? {};
		const battery = this.#power?.batteryVoltage() ?? 0;
		const usb = this.#power?.usbVoltage() ?? 0;
		const wasOnUSB = this.isOnUSB;
		this.isOnUSB = usb >= USB_MIN;
		this.isOnBattery = runsOnBattery(battery, usb);
		this.#times = this.isOnBattery && battery < cells * CUT_OFF ? this.#times + 1 : 0;
		this.isLow = this.isLow ? this.isOnBattery && battery < cells * RECOVERED : this.#times >= TIMES;
		return this.isOnUSB && !wasOnUSB;
	}
}
