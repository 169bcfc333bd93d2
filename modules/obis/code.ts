/**
 * OBIS codes as meters print them and as the gateway stores them.
 *
 * IEC 62056-61 / 62056-6-1 define six groups `A-B:C.D.E*F`. IEC 62056-21 lets a meter leave out A, B, E and F, and the
 * older EDIS (DIN 43863-3) uses letters. Accepted forms, with examples:
 *
 *     1-0:1.8.0*255  1-0:1.8.0  0:1.8.0  1.8.0  1.8.0*01  1.8.0&12  32.7     groups 0 to 255, one to three digits
 *     C.1.0  F.F  F.F.0  L.1  P.01  0-0:C.51.2*01                            C 96 service, F 97 error, L 98, P 99 lists
 *     0.5.1.2                                                                a fourth short group (`sub`)
 *
 * Other addresses are shown as the meter sends them. Limit: OBIS_TEXT_LIMIT characters.
 */

/** Length of `255-255:255.255.255.255*255`. */
export const OBIS_TEXT_LIMIT = 27;

/** Group F of a current value, which belongs to no past billing period. */
export const BILLING_PERIOD_CURRENT = 255;

const AMPERSAND = 0x26;
const ASTERISK = 0x2a;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const COLON = 0x3a;
const LETTER_C = 0x43;
const LETTER_F = 0x46;
const LETTER_L = 0x4c;
const LETTER_P = 0x50;

const GROUP_SERVICE = 96;
const GROUP_ERROR = 97;
export const GROUP_LIST = 98;
/** Group C of load profiles, whose letter is `P`. */
export const GROUP_PROFILE = 99;
/**
 * Set of the values of group D for momentary and average values (IEC 62056-6-1), as bits: 4, 5, 7, 14, 15, 24, 25, 27,
 * 28.
 */
const MOMENTARY = 0x1b00c0b0;

/** Returns true if `d`, a value of group D, stands for momentary or average values, which become invalid with age. */
export function isMomentary(d: number): boolean {
	return d >= 0 && d < 32 && ((MOMENTARY >>> d) & 1) !== 0;
}

/** An OBIS code. Each `parse()` replaces its groups. A group that was not sent is -1. */
export class OBISCode {
	/** Medium: 0 abstract, 1 electricity, 4 heat cost, 5 cooling, 6 heat, 7 gas, 8 cold water, 9 hot water. */
	a = -1;
	/** Channel. */
	b = -1;
	/** Quantity. */
	c = -1;
	/** Processing: for example, 6 maximum, 7 instantaneous, 8 register. */
	d = -1;
	/** Tariff or index. */
	e = -1;
	/** Billing period. */
	f = -1;
	/**
	 * Fourth short group (EDIS), which only the demand limits `0.5.1.x` and `0.5.2.x` have. OBIS has it as group F. It is
	 * the number of a limit or tariff, not of a billing period.
	 */
	sub = -1;
	letters = false;
	/** True if F followed an `&`, which means that the billing period was closed manually or by command. */
	manual = false;
	/** True if F was below 10 and sent with two digits, as for stored billing periods (`*01`). */
	paddedF = false;
	/** True if `encode()` returns exactly the parsed bytes. */
	canonical = false;

	/**
	 * Offset of `C.D.E` in the bytes of `parse()` or `encode()`. For an address that is not a code, it is the start of
	 * the address.
	 */
	shortStart = 0;
	/**
	 * Offset of the end of `C.D.E`, before `*` or `&`. For an address that is not a code, it is the end of the address.
	 */
	shortEnd = 0;
	/** Offset of the end of the long form, which omits a trailing `*255`. */
	longEnd = 0;

	#at = 0;

	/** Parses an address. If it is not an OBIS code, returns false and sets all groups to -1. */
	parse(bytes: Uint8Array, start: number, end: number): boolean {
		this.clear(start, end);
		if (this.read(bytes, start, end)) return true;
		this.clear(start, end);
		return false;
	}

	setGroups(bytes: Uint8Array, at: number): void {
		this.clear(0, 0);
		this.a = bytes[at];
		this.b = bytes[at + 1];
		this.c = bytes[at + 2];
		this.d = bytes[at + 3];
		this.e = bytes[at + 4];
		this.f = bytes[at + 5];
	}

	/** Writes the code, at most OBIS_TEXT_LIMIT bytes. */
	encode(into: Uint8Array, at: number): number {
		let to = at;
		if (this.a >= 0) {
			to = putDecimal(into, to, this.a);
			into[to++] = HYPHEN;
		}
		if (this.b >= 0) {
			to = putDecimal(into, to, this.b);
			into[to++] = COLON;
		}
		this.shortStart = to;
		if (this.letters) into[to++] = letterOf(this.c);
		else to = putDecimal(into, to, this.c);
		into[to++] = DOT;
		if (this.letters && this.c === GROUP_ERROR && this.d === GROUP_ERROR) into[to++] = LETTER_F;
		else to = putDecimal(into, to, this.d);
		if (this.e >= 0) {
			into[to++] = DOT;
			to = putDecimal(into, to, this.e);
		}
		if (this.sub >= 0) {
			into[to++] = DOT;
			to = putDecimal(into, to, this.sub);
		}
		this.shortEnd = to;
		return this.encodePeriod(into);
	}

