/**
 * Descriptions of lists that meters push without OBIS codes. Each description, called a row, gives the meaning of each
 * position in a list. Rows are text, so that a user can add rows (`list_rows` of `dlms/config`):
 *
 *     E450: LGZ 090c=0-0:1.0.0 06=1.8.0 12=32.7.0e-1 09 | 06=2.8.0; 0a 06=7-0:3.0.0e-2*13
 *
 * | word | meaning |
 * |---|---|
 * | `E450:` | name, not used |
 * | `LGZ` | the system title, or the first string of the list, must begin with this word or another such word |
 * | `06`, `090c` | an element: its tag as on the wire and, for a string of fixed length, its length |
 * | `=1.8.0` | the element's code; A-B is 1-0 if left out. An element without a code is not read |
 * | `e-1` | scaler; 0 if left out |
 * | `*30` | DLMS unit; if left out, the unit that the code implies: W, var, Wh, varh, V or A |
 * | `|` | the list may end here |
 * | `;` | ends a row |
 * | `A` | abbreviation of the words of the first group (GROUPS); in KNOWN_LISTS only |
 *
 * A row fits a list that has exactly the elements of the row, in any nesting. `(…)` after an element is ignored, so
 * that a user can make a row from the text of `describeList`.
 */
import { hexDigitValue } from "../bytes/hex.js";
import { TEXT_LIMIT } from "../bytes/octets.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import { DataWalker, STACK_SIZE, TAG_OCTET_STRING } from "./axdr.js";
import { Cursor } from "./cursor.js";
import { POLL_CODE_LENGTH } from "./poll-list.js";
import { AS_TEXT, render } from "./render.js";
import { UNIT_NONE } from "./scaler-cache.js";

/** Groups of words, which KNOWN_LISTS abbreviates as A, B and so on. */
export const GROUPS: readonly string[] = Object.freeze([
	"06=1.8.0 06=2.8.0 06=3.8.0 06=4.8.0",
	"06=1.7.0 06=2.7.0 06=3.7.0 06=4.7.0",
	"06=1.8.0 06=1.8.1 06=1.8.2 06=2.8.0 06=2.8.1 06=2.8.2",
	"12=32.7.0e-1 12=52.7.0e-1 12=72.7.0e-1 12=31.7.0e-2 12=51.7.0e-2 12=71.7.0e-2",
	"06=21.7.0 06=41.7.0 06=61.7.0 06=22.7.0 06=42.7.0 06=62.7.0",
	"ISK 0910=0-0:42.0.0 09=0-0:96.1.0",
	"KFM 09 09=0-0:96.1.0 09=0-0:96.1.7 06=1.7.0 06=2.7.0 06=3.7.0 06=4.7.0 06=31.7.0e-3",
]);

/** Rows of known lists, taken from public software that reads these meters. */
export const KNOWN_LISTS =
	// Kaifa in Norway: list 1, then lists 2 and 3 of three-phase meters, then lists 2 and 3 of single-phase meters.
	"06=1.7.0;" +
	"G 06=51.7.0e-3 06=71.7.0e-3 06=32.7.0e-1 06=52.7.0e-1 06=72.7.0e-1 | 090c=0-0:1.0.0 A;" +
	"G 06=32.7.0e-1 | 090c=0-0:1.0.0 A;" +
	// Wiener Netze: Iskraemeco AM550 and Landis+Gyr E450 (first row), Siemens IM350 (second row).
	"ISK LGZ 090c=0-0:1.0.0 A B;" +
	"SMS 0910=0-0:42.0.0 090c=0-0:1.0.0 A B;" +
	// Carinthia and Wels: Iskraemeco AM550, Siemens IM350.
	"0906 09=0-0:96.1.0 0904 0905 A 06=1.7.0 06=2.7.0 | 09 09;" +
	// Burgenland: Landis+Gyr E450.
	"LGZ 12=32.7.0 12=52.7.0 12=72.7.0 12=31.7.0e-2 12=51.7.0e-2 12=71.7.0e-2 06=1.7.0 06=2.7.0 06=1.8.0 06=2.8.0 09=0-0:96.1.0;" +
	// Iskraemeco AM550 in Slovenia: lists sent each second, then lists sent each quarter hour.
	"F B D E;" +
	"F D B;" +
	"F B 12=32.7.0e-1 12=31.7.0e-2 06=21.7.0 06=22.7.0;" +
	"F B 12=32.7.0e-1 06 06;" +
	"F 12=32.7.0e-1 12=31.7.0e-2 B;" +
	"F 16 09 C 06=3.8.0 06=4.8.0;" +
	"F 03 09 C 06=3.8.0 06=4.8.0;" +
	"F 06=1.8.1 06=1.8.2 06=2.8.1 06=2.8.2 06=3.8.1 06=3.8.2 06=4.8.1 06=4.8.2;" +
	"F 06=1.8.0 06=2.8.0;" +
	"ISK 0910=0-0:42.0.0 06=1.7.0 06=2.7.0 C;" +
	// Iskraemeco IE.5 in Croatia.
	"09=0-0:96.1.0 0904 0905 C 06=5.8.0 06=6.8.0 06=7.8.0 06=8.8.0 06=1.7.0 06=2.7.0 12=13.7.0e-3 E D 06 12 12 12 03";

