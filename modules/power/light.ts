/**
 * What the device shows by its one light; of several the first:
 *
 *   blinks fast    everything is being reset
 *   on             the meter is being read
 *   blinks slowly  it is in no network: its own access point waits to be joined
 *   a flash        a readout has come
 *
 * Else it is off. For app/gateway.ts, and for the meter's reader, which tells of readings.
 */
import type { LED, LEDPort, Timers } from "../io/host.js";

export interface LightWorld {
	readonly timers: Timers;
	guard(part: string, run: () => void): void;
}

/** What is to be shown, as bits. */
const RESET = 1;
const READING = 2;
const WAITING = 4;

const FAST_MS = 100;
const SLOW_MS = 1000;
const FLASH_MS = 100;

export class Light {
	readonly #world: LightWorld;
	readonly #led: LED;
	#shown = 0;
	/** Ends a flash. */
	#timer: number | undefined;

	constructor(world: LightWorld, port: LEDPort) {
		this.#world = world;
		this.#led = new port.io(port.pins);
	}

	stop(): void {
		this.clear();
		this.#led.close();
	}

	resetting(): void {
		this.show(RESET, true);
	}

	reading(on: boolean): void {
		this.show(READING, on);
	}

	waiting(on: boolean): void {
		this.show(WAITING, on);
	}

	flash(): void {
		if (this.#shown & RESET) return;
		const { timers, guard } = this.#world;
		this.clear();
		this.#led.blink(FLASH_MS, 0);
		this.#timer = timers.set(() => guard("light", () => this.turn()), FLASH_MS);
	}

	private show(what: number, on: boolean): void {
		const shown = on ? this.#shown | what : this.#shown & ~what;
		if (shown === this.#shown) return;
		this.#shown = shown;
		this.turn();
	}

	/** Shows what is to be shown now. */
	private turn(): void {
		this.clear();
		const shown = this.#shown;
		if (shown & RESET) this.#led.blink(FAST_MS, FAST_MS);
		else if (shown & READING) this.#led.blink(SLOW_MS, 0);
		else if (shown & WAITING) this.#led.blink(SLOW_MS, SLOW_MS);
		else this.#led.blink(0, 0);
	}

	private clear(): void {
		if (this.#timer !== undefined) this.#world.timers.clear(this.#timer);
		this.#timer = undefined;
	}
}
