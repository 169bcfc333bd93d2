/**
 * Lists without OBIS codes, which name nothing in the push: rows say what stands at each position. A row is a text, so
 * that a user can add rows for other meters (API text, `dlms/lists`):
 *
 *     E450: LGZ 090c=0-0:1.0.0 06=1.8.0 12=32.7.0e-1 09 | 06=2.8.0
 *
 * | word | meaning |
 * |---|---|
 * | `E450:` | name, not used |
 * | `LGZ` | the system title or the first string of the list begins with these letters; of several, with any of them |
 * | `06`, `090c` | an element's tag as on the wire, and the length of a string that must have one |
 * | `=1.8.0` | its code; A-B is 1-0 if left out. An element without one is not read |
 * | `e-1` | scaler; 0 if left out |
 * | `*30` | DLMS unit; without it that of the code: W, var, Wh, varh, V or A |
 * | `|` | the list may end here |
 *
 * A row fits a list that has exactly its elements, without regard to how they are nested. `(…)` after an element is
 * ignored, so that the text of `describeList` can be completed to a row.
 */
import { hexDigitValue } from "../bytes/hex.js";
import { TEXT_LIMIT } from "../bytes/octets.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import { DataWalker, STACK_SIZE, TAG_OCTET_STRING } from "./axdr.js";
import { Cursor } from "./cursor.js";
import { POLL_CODE_LENGTH } from "./poll-list.js";
import { AS_TEXT, render } from "./render.js";
import { UNIT_NONE } from "./scaler-cache.js";

/** Results of `RowReader.next`. */
export const ROW_END = 0;
export const ROW_ELEMENT = 1;
export const ROW_MAKER = 2;
export const ROW_MAY_END = 3;
export const ROW_WRONG = 4;

/** Value of `length` if any length fits. */
export const ANY_LENGTH = -1;

const MAKER_LENGTH = 3;
/** Largest scaler, without its sign. */
const SCALER_LIMIT = 9;
const BYTE_LIMIT = 255;
const DESCRIPTION_LIMIT = 1000;

const SPACE = 0x20;
const OPENING = 0x28;
const CLOSING = 0x29;
const ASTERISK = 0x2a;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const EQUALS = 0x3d;
const LETTER_E = 0x65;
const BAR = 0x7c;

/** Reads a row word by word; never throws. */
export class RowReader {
	readonly #row: string;
	#isWrong = false;
	/** Position of the next character. After ROW_WRONG it is within the wrong word. */
	at = 0;
	/** The current element. */
	tag = 0;
	length = ANY_LENGTH;
	/** A to F of the element's code, if it `hasCode`. */
	readonly code = new Uint8Array(POLL_CODE_LENGTH);
	hasCode = false;
	scaler = 0;
	unit = UNIT_NONE;

	constructor(row: string) {
		this.#row = row;
	}

	/** Moves to the next word; returns ROW_…. */
	next(): number {
		this.#isWrong = false;
		while (this.take(SPACE));
		const row = this.#row;
		const start = this.at;
		if (start === row.length) return ROW_END;
		if (this.take(BAR)) return this.isEndOfWord() ? ROW_MAY_END : ROW_WRONG;
		const first = row.charCodeAt(start);
		if (first >= DIGIT_0 && first <= DIGIT_9) return this.readElement() && this.isEndOfWord() ? ROW_ELEMENT : ROW_WRONG;
		while (!this.isEndOfWord()) this.at++;
		if (row.charCodeAt(this.at - 1) === COLON) return this.next();
		return this.at === start + MAKER_LENGTH ? ROW_MAKER : ROW_WRONG;
	}

