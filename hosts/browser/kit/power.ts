/** Finds the main values of a household in a readout. Codes are OBIS codes (IEC 62056-61), groups C.D.E. */
import type { LastReadout, Reading } from "./replies.js";

/** Factors by which values are converted to W or Wh. */
const SCALES: Readonly<Record<string, number>> = { W: 1, kW: 1e3, MW: 1e6, Wh: 1, kWh: 1e3, MWh: 1e6 };

const APPARENT: typeof SCALES = { VA: 1, kVA: 1e3 };

/** Returns the present value with this code, not a value of a billing period. Some meters omit a group E of 0. */
export function recordOf(readings: readonly Reading[], code: string): Reading | undefined {
	const short = code.replace(/^(\d+\.\d+)\.0$/, "$1");
	return readings.find(
		({ obis, billing_period, attribute }) =>
			billing_period === null && attribute === undefined && (obis === code || obis === short),
	);
}

/** Returns the value in W or Wh, or in the unit of other `scales`. */
export function quantityOf(readings: readonly Reading[], code: string, scales = SCALES): number | undefined {
	const record = recordOf(readings, code);
	if (record === undefined || record.value1_number === null || !isKnown(record)) return undefined;
	const scale = scales[record.value1_unit];
	return scale === undefined ? undefined : record.value1_number * scale;
}

/** Returns false for a value that is too old, was not read from an M-Bus meter, or is an unconfirmed counter. */
export function isKnown({ value1_number, value1_unit, unconfirmed }: Reading): boolean {
	return value1_unit === "" || (value1_number !== null && !unconfirmed);
}

/** Returns false for a meter that waits for its PIN. It sends whole kWh and no power. */
export function isOpen(readings: readonly Reading[]): boolean {
	return powerOf(readings) !== undefined || (quantityOf(readings, "1.8.0") ?? 0) % 1000 !== 0;
}

/** Returns true if an SML meter waits for its PIN. Other meters that count whole kWh have no PIN. */
export function isLocked({ protocol, readings }: Pick<LastReadout, "protocol" | "readings">): boolean {
	return protocol === "SML" && readings.length > 0 && !isOpen(readings);
}

/**
 * Returns the power in watts, which is negative if power is fed into the grid. It is 16.7.0 (sum, signed), or 1.7.0
 * minus 2.7.0, or the sum of the phases (36.7.0, 56.7.0, 76.7.0 signed; or 21, 41, 61 minus 22, 42, 62). Returns
 * undefined if the meter sends none of these.
 */
export function powerOf(readings: readonly Reading[]): number | undefined {
	const of = (code: string) => quantityOf(readings, code);
	const sum = of("16.7.0");
	if (sum !== undefined) return sum;
	const both = netOf(of("1.7.0"), of("2.7.0"));
	if (both !== undefined) return both;
	const phases = PHASES.map((group) => phasePower(readings, group)).filter((watts) => watts !== undefined);
	return phases.length === 0 ? undefined : phases.reduce((total, watts) => total + watts, 0);
}

/**
 * Returns the apparent power in VA, negative if power is fed into the grid (9.7.0 minus 10.7.0), for a meter that sends
 * no other power, as Linky does.
 */
export function apparentOf(readings: readonly Reading[]): number | undefined {
	const of = (code: string) => quantityOf(readings, code, APPARENT);
	return netOf(of("9.7.0"), of("10.7.0"));
}

/** Returns what is drawn minus what is fed; undefined if both are unknown, or if only that nothing is fed is known. */
function netOf(drawn: number | undefined, fed = 0): number | undefined {
	return drawn === undefined && fed === 0 ? undefined : (drawn ?? 0) - fed;
}

/**
 * Offsets that lead from group C of a sum to group C of L1, L2 and L3. For example, 16.7.0 is the sum, 36.7.0 is L1,
 * and 56.7.0 is L2.
 */
export const PHASES = [20, 40, 60];

/** Returns the signed power of a phase in watts. For L1 (`group` 20) it is 36.7.0, or 21.7.0 minus 22.7.0. */
export function phasePower(readings: readonly Reading[], group: number): number | undefined {
	const of = (code: number) => quantityOf(readings, `${group + code}.7.0`);
	return of(16) ?? netOf(of(1), of(2));
}

/** Returns the imported minus the exported energy of all tariffs, Wh. */
export function importedWh(readings: readonly Reading[]): number | undefined {
	const drawn = quantityOf(readings, "1.8.0");
	return drawn === undefined ? undefined : drawn - (quantityOf(readings, "2.8.0") ?? 0);
}

/**
 * Returns the mean power of the highest quarter hour in the present billing period (mostly a month), in watts, as the
 * meter records it (1.6.0). Returns undefined if the meter sends none, or sends 0 at the beginning of the period.
 */
export function peakOf(readings: readonly Reading[]): number | undefined {
	const record = recordOf(readings, "1.6.0");
	if (record === undefined) return undefined;
	const { value1, value1_unit, value2, value2_unit = "" } = record;
	const watts = SCALES[value1_unit] ? Number(value1) * SCALES[value1_unit] : Number(value2) * SCALES[value2_unit];
	return watts > 0 ? watts : undefined;
}

/** Numbers of the tariffs that are added up. */
export const TARIFFS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export interface Counter {
	readonly isExport: boolean;
	/** Number of the tariff, or 0 for all tariffs together. */
	readonly tariff: number;
	readonly reading: Reading;
}

/**
 * Returns the sum of the tariffs, for a meter that sends no total (P1). Returns undefined if there are fewer than two
 * tariffs.
 */
function sumOf(readings: readonly Reading[], group: number): Reading | undefined {
	const tariffs = TARIFFS.flatMap((tariff) => recordOf(readings, `${group}.8.${tariff}`) ?? []);
	const [first] = tariffs;
	const canAdd = tariffs.every(
		(tariff) => isKnown(tariff) && Number(tariff.value1) >= 0 && tariff.value1_unit === first.value1_unit,
	);
	if (tariffs.length < 2 || !canAdd) return undefined;
	const digits = Math.max(...tariffs.map(({ value1 }) => value1.split(".")[1]?.length ?? 0));
	const sum = tariffs.reduce((total, { value1 }) => total + Number(value1), 0);
	return { ...first, obis: `${group}.8.0`, value1: sum.toFixed(digits) };
}

/** Returns the counters: import before export, and each total before its tariffs. */
export function countersOf(readings: readonly Reading[]): readonly Counter[] {
	const counters: Counter[] = [];
	for (const group of [1, 2]) {
		const sum = recordOf(readings, `${group}.8.0`) === undefined ? sumOf(readings, group) : undefined;
		if (sum !== undefined) counters.push({ isExport: group === 2, tariff: 0, reading: sum });
		for (const tariff of [0, ...TARIFFS]) {
			const code = `${group}.8.${tariff}`;
			const reading = recordOf(readings, code);
			if (reading !== undefined) counters.push({ isExport: group === 2, tariff, reading });
		}
	}
	return counters;
}
