/**
 * Entry of the history: the time of a reading, and the rise of each register since the previous reading.
 *
 * An erased byte (0xFF) never begins an entry. Numbers have seven bits per byte, low bits first; bit 7 is set if more
 * bytes follow.
 *
 *   head     1 byte: bits 0-4 registers with a known rise, 5 flags follow, 6 a meter state follows (journal.ts)
 *   flags    1 byte, if there are any flags: FLAG_…, and bit 6 if the rise of TARIFF_2 is known
 *   quarters number: quarter hours since the quarter hour of the previous entry, at least 1
 *   seconds  number: seconds since the beginning of the quarter hour, 0 to 899
 *   rise     number: rise of a register in its unit, for each register in `head` and `flags`
 *
 * In a household, the entry of a quarter hour takes 6 bytes, and the entry of a day takes 8 bytes. Limits: a rise is
 * below RISE_END; Unix times have 32 bits.
 */
import { QUARTER_S } from "../time/calendar.js";

/**
 * Register numbers. Import, export and heat are in Wh, gas and water in litres. TARIFF_2 is the part of the import in
 * tariff 2, in Wh.
 */
export const IMPORT = 0;
export const EXPORT = 1;
export const GAS = 2;
export const WATER = 3;
export const HEAT = 4;
export const TARIFF_2 = 5;
export const REGISTER_COUNT = 6;

/** The entry begins the history. There is no earlier reading. */
export const FLAG_START = 1;
/** A part of the consumption is missing in the rises. */
export const FLAG_PARTIAL = 2;
/** The meter was exchanged, or a register was reset. */
export const FLAG_CHANGED = 4;
/** A register has overflowed and continued from 0. */
export const FLAG_WRAPPED = 8;
/**
 * The reading is from the meter's own load profile (filling.ts). periods.ts uses the bits between FLAG_WRAPPED and this
 * one.
 */
export const FLAG_METER = 128;

export const RISE_END = 2 ** 48;
export const ENTRY_LIMIT = 2 + 4 + 2 + REGISTER_COUNT * 7;

export const HEAD_STATE = 64;
const HEAD_FLAGS = 32;
const HEAD_REGISTERS = 31;
const HEAD_NONE = 128;
const HAS_TARIFF_2 = 64;

export class Entry {
	timeS = 0;
	flags = 0;
	known = 0;
	readonly rises = new Float64Array(REGISTER_COUNT);
	/** Set by `decode`: true if a meter state follows the entry. */
	hasState = false;

	clear(): void {
		this.timeS = this.flags = this.known = 0;
		this.rises.fill(0);
	}

	add(next: Entry): void {
		// If only one of the two entries has a register, the sum of this register is partial.
		if (this.known !== next.known && this.timeS !== 0) this.flags |= FLAG_PARTIAL;
		this.flags |= next.flags;
		this.known |= next.known;
		for (let i = 0; i < REGISTER_COUNT; i++) this.rises[i] += next.rises[i];
		this.timeS = next.timeS;
	}

	encode(into: Uint8Array, at: number, beforeS: number, hasState = false): number {
		const { timeS, known } = this;
		const flags = this.flags | (known & (1 << TARIFF_2) ? HAS_TARIFF_2 : 0);
		let to = at;
		into[to++] = (known & HEAD_REGISTERS) | (flags === 0 ? 0 : HEAD_FLAGS) | (hasState ? HEAD_STATE : 0);
		if (flags !== 0) into[to++] = flags;
		to = putNumber(into, to, Math.floor(timeS / QUARTER_S) - Math.floor(beforeS / QUARTER_S));
		to = putNumber(into, to, timeS % QUARTER_S);
		for (let i = 0; i < REGISTER_COUNT; i++) if (known & (1 << i)) to = putNumber(into, to, this.rises[i]);
		return to;
	}

	/**
	 * Decodes the entry at `at`. `bytes` must have at least ENTRY_LIMIT bytes from there. `beforeS` is the time of the
	 * previous entry. Returns the end of the entry; 0 if it is invalid.
	 */
	decode(bytes: Uint8Array, at: number, beforeS: number): number {
		const head = bytes[at];
		if (head & HEAD_NONE) return 0;
		let from = at + 1;
		const take = (): number => {
			let value = 0;
			for (let scale = 1; scale < RISE_END; scale *= 128) {
				const byte = bytes[from++];
				value += (byte & 127) * scale;
				if (byte < 128) break;
			}
			return value;
		};
		this.clear();
		this.hasState = (head & HEAD_STATE) !== 0;
		if (head & HEAD_FLAGS) this.flags = bytes[from++];
		this.known = (head & HEAD_REGISTERS) | (this.flags & HAS_TARIFF_2 ? 1 << TARIFF_2 : 0);
		this.flags &= ~HAS_TARIFF_2;
		const quarters = take();
		this.timeS = (Math.floor(beforeS / QUARTER_S) + quarters) * QUARTER_S + take();
		for (let i = 0; i < REGISTER_COUNT; i++) if (this.known & (1 << i)) this.rises[i] = take();
		return quarters === 0 ? 0 : from;
	}
}

/** Writes a number and returns the end. `value` has at most 49 bits. */
function putNumber(into: Uint8Array, at: number, value: number): number {
	let rest = value;
	let to = at;
	while (rest >= 128) {
		into[to++] = 128 + (rest % 128);
		rest = Math.floor(rest / 128);
	}
	into[to++] = rest;
	return to;
}
