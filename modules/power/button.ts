/**
 * The device's one button: a short press brings Wi-Fi and the access point up for a while, one of ten seconds resets the
 * device to what it was when new. What lies between was thought better of, and does nothing. For app/gateway.ts.
 *
 *            pressed      let go                               held for LONG_MS
 *   UP       DOWN         –                                    –
 *   DOWN     DOWN, anew   UP; within SHORT_LIMIT_MS: PRESS_SHORT   UP; PRESS_LONG
 *
 * After a long press it is UP, whether the finger is still on it or not: letting go is nothing then.
 */
import type { Drive, Driver } from "../io/driver.js";
import type { ButtonPort } from "../io/host.js";
import type { Timed } from "../io/machine.js";

/** Kinds of a press. */
export const PRESS_SHORT = 0;
/** Told when the time is over: it may still be down. */
export const PRESS_LONG = 1;

const SHORT_LIMIT_MS = 3000;
const LONG_MS = 10_000;

/** Told of a press. */
export interface ButtonUser {
	/** PRESS_… */
	pressed(press: number): void;
}

export class Button implements Timed {
	readonly #drive: Drive;
	readonly #user: ButtonUser;
	readonly #button: { close(): void };
	/** When the press becomes a long one; Infinity while it is UP. */
	#longMs = Number.POSITIVE_INFINITY;

	constructor(driver: Driver, port: ButtonPort, user: ButtonUser) {
		this.#user = user;
		this.#drive = driver.drive("button", this);
		this.#button = new port.io({
			...port.pins,
			onChanged: (isDown) => this.#drive.run((nowMs) => this.changed(isDown, nowMs)),
		});
	}

	stop(): void {
		this.#button.close();
		this.#drive.stop();
	}

	get deadlineMs(): number {
		return this.#longMs;
	}

	/** It is held down from now on, or has been let go. */
	changed(isDown: boolean, nowMs: number): void {
		const longMs = this.#longMs;
		this.#longMs = isDown ? nowMs + LONG_MS : Number.POSITIVE_INFINITY;
		if (!isDown && nowMs - (longMs - LONG_MS) < SHORT_LIMIT_MS && longMs < Number.POSITIVE_INFINITY) {
			this.#user.pressed(PRESS_SHORT);
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.#longMs) return;
		this.#longMs = Number.POSITIVE_INFINITY;
		this.#user.pressed(PRESS_LONG);
	}
}
