/**
 * Supply, temperature and sleep of the chip (power.c). What a board doesn't measure is undefined. Not seen by
 * the portable code but for Power.
 */
import type { Retained } from "../../modules/io/flash.js";
import type { Power } from "../../modules/io/host.js";

class Bindings {
	static millivolts(pin: number): number | undefined {
		return native("xs_power_millivolts").call(this, pin);
	}
	static temperature(): number | undefined {
		return native("xs_power_temperature").call(this);
	}
	static lightSleep(ms: number, pin: number): boolean {
		return native("xs_power_light_sleep").call(this, ms, pin);
	}
	static deepSleep(ms: number, pin: number): void {
		native("xs_power_deep_sleep").call(this, ms, pin);
	}
	static wakeReasons(): number {
		return native("xs_power_wake_reasons").call(this);
	}
	static retained(): ArrayBuffer | undefined {
		return native("xs_power_retained").call(this);
	}
}

/** A voltage divider: volts at the pin, an input of ADC 1, times `ratio` are what is measured. */
export interface Divider {
	readonly pin: number;
	readonly ratio: number;
}

export interface PowerSettings {
	readonly cells: number;
	readonly battery?: Divider | undefined;
	readonly usb?: Divider | undefined;
}

/** The ADC doesn't tell less from nothing: the ESP32's begins at some 0.14 V. */
const NOTHING_MV = 160;

export class ChipPower implements Power {
	readonly #settings: PowerSettings;

	constructor(settings: PowerSettings) {
		this.#settings = settings;
	}

	get cells(): number {
		return this.#settings.cells;
	}

	batteryVoltage(): number | undefined {
		return this.volts(this.#settings.battery);
	}

	usbVoltage(): number | undefined {
		return this.volts(this.#settings.usb);
	}

	temperatureC(): number | undefined {
		return Bindings.temperature();
	}

	private volts(divider: Divider | undefined): number | undefined {
		if (divider === undefined) return undefined;
		const millivolts = Bindings.millivolts(divider.pin);
		if (millivolts === undefined) return undefined;
		return millivolts < NOTHING_MV ? 0 : Math.round(millivolts * divider.ratio) / 1000;
	}
}

/** Why the chip is awake, bits. */
export const WAKE_TIMER = 1;
export const WAKE_PIN = 2;
export const WAKE_UART = 4;
export const WAKE_OTHER = 8;

/** Bytes that outlive a restart and deep sleep: RETAINED_LIMIT of power-retained.h. */
const RETAINED_SIZE = 256;

/** Ends no sleep. */
export const NO_WAKE_PIN = -1;

/** Sleep of the whole chip. A pin ends it when it is low; in deep sleep only some can, with a resistor of their own. */
export class Sleep {
	/**
	 * Everything stands still for `ms`; memory stays. The caller has stopped the radio, and the serial lines are quiet.
	 * False when something kept the chip from it.
	 */
	static light(ms: number, wakePin: number): boolean {
		return Bindings.lightSleep(ms, wakePin);
	}

	/** Never comes back: the firmware starts anew after `ms`, with only what was retained. */
	static deep(ms: number, wakePin: number): void {
		Bindings.deepSleep(ms, wakePin);
	}

	/** WAKE_… of the last sleep; 0: there was none. */
	static wakeReasons(): number {
		return Bindings.wakeReasons();
	}
}

/** Memory of the chip that is lost with the power only. */
export class ChipRetained implements Retained {
	readonly size = RETAINED_SIZE;

	read(): Uint8Array | undefined {
		const bytes = Bindings.retained();
		return bytes === undefined ? undefined : new Uint8Array(bytes);
	}

	write(bytes: Uint8Array): void {
		native("xs_power_retain").call(this, bytes);
	}
}
