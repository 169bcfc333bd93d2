/**
 * Extracts momentary values and energy counters of an electricity meter, as numbers in a fixed order. The OBIS codes
 * are those of IEC 62056-6-1. For phase n (1 to 3), 20 n is added to group C:
 *
 *   power     16.7.0 (import minus export), else 1.7.0 - 2.7.0, else the sum of the phases
 *   voltage   12.7.0       current   11.7.0       frequency   14.7.0
 *   energy    1.8.0, 2.8.0, else the sum of the tariffs 1.8.1 to 1.8.9, 2.8.1 to 2.8.9
 *
 * The first value with each code is used. Past billing periods, other media, and values without a known unit or a
 * decimal number are ignored. A value that the meter does not send is NaN. A counter keeps its value while the readout
 * lacks it (readout.ts), because some dialects must contain counters, and 0 would be a new meter.
 */
import type { TextCodec } from "../io/host.js";
import { putNumber } from "../readout/number.js";
import { CURRENT, ENERGY, FREQUENCY, NO_UNIT, POWER, powerOf, unitOf, VOLTAGE } from "../readout/quantities.js";
import { hasAllTariffs, type Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { VALUE_LIMIT } from "../readout/record-writer.js";

/** Indexes of the values, in W, V, A, Hz and Wh. The values of the three phases have consecutive indexes. */
export const LIVE_POWER = 0;
export const LIVE_POWER_L1 = 1;
export const LIVE_VOLTS_L1 = 4;
export const LIVE_AMPERES_L1 = 7;
export const LIVE_HERTZ = 10;
/** Index of the imported energy: total, tariff 1, tariff 2. */
export const LIVE_IMPORT = 11;
export const LIVE_EXPORT = 14;
export const LIVE_COUNT = 17;

export const PHASES = 3;
const PHASE_STEP = 20;
const MEDIUM_ELECTRICITY = 1;
/** Values of group C for all phases together, and values of group D. */
const C_IMPORT = 1;
const C_EXPORT = 2;
const C_AMPERES = 11;
const C_VOLTS = 12;
const C_HERTZ = 14;
const C_NET = 16;
const D_MOMENTARY = 7;
const D_COUNTER = 8;
const TARIFFS = 9;
const TARIFFS_SHOWN = 2;
const PARTS_OF_POWER = 3;

export function takeLiveValues(readout: Readout, text: TextCodec, into: Float64Array): void {
	const { records, unconfirmed } = readout;
	const hasAll = hasAllTariffs(readout);
	const before = into.slice(LIVE_IMPORT, LIVE_COUNT);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	const digits = new Uint8Array(VALUE_LIMIT + 1);
	const powers = new Float64Array((1 + PHASES) * PARTS_OF_POWER).fill(Number.NaN);
	const sums = new Float64Array(2).fill(Number.NaN);
	into.fill(Number.NaN, 0, LIVE_COUNT);
	for (let record = 1; cursor.nextRecord(); record++) {
		const { a, b, c, d, e } = code;
		if (unconfirmed?.includes(record)) continue;
		if (c < 1 || b > 1 || code.letters || code.sub >= 0 || code.billingPeriod !== null) continue;
		if ((a >= 0 && a !== MEDIUM_ELECTRICITY) || cursor.attribute !== 0 || !cursor.nextValue()) continue;
		const kind = unitOf(cursor.unit);
		const end = kind === NO_UNIT ? 0 : putNumber(cursor.text, cursor.length, digits);
		if (end === 0) continue;
		const value = Number(text.decode(digits, 0, end)) * 10 ** powerOf(cursor.unit, kind);
		if (d === D_MOMENTARY && e <= 0) takeMomentary(c, kind, value, into, powers);
		else if (d === D_COUNTER && kind === ENERGY && c <= C_EXPORT && e <= TARIFFS) {
			const index = c - C_IMPORT;
			const first = index === 0 ? LIVE_IMPORT : LIVE_EXPORT;
			const wattHours = value * 1000;
			if (e <= TARIFFS_SHOWN) setFirst(into, first + Math.max(0, e), wattHours);
			if (e > 0 && hasAll) sums[index] = Number.isNaN(sums[index]) ? wattHours : sums[index] + wattHours;
		}
	}
	setFirst(into, LIVE_IMPORT, sums[0]);
	setFirst(into, LIVE_EXPORT, sums[1]);
	for (let i = 0; i < before.length && !hasAll; i++) setFirst(into, LIVE_IMPORT + i, before[i]);
	let ofPhases = Number.NaN;
	for (let i = 0; i <= PHASES; i++) {
		const power = netOf(powers, i * PARTS_OF_POWER);
		into[LIVE_POWER + i] = power;
		if (i > 0 && !Number.isNaN(power)) ofPhases = Number.isNaN(ofPhases) ? power : ofPhases + power;
	}
	setFirst(into, LIVE_POWER, ofPhases);
}

function takeMomentary(c: number, kind: number, value: number, into: Float64Array, powers: Float64Array): void {
	const phase = Math.floor((c - 1) / PHASE_STEP);
	if (phase > PHASES) return;
	const group = c - phase * PHASE_STEP;
	// A single-phase meter may send voltage and current with the codes for all phases.
	const ofPhase = Math.max(0, phase - 1);
	if (kind === POWER) {
		if (group === C_NET) setFirst(powers, phase * PARTS_OF_POWER + 2, value);
		else if (group <= C_EXPORT) setFirst(powers, phase * PARTS_OF_POWER + group - C_IMPORT, value);
	} else if (kind === VOLTAGE && group === C_VOLTS) setFirst(into, LIVE_VOLTS_L1 + ofPhase, value);
	else if (kind === CURRENT && group === C_AMPERES) setFirst(into, LIVE_AMPERES_L1 + ofPhase, value);
	else if (kind === FREQUENCY && group === C_HERTZ && phase === 0) setFirst(into, LIVE_HERTZ, value);
}

function setFirst(values: Float64Array, index: number, value: number): void {
	if (Number.isNaN(values[index])) values[index] = value;
}

/**
 * Returns the net power. If it is unknown, returns import minus export, where an unknown one of the two counts as 0. But
 * an export of 0 alone does not tell the import.
 */
function netOf(powers: Float64Array, at: number): number {
	const [taken, given, net] = [powers[at], powers[at + 1], powers[at + 2]];
	if (!Number.isNaN(net)) return net;
	if (Number.isNaN(taken) && !(given > 0)) return Number.NaN;
	return (Number.isNaN(taken) ? 0 : taken) - (Number.isNaN(given) ? 0 : given);
}
