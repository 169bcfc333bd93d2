/**
 * Parser for the data sets of a block (IEC 62056-21:2002, 6.5 and 7):
 *
 *     block   = line { CR LF line } [CR LF] "!"
 *     line    = { dataset }
 *     dataset = [address] "(" [value] [ "*" unit ] ")" { "(" [value] [ "*" unit ] ")" }
 *
 * Deviations that are accepted: several data sets on a line; a line without address, which continues the previous set
 * (DSMR gas, load profiles); LF without CR; control characters between sets; `/` anywhere; `&` in a unit, which begins
 * the next value (`088*C&082*C`, heat meters). A grammar error discards its set. A damaged character (0x80 and above)
 * discards all sets of its line.
 *
 * Limit: an address has at most ADDRESS_LIMIT characters.
 */

import { ADDRESS_LIMIT, PART_ADDRESS, PART_UNIT, PART_VALUE, type RecordWriter } from "../readout/record-writer.js";

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
	readonly #records: RecordWriter;
	#state = STATE_LINE_START;
	#addressLength = 0;
	#newSet = false;
	#isSplit = false;
	/** Numbers of complete sets and of complete values, including those discarded later. */
	sets = 0;
	values = 0;
	/** Number of lines that were dropped because of a damaged character. */
	damaged = 0;
	/** Number of values that were dropped because of a grammar error. */
	broken = 0;

	constructor(records: RecordWriter) {
		this.#records = records;
	}

	begin(): void {
		this.#state = STATE_LINE_START;
		this.#newSet = false;
		this.sets = 0;
		this.values = 0;
		this.damaged = 0;
		this.broken = 0;
		this.#records.begin();
		this.#records.beginLine();
	}

	/**
	 * Begins another part of the block. If `isAgain`, the last part is repeated, and what it contained before is
	 * discarded.
	 */
	beginPart(isAgain: boolean): void {
		this.#records.beginPart(isAgain);
		if (!isAgain) {
			this.#isSplit = this.#state !== STATE_LINE_START;
			return;
		}
		// A value divided between the two parts is lost.
		this.damaged = this.#isSplit ? 1 : 0;
		this.#state = STATE_LINE_START;
		this.#newSet = false;
	}

	/**
	 * Ends a part. If it ends inside an address or value, the next part continues it; otherwise the next part begins a
	 * new line.
	 */
	endPart(): void {
		if (!this.insideValue && this.#state !== STATE_ADDRESS) this.endLine();
	}

	get ended(): boolean {
		return this.#state === STATE_END;
	}

	get insideValue(): boolean {
		return this.#state === STATE_VALUE || this.#state === STATE_UNIT;
	}

	/** Parses up to `end` or the `!` of the block; returns the end of the processed bytes. */
	receive(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		while (i < end && this.#state !== STATE_END) {
			const state = this.#state;
			if (state === STATE_VALUE || state === STATE_UNIT) i = this.processText(bytes, i, end);
			else if (isAddressCharacter(bytes[i]) && state !== STATE_SKIP_LINE) i = this.processAddress(bytes, i, end);
			else this.processStructure(bytes[i++]);
		}
		return i;
	}

	/** Ends the block early. An unfinished value is discarded as incomplete, not as damaged. */
	cut(): void {
		if (!this.insideValue && this.#state !== STATE_ADDRESS) return;
		this.#records.discardSet();
		this.#state = STATE_SKIP_LINE;
	}

	private processText(bytes: Uint8Array, start: number, end: number): number {
		let i = start;
		const inUnit = this.#state === STATE_UNIT;
		while (i < end) {
			const character = bytes[i];
			if (character < BLANK || character >= DELETE) break;
			if (character === PARENTHESIS_CLOSE || character === PARENTHESIS_OPEN) break;
			if (character === (inUnit ? AMPERSAND : ASTERISK)) break;
			i++;
		}
		if (i > start) this.#records.text(inUnit ? PART_UNIT : PART_VALUE, bytes, start, i);
		if (i === end) return i;
		const character = bytes[i];
		if (character === PARENTHESIS_CLOSE) {
			this.endValue();
			this.#state = STATE_AFTER_VALUE;
		} else if (character === ASTERISK) this.#state = STATE_UNIT;
		else if (character === AMPERSAND) {
			this.endValue();
			this.#records.beginValue();
			this.#state = STATE_VALUE;
		} else this.breakLine(character);
		return i + 1;
	}

	endBlock(good: boolean): void {
		this.#records.endBlock(good);
	}

	private endValue(): void {
		this.#records.endValue();
		this.values++;
		if (this.#newSet) this.sets++;
		this.#newSet = false;
	}

	private processStructure(character: number): void {
		if (character >= 0x80) this.breakLine(character);
		else if (character === LF || character === CR) this.endLine();
		else if (this.#state === STATE_SKIP_LINE) return;
		else if (character === PARENTHESIS_OPEN) {
			this.#records.beginValue();
			this.#state = STATE_VALUE;
		} else if (this.#state === STATE_ADDRESS || character === PARENTHESIS_CLOSE) this.breakLine(character);
		else if (character === EXCLAMATION_MARK) this.#state = STATE_END;
	}

	private processAddress(bytes: Uint8Array, start: number, end: number): number {
		let from = start;
		if (this.#state !== STATE_ADDRESS) {
			while (from < end && bytes[from] === BLANK) from++;
			if (from === end || !isAddressCharacter(bytes[from])) return from;
			this.#records.beginSet();
			this.#newSet = true;
			this.#addressLength = 0;
			this.#state = STATE_ADDRESS;
		}
		let to = from;
		while (to < end && isAddressCharacter(bytes[to])) to++;
		this.#addressLength += to - from;
		if (this.#addressLength > ADDRESS_LIMIT) this.discard();
		else this.#records.text(PART_ADDRESS, bytes, from, to);
		return to;
	}

	/** Ends a line. A line without parentheses, such as a header or an echo, is dropped and not counted as damaged. */
	private endLine(): void {
		if (this.#state === STATE_ADDRESS) this.#records.discardSet();
		this.#newSet = false;
		this.#state = STATE_LINE_START;
		this.#records.beginLine();
	}

	private breakLine(character: number): void {
		if (character >= 0x80) {
			this.damaged++;
			this.#records.discardLine();
		} else this.discard();
		const lineEnds = character === LF || character === CR;
		this.#state = lineEnds ? STATE_LINE_START : STATE_SKIP_LINE;
		if (lineEnds) this.#records.beginLine();
	}

	private discard(): void {
		this.broken++;
		this.#newSet = false;
		this.#records.discardSet();
		this.#state = STATE_SKIP_LINE;
	}
}

function isAddressCharacter(character: number): boolean {
	if (character < BLANK || character >= DELETE) return false;
	return character !== PARENTHESIS_OPEN && character !== PARENTHESIS_CLOSE && character !== EXCLAMATION_MARK;
}
