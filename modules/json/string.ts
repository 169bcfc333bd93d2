/**
 * Scans, checks and unescapes the inside of a JSON string (RFC 8259, 7), and stores its first bytes.
 *
 * UTF-8 must be well formed (RFC 3629, 4), and surrogates must be paired; control characters are rejected. Bytes that
 * do not fit into the buffer are still checked. If there is a receiver (TextPieces), the whole string is passed to it
 * instead.
 */
import { hexDigitValue } from "../bytes/hex.js";

const STATE_PLAIN = 0;
const STATE_ESCAPE = 1;
const STATE_UNICODE = 2;
const STATE_DONE = 3;
const STATE_BAD = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Receiver of a string in pieces. A piece may end inside a character. */
export interface TextPieces {
	write(bytes: Uint8Array, start: number, end: number): void;
}

export class StringScanner {
	/** Unescaped UTF-8, `length` bytes. */
	readonly text: Uint8Array;
	length = 0;
	/** True if the string was longer than the buffer. `text` may then end inside a character. */
	truncated = false;

	#state = STATE_DONE;
	#pieces: TextPieces | undefined;
	/** Number of continuation bytes that must follow. */
	#tail = 0;
	#tailLow = 0;
	#tailHigh = 0;
	#unit = 0;
	#unitDigits = 0;
	#highSurrogate = 0;

	constructor(size: number) {
		this.text = new Uint8Array(size);
	}

	/**
	 * Begins a string. The next byte is the one after the opening quote. If `pieces` is given, it receives the string, and
	 * `text` is empty at the end.
	 */
	begin(pieces?: TextPieces): void {
		this.#state = STATE_PLAIN;
		this.#pieces = pieces;
		this.#tail = this.#highSurrogate = 0;
		this.clear();
	}

	clear(): void {
		this.length = 0;
		this.truncated = false;
	}

	get isDone(): boolean {
		return this.#state === STATE_DONE;
	}

	get isBad(): boolean {
		return this.#state === STATE_BAD;
	}

	scan(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end && this.#state < STATE_DONE) {
			const byte = bytes[at];
			if (this.#state === STATE_PLAIN) this.processPlain(byte);
			else if (this.#state === STATE_ESCAPE) this.processEscape(byte);
			else this.processUnicode(byte);
			if (this.#state !== STATE_BAD) at++;
		}
		return at;
	}

	store(byte: number): void {
		if (this.length === this.text.length) this.flush();
		if (this.length < this.text.length) this.text[this.length++] = byte;
		else this.truncated = true;
	}

	private flush(): void {
		if (this.#pieces === undefined) return;
		this.#pieces.write(this.text, 0, this.length);
		this.length = 0;
	}

	private processPlain(byte: number): void {
		if (this.#tail > 0) {
			if (byte < this.#tailLow || byte > this.#tailHigh) this.#state = STATE_BAD;
			this.#tail--;
			this.#tailLow = 0x80;
			this.#tailHigh = 0xbf;
		} else if (byte === BACKSLASH) {
			this.#state = STATE_ESCAPE;
			return;
		} else if (this.#highSurrogate !== 0 || byte < 0x20) {
			this.#state = STATE_BAD;
		} else if (byte === QUOTE) {
			this.#state = STATE_DONE;
			this.flush();
			return;
		} else if (byte >= 0x80) {
			if (byte < 0xc2 || byte > 0xf4) this.#state = STATE_BAD;
			this.#tail = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
			this.#tailLow = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
			this.#tailHigh = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
		}
		this.store(byte);
	}

	private processEscape(byte: number): void {
		if (byte === 0x75) {
			this.#state = STATE_UNICODE;
			this.#unit = this.#unitDigits = 0;
			return;
		}
		const character = unescaped(byte);
		this.#state = character === 0 || this.#highSurrogate !== 0 ? STATE_BAD : STATE_PLAIN;
		this.store(character);
	}

	private processUnicode(byte: number): void {
		const digit = hexDigitValue(byte);
		this.#unit = this.#unit * 16 + digit;
		if (digit < 0) this.#state = STATE_BAD;
		else if (++this.#unitDigits === 4) this.#state = this.processUnit(this.#unit) ? STATE_PLAIN : STATE_BAD;
	}

	private processUnit(unit: number): boolean {
		const high = this.#highSurrogate;
		const isLow = unit >= 0xdc00 && unit <= 0xdfff;
		if (isLow !== (high !== 0)) return false;
		this.#highSurrogate = unit >= 0xd800 && unit <= 0xdbff ? unit : 0;
		if (isLow) this.storeCharacter(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		else if (this.#highSurrogate === 0) this.storeCharacter(unit);
		return true;
	}

	private storeCharacter(code: number): void {
		if (code < 0x80) {
			this.store(code);
			return;
		}
		if (code < 0x800) {
			this.store(0xc0 | (code >> 6));
		} else {
			if (code < 0x10000) {
				this.store(0xe0 | (code >> 12));
			} else {
				this.store(0xf0 | (code >> 18));
				this.store(0x80 | ((code >> 12) & 0x3f));
			}
			this.store(0x80 | ((code >> 6) & 0x3f));
		}
		this.store(0x80 | (code & 0x3f));
	}
}

function unescaped(byte: number): number {
	switch (byte) {
		case QUOTE:
		case BACKSLASH:
		case 0x2f:
			return byte;
		case 0x62:
			return 0x08;
		case 0x66:
			return 0x0c;
		case 0x6e:
			return 0x0a;
		case 0x72:
			return 0x0d;
		case 0x74:
			return 0x09;
		default:
			return 0;
	}
}
