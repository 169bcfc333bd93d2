/** Power source of the device (USB or batteries), and detection of empty batteries. */
import type { Power } from "../io/host.js";

/** USB voltage below which the device runs on its batteries. */
const USB_MIN = 4;
/** Volts per alkaline cell. A supply that keeps falling below this soon breaks down, possibly during a write. */
const CUT_OFF = 1;
/** Volts per cell that end `isLow`: an empty cell recovers by about 0.1 V without load; a fresh cell shows more. */
const RECOVERED = 1.2;
/** Volts per cell below which the batteries should be replaced. */
const WEAK = 1.1;
/** Consecutive low measurements required, because the start of the radio briefly lowers the voltage. */
const TIMES = 2;

/** Tells whether the device runs on batteries. `battery`: total voltage of the cells, 0 without cells. */
export function runsOnBattery(battery: number, usb: number): boolean {
	return battery > 0 && usb < USB_MIN;
}

export function isOnBattery(power: Power | undefined): boolean {
	return runsOnBattery(power?.batteryVoltage() ?? 0, power?.usbVoltage() ?? 0);
}

/** Tells whether the cells should be replaced. `battery`: total voltage of `cells` cells. */
export function isWeak(battery: number, cells: number): boolean {
	return battery > 0 && battery < cells * WEAK;
}

export class Supply {
	readonly #power: Power | undefined;
	/** Number of consecutive measurements below the cut-off. */
	#times = TIMES - 1;
	isOnBattery = false;
	/** True while USB is plugged in; false if the board cannot measure it. */
	isOnUSB = true;
	/** True while the cells are nearly empty, until they reach RECOVERED or USB is plugged in. */
	isLow: boolean;

	/**
	 * Measures at once: at this load a single low value counts as empty. `wasLow`: the batteries were already empty before
	 * this start.
	 */
	constructor(power: Power | undefined, wasLow: boolean) {
		this.#power = power;
		this.isLow = wasLow;
		this.measure();
	}

	/** Updates the state; returns true if USB was plugged in since the previous call. */
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
