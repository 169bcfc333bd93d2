/**
 * Identity and readings of a meter. They are stored in flash as they are in memory: 64-bit floating-point numbers, in
 * this order.
 */
import { REGISTER_COUNT } from "./entry.js";

/** Index of the number in which each register with a known reading has a bit. */
export const KNOWN = 0;
/** Indices of two checksums: the CRC-16 of the identification, and that of the serial number. An unknown one is 0. */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading. Readings are in the order and units of the registers (entry.ts). An unknown one is 0. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	readonly bytes = new Uint8Array(this.numbers.buffer);

	/** Takes over the known values of `later`. */
	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/**
	 * Returns true if both states are known to be of different meters. The serial numbers are compared if both are
	 * known, otherwise the identifications.
	 */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