	/** Writes F again if it has changed since `encode()`. Returns the end. */
	encodePeriod(into: Uint8Array): number {
		let to = this.shortEnd;
		this.longEnd = to;
		if (this.f >= 0) {
			into[to++] = this.manual ? AMPERSAND : ASTERISK;
			if (this.paddedF) into[to++] = DIGIT_0;
			to = putDecimal(into, to, this.f);
			if (this.f !== BILLING_PERIOD_CURRENT) this.longEnd = to;
		}
		return to;
	}

	/** Groups A to E as one number; -1 if the address is not a code, or has a fourth short group. */
	get quantity(): number {
		if (this.c < 0 || this.sub >= 0) return -1;
		const channel = (this.a + 1) * 257 + this.b + 1;
		const processing = (this.c * 257 + this.d) * 257 + this.e + 1;
		return (channel * 257 * 257 * 257 + processing) * 2 + (this.letters ? 1 : 0);
	}

	get medium(): number | null {
		return this.a < 0 ? null : this.a;
	}

	get channel(): number | null {
		return this.b < 0 ? null : this.b;
	}

	/** Number of the billing period, which is F; null for a current value. */
	get billingPeriod(): number | null {
		return this.f < 0 || this.f === BILLING_PERIOD_CURRENT ? null : this.f;
	}

	private clear(start: number, end: number): void {
		this.a = this.b = this.c = this.d = this.e = this.f = this.sub = -1;
		this.letters = this.manual = this.paddedF = this.canonical = false;
		this.shortStart = start;
		this.shortEnd = this.longEnd = end;
	}

	private read(bytes: Uint8Array, start: number, end: number): boolean {
		this.#at = start;
		this.canonical = true;
		if (!this.readC(bytes, end)) return false;
		if (!this.skip(bytes, end, DOT)) return false;
		this.d = this.readD(bytes, end);
		if (this.d < 0) return false;
		if (this.skip(bytes, end, DOT)) {
			this.e = this.number(bytes, end);
			if (this.e < 0) return false;
			if (this.skip(bytes, end, DOT)) {
				this.sub = this.number(bytes, end);
				if (this.sub < 0) return false;
			}
		}
		this.shortEnd = this.#at;
		this.manual = this.skip(bytes, end, AMPERSAND);
		if (this.manual || this.skip(bytes, end, ASTERISK)) {
			if (!this.readF(bytes, end)) return false;
		}
		if (this.f !== BILLING_PERIOD_CURRENT) this.longEnd = this.#at;
		else this.longEnd = this.shortEnd;
		return this.#at === end;
	}

	/** Reads the groups up to C; `A-B:` is optional. */
	private readC(bytes: Uint8Array, end: number): boolean {
		let value = this.number(bytes, end);
		if (value >= 0 && this.skip(bytes, end, HYPHEN)) {
			this.a = value;
			value = this.number(bytes, end);
		}
		if (value >= 0 && this.skip(bytes, end, COLON)) {
			this.b = value;
			this.shortStart = this.#at;
			value = this.number(bytes, end);
		} else if (this.a >= 0) {
			return false;
		}
		if (value < 0 && this.#at < end) {
			value = groupOf(bytes[this.#at]);
			this.letters = value >= 0;
			this.#at++;
		}
		this.c = value;
		return value >= 0;
	}

	/** Reads D. The letter `F` is valid only in `F.F`. */
	private readD(bytes: Uint8Array, end: number): number {
		if (this.letters && this.c === GROUP_ERROR) {
			if (this.skip(bytes, end, LETTER_F)) return GROUP_ERROR;
			const value = this.number(bytes, end);
			if (value === GROUP_ERROR) this.canonical = false;
			return value;
		}
		return this.number(bytes, end);
	}

	private readF(bytes: Uint8Array, end: number): boolean {
		const from = this.#at;
		const canonical = this.canonical;
		this.f = this.number(bytes, end);
		this.paddedF = this.f >= 0 && this.f < 10 && this.#at - from === 2;
		if (this.paddedF) this.canonical = canonical;
		return this.f >= 0;
	}

	private skip(bytes: Uint8Array, end: number, character: number): boolean {
		if (this.#at >= end || bytes[this.#at] !== character) return false;
		this.#at++;
		return true;
	}

	/** Reads 0 to 255 in one to three digits; otherwise returns -1. Leading zeros are not canonical. */
	private number(bytes: Uint8Array, end: number): number {
		const from = this.#at;
		let value = 0;
		while (this.#at < end) {
			const digit = bytes[this.#at] - DIGIT_0;
			if (digit < 0 || digit > 9) break;
			value = value * 10 + digit;
			this.#at++;
		}
		const length = this.#at - from;
		if (length === 0 || length > 3 || value > 255) {
			this.#at = from;
			return -1;
		}
		if (length > 1 && bytes[from] === DIGIT_0) this.canonical = false;
		return value;
	}
}

export function putDecimal(into: Uint8Array, at: number, value: number): number {
	let to = at;
	if (value > 99) into[to++] = DIGIT_0 + Math.floor(value / 100);
	if (value > 9) into[to++] = DIGIT_0 + (Math.floor(value / 10) % 10);
	into[to++] = DIGIT_0 + (value % 10);
	return to;
}

function groupOf(letter: number): number {
	if (letter === LETTER_C) return GROUP_SERVICE;
	if (letter === LETTER_F) return GROUP_ERROR;
	if (letter === LETTER_L) return GROUP_LIST;
	if (letter === LETTER_P) return GROUP_PROFILE;
	return -1;
}

function letterOf(group: number): number {
	if (group === GROUP_SERVICE) return LETTER_C;
	if (group === GROUP_ERROR) return LETTER_F;
	if (group === GROUP_LIST) return LETTER_L;
	return LETTER_P;
}
