/**
 * A character on the wire of an optical head, which is the eight bits between start and stop bit. In 7E1 these are
 * seven data bits, least significant first, and even parity in bit 7 (IEC 62056-21, 5.2). The code is independent of
 * modules/bytes/parity.ts, because tests compare both.
 */
import { FORMAT_8E1, FORMAT_8N2, type SerialFormat } from "../../modules/io/host.js";
import type { Machine } from "../../modules/io/machine.js";

/** Bits per character in 7E1 and 8N1, including start, parity and stop bit. */
export const BITS_PER_CHARACTER = 10;

export function bitsOf(format: SerialFormat): number {
	return format === FORMAT_8E1 || format === FORMAT_8N2 ? BITS_PER_CHARACTER + 1 : BITS_PER_CHARACTER;
}

/** Adds even parity to a 7-bit character. A value of 0x80 or more gets the wrong parity bit. */
export function encodeCharacter(character: number): number {
	const low = character & 0x7f;
	const isOdd = (0x6996 >> ((low ^ (low >> 4)) & 15)) & 1;
	return low | ((isOdd ^ (character >> 7)) << 7);
}

/** Returns the 7-bit character, with bit 7 set if the parity is wrong. */
export function decodeCharacter(wire: number): number {
	const isOdd = (0x6996 >> ((wire ^ (wire >> 4)) & 15)) & 1;
	return (wire & 0x7f) | (isOdd << 7);
}

/**
 * Returns true if a receiver with one format understands characters in the other. Only 8E1 has a ninth bit before the
 * stop bit. Receivers check only one stop bit, so 8N1 and 8N2 are compatible.
 */
export function isSameFrame(one: SerialFormat, other: SerialFormat): boolean {
	return (one === FORMAT_8E1) === (other === FORMAT_8E1);
}

/** A simulated meter that may also see the light of the head's LED. */
export interface LitMachine extends Machine {
	/** Called with start and end of each light pulse, excluding stop bits. */
	light?(fromMs: number, toMs: number): void;
}

/**
 * Simulates a receiver whose speed differs from the sender's. It receives as many characters as fit into the time, all
 * of them wrong.
 */
export class FaultInjector {
	#due = 0;
	#count = 0;

	/** Returns the characters that a receiver with `ratio` times the sender's speed receives, at most four. */
	garble(wire: number, ratio: number): number[] {
		const seen: number[] = [];
		this.#due += Math.min(ratio, 4);
		while (this.#due >= 1) {
			this.#due--;
			seen.push((Math.imul(wire ^ (++this.#count * 0x3b), 0x9e3779b1) >>> 24) | (this.#count & 1 ? 0x80 : 0));
		}
		return seen;
	}
}
