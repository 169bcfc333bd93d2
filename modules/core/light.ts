/**
 * Pattern of the status LED. If several of these conditions hold, the LED shows the first one.
 *
 *   RESETTING   blinks fast     a factory reset is running; never cleared
 *   EMPTY       short flashes   the batteries are empty and the device is about to sleep; never cleared
 *   IDENTIFIED  blinks          a client has asked the device to identify itself
 *   FLASHING    one flash       a readout has arrived; ends after FLASH_MS or with any other change
 *   READING     on              the meter is being read
 *   WAITING     blinks slowly   the device has no network and its access point is open
 *   OFF
 *
 * app/gateway.ts and the meter reader report the conditions.
 */
import type { Driver, Task } from "../io/driver.js";
import type { LED, LEDPort } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export interface LightDeps {
	readonly driver: Driver;
}

const RESETTING = 1;
const READING = 2;
const WAITING = 4;
const EMPTY = 8;
const IDENTIFIED = 16;

const FAST_MS = 100;
const MEDIUM_MS = 300;
const SLOW_MS = 1000;
const FLASH_MS = 100;
const PAUSE_MS = 400;

export class Light implements Timed {
	readonly #task: Task;
	readonly #led: LED;
	#shown = 0;
	#flashEndMs = Number.POSITIVE_INFINITY;
	#identifyEndMs = Number.POSITIVE_INFINITY;

	constructor(deps: LightDeps, port: LEDPort) {
		this.#led = new port.io(port.pins);
		this.#task = deps.driver.register("light", this);
	}

	stop(): void {
		this.#task.stop();
		this.#led.close();
	}

	resetting(): void {
		this.show(RESETTING, true);
	}

	empty(): void {
		this.show(EMPTY, true);
	}

	/** Sets or clears IDENTIFIED, which ends by itself after `limitMs`. */
	identifying(on: boolean, limitMs = Number.POSITIVE_INFINITY): void {
		this.show(IDENTIFIED, on);
		this.#task.update((nowMs) => {
			this.#identifyEndMs = nowMs + limitMs;
		});
	}

	reading(on: boolean): void {
		this.show(READING, on);
	}

	waiting(on: boolean): void {
		this.show(WAITING, on);
	}

	flash(): void {
		this.#task.update((nowMs) => this.beginFlash(nowMs));
	}

	get deadlineMs(): number {
		return Math.min(this.#flashEndMs, this.#identifyEndMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#identifyEndMs) {
			this.#identifyEndMs = Number.POSITIVE_INFINITY;
			this.#shown &= ~IDENTIFIED;
			this.refresh();
		} else if (nowMs >= this.#flashEndMs) this.refresh();
	}

	private beginFlash(nowMs: number): void {
		if (this.#shown & (RESETTING | EMPTY | IDENTIFIED)) return;
		this.#flashEndMs = nowMs + FLASH_MS;
		this.#led.blink(FLASH_MS, 0);
	}

	private show(condition: number, on: boolean): void {
		const shown = on ? this.#shown | condition : this.#shown & ~condition;
		if (shown === this.#shown) return;
		this.#task.update(() => {
			this.#shown = shown;
			this.refresh();
		});
	}

	private refresh(): void {
		this.#flashEndMs = Number.POSITIVE_INFINITY;
		const shown = this.#shown;
		if (shown & RESETTING) this.#led.blink(FAST_MS, FAST_MS);
		else if (shown & EMPTY) this.#led.blink(FLASH_MS, PAUSE_MS);
		else if (shown & IDENTIFIED) this.#led.blink(MEDIUM_MS, MEDIUM_MS);
		else if (shown & READING) this.#led.blink(SLOW_MS, 0);
		else if (shown & WAITING) this.#led.blink(SLOW_MS, SLOW_MS);
		else this.#led.blink(0, 0);
	}
}
