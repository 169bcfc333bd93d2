/**
 * Values as clients receive them: the live values (live-values.ts) with the owner's corrections, then calculated values
 * that a dialect requires although the meter does not send them. The first LIVE_COUNT values have the same indexes as
 * the live values.
 *
 * The offset is added to the total power, and also to the power of the first phase or, in equal parts, of all phases.
 * Up to SHOWN_AVERAGE, values that the meter does not send stay NaN. From SHOWN_FULL on, they are calculated, for
 * dialects that require them: power and counters of the phases from the totals, on the first phase or in equal parts on
 * all phases; voltage of the first phase, or 230 V; frequency 50 Hz; current and apparent power from power and voltage.
 */
import {
	LIVE_AMPERES_L1,
	LIVE_COUNT,
	LIVE_EXPORT,
	LIVE_HERTZ,
	LIVE_IMPORT,
	LIVE_POWER,
	LIVE_POWER_L1,
	LIVE_VOLTS_L1,
	PHASES,
} from "./live-values.js";

/** Indexes of the age of the values, ms, and of the mean power of the last minute, W. */
export const SHOWN_AGE = LIVE_COUNT;
export const SHOWN_AVERAGE = LIVE_COUNT + 1;
/** From this index on, all values are known. The values of the three phases have consecutive indexes. */
export const SHOWN_FULL = LIVE_COUNT + 2;
export const FULL_POWER_L1 = SHOWN_FULL;
export const FULL_VOLTS_L1 = SHOWN_FULL + 3;
export const FULL_AMPERES_L1 = SHOWN_FULL + 6;
export const FULL_APPARENT_L1 = SHOWN_FULL + 9;
export const FULL_FACTOR_L1 = SHOWN_FULL + 12;
export const FULL_IMPORT_L1 = SHOWN_FULL + 15;
export const FULL_EXPORT_L1 = SHOWN_FULL + 18;
export const FULL_AMPERES = SHOWN_FULL + 21;
export const FULL_APPARENT = SHOWN_FULL + 22;
export const FULL_IMPORT = SHOWN_FULL + 23;
export const FULL_EXPORT = SHOWN_FULL + 24;
export const FULL_HERTZ = SHOWN_FULL + 25;
export const SHOWN_COUNT = SHOWN_FULL + 26;

const USUAL_VOLTS = 230;
const USUAL_HERTZ = 50;

export interface Corrections {
	readonly isInverted: boolean;
	readonly offsetW: number;
	readonly isOnAll: boolean;
}

/** Returns the total power with the corrections, W. */
export function correctedPower(live: Float64Array, { isInverted, offsetW }: Corrections): number {
	return (isInverted ? -live[LIVE_POWER] : live[LIVE_POWER]) + offsetW;
}

/**
 * Returns the shown values for the live values in the first LIVE_COUNT numbers of `live`. `averageW`: mean power of the
 * last minute, without the corrections. `part`: number from 0 to 1 by which all powers are multiplied.
 */
export function showValues(
	live: Float64Array,
	{ isInverted, offsetW, isOnAll }: Corrections,
	ageMs: number,
	averageW: number,
	part = 1,
): Float64Array {
	const sign = isInverted ? -1 : 1;
	const into = new Float64Array(SHOWN_COUNT);
	for (let i = 0; i < LIVE_COUNT; i++) into[i] = live[i];
	for (let i = LIVE_POWER; i <= PHASES; i++) into[i] *= sign;
	if (isInverted) {
		for (let i = 0; i < LIVE_COUNT - LIVE_EXPORT; i++) {
			into[LIVE_IMPORT + i] = live[LIVE_EXPORT + i];
			into[LIVE_EXPORT + i] = live[LIVE_IMPORT + i];
		}
	}
	const share = shareOf(isOnAll);
	for (let i = 0; i < PHASES; i++) into[LIVE_POWER_L1 + i] += offsetW * share(i);
	into[LIVE_POWER] += offsetW;
	for (let i = LIVE_POWER; i <= PHASES; i++) into[i] *= part;
	into[SHOWN_AGE] = ageMs;
	into[SHOWN_AVERAGE] = (averageW * sign + offsetW) * part;
	fill(into, share);
	return into;
}

function shareOf(isOnAll: boolean): (phase: number) => number {
	return isOnAll ? () => 1 / PHASES : (phase) => (phase === 0 ? 1 : 0);
}

function fill(into: Float64Array, share: (phase: number) => number): void {
	const or = (index: number, other: number) => (Number.isNaN(into[index]) ? other : into[index]);
	const taken = or(LIVE_IMPORT, 0);
	const given = or(LIVE_EXPORT, 0);
	const firstVolts = or(LIVE_VOLTS_L1, USUAL_VOLTS);
	let hasPhases = false;
	for (let i = 0; i < PHASES; i++) hasPhases ||= !Number.isNaN(into[LIVE_POWER_L1 + i]);
	let amperes = 0;
	let apparent = 0;
	for (let i = 0; i < PHASES; i++) {
		// A phase that the meter does not send counts as not connected.
		const shown = hasPhases ? or(LIVE_POWER_L1 + i, 0) : into[LIVE_POWER] * share(i);
		const power = Math.abs(shown);
		const volts = or(LIVE_VOLTS_L1 + i, firstVolts);
		const current = or(LIVE_AMPERES_L1 + i, volts > 0 ? power / volts : 0);
		const product = Math.max(power, volts * Math.abs(current));
		into[FULL_POWER_L1 + i] = shown;
		into[FULL_VOLTS_L1 + i] = volts;
		into[FULL_AMPERES_L1 + i] = current;
		into[FULL_APPARENT_L1 + i] = product;
		into[FULL_FACTOR_L1 + i] = product > 0 ? power / product : 1;
		into[FULL_IMPORT_L1 + i] = taken * share(i);
		into[FULL_EXPORT_L1 + i] = given * share(i);
		amperes += current;
		apparent += product;
	}
	into[FULL_AMPERES] = amperes;
	into[FULL_APPARENT] = apparent;
	into[FULL_IMPORT] = taken;
	into[FULL_EXPORT] = given;
	into[FULL_HERTZ] = or(LIVE_HERTZ, USUAL_HERTZ);
}
