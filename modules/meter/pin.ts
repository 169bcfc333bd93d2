/**
 * Enters the PIN of a meter that hides its values, by light, as its owner would with a torch (FNN, Lastenheft Basiszähler;
 * manuals of EMH, Iskra, EasyMeter, Holley): short flashes lead from the display's test to its "PIN", where each flash
 * counts the digit up by one, and 3 s without a flash take it and go on with the next one.
 *
 * A flash is made of NUL characters at 300 Bd, 8N1: the line is low, and the head's LED alight, for nine of ten bits.
 * What arrives meanwhile is not looked at, and nothing of it is logged: it would tell the PIN.
 *
 *   flash, and the dark after it:  OPENING_MS to the PIN, DIGIT_MS in a digit; after a digit's last one TAKEN_MS more
 *   a digit 0: ZERO_MS of dark; after the last digit it is over
 */
import type { Driver } from "../io/driver.js";
import { FORMAT_8N1, type LineSettings, type SerialPort } from "../io/host.js";
import { Link } from "../io/link.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { Guest } from "./settings.js";

const LINE: LineSettings = Object.freeze({ baud: 300, format: FORMAT_8N1 });
/** Of a flash: half a second. */
const CHARACTERS = 15;
const OPENING_MS = 2000;
const DIGIT_MS = 1000;
/** The meter takes a digit after 3 s of dark. The next one begins in the middle of its own 3 s. */
const TAKEN_MS = 4000;
const ZERO_MS = 3000;

/** Event: the last digit was taken. */
const EVENT_ENTERED = 1;

export class PINEntry implements Machine, Guest {
	/** From the beginning to the end, when all is done in time. */
	readonly durationMs: number;
	deadlineMs: number;
	readonly #pin: string;
	readonly #outputs = new OutputQueue();
	readonly #nul = new Uint8Array(CHARACTERS);
	#link: Link | undefined;
	/** Digit that flashes; -1: the way to the PIN. How many flashes are left of it. */
	#at = -1;
	#left: number;

	/** `pin`: digits. `opening`: flashes that lead from the display as it is at rest to its "PIN". `over` is told of the end. */
	constructor(pin: string, opening: number, driver: Driver, port: SerialPort, nowMs: number, over: () => void) {
		this.#pin = pin;
		this.#left = opening;
		this.deadlineMs = nowMs;
		this.durationMs = opening * OPENING_MS;
		for (let i = 0; i < pin.length; i++) {
			const digit = this.digit(i);
			this.durationMs += digit > 0 ? digit * DIGIT_MS + TAKEN_MS : ZERO_MS;
		}
		const end = () => {
			this.stop();
			over();
		};
		try {
			this.#link = new Link(driver, { port, line: LINE, machine: this, onEvent: end, onGone: end });
		} catch {
			end();
		}
	}

	/** Not after its end, and not where the port can't be opened. */
	get isGoingOn(): boolean {
		return this.#link !== undefined;
	}

	stop(): void {
		this.#link?.close();
		this.#link = undefined;
	}

	receive(): void {}

	advance(nowMs: number): void {
		while (nowMs >= this.deadlineMs) {
			if (this.#left > 0) {
				this.#outputs.transmit(this.#nul, 0, CHARACTERS);
				this.#left--;
				// From now: a gateway that comes late makes the dark longer, and no two flashes one.
				this.deadlineMs = nowMs + (this.#at < 0 ? OPENING_MS : this.#left > 0 ? DIGIT_MS : DIGIT_MS + TAKEN_MS);
			} else if (++this.#at < this.#pin.length) {
				this.#left = this.digit(this.#at);
				if (this.#left === 0) this.deadlineMs = nowMs + ZERO_MS;
			} else {
				this.deadlineMs = Number.POSITIVE_INFINITY;
				this.#outputs.event(EVENT_ENTERED);
			}
		}
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	private digit(at: number): number {
		return this.#pin.charCodeAt(at) - 0x30;
	}
}
