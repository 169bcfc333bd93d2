/**
 * JSON pull reader (RFC 8259) for untrusted request bodies, which are never stored completely. `JSON.parse` would need
 * three copies, and XS would keep unknown member names forever, because it interns them.
 *
 * Use: `begin()`, then for each piece `push()` and `next()` until TOKEN_MORE, then `finish()` and `next()` until
 * TOKEN_END.
 *
 * The reader is stricter than JSON.parse: it accepts only well-formed UTF-8 (RFC 3629) and paired surrogates.
 *
 * Limits: `maxDepth` levels of nesting (deeper nesting is an error); `scratch` bytes of a string and NUMBER_LIMIT
 * characters of a number (longer ones are still checked, but `truncated` is set).
 */
import { isNumberComplete, NUMBER_INTEGER, NUMBER_NONE, NUMBER_START, nextNumberPart } from "./number.js";
import { StringScanner, type TextPieces } from "./string.js";

/** All pushed bytes were read: push more, or finish. */
export const TOKEN_MORE = 0;
/** The document is complete; only white space followed it. */
export const TOKEN_END = 1;
/** The document is invalid or too deep at `offset`; all further tokens are TOKEN_ERROR. */
export const TOKEN_ERROR = 2;
export const TOKEN_OBJECT_START = 3;
export const TOKEN_OBJECT_END = 4;
export const TOKEN_ARRAY_START = 5;
export const TOKEN_ARRAY_END = 6;
/** Name of a member, in `text`. The member's value follows. */
export const TOKEN_NAME = 7;
export const TOKEN_STRING = 8;
/** A number, in `number` and `isInteger`. */
export const TOKEN_NUMBER = 9;
export const TOKEN_TRUE = 10;
export const TOKEN_FALSE = 11;
export const TOKEN_NULL = 12;

const DEPTH_DEFAULT = 4;
/** Highest `maxDepth`, because each level is a bit of an integer. */
const DEPTH_LIMIT = 31;
const SCRATCH_DEFAULT = 256;
export const NUMBER_LIMIT = 32;

const TOKEN_NONE = -1;

const EXPECT_VALUE = 0;
const EXPECT_VALUE_OR_END = 1;
const EXPECT_NAME = 2;
const EXPECT_NAME_OR_END = 3;
const EXPECT_COLON = 4;
const EXPECT_COMMA = 5;
const EXPECT_NOTHING = 6;

const LEXEME_NONE = 0;
const LEXEME_ERROR = 1;
const LEXEME_STRING = 2;
const LEXEME_WORD = 3;
const LEXEME_NUMBER = 4;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;

const WORD_TRUE = Object.freeze([0x74, 0x72, 0x75, 0x65]);
const WORD_FALSE = Object.freeze([0x66, 0x61, 0x6c, 0x73, 0x65]);
const WORD_NULL = Object.freeze([0x6e, 0x75, 0x6c, 0x6c]);

export interface JSONReaderLimits {
	/** Maximum nesting, 1 to 31; default 4. */
	readonly maxDepth?: number;
	/** Longest stored string, name or number, bytes, at least 32; default 256. */
	readonly scratch?: number;
}

export class JSONReader {
	/** Value of the last number: NaN if it was truncated, infinite if a double can't represent it. */
	number = 0;
	/** True for a whole number that a double holds exactly, even if written as `1.0` or `1e2`. */
	isInteger = false;

	readonly #string: StringScanner;
	readonly #maxDepth: number;
	#bytes: Uint8Array;
	#at = 0;
	#end = 0;
	/** Offset of `#bytes[0]` in the document. */
	#base = 0;
	#finished = false;
	#expect = EXPECT_VALUE;
	#lexeme = LEXEME_NONE;
	#depth = 0;
	/**
	 * Kinds of the open levels, one bit per level: 1 for an object, 0 for an array. The lowest bit is the innermost
	 * level.
	 */
	#objects = 0;
	#skipDepth = -1;
	#pieces: TextPieces | undefined;
	#isName = false;
	#numberPart = NUMBER_START;
	#word: readonly number[] = WORD_NULL;
	#wordAt = 0;

	constructor(limits: JSONReaderLimits = {}) {
		this.#maxDepth = Math.min(limits.maxDepth ?? DEPTH_DEFAULT, DEPTH_LIMIT);
		this.#string = new StringScanner(Math.max(limits.scratch ?? SCRATCH_DEFAULT, NUMBER_LIMIT));
		this.#bytes = this.#string.text;
	}

