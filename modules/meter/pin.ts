/**
 * Enters a meter's PIN with light flashes (FNN, Lastenheft Basiszähler). Short flashes lead from the display test to
 * "PIN", where each flash increments the digit, and 3 s without a flash accept it. In the next menu, short flashes lead
 * to "InF" (how much data the meter sends), and a long flash switches it.
 *
 *     a short flash   0.1 to 4 s (Sagemcom Smarty BZ, 6.4), below 4.5 s (EMH mMe4.0), up to about 4 s (EasyMeter Q3A, 8.5.1);
 *                     0.2 s was too short for a Q3A and 0.4 s was enough (ATtiny-PinKeepAlive); here 0.5 s
 *     a long flash    5 s and more (Sagemcom, EasyMeter, DZG), above 4.5 s (EMH); here 5.5 s
 *     to the PIN      two flashes: EasyMeter Q3A, EMH ED300L, Iskra MT175 and MT631, DZG DWS (EVH Halle, E.DIS);
 *                     one: DZG WS7412, Apator Picus (wesernetz)
 *     a digit         accepted after 3 s without light (all of them); no flash is a 0; after 9, a flash leads to 0
 *     timeout         after 120 s without light, or with a wrong PIN (EMH, EasyMeter, Sagemcom); an EMH ED300L or a Q3A then
 *                     sends the short telegram again, unless InF is on. Some lock the PIN after too many wrong ones (EMH)
 *
 * A flash consists of NUL characters at 300 Bd, 8N1. For nine of the ten bits of a NUL, the line is low and the LED of
 * the optical head is on. Received bytes are ignored. Nothing is logged, to keep the PIN secret.
 */
import type { Driver } from "../io/driver.js";
import { isMistake } from "../io/fault.js";
import { FORMAT_8N1, type LineSettings, type SerialPort } from "../io/host.js";
import { Link, type LinkListener } from "../io/link.js";
import { type LinkMachine, type Output, OutputQueue } from "../io/machine.js";
import type { LineBorrower } from "./settings.js";

const LINE: LineSettings = Object.freeze({ baud: 300, format: FORMAT_8N1 });
const SHORT_CHARACTERS = 15;
const LONG_CHARACTERS = 165;

// Actions, one byte each: flags, and in the low bits the time until the next action, in units of UNIT_MS.
const UNIT_MS = 500;
const UNITS = 0x0f;
const ENDS_DIGIT = 0x10;
const LONG = 0x40;
const LIGHT = 0x80;

const LEADING_FLASH = LIGHT | 4;
const COUNTING_FLASH = LIGHT | 2;
/**
 * The meter accepts the digit after 3 s without light. After another 3 s it would accept a 0 as the next digit, so the
 * first flash of the next digit comes halfway between these times.
 */
const LAST_FLASH = LIGHT | ENDS_DIGIT | 10;
const NO_FLASH = ENDS_DIGIT | 6;
const SWITCHING_FLASH = LIGHT | LONG | 13;
const FLASHES_PER_DIGIT = 9;
const RESET_MS = 125_000;

const EVENT_ENTERED = 1;

export interface PINPlan {
	readonly pin: string;
	/** Number of flashes from the idle display to "PIN". */
	readonly flashes: number;
	/**
	 * Number of flashes from the first value after the PIN to "InF", which a long flash then switches. Undefined: "InF"
	 * is not switched.
	 */
	readonly inf?: number | undefined;
	/** End of the last flash for an earlier PIN, monotonic ms; -Infinity if there was none. */
	readonly litMs: number;
}

export class PINEntry implements LinkMachine, LinkListener, LineBorrower {
	deadlineMs: number;
	readonly #steps: Uint8Array;
	readonly #waitMs: number;
	#at = 0;
	readonly #outputs = new OutputQueue();
	readonly #onEnd: () => void;
	#link: Link | undefined;

	/** `onEnd` is called at the end, but not after `stop()`. */
	constructor(plan: PINPlan, driver: Driver, port: SerialPort, nowMs: number, onEnd: () => void) {
		this.#steps = stepsOf(plan);
		this.#onEnd = onEnd;
		// The display must first return to its idle state: in the menu of an earlier PIN, a long flash would switch another
		// menu entry.
		this.#waitMs = plan.inf === undefined ? 0 : Math.max(0, plan.litMs + RESET_MS - nowMs);
		this.deadlineMs = nowMs + this.#waitMs;
		try {
			this.#link = new Link(driver, { port, machine: this, listener: this });
		} catch (error) {
			onEnd();
			if (isMistake(error)) throw error;
		}
	}

	get line(): LineSettings {
		return LINE;
	}

	get isRunning(): boolean {
		return this.#link !== undefined;
	}

	/** Times at which the meter accepts each digit, then the time of the end, in ms from the beginning. */
	get timesMs(): number[] {
		const times: number[] = [];
		let ms = this.#waitMs;
		for (const step of this.#steps) {
			ms += (step & UNITS) * UNIT_MS;
			if (step & ENDS_DIGIT) times.push(ms);
		}
		times.push(ms);
		return times;
	}

	linkEvent(): void {
		this.end();
	}

	linkClosed(): void {
		this.end();
	}

	end(): void {
		this.stop();
		this.#onEnd();
	}

	stop(): void {
		this.#link?.close();
		this.#link = undefined;
	}

	receive(): void {}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const step = this.#steps[this.#at++];
		// The next action is timed from now, so that flashes never merge if this call is late.
		this.deadlineMs = nowMs + (step & UNITS) * UNIT_MS;
		if (step & LIGHT) {
			const count = step & LONG ? LONG_CHARACTERS : SHORT_CHARACTERS;
			this.#outputs.transmit(new Uint8Array(count), 0, count);
		} else if (step === 0) {
			this.deadlineMs = Number.POSITIVE_INFINITY;
			this.#outputs.event(EVENT_ENTERED);
		}
	}

	poll(): Output {
		return this.#outputs.poll();
	}
}

function stepsOf({ pin, flashes, inf = -1 }: PINPlan): Uint8Array {
	const steps = new Uint8Array(flashes + pin.length * FLASHES_PER_DIGIT + Math.max(inf, 0) + 2);
	let at = flashes;
	steps.fill(LEADING_FLASH, 0, at);
	for (let i = 0; i < pin.length; i++) {
		const digit = pin.charCodeAt(i) - 0x30;
		for (let count = 1; count < digit; count++) steps[at++] = COUNTING_FLASH;
		steps[at++] = digit === 0 ? NO_FLASH : LAST_FLASH;
	}
	if (inf >= 0) {
		steps.fill(LEADING_FLASH, at, at + inf);
		steps[at + inf] = SWITCHING_FLASH;
	}
	return steps;
}