export const ROW_END = 0;
export const ROW_ELEMENT = 1;
export const ROW_MAKER = 2;
export const ROW_MAY_END = 3;
export const ROW_WRONG = 4;

/** Value of `length` in an element that may have any length. */
export const ANY_LENGTH = -1;

const NO_GROUPS: readonly string[] = Object.freeze([]);
const MAKER_LENGTH = 3;
/** Largest absolute value of a scaler. */
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
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const LETTER_A = 0x41;
const LETTER_E = 0x65;
const BAR = 0x7c;

export class RowReader {
	readonly #rows: string;
	readonly #groups: readonly string[];
	#text: string;
	#back = 0;
	#start = 0;
	#isWrong = false;
	/** Position of the next character. After ROW_WRONG, it is in the wrong word or after it. */
	at = 0;
	tag = 0;
	length = ANY_LENGTH;
	/** Value groups A to F of the element's OBIS code. Valid if `hasCode` is true. */
	readonly code = new Uint8Array(POLL_CODE_LENGTH);
	hasCode = false;
	scaler = 0;
	unit = UNIT_NONE;

	constructor(rows: string, groups: readonly string[] = NO_GROUPS) {
		this.#rows = this.#text = rows;
		this.#groups = groups;
	}

	rewind(): void {
		this.#text = this.#rows;
		this.at = this.#start;
	}

	nextRow(): boolean {
		const end = this.#rows.indexOf(";", this.#start);
		this.#start = end + 1;
		this.rewind();
		return end >= 0;
	}

