/**
 * State of a meter: its identity and its register readings. A readout yields one (from-readout.ts), which is compared
 * with the previous one. In flash it is stored as its 64-bit numbers.
 */
import { REGISTER_COUNT } from "./entry.js";

/** Index of the bit set of registers with a known reading. */
export const KNOWN = 0;
/** Indices of the CRC-16 of the meter's identification and of its serial number; value 0 when absent. */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading, by register, in its unit; value 0 when unknown. */
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

	/** Returns true if `later` is of another meter: by serial number, or else by identification. */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
