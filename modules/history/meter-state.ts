/**
 * Identity and readings of a meter. They are 64-bit floating-point numbers, stored in the order of the indices below.
 */
import { REGISTER_COUNT } from "./entry.js";

/** Index of the bit mask of the registers whose reading is known. */
export const KNOWN = 0;
/**
 * Indices of the CRC-16 of the identification (IDENT) and of the CRC-16 of the serial number (SERIAL). 0 means unknown.
 */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading. The order of the readings and their units are those in entry.ts. 0 means unknown. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	readonly bytes = new Uint8Array(this.numbers.buffer);
	/** Time of the readout, Unix seconds. Neither this nor the next member is stored. */
	timeS = 0;
	/** Time of each reading that a meter on M-Bus sent with its time, Unix seconds; otherwise 0. */
	readonly timesS = new Float64Array(REGISTER_COUNT);

	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/**
	 * True if the other state belongs to another meter. The serial numbers are compared if both are known, otherwise
	 * the identifications.
	 */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
