/**
 * Sleep of the simulator, during which no engine runs: ends when its time is over, when the button is pressed, or when USB is
 * plugged in (power.txt of the state folder).
 */
import { WAKE_BUTTON, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Timers } from "../../modules/io/host.js";

/** Between two looks, by the computer's time. */
const LOOK_MS = 250;
/** Volts of USB that is plugged in. */
const USB_MIN = 4;

export class Nap {
	readonly #timers: Timers;
	readonly #usbVoltage: () => number | undefined;
	/** Undefined: it is awake. */
	#end: ((reason: number) => void) | undefined;

	constructor(timers: Timers, usbVoltage: () => number | undefined) {
		this.#timers = timers;
		this.#usbVoltage = usbVoltage;
	}

	/** Settles with WAKE_… when the sleep of `ms` is over. */
	sleep(ms: number): Promise<number> {
		return new Promise((resolve) => {
			// As on the chip, an edge wakes it, not a present level.
			let wasPlugged = this.#isPlugged;
			const timer = this.#timers.set(() => this.#end?.(WAKE_TIMER), ms);
			const looker = setInterval(() => {
				if (this.#isPlugged && !wasPlugged) this.#end?.(WAKE_SUPPLY);
				wasPlugged = this.#isPlugged;
			}, LOOK_MS);
			this.#end = (reason) => {
				this.#timers.clear(timer);
				clearInterval(looker);
				this.#end = undefined;
				resolve(reason);
			};
		});
	}

	/** The button is pressed. False: it is awake. */
	press(): boolean {
		const end = this.#end;
		end?.(WAKE_BUTTON);
		return end !== undefined;
	}

	get #isPlugged(): boolean {
		return (this.#usbVoltage() ?? 0) >= USB_MIN;
	}
}
