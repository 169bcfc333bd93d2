/**
 * Identification message (IEC 62056-21:2002, 6.3.2 and annex E):
 *
 * | bytes | meaning |
 * |---|---|
 * | `/` | start |
 * | X X X | manufacturer's FLAG letters; third letter in lower case: reaction time 20 ms instead of 200 ms |
 * | Z | speed: `0`..`6` mode C, `A`..`F` mode B, anything else mode A |
 * | `\` W | any number of pairs: enhanced identification; W = `2` announces mode E |
 * | text | at most 16 characters in the standard, IDENT_LIMIT here; it may contain a `/` (Holley: `/HLY5/D545-METER`) |
 * | CR LF | |
 */

/** Maximum number of stored bytes, without `/`, CR and LF. */
export const IDENT_LIMIT = 64;

export const MODE_A = 0x41;
export const MODE_B = 0x42;
export const MODE_C = 0x43;
export const MODE_D = 0x44;
export const MODE_E = 0x45;

const LF = 0x0a;
const CR = 0x0d;
const SLASH = 0x2f;
const EXCLAMATION_MARK = 0x21;
const PARENTHESIS_OPEN = 0x28;
const PARENTHESIS_CLOSE = 0x29;
const BACKSLASH = 0x5c;

const LETTERS = 3;
/** A `/` up to this position in a message belongs to the identification. */
const SLASH_LIMIT = 16;
const NOWHERE = -1;

/** Speed of the sign-on, Bd (6.3.1). */
export const BASE_BAUD = 300;
const LAST_NUMBER = 6;

/** Returns the number of a speed, rounded down to a standard speed; 0 for speeds below that. */
export function baudNumber(baud: number): number {
	let number = 0;
	while (number < LAST_NUMBER && getBaudRate(number + 1) <= baud) number++;
	return number;
}

/**
 * Returns the speed for a number, 0 to 6: 300 to 19200 Bd. The character `A` in mode B stands for 1, `0` in mode C for
 * 0 (6.3.2, note 13).
 */
export function getBaudRate(number: number): number {
	return BASE_BAUD << number;
}

/**
 * Finds identifications in 7-bit characters. Everything before a `/` is skipped, and so are lines without manufacturer
 * letters, lines with parentheses (data), and lines that end with `!` (the echo of a sign-on). A `/` inside an
 * identification belongs to it, unless three letters follow the `/`.
 */
export class IdentScanner {
	/** Identification without `/` and line end, `length` bytes. It is complete when `scan()` returns true. */
	readonly bytes = new Uint8Array(IDENT_LIMIT);
	length = 0;
	echoes = 0;
	#inside = false;
	#slash = NOWHERE;

	reset(): void {
		this.length = 0;
		this.#slash = NOWHERE;
		this.echoes = 0;
		this.#inside = false;
	}

	/** True while a line is received that may become an identification. */
	get inside(): boolean {
		return this.#inside;
	}

	/**
	 * Processes a character. Returns true at the end of an identification. If `length` decreases, a new one has begun.
	 */
	scan(character: number): boolean {
		if (character === SLASH) {
			const isText = this.#inside && this.length <= SLASH_LIMIT && this.hasLetters(0);
			this.#inside = true;
			if (isText) this.bytes[this.length++] = SLASH;
			else this.length = 0;
			this.#slash = isText ? this.length : NOWHERE;
			return false;
		}
		if (!this.#inside) return false;
		if (character === LF) {
			this.#inside = false;
			if (this.length > 0 && this.bytes[this.length - 1] === EXCLAMATION_MARK) {
				this.echoes++;
				return false;
			}
			return this.hasLetters(0);
		}
		if (character >= 0x80 || character === PARENTHESIS_OPEN || character === PARENTHESIS_CLOSE) this.#inside = false;
		else if (character !== CR && this.length < IDENT_LIMIT) this.bytes[this.length++] = character;
		if (this.#slash !== NOWHERE && this.hasLetters(this.#slash)) {
			this.bytes.copyWithin(0, this.#slash, this.length);
			this.length = LETTERS;
			this.#slash = NOWHERE;
		}
		return false;
	}

	copy(): Uint8Array {
		return this.bytes.slice(0, this.length);
	}

	/** MODE_…, derived from the character Z, which does not tell whether a meter uses mode D. */
	get mode(): number {
		const z = this.z;
		if (z >= 0x30 && z <= 0x36) return MODE_C;
		return z >= 0x41 && z <= 0x46 ? MODE_B : MODE_A;
	}

	get baud(): number {
		const { mode } = this;
		return mode === MODE_A ? BASE_BAUD : getBaudRate(this.z - (mode === MODE_C ? 0x30 : 0x40));
	}

	get fastReaction(): boolean {
		return this.bytes[2] >= 0x61 && this.bytes[2] <= 0x7a;
	}

	get announcesModeE(): boolean {
		for (let i = 4; i + 1 < this.length && this.bytes[i] === BACKSLASH; i += 2) {
			if (this.bytes[i + 1] === 0x32) return true;
		}
		return false;
	}

	private get z(): number {
		return this.length > 3 ? this.bytes[3] : EXCLAMATION_MARK;
	}

	private hasLetters(from: number): boolean {
		if (this.length < from + LETTERS) return false;
		for (let i = from; i < from + LETTERS; i++) {
			const letter = this.bytes[i] & 0xdf;
			if (letter < 0x41 || letter > 0x5a) return false;
		}
		return true;
	}
}
