/**
 * Sleep of the simulator, during which no engine runs. The sleep ends after its time, when the button is pressed, or
 * when USB is plugged in (power.txt in the state folder).
 */
import { WAKE_BUTTON, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Timers } from "../../modules/io/host.js";

const POLL_MS = 250;
/** Least voltage with USB plugged in, V. */
const USB_MIN = 4;

export class SimulatedSleep {
	readonly #timers: Timers;
	readonly #usbVoltage: () => number | undefined;
	#end: ((reason: number) => void) | undefined;

	constructor(timers: Timers, usbVoltage: () => number | undefined) {
		this.#timers = timers;
		this.#usbVoltage = usbVoltage;
	}

	/** Resolves with the cause of the wake-up, WAKE_…. */
	sleep(ms: number): Promise<number> {
		return new Promise((resolve) => {
			// As on the chip, USB ends the sleep only if it is plugged in during the sleep.
			let wasPlugged = this.#isPlugged;
			const timer = this.#timers.set(() => this.#end?.(WAKE_TIMER), ms);
			const poll = setInterval(() => {
				if (this.#isPlugged && !wasPlugged) this.#end?.(WAKE_SUPPLY);
				wasPlugged = this.#isPlugged;
			}, POLL_MS);
			this.#end = (reason) => {
				this.#timers.clear(timer);
				clearInterval(poll);
				this.#end = undefined;
				resolve(reason);
			};
		});
	}

	/** Wakes the unit. Returns false if it is awake. */
	press(): boolean {
		const end = this.#end;
		end?.(WAKE_BUTTON);
		return end !== undefined;
	}

	get #isPlugged(): boolean {
		return (this.#usbVoltage() ?? 0) >= USB_MIN;
	}
}
