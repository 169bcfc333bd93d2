/** Values of the phases, from a readout. */
import { PHASES, phasePower, recordOf } from "./power.js";
import type { Reading } from "./replies.js";

/** The meter sends at least one of the values. */
export interface Phase {
	/** `L1` to `L3`. */
	readonly name: string;
	/** Watts drawn from the grid, negative when fed into it. */
	readonly watts: number | undefined;
	readonly voltage: Reading | undefined;
	readonly current: Reading | undefined;
}

/** Phases with power, voltage (32.7.0 for L1) or current (31.7.0). */
export function phasesOf(readings: readonly Reading[]): readonly Phase[] {
	return PHASES.map((group, index) => ({
		name: `L${index + 1}`,
		watts: phasePower(readings, group),
		voltage: recordOf(readings, `${group + 12}.7.0`),
		current: recordOf(readings, `${group + 11}.7.0`),
	})).filter(({ watts, voltage, current }) => watts !== undefined || voltage !== undefined || current !== undefined);
}
