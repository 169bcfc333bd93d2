/**
 * JSON writer (RFC 8259) into a window, for replies larger than any buffer.
 *
 * The first `skip` bytes are dropped, the next ones fill the window, and the remaining ones are only counted. To get
 * the next window, run the same code again with a larger `skip`. The output is the same as that of JSON.stringify.
 *
 * Nesting deeper than WRITER_DEPTH_LIMIT throws a RangeError.
 */
import { hexDigit } from "../bytes/hex.js";
import type { TextCodec } from "../io/host.js";

export const WRITER_DEPTH_LIMIT = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** Length of the longest array that one native `set()` copies if it fits into the window, bytes. */
const WHOLE_LIMIT = 192;

export class JSONWriter {
	readonly #text: TextCodec;
	#into: Uint8Array;
	#start = 0;
	#end = 0;
	/** Next position. It is below `#start` while bytes are dropped, and above `#end` while they are counted. */
	#at = 0;
	#origin = 0;
	#depth = 0;
	/** One bit per level of nesting: 1 if a comma must precede the next item. */
	#commas = 0;

	constructor(text: TextCodec) {
		this.#text = text;
		this.#into = new Uint8Array(0);
	}

	begin(into: Uint8Array, start: number, end: number, skip = 0): void {
		this.#into = into;
		this.#start = start;
		this.#end = end;
		this.#origin = this.#at = start - skip;
		this.#depth = this.#commas = 0;
	}

	/** Number of bytes since `begin()`, including those dropped and those only counted. */
	get produced(): number {
		return this.#at - this.#origin;
	}

