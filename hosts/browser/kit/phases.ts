/** Values of the phases in a readout. */
import { isKnown, PHASES, phasePower, recordOf } from "./power.js";
import type { Reading } from "./replies.js";

/** Values of a phase. At least one of them is known. */
export interface Phase {
	/** `L1` to `L3`. */
	readonly name: string;
	/** Power in watts. It is negative if power is fed into the grid. */
	readonly watts: number | undefined;
	readonly voltage: Reading | undefined;
	readonly current: Reading | undefined;
}

/** Returns the phases that have power, voltage (32.7.0 for L1) or current (31.7.0). */
export function phasesOf(readings: readonly Reading[]): readonly Phase[] {
	const known = readings.filter(isKnown);
	return PHASES.map((group, index) => ({
		name: `L${index + 1}`,
		watts: phasePower(known, group),
		voltage: recordOf(known, `${group + 12}.7.0`),
		current: recordOf(known, `${group + 11}.7.0`),
	})).filter(({ watts, voltage, current }) => watts !== undefined || voltage !== undefined || current !== undefined);
}
