/** LED of the host contract (led.c). */
import type { LED, LEDPort } from "../../modules/io/host.js";
import type { LEDPin } from "./boards.js";

class Bindings {
	static blink(pin: number, activeLow: boolean, onMs: number, offMs: number): void {
		native("xs_led_blink").call(this, pin, activeLow, onMs, offMs);
	}
}

export function createLEDPort(pins: LEDPin): LEDPort {
	return { io: PinLED, pins };
}

class PinLED implements LED {
	readonly #pin: number;
	readonly #activeLow: boolean;

	constructor(options: object) {
		const { pin, activeLow } = options as LEDPin;
		this.#pin = pin;
		this.#activeLow = activeLow;
		this.blink(0, 0);
	}

	blink(onMs: number, offMs: number): void {
		Bindings.blink(this.#pin, this.#activeLow, onMs, offMs);
	}

	close(): void {
		this.blink(0, 0);
	}
}