	get position(): number {
		return Math.min(Math.max(this.#at, this.#start), this.#end);
	}

	saveState(): number {
		return this.#commas * 32 + this.#depth;
	}

	restoreState(state: number): void {
		this.#depth = state & 31;
		this.#commas = state >> 5;
	}

	beginObject(): void {
		this.open(0x7b);
	}

	endObject(): void {
		this.close(0x7d);
	}

	beginArray(): void {
		this.open(0x5b);
	}

	endArray(): void {
		this.close(0x5d);
	}

	/** Writes a member's name, which must be printable ASCII without characters that need escapes. */
	key(name: string): void {
		const bit = 1 << this.#depth;
		const text = (this.#commas & bit) === 0 ? `"${name}":` : `,"${name}":`;
		this.#commas &= ~bit;
		const bytes = this.#text.encode(text);
		this.copy(bytes, 0, bytes.length);
	}

	prepare(json: string): Uint8Array {
		return this.#text.encode(json);
	}

	/** Writes bytes unchanged. It is meant for text that occurs hundreds of times in a reply. */
	raw(bytes: Uint8Array): void {
		const at = this.#at;
		if (at >= this.#start && at + bytes.length <= this.#end) {
			this.#into.set(bytes, at);
			this.#at = at + bytes.length;
		} else this.copy(bytes, 0, bytes.length);
		this.#commas |= 1 << this.#depth;
	}

	rawPart(bytes: Uint8Array, start: number, end: number): void {
		this.copy(bytes, start, end);
		this.#commas |= 1 << this.#depth;
	}

	string(text: string): void {
		const bytes = this.#text.encode(text);
		this.utf8(bytes, 0, bytes.length);
	}

	rawString(text: string): void {
		this.#commas &= ~(1 << this.#depth);
		this.string(text);
	}

	rawWord(text: string): void {
		const bytes = this.#text.encode(`"${text}"`);
		this.copy(bytes, 0, bytes.length);
	}

	/** Writes a string in which no character needs an escape. */
	word(text: string): void {
		this.item();
		this.rawWord(text);
	}

	utf8(bytes: Uint8Array, start: number, end: number): void {
		this.item();
		this.put(QUOTE);
		this.escaped(bytes, start, end, 0x100);
		this.put(QUOTE);
	}

	/** Writes a string. Each byte is one character, U+0000 to U+00FF. */
	ascii(bytes: Uint8Array, start: number, end: number): void {
		this.item();
		this.put(QUOTE);
		this.escaped(bytes, start, end, 0x80);
		this.put(QUOTE);
	}

	/** Like `ascii()`, without the quotes. */
	rawASCII(bytes: Uint8Array, start: number, end: number): void {
		this.escaped(bytes, start, end, 0x80);
	}

	/** Writes a string of UTF-8 in which no character needs an escape. */
	plain(bytes: Uint8Array, start: number, end: number): void {
		this.item();
		this.put(QUOTE);
		this.copy(bytes, start, end);
		this.put(QUOTE);
	}

	/** Writes the bytes as a string of hex digits in lower case. */
	hex(bytes: Uint8Array, start: number, end: number): void {
		this.item();
		this.put(QUOTE);
		for (let i = start; i < end; i++) {
			this.put(hexDigit(bytes[i] >> 4));
			this.put(hexDigit(bytes[i] & 15));
		}
		this.put(QUOTE);
	}

	/** Writes a number; `null` if it is not finite. */
	number(value: number): void {
		this.item();
		if (value < 10 && value >= 0 && Number.isInteger(value)) this.put(ZERO + value);
		else this.constant(Number.isFinite(value) ? String(value) : "null");
	}

	boolean(value: boolean): void {
		this.item();
		this.constant(value ? "true" : "false");
	}

	null(): void {
		this.item();
		this.constant("null");
	}

	private put(byte: number): void {
		const at = this.#at++;
		if (at >= this.#start && at < this.#end) this.#into[at] = byte;
	}

	private copy(bytes: Uint8Array, start: number, end: number): void {
		const into = this.#into;
		const at = this.#at;
		const size = bytes.length;
		this.#at = at + end - start;
		if (start === 0 && size <= WHOLE_LIMIT && at >= this.#start && at + size <= this.#end) {
			into.set(bytes, at);
			return;
		}
		const shift = at - start;
		const from = Math.max(start, this.#start - shift);
		const to = Math.min(end, this.#end - shift);
		for (let i = from; i < to; i++) into[i + shift] = bytes[i];
	}

	private constant(text: string): void {
		const bytes = this.#text.encode(text);
		this.copy(bytes, 0, bytes.length);
	}

	/** Writes bytes with escapes. Bytes of `limit` and above become `\u00XX`. */
	private escaped(bytes: Uint8Array, start: number, end: number, limit: number): void {
		let plain = start;
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			if (byte > BACKSLASH ? byte < limit : byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) continue;
			this.copy(bytes, plain, i);
			this.escape(byte);
			plain = i + 1;
		}
		this.copy(bytes, plain, end);
	}

	private item(): void {
		const bit = 1 << this.#depth;
		if ((this.#commas & bit) !== 0) this.put(COMMA);
		else this.#commas |= bit;
	}

	private open(bracket: number): void {
		if (this.#depth === WRITER_DEPTH_LIMIT) throw new RangeError("JSON nested too deep");
		this.item();
		this.put(bracket);
		this.#depth++;
		this.#commas &= ~(1 << this.#depth);
	}

	private close(bracket: number): void {
		if (this.#depth === 0) throw new RangeError("JSON closed more often than opened");
		this.#depth--;
		this.put(bracket);
	}

	private escape(byte: number): void {
		const short = shortEscape(byte);
		if (short === 0) {
			this.unicode(byte);
			return;
		}
		this.put(BACKSLASH);
		this.put(short);
	}

	private unicode(byte: number): void {
		this.put(BACKSLASH);
		this.put(0x75);
		this.put(0x30);
		this.put(0x30);
		this.put(hexDigit(byte >> 4));
		this.put(hexDigit(byte & 15));
	}
}

function shortEscape(byte: number): number {
	switch (byte) {
		case QUOTE:
		case BACKSLASH:
			return byte;
		case 0x08:
			return 0x62;
		case 0x09:
			return 0x74;
		case 0x0a:
			return 0x6e;
		case 0x0c:
			return 0x66;
		case 0x0d:
			return 0x72;
		default:
			return 0;
	}
}
