/** Identity and readings of a meter, from a readout (from-readout.ts); in flash as its 64-bit numbers. */
import { REGISTER_COUNT } from "./entry.js";

/** Index of the bit set of registers with a known reading. */
export const KNOWN = 0;
/** CRC-16 of identification and serial number; 0: absent. */
export const IDENT = 1;
export const SERIAL = 2;
/** Readings by register, in its unit; 0: unknown. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	/** Byte view of `numbers`. */
	readonly bytes = new Uint8Array(this.numbers.buffer);

	/** Adopts all values known in `later`. */
	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/** True for another meter, by serial number or else identification. */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
