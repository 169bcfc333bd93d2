/**
 * Sleep of the simulator without an engine: ends after its time, at a press of the button, or when USB is plugged in
 * (power.txt of the state folder).
 */
import { WAKE_BUTTON, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Timers } from "../../modules/io/host.js";

/** Interval of checks, in the computer's time. */
const LOOK_MS = 250;
/** Minimum voltage of plugged USB. */
const USB_MIN = 4;

export class Nap {
	readonly #timers: Timers;
	readonly #usbVoltage: () => number | undefined;
	/** Ends the sleep; undefined while awake. */
	#end: ((reason: number) => void) | undefined;

	constructor(timers: Timers, usbVoltage: () => number | undefined) {
		this.#timers = timers;
		this.#usbVoltage = usbVoltage;
	}

	/** Resolves with WAKE_… at the end of a sleep of `ms`. */
	sleep(ms: number): Promise<number> {
		return new Promise((resolve) => {
			// As on the chip, an edge wakes the gateway, not a level that is present already.
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

	/** Presses the button. Returns false while awake. */
	press(): boolean {
		const end = this.#end;
		end?.(WAKE_BUTTON);
		return end !== undefined;
	}

	get #isPlugged(): boolean {
		return (this.#usbVoltage() ?? 0) >= USB_MIN;
	}
}
