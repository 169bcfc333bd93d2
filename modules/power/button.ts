/**
 * The device's one button (decision 50): a short press brings Wi-Fi and the access point up for a while, one of ten
 * seconds resets the device to what it was when new. What lies between was thought better of, and does nothing. For
 * app/gateway.ts.
 */
import type { ButtonPort, Clock, Timers } from "../io/host.js";

export interface ButtonWorld {
	readonly clock: Clock;
	readonly timers: Timers;
	guard(part: string, run: () => void): void;
}

/** Kinds of a press. */
export const PRESS_SHORT = 0;
/** Told when the time is over: it may still be down. */
export const PRESS_LONG = 1;

const SHORT_LIMIT_MS = 3000;
const LONG_MS = 10_000;

export class Button {
	readonly #world: ButtonWorld;
	readonly #pressed: (press: number) => void;
	readonly #button: { close(): void };
	#sinceMs = 0;
	/** Runs while it is down. */
	#timer: number | undefined;

	/** `pressed` is told PRESS_…. */
	constructor(world: ButtonWorld, port: ButtonPort, pressed: (press: number) => void) {
		this.#world = world;
		this.#pressed = pressed;
		this.#button = new port.io({
			...port.pins,
			onChanged: (isDown) => world.guard("button", () => this.changed(isDown)),
		});
	}

	stop(): void {
		this.#button.close();
		this.clear();
	}

	private changed(isDown: boolean): void {
		const { clock, timers, guard } = this.#world;
		const wasDown = this.#timer !== undefined;
		this.clear();
		if (isDown) {
			this.#sinceMs = clock.monotonicMs();
			this.#timer = timers.set(() => {
				this.#timer = undefined;
				guard("button", () => this.#pressed(PRESS_LONG));
			}, LONG_MS);
		} else if (wasDown && clock.monotonicMs() - this.#sinceMs < SHORT_LIMIT_MS) this.#pressed(PRESS_SHORT);
	}

	private clear(): void {
		if (this.#timer !== undefined) this.#world.timers.clear(this.#timer);
		this.#timer = undefined;
	}
}