	/** Reads the next word. Returns ROW_…. */
	next(): number {
		while (this.take(SPACE));
		const start = this.at;
		const first = this.#text.charCodeAt(start);
		// `first` is NaN after the last character.
		if (!(first !== SEMICOLON && first > 0)) {
			if (this.#text === this.#rows) return ROW_END;
			this.#text = this.#rows;
			this.at = this.#back;
			return this.next();
		}
		if (this.take(BAR)) return this.isEndOfWord ? ROW_MAY_END : ROW_WRONG;
		if (first >= DIGIT_0 && first <= DIGIT_9) {
			this.readElement();
			return this.isEndOfWord && !this.#isWrong ? ROW_ELEMENT : ROW_WRONG;
		}
		while (!this.isEndOfWord) this.at++;
		if (this.#text.charCodeAt(this.at - 1) === COLON) return this.next();
		if (this.at === start + MAKER_LENGTH) return ROW_MAKER;
		const group = this.#groups[first - LETTER_A];
		if (group === undefined) return ROW_WRONG;
		this.#back = this.at;
		this.#text = group;
		this.at = 0;
		return this.next();
	}

	/** After ROW_MAKER: returns true if the bytes at `at` begin with the letters of the maker. */
	isMaker(bytes: Uint8Array, at: number): boolean {
		const from = this.at - MAKER_LENGTH;
		let i = 0;
		while (i < MAKER_LENGTH && bytes[at + i] === this.#text.charCodeAt(from + i)) i++;
		return i === MAKER_LENGTH;
	}

	private readElement(): void {
		const { code } = this;
		this.tag = this.readHex();
		this.length = this.readHex();
		if (this.take(OPENING)) while (!this.take(CLOSING) && !this.isEndOfWord) this.at++;
		this.hasCode = this.take(EQUALS);
		this.#isWrong = this.tag < 0;
		if (!this.hasCode) return;
		code[0] = 1;
		code[1] = 0;
		code[POLL_CODE_LENGTH - 1] = BILLING_PERIOD_CURRENT;
		code[2] = this.readNumber();
		if (this.take(HYPHEN)) {
			code[0] = code[2];
			code[1] = this.readNumber();
			this.#isWrong ||= !this.take(COLON);
			code[2] = this.readNumber();
		}
		for (let i = 3; i < POLL_CODE_LENGTH - 1; i++) {
			this.#isWrong ||= !this.take(DOT);
			code[i] = this.readNumber();
		}
		this.scaler = 0;
		if (this.take(LETTER_E)) {
			const sign = this.take(HYPHEN) ? -1 : 1;
			this.scaler = sign * this.readNumber();
			this.#isWrong ||= Math.abs(this.scaler) > SCALER_LIMIT;
		}
		this.unit = this.take(ASTERISK) ? this.readNumber() : UNIT_NONE;
	}

	private readHex(): number {
		const high = hexDigitValue(this.#text.charCodeAt(this.at));
		const low = hexDigitValue(this.#text.charCodeAt(this.at + 1));
		if (high < 0 || low < 0) return ANY_LENGTH;
		this.at += 2;
		return high * 16 + low;
	}

	/** Reads a number from 0 to 255. Other text makes the word wrong. */
	private readNumber(): number {
		const from = this.at;
		let value = 0;
		for (;;) {
			const digit = this.#text.charCodeAt(this.at) - DIGIT_0;
			if (!(digit >= 0 && digit <= 9) || value * 10 + digit > BYTE_LIMIT) break;
			value = value * 10 + digit;
			this.at++;
		}
		if (this.at === from) this.#isWrong = true;
		return value;
	}

	private get isEndOfWord(): boolean {
		const next = this.#text.charCodeAt(this.at);
		return !(next > 0) || next === SPACE || next === SEMICOLON;
	}

	private take(character: number): boolean {
		if (this.#text.charCodeAt(this.at) !== character) return false;
		this.at++;
		return true;
	}
}

/**
 * Returns a position in the first wrong word or just after it; -1 if all rows are right. A row without a code is wrong.
 */
export function findRowError(rows: string): number {
	const reader = new RowReader(rows);
	do {
		let codes = 0;
		let kind = reader.next();
		for (; kind !== ROW_END && kind !== ROW_WRONG; kind = reader.next())
			if (kind === ROW_ELEMENT && reader.hasCode) codes++;
		if (kind === ROW_WRONG || codes === 0) return reader.at;
	} while (reader.nextRow());
	return -1;
}

/**
 * Describes the elements of a list and their values, as in `0903(abc) 06(12)`. Returns at most DESCRIPTION_LIMIT
 * characters.
 */
export function describeList(body: Uint8Array): string {
	const work = new Uint8Array(TEXT_LIMIT + STACK_SIZE);
	const walker = new DataWalker(new Cursor(body).set(body, 0, body.length), work, TEXT_LIMIT);
	let text = "";
	while (walker.next() && text.length < DESCRIPTION_LIMIT) {
		const { tag, start, end } = walker;
		// `digits` is an extra 1, the tag and the length. Only octet strings are shown with their length.
		const digits = (0x1_0000 + tag * 0x100 + ((end - start) & 0xff)).toString(16);
		text += `${text === "" ? "" : " "}${digits.slice(1, tag === TAG_OCTET_STRING ? 5 : 3)}(`;
		const length = render(walker, 0, AS_TEXT, work);
		for (let i = 0; i < length; i++) {
			const character = work[i];
			// These characters are replaced, because they would end the value or the row.
			const isEnd = character === SPACE || character === CLOSING || character === SEMICOLON;
			text += isEnd ? "_" : String.fromCharCode(character);
		}
		text += ")";
	}
	return text.slice(0, DESCRIPTION_LIMIT);
}
