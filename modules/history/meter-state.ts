/**
 * Identity and readings of a meter. They are 64-bit floating-point numbers, stored in the order of the indices below.
 */
import { HOUR_S, QUARTER_S } from "../time/calendar.js";
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

/**
 * Intervals in which meters on M-Bus are read: five minutes (DSMR 5), or an hour (DSMR 4), which is 12 short ones. The electricity meter gets the reading of
 * an interval's end some seconds or minutes after it.
 */
const SHORT_INTERVAL_S = 300;
const LONG_INTERVAL = HOUR_S / SHORT_INTERVAL_S;
/** Largest difference between the clocks of the meter and the gateway that is ignored here, seconds. */
const CLOCKS_S = 60;

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

	/** True if the reading of a meter on M-Bus at the start of this quarter hour is still to come. */
	get isEarly(): boolean {
		const quarterS = this.timeS - (this.timeS % QUARTER_S);
		return this.timesS.some((timeS) => {
			const gap = Math.round((quarterS - timeS) / SHORT_INTERVAL_S);
			return gap === 1 || gap === LONG_INTERVAL;
		});
	}

	/** Takes those readings of meters on M-Bus from a later readout that belong to the time of this one. */
	complete({ numbers, timesS }: MeterState): void {
		for (let i = 0; i < REGISTER_COUNT; i++) {
			if (this.timesS[i] === 0 || timesS[i] <= this.timesS[i] || timesS[i] > this.timeS + CLOCKS_S) continue;
			this.timesS[i] = timesS[i];
			this.numbers[READINGS + i] = numbers[READINGS + i];
		}
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
