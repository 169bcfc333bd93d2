/**
 * Search for the slaves of an M-Bus by secondary addresses with wildcards (EN 13757-3, 11.5). If several slaves match a
 * selection, the search sets one more digit of the identification. The table shows the events in each state and the
 * next state:
 *
 *     SELECTING  no slave acknowledges   SELECTING with the next value of the digit
 *                a slave acknowledges    ASKING
 *     ASKING     one slave answers       CHECKING its whole address
 *                damaged, or no answer   SELECTING with a further digit
 *     CHECKING   acknowledged            found; SELECTING with the next value
 *                not acknowledged        SELECTING with a further digit
 *     any        all values tried, or LIMIT_MS over: ENDED
 */
import { FORMAT_8E1, type LineSettings } from "../io/host.js";
import { type LinkMachine, type Output, OutputQueue } from "../io/machine.js";
import { EVENT_END } from "../readout/protocol.js";
import { isAnswer, LinkFrames, shortFrame } from "./link-frames.js";
import {
	addressIn,
	anyAddress,
	digitOf,
	IDENT_DIGITS,
	isSelected,
	SELECTED,
	selectFrame,
	setDigit,
	WILD_DIGIT,
} from "./secondary.js";
import { FRAME_COUNT_BIT, REQ_UD2 } from "./session.js";

const CHARACTER_BITS = 11;
/**
 * Longest silence before an answer, ms: 50 in EN 13757-2, 5.5.4, and 50 for delays of the host. The time of 330 bits is
 * added.
 */
const ANSWER_MS = 100;
const ANSWER_BITS = 330;
/** Silence that ends an answer, ms. */
const GAP_MS = 150;
const LIMIT_MS = 170_000;
const LAST_VALUE = 9;

const STEP_SELECTING = 0;
const STEP_ASKING = 1;
const STEP_CHECKING = 2;

export class SlaveSearch implements LinkMachine {
	readonly line: LineSettings;
	/** Addresses found so far. */
	readonly found: Uint8Array[] = [];
	/** False if there may be more slaves. */
	isComplete = true;
	deadlineMs: number;
	readonly #limit: number;
	readonly #endMs: number;
	readonly #frames = new LinkFrames();
	readonly #outputs = new OutputQueue();
	/**
	 * Address with wildcards, and the position of the last digit that is set, counted from the end of the identification.
	 */
	readonly #wanted = anyAddress();
	#digit = IDENT_DIGITS;
	#step = STEP_SELECTING;
	#sent = 0;
	#heard = 0;
	#isAcknowledged = false;
	/** Address of the slave that answered. */
	#address: Uint8Array | undefined;

	/** `limit`: maximum number of slaves. */
	constructor(baud: number, limit: number, nowMs: number) {
		this.line = { baud, format: FORMAT_8E1 };
		this.#limit = limit;
		this.#endMs = nowMs + LIMIT_MS;
		this.deadlineMs = nowMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#heard += end - start;
		for (let i = start; i < end; i++) {
			if (!this.#frames.take(bytes[i])) continue;
			const { frame } = this.#frames;
			if (frame.length === 0) this.#isAcknowledged = true;
			else if (isAnswer(frame)) this.#address = addressIn(frame);
		}
		// Several slaves may acknowledge at different times, so the wait begins again.
		if (this.#step === STEP_ASKING && this.#heard > this.#sent) this.deadlineMs = nowMs + GAP_MS;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		const address = this.#address;
		// Damaged acknowledgements also count, but the echo of the request does not.
		const isThere = this.#isAcknowledged || (this.#heard > 0 && this.#heard !== this.#sent);
		if (this.#sent === 0) this.select(nowMs);
		else if (nowMs >= this.#endMs) this.end(false);
		else if (this.#step === STEP_SELECTING) {
			if (!isThere) this.goOn(nowMs);
			else {
				this.#step = STEP_ASKING;
				this.#address = undefined;
				this.send(shortFrame(REQ_UD2 | FRAME_COUNT_BIT, SELECTED), nowMs);
			}
		} else if (this.#step === STEP_ASKING && address !== undefined && isSelected(address, this.#wanted)) {
			this.#step = STEP_CHECKING;
			this.send(selectFrame(address), nowMs);
		} else if (this.#step === STEP_CHECKING && address !== undefined && isThere) {
			this.found.push(address);
			if (this.found.length === this.#limit) this.end(false);
			else this.goOn(nowMs);
		} else this.narrow(nowMs);
	}

	poll(): Output {
		return this.#outputs.poll();
	}

	private narrow(nowMs: number): void {
		if (this.#digit === 0) {
			this.isComplete = false;
			this.goOn(nowMs);
		} else {
			setDigit(this.#wanted, --this.#digit, 0);
			this.select(nowMs);
		}
	}

	/**
	 * Continues with the next value of the digit. After the last value, continues with the digit that was set before it.
	 */
	private goOn(nowMs: number): void {
		for (; this.#digit < IDENT_DIGITS; this.#digit++) {
			const value = digitOf(this.#wanted, this.#digit);
			if (value < LAST_VALUE) {
				setDigit(this.#wanted, this.#digit, value + 1);
				this.select(nowMs);
				return;
			}
			setDigit(this.#wanted, this.#digit, WILD_DIGIT);
		}
		this.end(this.isComplete);
	}

	private select(nowMs: number): void {
		this.#step = STEP_SELECTING;
		this.send(selectFrame(this.#wanted), nowMs);
	}

	private send(bytes: Uint8Array, nowMs: number): void {
		const { length } = bytes;
		this.#frames.reset();
		this.#isAcknowledged = false;
		this.#heard = 0;
		this.#sent = length;
		this.#outputs.transmit(bytes, 0, length);
		this.deadlineMs = nowMs + ANSWER_MS + ((length * CHARACTER_BITS + ANSWER_BITS) * 1000) / this.line.baud;
	}

	private end(isComplete: boolean): void {
		this.isComplete = isComplete;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#outputs.event(EVENT_END);
	}
}
