/**
 * What was read of the meter: which meter it is, and where its registers stand. Both what a readout gives (from-readout.ts)
 * and what the next one is compared with; then it lies in flash as its numbers, of 64 bits each.
 */
import { REGISTER_COUNT } from "./entry.js";

/** Bits of the registers whose readings are known. */
export const KNOWN = 0;
/** CRC-16 of what the meter calls itself, and of its number; 0: there is none. */
export const IDENT = 1;
export const SERIAL = 2;
/** From here on the readings, by register, in its unit; 0 where it is not known. */
export const READINGS = 3;

export class MeterState {
	readonly numbers = new Float64Array(READINGS + REGISTER_COUNT);
	/** The same as bytes. */
	readonly bytes = new Uint8Array(this.numbers.buffer);

	/** Takes over what the later one knows. */
	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < READINGS + REGISTER_COUNT; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/** Whether the later one is of another meter. Its number decides; without one what it calls itself. */
	isOther({ numbers }: MeterState): boolean {
		const own = this.numbers;
		const what = own[SERIAL] * numbers[SERIAL] > 0 ? SERIAL : IDENT;
		return own[what] * numbers[what] > 0 && own[what] !== numbers[what];
	}
}
