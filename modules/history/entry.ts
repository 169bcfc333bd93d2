/**
 * One entry of the history: when a reading was taken, and by how much each register has risen since the entry before it.
 *
 * As bytes, of which an erased one (0xFF) begins none; a number is of seven bits a byte, low ones first, bit 7: more follow:
 *
 *   head     1 byte: bits 0-4 the registers whose rise is known, 5 flags follow, 6 a state follows (journal.ts)
 *   flags    1 byte, FLAG_…, if there are any
 *   quarters number: quarters of an hour from that of the entry before to that of this one, at least 1
 *   seconds  number: from the beginning of that quarter, 0 to 899
 *   rise     number, for each of those registers, in its unit
 *
 * A quarter hour of a household is 6 bytes, a day 8. Limits: RISE_END; Unix times of 32 bits.
 */
import { QUARTER_S } from "../time/calendar.js";

/** Registers, by number: import and export in Wh, gas and water in litres, heat in Wh. */
export const IMPORT = 0;
export const EXPORT = 1;
export const GAS = 2;
export const WATER = 3;
export const HEAT = 4;
export const REGISTER_COUNT = 5;

/** Nothing is known of what was before it: the history begins here. */
export const FLAG_START = 1;
/** It doesn't cover all that has gone through the meter since the entry before. */
export const FLAG_PARTIAL = 2;
/** The meter is another one than that of the entry before, or a register of it was set back. */
export const FLAG_CHANGED = 4;
/** A register has gone past its last digit, and on from 0. */
export const FLAG_WRAPPED = 8;

/** A reading, and a rise, is below it: seven bytes. */
export const RISE_END = 2 ** 48;
/** The longest entry, bytes. */
export const ENTRY_LIMIT = 2 + 4 + 2 + REGISTER_COUNT * 7;

export const HEAD_STATE = 64;
const HEAD_FLAGS = 32;
const HEAD_REGISTERS = 31;
const HEAD_NONE = 128;

export class Entry {
	/** Unix time in seconds. */
	timeS = 0;
	/** FLAG_… */
	flags = 0;
	/** Bits of the registers whose rise is known. */
	known = 0;
	/** By register; 0 where it is not known. */
	readonly rises = new Float64Array(REGISTER_COUNT);
	/** Set by `decode`: a state follows. */
	hasState = false;

	clear(): void {
		this.timeS = this.flags = this.known = 0;
		this.rises.fill(0);
	}

	/** Adds what another entry, the next one in time, tells. */
	add(next: Entry): void {
		// The sum lacks a part of any register that only one of the two has.
		if (this.known !== next.known && this.timeS !== 0) this.flags |= FLAG_PARTIAL;
		this.flags |= next.flags;
		this.known |= next.known;
		for (let i = 0; i < REGISTER_COUNT; i++) this.rises[i] += next.rises[i];
		this.timeS = next.timeS;
	}

	/** Writes it to `into` from `at` on; returns where it ends. `beforeS`: the time of the entry before it. */
	encode(into: Uint8Array, at: number, beforeS: number, hasState = false): number {
		const { timeS, flags, known } = this;
		let to = at;
		into[to++] = known | (flags === 0 ? 0 : HEAD_FLAGS) | (hasState ? HEAD_STATE : 0);
		if (flags !== 0) into[to++] = flags;
		to = putNumber(into, to, Math.floor(timeS / QUARTER_S) - Math.floor(beforeS / QUARTER_S));
		to = putNumber(into, to, timeS % QUARTER_S);
		for (let i = 0; i < REGISTER_COUNT; i++) if (known & (1 << i)) to = putNumber(into, to, this.rises[i]);
		return to;
	}

	/** Takes it from `bytes[at..)`, which has ENTRY_LIMIT bytes at least; returns where it ends, 0: none begins there. */
	decode(bytes: Uint8Array, at: number, beforeS: number): number {
		const head = bytes[at];
		if (head & HEAD_NONE) return 0;
		let from = at + 1;
		const take = (): number => {
			let value = 0;
			// One of more than seven bytes is none of ours, and is cut there.
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
		this.known = head & HEAD_REGISTERS;
		const quarters = take();
		this.timeS = (Math.floor(beforeS / QUARTER_S) + quarters) * QUARTER_S + take();
		for (let i = 0; i < REGISTER_COUNT; i++) if (this.known & (1 << i)) this.rises[i] = take();
		return quarters === 0 ? 0 : from;
	}
}

/** Writes a number of up to 49 bits; returns where it ends. */
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
