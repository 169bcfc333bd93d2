/**
 * The device's only button. A short press turns on Wi-Fi and the access point for a while. A press of ten seconds
 * resets the device to factory settings. A press of 3 to 10 s has no effect.
 *
 *            pressed          released                                 held for LONG_MS
 *   UP       DOWN             –                                        –
 *   DOWN     DOWN, restarted  UP; within SHORT_LIMIT_MS: PRESS_SHORT   UP; PRESS_LONG
 *
 * After a long press the state is UP although the button is still pressed; its release is then ignored.
 */
import type { Driver, Task } from "../io/driver.js";
import type { ButtonPort } from "../io/host.js";
import type { Timed } from "../io/machine.js";

export const PRESS_SHORT = 0;
/** A long press. It is reported after LONG_MS, before the button is released. */
export const PRESS_LONG = 1;

const SHORT_LIMIT_MS = 3000;
const LONG_MS = 10_000;

export interface ButtonListener {
	pressed(press: number): void;
}

export class Button implements Timed {
	readonly #task: Task;
	readonly #listener: ButtonListener;
	readonly #button: { close(): void };
	#longMs = Number.POSITIVE_INFINITY;

	constructor(driver: Driver, port: ButtonPort, listener: ButtonListener) {
		this.#listener = listener;
		this.#task = driver.register("button", this);
		this.#button = new port.io({
			...port.pins,
			onChanged: (isDown) => this.#task.fromHost((nowMs) => this.changed(isDown, nowMs)),
		});
	}

	stop(): void {
		this.#button.close();
		this.#task.stop();
	}

	get deadlineMs(): number {
		return this.#longMs;
	}

	changed(isDown: boolean, nowMs: number): void {
		const longMs = this.#longMs;
		this.#longMs = isDown ? nowMs + LONG_MS : Number.POSITIVE_INFINITY;
		if (!isDown && nowMs - (longMs - LONG_MS) < SHORT_LIMIT_MS && longMs < Number.POSITIVE_INFINITY) {
			this.#listener.pressed(PRESS_SHORT);
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.#longMs) return;
		this.#longMs = Number.POSITIVE_INFINITY;
		this.#listener.pressed(PRESS_LONG);
	}
}
