/**
 * Enters the PIN of a meter that hides its values, by light, as its owner would with a torch (FNN, Lastenheft Basiszähler):
 * short flashes lead from the display's test to its "PIN", where each flash counts the digit up by one, and 3 s without a
 * flash take it and go on with the next one. What the meter sends may hang on "InF" of the menu that follows: short flashes
 * lead there, and a long one switches it.
 *
 * What manuals and those who have built such a head tell of it:
 *
 *   a short flash   0.1 to 4 s (Sagemcom Smarty BZ, 6.4), below 4.5 s (EMH mMe4.0), up to about 4 s (EasyMeter Q3A, 8.5.1);
 *                   0.2 s was too short for a Q3A and 0.4 s was enough (ATtiny-PinKeepAlive); here 0.5 s
 *   a long flash    5 s and more (Sagemcom, EasyMeter, DZG), above 4.5 s (EMH); here 5.5 s
 *   to the PIN      two flashes: EasyMeter Q3A, EMH ED300L, Iskra MT175 and MT631, DZG DWS (EVH Halle, E.DIS);
 *                   one: DZG WS7412, Apator Picus (wesernetz)
 *   a digit         taken after 3 s of dark (all of them); a 0 is no flash; 9 is followed by 0
 *   the way back    after 120 s without light, or when the PIN is wrong (EMH, EasyMeter, Sagemcom); what an EMH ED300L or
 *                   a Q3A sends is short again then, unless InF is on. Some lock the PIN after too many wrong ones (EMH)
 *
 * A flash is made of NUL characters at 300 Bd, 8N1: the line is low, and the head's LED alight, for nine of ten bits.
 * What arrives meanwhile is not looked at, and nothing of it is logged: it would tell the PIN.
 */
import type { Driver } from "../io/driver.js";
import { FORMAT_8N1, type LineSettings, type SerialPort } from "../io/host.js";
import { Link } from "../io/link.js";
import { type Machine, type Output, OutputQueue } from "../io/machine.js";
import type { LineBorrower } from "./settings.js";

const LINE: LineSettings = Object.freeze({ baud: 300, format: FORMAT_8N1 });
const SHORT_CHARACTERS = 15;
const LONG_CHARACTERS = 165;

// What is done, a byte a step: how long until the next one, in units of UNIT_MS, and what it is.
const UNIT_MS = 500;
const UNITS = 0x0f;
/** The last one of a digit. */
const TAKES = 0x10;
const LONG = 0x40;
const LIGHT = 0x80;

/** On the way to the PIN, and from one entry of the menu to the next. */
const LEAD = LIGHT | 4;
const COUNT = LIGHT | 2;
/** The meter takes a digit after 3 s of dark. The next one begins in the middle of its own 3 s. */
const LAST_COUNT = LIGHT | TAKES | 10;
const ZERO = TAKES | 6;
const SWITCH = LIGHT | LONG | 13;
const MOST_OF_DIGIT = 9;
/** The display is at rest after so much dark. */
const REST_MS = 125_000;

/** Event: all is done. */
const EVENT_ENTERED = 1;

export interface PINPlan {
	/** Digits. */
	readonly pin: string;
	/** Flashes that lead from the display at rest to its "PIN". */
	readonly flashes: number;
	/** Flashes that lead from the first value after the PIN to what a long flash is to switch; undefined: nothing. */
	readonly inf?: number | undefined;
	/** Until when the head was alight for another PIN at the latest, monotonic ms; -Infinity: it was not. */
	readonly litMs: number;
}

export class PINEntry implements Machine, LineBorrower {
	deadlineMs: number;
	readonly #steps: Uint8Array;
	/** How long it is dark before the first step. */
	readonly #waitMs: number;
	#at = 0;
	readonly #outputs = new OutputQueue();
	readonly #over: () => void;
	#link: Link | undefined;

	/** `over` is told of the end, but for that by `stop`. */
	constructor(plan: PINPlan, driver: Driver, port: SerialPort, nowMs: number, over: () => void) {
		this.#steps = stepsOf(plan);
		this.#over = over;
		// A long flash in a menu that still shows would switch what nobody has chosen.
		this.#waitMs = plan.inf === undefined ? 0 : Math.max(0, plan.litMs + REST_MS - nowMs);
		this.deadlineMs = nowMs + this.#waitMs;
		const end = () => this.end();
		try {
			this.#link = new Link(driver, { port, line: LINE, machine: this, onEvent: end, onClosed: end });
		} catch {
			over();
		}
	}

	/** Not after its end, and not where the port can't be opened. */
	get isGoingOn(): boolean {
		return this.#link !== undefined;
	}

	/** When each digit is taken, then when all is over, where all is done in time: ms from the beginning. */
	get timesMs(): number[] {
		const times: number[] = [];
		let ms = this.#waitMs;
		for (const step of this.#steps) {
			ms += (step & UNITS) * UNIT_MS;
			if (step & TAKES) times.push(ms);
		}
		times.push(ms);
		return times;
	}

	/** Breaks off. The meter is left to find its way back. */
	end(): void {
		this.stop();
		this.#over();
	}

	stop(): void {
		this.#link?.close();
		this.#link = undefined;
	}

	receive(): void {}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const step = this.#steps[this.#at++];
		// From now: a gateway that comes late makes the dark longer, and no two flashes one.
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

/** Then a 0. */
function stepsOf({ pin, flashes, inf = -1 }: PINPlan): Uint8Array {
	const steps = new Uint8Array(flashes + pin.length * MOST_OF_DIGIT + Math.max(inf, 0) + 2);
	let at = flashes;
	steps.fill(LEAD, 0, at);
	for (let i = 0; i < pin.length; i++) {
		const digit = pin.charCodeAt(i) - 0x30;
		for (let count = 1; count < digit; count++) steps[at++] = COUNT;
		steps[at++] = digit === 0 ? ZERO : LAST_COUNT;
	}
	if (inf >= 0) {
		steps.fill(LEAD, at, at + inf);
		steps[at + inf] = SWITCH;
	}
	return steps;
}
