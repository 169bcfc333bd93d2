/** Identity and readings of a meter (from-readout.ts). Flash has the same 64-bit numbers. */
import { REGISTER_COUNT } from "./entry.js";

/** Index of the number that has a bit for each register with a known reading. */
export const KNOWN = 0;
/** Indices of the CRC-16 of the identification and of the CRC-16 of the serial number, which are 0 if unknown. */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading; readings are in the order and unit of the registers, 0 if unknown. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	readonly bytes = new Uint8Array(this.numbers.buffer);

	/** Copies known values of `later`. */
	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/** Returns true for a different meter, by serial number or, if that is unknown, by identification. */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