	/** True if `bytes[at...]` begins with the letters of the maker, after ROW_MAKER. */
	isMaker(bytes: Uint8Array, at: number): boolean {
		for (let i = 0; i < MAKER_LENGTH; i++)
			if (bytes[at + i] !== this.#row.charCodeAt(this.at - MAKER_LENGTH + i)) return false;
		return true;
	}

	private readElement(): boolean {
		this.tag = this.readHex();
		if (this.tag < 0) return false;
		this.length = this.readHex();
		if (this.take(OPENING)) {
			this.at = this.#row.indexOf(")", this.at) + 1;
			if (this.at === 0) return false;
		}
		this.hasCode = this.take(EQUALS);
		return (!this.hasCode || this.readCode()) && !this.#isWrong;
	}

	private readCode(): boolean {
		const { code } = this;
		code[0] = 1;
		code[1] = 0;
		code[POLL_CODE_LENGTH - 1] = BILLING_PERIOD_CURRENT;
		code[2] = this.readNumber();
		if (this.take(HYPHEN)) {
			code[0] = code[2];
			code[1] = this.readNumber();
			if (!this.take(COLON)) return false;
			code[2] = this.readNumber();
		}
		if (!this.take(DOT)) return false;
		code[3] = this.readNumber();
		if (!this.take(DOT)) return false;
		code[4] = this.readNumber();
		this.scaler = 0;
		if (this.take(LETTER_E)) {
			const isNegative = this.take(HYPHEN);
			const scaler = this.readNumber();
			if (scaler > SCALER_LIMIT) return false;
			this.scaler = isNegative ? -scaler : scaler;
		}
		this.unit = this.take(ASTERISK) ? this.readNumber() : UNIT_NONE;
		return true;
	}

	/** Reads two hex digits; returns ANY_LENGTH, which is negative, if there are none. */
	private readHex(): number {
		const high = hexDigitValue(this.#row.charCodeAt(this.at));
		const low = hexDigitValue(this.#row.charCodeAt(this.at + 1));
		if (high < 0 || low < 0) return ANY_LENGTH;
		this.at += 2;
		return high * 16 + low;
	}

	/** Reads 0 to 255; other text makes the word wrong. */
	private readNumber(): number {
		const row = this.#row;
		const from = this.at;
		let value = 0;
		for (;;) {
			const digit = row.charCodeAt(this.at) - DIGIT_0;
			if (!(digit >= 0 && digit <= 9) || value * 10 + digit > BYTE_LIMIT) break;
			value = value * 10 + digit;
			this.at++;
		}
		if (this.at === from) this.#isWrong = true;
		return value;
	}

	private isEndOfWord(): boolean {
		return this.at >= this.#row.length || this.#row.charCodeAt(this.at) === SPACE;
	}

	private take(character: number): boolean {
		if (this.#row.charCodeAt(this.at) !== character) return false;
		this.at++;
		return true;
	}
}

const KAIFA_HEAD = "KFM 09 09=0-0:96.1.0 09=0-0:96.1.7 06=1.7.0 06=2.7.0 06=3.7.0 06=4.7.0 06=31.7.0e-3 ";
const ISKRA_HEAD = "ISK 0910=0-0:42.0.0 09=0-0:96.1.0 ";
const POWERS = "06=1.7.0 06=2.7.0 06=3.7.0 06=4.7.0 ";
const PHASES = "12=32.7.0e-1 12=52.7.0e-1 12=72.7.0e-1 12=31.7.0e-2 12=51.7.0e-2 12=71.7.0e-2 ";
const PHASE_POWERS = "06=21.7.0 06=41.7.0 06=61.7.0 06=22.7.0 06=42.7.0 06=62.7.0 ";
const TOTALS = "06=1.8.0 06=2.8.0 06=3.8.0 06=4.8.0 ";
const COUNTERS = "06=1.8.0 06=1.8.1 06=1.8.2 06=2.8.0 06=2.8.1 06=2.8.2 ";

/** Rows of known lists, as public readers of these meters have them. */
export const KNOWN_LISTS: readonly string[] = Object.freeze([
	// Kaifa in Norway: list 1, then lists 2 and 3 of meters with three phases and with one.
	"06=1.7.0",
	`${KAIFA_HEAD}06=51.7.0e-3 06=71.7.0e-3 06=32.7.0e-1 06=52.7.0e-1 06=72.7.0e-1 | 090c=0-0:1.0.0 ${TOTALS}`,
	`${KAIFA_HEAD}06=32.7.0e-1 | 090c=0-0:1.0.0 ${TOTALS}`,
	// Wiener Netze: Iskraemeco AM550 and Landis+Gyr E450; Siemens IM350.
	`ISK LGZ 090c=0-0:1.0.0 ${TOTALS}${POWERS}`,
	`SMS 0910=0-0:42.0.0 090c=0-0:1.0.0 ${TOTALS}${POWERS}`,
	// Carinthia and Wels: Iskraemeco AM550, Siemens IM350.
	`0906 09=0-0:96.1.0 0904 0905 ${TOTALS}06=1.7.0 06=2.7.0 | 09 09`,
	// Burgenland: Landis+Gyr E450.
	"LGZ 12=32.7.0 12=52.7.0 12=72.7.0 12=31.7.0e-2 12=51.7.0e-2 12=71.7.0e-2 06=1.7.0 06=2.7.0 06=1.8.0 06=2.8.0 09=0-0:96.1.0",
	// Iskraemeco AM550 in Slovenia: lists of each second, then of each quarter of an hour.
	ISKRA_HEAD + POWERS + PHASES + PHASE_POWERS,
	ISKRA_HEAD + PHASES + POWERS,
	`${ISKRA_HEAD}${POWERS}12=32.7.0e-1 12=31.7.0e-2 06=21.7.0 06=22.7.0`,
	`${ISKRA_HEAD}${POWERS}12=32.7.0e-1 06 06`,
	`${ISKRA_HEAD}12=32.7.0e-1 12=31.7.0e-2 ${POWERS}`,
	`${ISKRA_HEAD}16 09 ${COUNTERS}06=3.8.0 06=4.8.0`,
	`${ISKRA_HEAD}03 09 ${COUNTERS}06=3.8.0 06=4.8.0`,
	`${ISKRA_HEAD}06=1.8.1 06=1.8.2 06=2.8.1 06=2.8.2 06=3.8.1 06=3.8.2 06=4.8.1 06=4.8.2`,
	`${ISKRA_HEAD}06=1.8.0 06=2.8.0`,
	`ISK 0910=0-0:42.0.0 06=1.7.0 06=2.7.0 ${COUNTERS}`,
	// Iskraemeco IE.5 in Croatia.
	`09=0-0:96.1.0 0904 0905 ${COUNTERS}06=5.8.0 06=6.8.0 06=7.8.0 06=8.8.0 06=1.7.0 06=2.7.0 12=13.7.0e-3 ${PHASE_POWERS}${PHASES}06 12 12 12 03`,
]);

/** Returns the position of the first error in a row that is not empty, or -1. A row without a code is wrong. */
export function findRowError(row: string): number {
	const reader = new RowReader(row);
	let codes = 0;
	for (;;) {
		const kind = reader.next();
		if (kind === ROW_ELEMENT && reader.hasCode) codes++;
		else if (kind === ROW_WRONG || (kind === ROW_END && codes === 0)) return reader.at;
		else if (kind === ROW_END) return -1;
	}
}

/** Returns the elements of a list and their values, such as `0903(abc) 06(12)`, at most DESCRIPTION_LIMIT characters. */
export function describeList(body: Uint8Array): string {
	const work = new Uint8Array(TEXT_LIMIT + STACK_SIZE);
	const walker = new DataWalker(new Cursor(body).set(body, 0, body.length), work, TEXT_LIMIT);
	let text = "";
	while (walker.next()) {
		const { tag, start, end } = walker;
		let element = hexOf(tag) + (tag === TAG_OCTET_STRING ? hexOf(end - start) : "");
		const length = render(walker, 0, AS_TEXT, work);
		element += "(";
		for (let i = 0; i < length; i++) element += isPlain(work[i]) ? String.fromCharCode(work[i]) : "_";
		element += ") ";
		if (text.length + element.length > DESCRIPTION_LIMIT) return `${text}...`;
		text += element;
	}
	return text.slice(0, -1);
}

function hexOf(byte: number): string {
	return (byte + 0x100).toString(16).slice(1);
}

/** False for characters that would end the value in a row. */
function isPlain(character: number): boolean {
	return character !== SPACE && character !== CLOSING;
}
