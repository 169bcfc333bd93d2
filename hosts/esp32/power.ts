/** Power and Sleep of the host contract (power.c). */
import type { Retained, Sleep } from "../../modules/io/flash.js";
import type { Power, Timers } from "../../modules/io/host.js";

class Bindings {
	static millivolts(pin: number): number | undefined {
		return native("xs_power_millivolts").call(this, pin);
	}
	static temperature(): number | undefined {
		return native("xs_power_temperature").call(this);
	}
	static deepSleep(ms: number, button: number, supply: number): void {
		native("xs_power_deep_sleep").call(this, ms, button, supply);
	}
	static wakeReason(supply: number): number {
		return native("xs_power_wake_reason").call(this, supply);
	}
	static retained(): ArrayBuffer | undefined {
		return native("xs_power_retained").call(this);
	}
}

export interface Divider {
	readonly pin: number;
	readonly ratio: number;
}

export interface PowerSettings {
	readonly cells: number;
	readonly battery?: Divider | undefined;
	readonly usb?: Divider | undefined;
}

/** Voltages below this one count as zero, mV. On the ESP32 the ADC's range begins at about 0.14 V. */
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

/** RETAINED_LIMIT of power-retained.h. */
const RETAINED_SIZE = 256;
const NO_PIN = -1;
/**
 * Least voltage with USB plugged in, V. USB must not be a wake-up source then, because the sleep would end immediately.
 */
const USB_MIN = 4;

export interface SleepSettings {
	readonly button?: number | undefined;
	/** Voltage divider at the pin that is high while USB is plugged in. */
	readonly usb?: Divider | undefined;
}

/** Sleep of the host contract. It has not been tested on a chip yet. */
export class ChipSleep implements Sleep {
	readonly wakeReason: number;
	readonly #settings: SleepSettings;
	readonly #power: Power;
	readonly #timers: Timers;

	constructor(settings: SleepSettings, power: Power, timers: Timers) {
		this.#settings = settings;
		this.#power = power;
		this.#timers = timers;
		this.wakeReason = Bindings.wakeReason(settings.usb?.pin ?? NO_PIN);
	}

	begin(ms: number): void {
		this.#timers.set(() => {
			const { button = NO_PIN, usb } = this.#settings;
			const isPlugged = (this.#power.usbVoltage() ?? 0) >= USB_MIN;
			Bindings.deepSleep(ms, button, isPlugged ? NO_PIN : (usb?.pin ?? NO_PIN));
		}, 0);
	}
}

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
