/**
 * Receiver for a data message in modes A, B and C (IEC 62056-21:2002, 6.3.4):
 *
 * | bytes | meaning |
 * |---|---|
 * | STX | start; not part of the check |
 * | block | data sets (dataset.ts), ended by `!` CR LF |
 * | ETX | end |
 * | BCC | exclusive or of everything after STX up to and including ETX, 7 bits; any value from 00 to 7F, even LF and ETX |
 *
 * Meters of Kamstrup in mode A send the sum instead of the exclusive or (Multical 41, installation guide, 11.2).
 *
 * Some meters and optical heads omit or add characters: an echo and `ACK CR LF` before STX are skipped, a block need
 * not have an STX, and `end()`, called after a silence, ends a block without ETX.
 *
 * In programming mode a block may consist of several parts, each with its own STX and BCC. All parts except the last
 * one end with EOT (6.3.4, 6.5).
 */
import type { DataSetParser } from "./dataset.js";

export const CHECK_ABSENT = 0;
export const CHECK_RIGHT = 1;
export const CHECK_WRONG = 2;

const STATE_WAIT = 0;
const STATE_ECHO = 1;
const STATE_BODY = 2;
const STATE_TAIL = 3;
const STATE_BCC = 4;
const STATE_DONE = 5;

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
	/** First character of a block without STX, in an array because the parser needs one. */
	readonly #firstCharacter = new Uint8Array(1);
	#state = STATE_WAIT;
	#bcc = 0;
	#sum = 0;
	/** True if the BCC may be the sum. */
	acceptsSum = false;
	#framed = false;
	#needsSTX = false;
	check = CHECK_ABSENT;
	/** True if SOH opened the block; the meter then needs a break. */
	programming = false;
	more = false;
	/** Highest character that may end a block: EOT if parts are accepted, otherwise ETX. */
	readonly #lastEnd: number;
	#isPart = false;

	constructor(parser: DataSetParser, acceptsParts = false) {
		this.#parser = parser;
		this.#lastEnd = acceptsParts ? EOT : ETX;
	}

	/** Begins a block or one of its parts. If `needsSTX`, everything before an STX is skipped. */
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

	get started(): boolean {
		return this.#state >= STATE_BODY;
	}

	get done(): boolean {
		return this.#state === STATE_DONE;
	}

	/**
	 * True if the `!` of the block was received, so that a silence may end the block. A block without STX need not have
	 * an ETX.
	 */
	get complete(): boolean {
		return this.#state >= STATE_TAIL;
	}

	get framed(): boolean {
		return this.#framed;
	}

	/** Returns the end of the processed bytes. It is less than `end` only if the block was completed before. */
	receive(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		while (i < end && this.#state !== STATE_DONE) {
			if (this.#state === STATE_BODY) i = this.processBody(bytes, i, end);
			else this.processFrame(bytes[i++]);
		}
		return i;
	}

	end(): void {
		if (this.#state === STATE_BODY) this.#parser.cut();
		this.#state = STATE_DONE;
	}

	private processFrame(character: number): void {
		if (this.#state === STATE_ECHO && character !== STX) {
			if (character === LF) this.#state = STATE_WAIT;
		} else if (this.#state < STATE_BODY) this.processFirst(character);
		else if (this.#state === STATE_TAIL) {
			this.addToCheck(character);
			if (character === ETX) this.#state = STATE_BCC;
		} else {
			// A damaged BCC character (0x80 and above) never matches.
			const isRight = character === (this.#bcc & 0x7f) || (this.acceptsSum && character === (this.#sum & 0x7f));
			this.check = isRight ? CHECK_RIGHT : CHECK_WRONG;
			this.#state = STATE_DONE;
		}
	}

	private addToCheck(character: number): void {
		this.#bcc ^= character;
		this.#sum += character;
	}

	private processFirst(character: number): void {
		if (character === STX || character === SOH) this.open(character);
		else if (character === ACK) this.#state = STATE_ECHO;
		else if (character > BLANK && character < DELETE && !this.#needsSTX) {
			this.#parser.begin();
			this.#state = STATE_BODY;
			this.#bcc = this.#sum = character;
			this.#firstCharacter[0] = character;
			this.#parser.receive(this.#firstCharacter, 0, 1);
			if (this.#parser.ended) this.#state = STATE_TAIL;
		}
	}

	private open(character: number): void {
		// In `SOH P0 STX …` the check starts after the SOH; an SOH right before STX is noise.
		const hasHeader = this.programming && character === STX && this.#bcc !== 0;
		this.#framed = true;
		this.programming = character === SOH || hasHeader;
		this.#bcc = hasHeader ? this.#bcc ^ STX : 0;
		this.#sum = 0;
		if (!this.#isPart) this.#parser.begin();
		this.#state = STATE_BODY;
	}

	private processBody(bytes: Uint8Array, start: number, end: number): number {
		let stop = start;
		while (stop < end && (bytes[stop] > this.#lastEnd || bytes[stop] < SOH)) stop++;
		const parsedEnd = this.#parser.receive(bytes, start, stop);
		for (let i = start; i < parsedEnd; i++) this.addToCheck(bytes[i]);
		if (this.#parser.ended) {
			this.#state = STATE_TAIL;
			return parsedEnd;
		}
		if (stop === end) return end;
		const character = bytes[stop];
		// After noise or an echo, STX opens the block. Inside a block, STX means that characters were damaged.
		if ((character === STX || character === SOH) && this.#parser.values === 0) this.open(character);
		else {
			this.addToCheck(character);
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
