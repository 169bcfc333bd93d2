/**
 * Identity and readings of a meter. They are 64-bit floating-point numbers, stored in the order of the indices below.
 */
import { REGISTER_COUNT, TARIFF_2 } from "./entry.js";

/** Index of the bit mask of the registers whose reading is known. */
export const KNOWN = 0;
/**
 * Indices of the CRC-16 of the identification (IDENT) and of the CRC-16 of the serial number (SERIAL). 0 means unknown.
 */
export const IDENT = 1;
export const SERIAL = 2;
/** Index of the first reading. The order of the readings and their units are those in entry.ts. 0 means unknown. */
export const READINGS = 3;
/** Index of the sources of all readings (`sourceOf`), SOURCE_END for each register but the last, TARIFF_2. */
const SOURCES = READINGS + REGISTER_COUNT;
export const SOURCE_END = 1024;
/** Sources from this one on are from a meter's number, those below it from a channel. */
export const SOURCE_NUMBERED = 512;

export class MeterState {
	readonly numbers = new Float64Array(SOURCES + 1);
	readonly bytes = new Uint8Array(this.numbers.buffer);
	/** Time of the readout, Unix seconds. Neither this nor the next member is stored. */
	timeS = 0;
	/** Time of each reading that a meter on M-Bus sent with its time, Unix seconds; otherwise 0. */
	readonly timesS = new Float64Array(REGISTER_COUNT);

	update(later: MeterState): void {
		const { numbers } = later;
		for (let i = IDENT; i < SOURCES; i++)
			if (i < READINGS ? numbers[i] !== 0 : numbers[KNOWN] & (1 << (i - READINGS))) this.numbers[i] = numbers[i];
		for (let i = 0; i < REGISTER_COUNT; i++) if (numbers[KNOWN] & (1 << i)) this.setSource(i, later.sourceOf(i));
		this.numbers[KNOWN] |= numbers[KNOWN];
	}

	/**
	 * Meter that the reading of a register is from, if several meters are read at once: SOURCE_NUMBERED and a check value
	 * of its number, or, without a number, group B of the reading's code and 1. 0 if it is unknown.
	 */
	sourceOf(register: number): number {
		return Math.floor(this.numbers[SOURCES] / SOURCE_END ** register) % SOURCE_END;
	}

	setSource(register: number, source: number): void {
		if (register !== TARIFF_2) this.numbers[SOURCES] += (source - this.sourceOf(register)) * SOURCE_END ** register;
	}

	/** True if the other state has the register from another meter than this one. */
	isElsewhere(other: MeterState, register: number): boolean {
		const [own, others] = [this.sourceOf(register), other.sourceOf(register)];
		const isSameKind = own >= SOURCE_NUMBERED === others >= SOURCE_NUMBERED;
		return own * others > 0 && isSameKind && own !== others;
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
