/**
 * Data sets of a block, for the sign-on session and the mode D listener. IEC 62056-21:2002, 6.5 and 7.
 *
 *     block   = line { CR LF line } [CR LF] "!"
 *     line    = { dataset }
 *     dataset = [address] "(" [value] [ "*" unit ] ")" { "(" [value] [ "*" unit ] ")" }
 *
 * Beyond the standard, because meters do it: several data sets on a line without separator; a line without address
 * goes on with the set before it (DSMR gas, load profiles); line ends of LF alone; control characters between sets;
 * `/` anywhere; in a unit, `&` begins the next value (`088*C&082*C`, heat meters).
 * A line that breaks the grammar costs its set, a line with a damaged character (0x80 and above) costs all its sets.
 *
 * Nothing is kept here: what belongs to a set goes to the sink in pieces as it arrives.
 * Limits: an address of ADDRESS_LIMIT characters; the length of a value is the sink's to limit.
 */

import { ADDRESS_LIMIT, PART_ADDRESS, PART_UNIT, PART_VALUE, type RecordSink } from "../readout/sink.js";

const STATE_LINE_START = 0;
const STATE_ADDRESS = 1;
const STATE_VALUE = 2;
const STATE_UNIT = 3;
const STATE_AFTER_VALUE = 4;
const STATE_SKIP_LINE = 5;
const STATE_END = 6;

const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const EXCLAMATION_MARK = 0x21;
const AMPERSAND = 0x26;
const PARENTHESIS_OPEN = 0x28;
const PARENTHESIS_CLOSE = 0x29;
const ASTERISK = 0x2a;
const DELETE = 0x7f;

export class DataSetParser {
	readonly #sink: RecordSink;
	#state = STATE_LINE_START;
	#addressLength = 0;
	/** The current set has no complete value yet. */
	#newSet = false;
	/** This part of the block began inside a value. */
	#isSplit = false;
	/** Complete sets (sets with a complete value) and complete values so far; some may have been discarded later. */
	sets = 0;
	values = 0;
	/** Lines dropped because a character arrived damaged. */
	damaged = 0;
	/** Values dropped because the grammar was broken. */
	broken = 0;

	constructor(sink: RecordSink) {
		this.#sink = sink;
	}

	/** A new block begins. */
	begin(): void {
		this.#state = STATE_LINE_START;
		this.#newSet = false;
		this.sets = 0;
		this.values = 0;
		this.damaged = 0;
		this.broken = 0;
		this.#sink.begin();
		this.#sink.beginLine();
	}

	/** The next part of the block begins; `isAgain`: once more, and what came of it is forgotten. */
	beginPart(isAgain: boolean): void {
		this.#sink.beginPart(isAgain);
		if (!isAgain) {
			this.#isSplit = this.#state !== STATE_LINE_START;
			return;
		}
		// What the part before had begun of a value can't be had again.
		this.damaged = this.#isSplit ? 1 : 0;
		this.#state = STATE_LINE_START;
		this.#newSet = false;
	}

