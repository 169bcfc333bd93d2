/** Supply from USB or batteries, and detection of empty batteries. */
import type { Power } from "../io/host.js";

/** USB voltage below which the device runs on its batteries, V. */
const USB_MIN = 4;
/** Empty cells, V per cell. Below this voltage, the supply will soon fail, perhaps during a write. */
const CUT_OFF = 1;
/** Voltage that ends `isLow`, V per cell. It is higher, because an empty cell recovers by about 0.1 V without load. */
const RECOVERED = 1.2;
/** Voltage below which the cells must be replaced, V per cell. */
const WEAK = 1.1;
/** Number of consecutive low measurements that count. A single one may be caused by the start of the radio. */
const TIMES = 2;

/** Returns true if the batteries supply the device. `battery`: voltage of all cells together, 0 without cells. */
export function runsOnBattery(battery: number, usb: number): boolean {
	return battery > 0 && usb < USB_MIN;
}

export function isOnBattery(power: Power | undefined): boolean {
	return runsOnBattery(power?.batteryVoltage() ?? 0, power?.usbVoltage() ?? 0);
}

/** Returns true if the cells must be replaced. `battery`: voltage of all cells together. */
export function isWeak(battery: number, cells: number): boolean {
	return battery > 0 && battery < cells * WEAK;
}

export class Supply {
	readonly #power: Power | undefined;
	#times = TIMES - 1;
	isOnBattery = false;
	/** True if USB supplies the device; false if the board can't measure that. */
	isOnUSB = true;
	/** True from the time when the cells are nearly empty until they reach RECOVERED, or until USB supplies power. */
	isLow: boolean;

	/**
	 * Measures immediately. A single low value is sufficient here, because the load is light. `wasLow`: true if the cells
	 * were empty before this start.
	 */
	constructor(power: Power | undefined, wasLow: boolean) {
		this.#power = power;
		this.isLow = wasLow;
		this.measure();
	}

	/** Measures the voltages. Returns true if USB was plugged in since the previous call. */
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
