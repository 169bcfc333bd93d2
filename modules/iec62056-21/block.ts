/**
 * Frame of a data message in modes A, B and C, for the sign-on session. IEC 62056-21:2002, 6.3.4.
 *
 * | bytes | meaning |
 * |---|---|
 * | STX | start; not part of the check |
 * | block | data sets (dataset.ts), ended by `!` CR LF |
 * | ETX | end |
 * | BCC | exclusive or of everything after STX up to and with ETX, 7 bits; any value from 00 to 7F, LF and ETX too |
 *
 * Meters and optical heads leave parts out or add some, so: the echo of the acknowledgement and `ACK CR LF` before STX
 * are passed over; a block may begin without STX; without ETX the owner ends it after a silence (`end`).
 *
 * In programming mode a block may come in parts, each with its own STX and BCC; all but the last end in EOT (6.3.4 and 6.5).
 */
import type { DataSetParser } from "./dataset.js";

/** What the check of a block told. */
export const CHECK_ABSENT = 0;
export const CHECK_RIGHT = 1;
export const CHECK_WRONG = 2;

const STATE_WAIT = 0;
const STATE_ECHO = 1;
const STATE_BODY = 2;
const STATE_TAIL = 3;
const STATE_BCC = 4;
const STATE_DONE = 5;

/** A block, or its first part; the next part; and that once more. */
export const PART_FIRST = 0;
export const PART_NEXT = 1;
export const PART_AGAIN = 2;

const SOH = 0x01;
const STX = 0x02;
const ETX = 0x03;
const EOT = 0x04;
const ACK = 0x06;
const LF = 0x0a;
const BLANK = 0x20;
const DELETE = 0x7f;

export class BlockReceiver {
	readonly #parser: DataSetParser;
	/** The first character of a block without STX, which the parser takes as a piece of one. */
	readonly #one = new Uint8Array(1);
	#state = STATE_WAIT;
	#bcc = 0;
	#framed = false;
	#needsSTX = false;
	/** CHECK_…; final once `done`. */
	check = CHECK_ABSENT;
	/** The block was opened by SOH: the meter is in programming mode and wants a break. */
	programming = false;
	/** Another part follows, once it is asked for. */
	more = false;
	/** The last character that may end a block. */
	readonly #lastEnd: number;
	#isPart = false;

	/** `takesParts`: EOT ends a part. */
	constructor(parser: DataSetParser, takesParts = false) {
		this.#parser = parser;
		this.#lastEnd = takesParts ? EOT : ETX;
	}

	/**
	 * A block is expected from now on, or a part of one (PART_…); `needsSTX`: one that begins with STX, and all else is passed
	 * over.
	 */
	begin(needsSTX = false, part = PART_FIRST): void {
		this.#state = STATE_WAIT;
		this.#needsSTX = needsSTX;
		this.#framed = false;
		this.#isPart = part !== PART_FIRST;
		this.check = CHECK_ABSENT;
		this.programming = this.more = false;
		if (this.#isPart) this.#parser.beginPart(part === PART_AGAIN);
		else this.#parser.begin();
	}

	/** True when something of a block has come. */
	get started(): boolean {
		return this.#state >= STATE_BODY;
	}

	get done(): boolean {
		return this.#state === STATE_DONE;
	}

	/** True when a silence ends the block: its `!` has come, and no ETX need follow since no STX did. */
	get complete(): boolean {
		return this.#state >= STATE_TAIL;
	}

	get framed(): boolean {
		return this.#framed;
	}

	/** Takes bytes; returns the offset after the last one taken, which is `end` unless the block is done. */
	receive(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		while (i < end && this.#state !== STATE_DONE) {
			if (this.#state === STATE_BODY) i = this.takeBody(bytes, i, end);
			else this.takeFrame(bytes[i++]);
		}
		return i;
	}

	/** Nothing more comes. */
	end(): void {
		if (this.#state === STATE_BODY) this.#parser.cut();
		this.#state = STATE_DONE;
	}

	private takeFrame(character: number): void {
		if (this.#state === STATE_ECHO && character !== STX) {
			if (character === LF) this.#state = STATE_WAIT;
		} else if (this.#state < STATE_BODY) this.takeFirst(character);
		else if (this.#state === STATE_TAIL) {
			this.#bcc ^= character;
			if (character === ETX) this.#state = STATE_BCC;
		} else {
			// A damaged BCC (0x80 and above) can't be equal to 7 bits.
			this.check = character === (this.#bcc & 0x7f) ? CHECK_RIGHT : CHECK_WRONG;
			this.#state = STATE_DONE;
		}
	}

	/** Before the block: what opens it, and what is passed over. */
	private takeFirst(character: number): void {
		if (character === STX || character === SOH) this.open(character);
		else if (character === ACK) this.#state = STATE_ECHO;
		else if (character > BLANK && character < DELETE && !this.#needsSTX) {
			this.#parser.begin();
			this.#state = STATE_BODY;
			this.#bcc = character;
			this.#one[0] = character;
			this.#parser.receive(this.#one, 0, 1);
			if (this.#parser.ended) this.#state = STATE_TAIL;
		}
	}

	private open(character: number): void {
		// In `SOH P0 STX …` the check counts from the SOH on; an SOH right before STX is noise.
		const hasHeader = this.programming && character === STX && this.#bcc !== 0;
		this.#framed = true;
		this.programming = character === SOH || hasHeader;
		this.#bcc = hasHeader ? this.#bcc ^ STX : 0;
		if (!this.#isPart) this.#parser.begin();
		this.#state = STATE_BODY;
	}

	private takeBody(bytes: Uint8Array, start: number, end: number): number {
		let stop = start;
		while (stop < end && (bytes[stop] > this.#lastEnd || bytes[stop] < SOH)) stop++;
		const taken = this.#parser.receive(bytes, start, stop);
		for (let i = start; i < taken; i++) this.#bcc ^= bytes[i];
		if (this.#parser.ended) {
			this.#state = STATE_TAIL;
			return taken;
		}
		if (stop === end) return end;
		const character = bytes[stop];
		// An STX after a line of noise or echo opens the block; one inside a block is a damaged character.
		if ((character === STX || character === SOH) && this.#parser.values === 0) this.open(character);
		else {
			this.#bcc ^= character;
			if (character >= ETX) {
				this.more = character === EOT;
				if (this.more) this.#parser.endPart();
				else this.#parser.cut();
				this.#state = STATE_BCC;
			} else this.#parser.receive(bytes, stop, stop + 1);
		}
		return stop + 1;
	}
}
