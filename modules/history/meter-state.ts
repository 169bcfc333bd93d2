/**
 * What was read of the meter: which meter it is, and where its registers stand. Both what a readout gives (from-readout.ts)
 * and what the next one is compared with; then it lies in flash as
 *
 *   known    1 byte: bits of the registers that follow
 *   ident    2 bytes, low one first: CRC-16 of the identification, 0: there was none
 *   serial   2 bytes: the same of the meter's number
 *   reading  number (entry.ts), for each of those registers, in its unit
 */
import { endOfNumber, getNumber, putNumber, REGISTER_COUNT } from "./entry.js";

/** Its longest form, bytes. */
export const STATE_LIMIT = 5 + REGISTER_COUNT * 7;

export class MeterState {
	/** Bits of the registers whose readings are known. */
	known = 0;
	ident = 0;
	serial = 0;
	/** By register; 0 where it is not known. */
	readonly readings = new Float64Array(REGISTER_COUNT);

	clear(): void {
		this.known = this.ident = this.serial = 0;
		this.readings.fill(0);
	}

	copy(other: MeterState): void {
		this.known = other.known;
		this.ident = other.ident;
		this.serial = other.serial;
		this.readings.set(other.readings);
	}

	/** Takes over what the later one knows. */
	update(later: MeterState): void {
		this.known |= later.known;
		if (later.ident !== 0) this.ident = later.ident;
		if (later.serial !== 0) this.serial = later.serial;
		for (let i = 0; i < REGISTER_COUNT; i++) if (later.known & (1 << i)) this.readings[i] = later.readings[i];
	}

	/** Whether the later one is of another meter. The number decides; without it what the meter calls itself. */
	isOther(later: MeterState): boolean {
		if (this.serial !== 0 && later.serial !== 0) return this.serial !== later.serial;
		return this.ident !== 0 && later.ident !== 0 && this.ident !== later.ident;
	}

	/** Writes it to `into` from `at` on; returns where it ends. */
	encode(into: Uint8Array, at: number): number {
		into[at] = this.known;
		into[at + 1] = this.ident;
		into[at + 2] = this.ident >> 8;
		into[at + 3] = this.serial;
		into[at + 4] = this.serial >> 8;
		let to = at + 5;
		for (let i = 0; i < REGISTER_COUNT; i++) if (this.known & (1 << i)) to = putNumber(into, to, this.readings[i]);
		return to;
	}

	/** Takes it from `bytes[at..)`. */
	decode(bytes: Uint8Array, at: number): void {
		this.clear();
		this.known = bytes[at];
		this.ident = bytes[at + 1] + bytes[at + 2] * 256;
		this.serial = bytes[at + 3] + bytes[at + 4] * 256;
		let from = at + 5;
		for (let i = 0; i < REGISTER_COUNT; i++) {
			if ((this.known & (1 << i)) === 0) continue;
			this.readings[i] = getNumber(bytes, from);
			from = endOfNumber(bytes, from);
		}
	}
}