	/** Last name, string or number as UTF-8 after unescaping, `length` bytes. The reader owns the buffer. */
	get text(): Uint8Array {
		return this.#string.text;
	}

	get length(): number {
		return this.#string.length;
	}

	get truncated(): boolean {
		return this.#string.truncated;
	}

	get depth(): number {
		return this.#depth;
	}

	/** Number of bytes processed since `begin()`; after TOKEN_ERROR, the offset of the invalid byte. */
	get offset(): number {
		return this.#base + this.#at;
	}

	begin(): void {
		this.#bytes = this.text;
		this.#at = this.#end = this.#base = 0;
		this.#finished = false;
		this.#expect = EXPECT_VALUE;
		this.#lexeme = LEXEME_NONE;
		this.#depth = this.#objects = 0;
		this.#skipDepth = -1;
		this.#pieces = undefined;
		this.#string.clear();
	}

	/**
	 * Adds a piece. The bytes must not change until TOKEN_MORE. Throws if the previous piece was not read completely, and
	 * after `finish()`.
	 */
	push(bytes: Uint8Array, start: number, end: number): void {
		if (this.#lexeme === LEXEME_ERROR) return;
		if (this.#at < this.#end || this.#finished) throw new Error("JSON piece pushed before the last was read");
		this.#base += this.#at - start;
		this.#bytes = bytes;
		this.#at = start;
		this.#end = end;
	}

	finish(): void {
		this.#finished = true;
	}

	/** Skips a member's value, but still checks it. Call it right after TOKEN_NAME. */
	skip(): void {
		this.#skipDepth = this.#depth;
	}

	/**
	 * Passes a member's string to `pieces` as it arrives, however long it is. Call it right after TOKEN_NAME. `text` is
	 * empty at TOKEN_STRING. If the string turns out to be invalid, a part of it may already have been passed.
	 */
	streamTo(pieces: TextPieces): void {
		this.#pieces = pieces;
	}

	next(): number {
		for (;;) {
			const token = this.scan();
			if (this.#skipDepth < 0 || token <= TOKEN_ERROR) return token;
			if (this.#depth === this.#skipDepth) this.#skipDepth = -1;
		}
	}

	/** Returns true if `text` equals `name`, which must be short ASCII. */
	textEquals(name: string): boolean {
		if (this.truncated || name.length !== this.length) return false;
		for (let i = 0; i < this.length; i++) if (name.charCodeAt(i) !== this.text[i]) return false;
		return true;
	}

	private scan(): number {
		if (this.#lexeme === LEXEME_ERROR) return TOKEN_ERROR;
		let token = TOKEN_NONE;
		while (token === TOKEN_NONE && this.#at < this.#end) {
			const byte = this.#bytes[this.#at];
			switch (this.#lexeme) {
				case LEXEME_NONE:
					token = this.processStructure(byte);
					break;
				case LEXEME_STRING:
					token = this.processString();
					break;
				case LEXEME_WORD:
					token = this.processWord(byte);
					break;
				default:
					token = this.processNumber(byte);
			}
		}
		if (token !== TOKEN_NONE) return token;
		if (!this.#finished) return TOKEN_MORE;
		if (this.#lexeme === LEXEME_NUMBER && isNumberComplete(this.#numberPart)) return this.endNumber();
		return this.#lexeme === LEXEME_NONE && this.#expect === EXPECT_NOTHING ? TOKEN_END : this.fail();
	}

	private fail(): number {
		this.#lexeme = LEXEME_ERROR;
		return TOKEN_ERROR;
	}

	private processStructure(byte: number): number {
		switch (byte) {
			case 0x20:
			case 0x09:
			case 0x0a:
			case 0x0d:
				this.#at++;
				return TOKEN_NONE;
			case 0x2c: // ,
				if (this.#expect !== EXPECT_COMMA) return this.fail();
				this.#expect = (this.#objects & 1) === 1 ? EXPECT_NAME : EXPECT_VALUE;
				this.#at++;
				return TOKEN_NONE;
			case 0x3a: // :
				if (this.#expect !== EXPECT_COLON) return this.fail();
				this.#expect = EXPECT_VALUE;
				this.#at++;
				return TOKEN_NONE;
			case 0x7b: // {
				return this.open(1);
			case 0x5b: // [
				return this.open(0);
			case 0x7d: // }
				return this.close(1);
			case 0x5d: // ]
				return this.close(0);
		}
		this.#isName = this.#expect === EXPECT_NAME || this.#expect === EXPECT_NAME_OR_END;
		if (this.#isName ? byte !== QUOTE : this.#expect > EXPECT_VALUE_OR_END) return this.fail();
		return this.startScalar(byte);
	}

	private open(kind: number): number {
		if (this.#expect > EXPECT_VALUE_OR_END || this.#depth === this.#maxDepth) return this.fail();
		this.#pieces = undefined;
		this.#depth++;
		this.#objects = (this.#objects << 1) | kind;
		this.#expect = kind === 1 ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
		this.#at++;
		return kind === 1 ? TOKEN_OBJECT_START : TOKEN_ARRAY_START;
	}

	private close(kind: number): number {
		const afterStart = kind === 1 ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
		if (this.#expect !== afterStart) {
			if (this.#expect !== EXPECT_COMMA || (this.#objects & 1) !== kind) return this.fail();
		}
		this.#depth--;
		this.#objects >>>= 1;
		this.#at++;
		return this.endValue(kind === 1 ? TOKEN_OBJECT_END : TOKEN_ARRAY_END);
	}

	private endValue(token: number): number {
		this.#lexeme = LEXEME_NONE;
		this.#expect = this.#depth === 0 ? EXPECT_NOTHING : EXPECT_COMMA;
		return token;
	}

	private startScalar(byte: number): number {
		const pieces = this.#pieces;
		this.#pieces = undefined;
		switch (byte) {
			case QUOTE:
				this.#lexeme = LEXEME_STRING;
				this.#string.begin(pieces);
				this.#at++;
				return TOKEN_NONE;
			case 0x74: // t
				return this.startWord(WORD_TRUE);
			case 0x66: // f
				return this.startWord(WORD_FALSE);
			case 0x6e: // n
				return this.startWord(WORD_NULL);
			default:
				this.#lexeme = LEXEME_NUMBER;
				this.#numberPart = NUMBER_START;
				this.#string.clear();
				return this.processNumber(byte);
		}
	}

	private startWord(word: readonly number[]): number {
		this.#lexeme = LEXEME_WORD;
		this.#word = word;
		this.#wordAt = 0;
		return TOKEN_NONE;
	}

	private processWord(byte: number): number {
		const word = this.#word;
		if (byte !== word[this.#wordAt]) return this.fail();
		this.#at++;
		if (++this.#wordAt < word.length) return TOKEN_NONE;
		return this.endValue(word === WORD_TRUE ? TOKEN_TRUE : word === WORD_FALSE ? TOKEN_FALSE : TOKEN_NULL);
	}

	private processNumber(byte: number): number {
		const part = nextNumberPart(this.#numberPart, byte);
		if (part === NUMBER_NONE) return isNumberComplete(this.#numberPart) ? this.endNumber() : this.fail();
		this.#numberPart = part;
		if (this.length < NUMBER_LIMIT) this.#string.store(byte);
		else this.#string.truncated = true;
		this.#at++;
		return TOKEN_NONE;
	}

	private endNumber(): number {
		if (this.truncated) this.number = Number.NaN;
		else if (this.#numberPart <= NUMBER_INTEGER && this.length <= 15) this.number = this.smallInteger();
		else this.number = Number(String.fromCharCode(...this.text.subarray(0, this.length)));
		this.isInteger = Number.isInteger(this.number) && Math.abs(this.number) <= Number.MAX_SAFE_INTEGER;
		return this.endValue(TOKEN_NUMBER);
	}

	private smallInteger(): number {
		const negative = this.text[0] === MINUS;
		let value = 0;
		for (let i = negative ? 1 : 0; i < this.length; i++) value = value * 10 + this.text[i] - ZERO;
		return negative ? -value : value;
	}

	private processString(): number {
		const string = this.#string;
		this.#at = string.scan(this.#bytes, this.#at, this.#end);
		if (string.isBad) return this.fail();
		return string.isDone ? this.endString() : TOKEN_NONE;
	}

	private endString(): number {
		if (!this.#isName) return this.endValue(TOKEN_STRING);
		this.#lexeme = LEXEME_NONE;
		this.#expect = EXPECT_COLON;
		return TOKEN_NAME;
	}
}
