/**
 * Sleep of the bench, during which no engine runs: ends when its time is over, when the button is pressed, or when USB is
 * plugged in (power.txt of the state folder).
 */
import { WAKE_BUTTON, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";

const LOOK_MS = 250;
/** Volts of USB that is plugged in. */
const USB_MIN = 4;

/** How a sleep has ended. */
export interface NapEnd {
	/** WAKE_… */
	readonly reason: number;
	/** By the gateway's clock. */
	readonly sleptMs: number;
}

export class Nap {
	/** Undefined: it is awake. */
	#end: ((reason: number) => void) | undefined;
	/** Of its clock while it sleeps, to that of the computer. */
	readonly #speed: number;
	readonly #usbVoltage: () => number | undefined;

	constructor(speed: number, usbVoltage: () => number | undefined) {
		this.#speed = speed;
		this.#usbVoltage = usbVoltage;
	}

	/** Settles when the sleep of `ms` is over. */
	async sleep(ms: number): Promise<NapEnd> {
		const fromMs = performance.now();
		// As the chip, which can be woken by what comes, not by what is there.
		let wasPlugged = this.#isPlugged;
		const reason = await new Promise<number>((resolve) => {
			const timer = setTimeout(() => resolve(WAKE_TIMER), ms / this.#speed);
			const looker = setInterval(() => {
				if (this.#isPlugged && !wasPlugged) resolve(WAKE_SUPPLY);
				wasPlugged = this.#isPlugged;
			}, LOOK_MS);
			this.#end = (why) => {
				clearTimeout(timer);
				clearInterval(looker);
				this.#end = undefined;
				resolve(why);
			};
		});
		this.#end?.(reason);
		const sleptMs = reason === WAKE_TIMER ? ms : Math.min(ms, (performance.now() - fromMs) * this.#speed);
		return { reason, sleptMs };
	}

	/** False: it is awake. */
	press(): boolean {
		const end = this.#end;
		end?.(WAKE_BUTTON);
		return end !== undefined;
	}

	get #isPlugged(): boolean {
		return (this.#usbVoltage() ?? 0) >= USB_MIN;
	}
}
