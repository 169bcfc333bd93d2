/** What the device runs on: its USB socket or its cells, and whether those are nearly empty. */
import type { Power } from "../io/host.js";

/** Below this the device runs on its cells, volts. */
const USB_MIN = 4;
/** Volts of one alkaline cell: a supply that goes on falling below this breaks down soon, also in the middle of a write. */
const CUT_OFF = 1;
/** A cell recovers by about a tenth of a volt when nothing is drawn any more: a fresh one shows more. */
const RECOVERED = 1.2;
/** From here on new cells are wanted. */
const WEAK = 1.1;
/** Measured so often in a row: the radio's start pulls the voltage down for a moment. */
const TIMES = 2;

/** `battery`: volts of all cells together; 0: there are none. */
export function runsOnBattery(battery: number, usb: number): boolean {
	return battery > 0 && usb < USB_MIN;
}

/** As it is at this moment. */
export function isOnBattery(power: Power | undefined): boolean {
	return runsOnBattery(power?.batteryVoltage() ?? 0, power?.usbVoltage() ?? 0);
}

/** `battery`: volts of `cells` cells together. */
export function isWeak(battery: number, cells: number): boolean {
	return battery > 0 && battery < cells * WEAK;
}

export class Supply {
	readonly #power: Power | undefined;
	/** How often in a row it was below the cut-off. */
	#times = TIMES - 1;
	isOnBattery = false;
	/** USB is plugged in; false also where the board can't tell. */
	isOnUSB = true;
	/** The cells are nearly empty: until they have RECOVERED, or USB is there. */
	isLow: boolean;

	/** Measures at once, with little drawn yet: that decides. `wasLow`: it was so before the start. */
	constructor(power: Power | undefined, wasLow: boolean) {
		this.#power = power;
		this.isLow = wasLow;
		this.measure();
	}

	/** True: USB was plugged in since the time before. */
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
