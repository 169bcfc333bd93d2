/**
 * Virtual button. In the simulator a signal presses it, in the virtual world a test. Its callbacks run only in timers.
 */
import type { ButtonOptions, ButtonPort, Timers } from "../../modules/io/host.js";

export const PRESS_MS = 150;

export class SimulatedButton implements ButtonPort {
	readonly io: ButtonPort["io"];
	readonly pins = Object.freeze({});
	readonly #timers: Timers;
	readonly #opened = new Set<ButtonOptions>();
	#isDown = false;

	constructor(timers: Timers) {
		this.#timers = timers;
		const opened = this.#opened;
		this.io = class {
			readonly #options: ButtonOptions;

			constructor(options: ButtonOptions) {
				this.#options = options;
				opened.add(options);
			}

			close(): void {
				opened.delete(this.#options);
			}
		};
	}

	/** Presses the button for `ms`. Has no effect while the button is pressed. */
	press(ms = PRESS_MS): void {
		if (this.#isDown) return;
		this.#isDown = true;
		this.#timers.set(() => this.#report(true), 0);
		this.#timers.set(() => {
			this.#isDown = false;
			this.#report(false);
		}, ms);
	}

	#report(pressed: boolean): void {
		for (const { onChanged } of [...this.#opened]) onChanged(pressed);
	}
}