	/** The part is over. A value that is not complete goes on in the next one; else that begins with a new line. */
	endPart(): void {
		if (!this.insideValue && this.#state !== STATE_ADDRESS) this.endLine();
	}

	/** True once the `!` that ends a block was taken. */
	get ended(): boolean {
		return this.#state === STATE_END;
	}

	/** True between the first `(` of a value and its `)`. */
	get insideValue(): boolean {
		return this.#state === STATE_VALUE || this.#state === STATE_UNIT;
	}

	/** Takes characters up to `end` or to the `!` that ends the block; returns the offset after the last one taken. */
	receive(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		while (i < end && this.#state !== STATE_END) {
			const state = this.#state;
			if (state === STATE_VALUE || state === STATE_UNIT) i = this.takeText(bytes, i, end);
			else if (isAddressCharacter(bytes[i]) && state !== STATE_SKIP_LINE) i = this.takeAddress(bytes, i, end);
			else this.takeStructure(bytes[i++]);
		}
		return i;
	}

	/** No more characters come: an open value is not complete, which is no fault of its line. */
	cut(): void {
		if (!this.insideValue && this.#state !== STATE_ADDRESS) return;
		this.#sink.discardSet();
		this.#state = STATE_SKIP_LINE;
	}

	/** A run of characters of a value or unit, up to the character that ends it. */
	private takeText(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		const inUnit = this.#state === STATE_UNIT;
		while (i < end) {
			const character = bytes[i];
			if (character < BLANK || character >= DELETE) break;
			if (character === PARENTHESIS_CLOSE || character === PARENTHESIS_OPEN) break;
			if (character === (inUnit ? AMPERSAND : ASTERISK)) break;
			i++;
		}
		if (i > start) this.#sink.text(inUnit ? PART_UNIT : PART_VALUE, bytes, start, i);
		if (i === end) return i;
		const character = bytes[i];
		if (character === PARENTHESIS_CLOSE) {
			this.endValue();
			this.#state = STATE_AFTER_VALUE;
		} else if (character === ASTERISK) this.#state = STATE_UNIT;
		else if (character === AMPERSAND) {
			this.endValue();
			this.#sink.beginValue();
			this.#state = STATE_VALUE;
		} else this.breakLine(character);
		return i + 1;
	}

	/** The block is whole; `good` tells whether its checks were passed. */
	endBlock(good: boolean): void {
		this.#sink.endBlock(good);
	}

	private endValue(): void {
		this.#sink.endValue();
		this.values++;
		if (this.#newSet) this.sets++;
		this.#newSet = false;
	}

	/** A character that is neither of a value nor of an address. */
	private takeStructure(character: number): void {
		if (character >= 0x80) this.breakLine(character);
		else if (character === LF || character === CR) this.endLine();
		else if (this.#state === STATE_SKIP_LINE) return;
		else if (character === PARENTHESIS_OPEN) {
			this.#sink.beginValue();
			this.#state = STATE_VALUE;
		} else if (this.#state === STATE_ADDRESS || character === PARENTHESIS_CLOSE) this.breakLine(character);
		else if (character === EXCLAMATION_MARK) this.#state = STATE_END;
	}

	/** A run of characters of an address. One that begins a set is no blank. */
	private takeAddress(bytes: Uint8Array, start: number, end: number): number {
		let from = start;
		if (this.#state !== STATE_ADDRESS) {
			while (from < end && bytes[from] === BLANK) from++;
			if (from === end || !isAddressCharacter(bytes[from])) return from;
			this.#sink.beginSet();
			this.#newSet = true;
			this.#addressLength = 0;
			this.#state = STATE_ADDRESS;
		}
		let to = from;
		while (to < end && isAddressCharacter(bytes[to])) to++;
		this.#addressLength += to - from;
		if (this.#addressLength > ADDRESS_LIMIT) this.discard();
		else this.#sink.text(PART_ADDRESS, bytes, from, to);
		return to;
	}

	/** A line without parentheses is no data (a header, an echo): it is dropped without being counted as damage. */
	private endLine(): void {
		if (this.#state === STATE_ADDRESS) this.#sink.discardSet();
		this.#newSet = false;
		this.#state = STATE_LINE_START;
		this.#sink.beginLine();
	}

	private breakLine(character: number): void {
		if (character >= 0x80) {
			this.damaged++;
			this.#sink.discardLine();
		} else this.discard();
		const lineEnds = character === LF || character === CR;
		this.#state = lineEnds ? STATE_LINE_START : STATE_SKIP_LINE;
		if (lineEnds) this.#sink.beginLine();
	}

	private discard(): void {
		this.broken++;
		this.#newSet = false;
		this.#sink.discardSet();
		this.#state = STATE_SKIP_LINE;
	}
}

/** Printable, and neither a parenthesis nor `!`. */
function isAddressCharacter(character: number): boolean {
	if (character < BLANK || character >= DELETE) return false;
	return character !== PARENTHESIS_OPEN && character !== PARENTHESIS_CLOSE && character !== EXCLAMATION_MARK;
}
