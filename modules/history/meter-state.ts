/** Identity and readings of a meter. Stored as 64-bit floating-point numbers, in this order. */
import { REGISTER_COUNT } from "./entry.js";

/** Index of a number with a bit for each register whose reading is known. */
export const KNOWN = 0;
/** Indices of the CRC-16 of the identification, and of the serial number; 0: unknown. */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading; order and units as in entry.ts. 0: unknown. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	readonly bytes = new Uint8Array(this.numbers.buffer);

	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/** Compares the serial numbers if both are known, otherwise the identifications. */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
