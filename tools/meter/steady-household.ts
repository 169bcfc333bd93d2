/**
 * A household whose registers are functions of time. Rows of a load profile can therefore be made on demand: a year of
 * quarter hours takes no memory, and equals the values that the meter shows.
 */
import type { HouseholdReading } from "./household.js";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/**
 * Start of 2020. The next constants are the registers at that time, and mean powers with their variation over the day.
 */
const BEGIN_MS = Date.UTC(2020, 0, 1);
const IMPORT_WH = 1_000_000;
const EXPORT_WH = 500_000;
const IMPORT_W = 420;
const IMPORT_SWING_W = 260;
const EXPORT_W = 180;

export interface Counters {
	/** Energies in whole Wh. */
	importWh: number;
	exportWh: number;
}

export function countersAt(utcMs: number): Counters {
	const hours = (utcMs - BEGIN_MS) / HOUR_MS;
	const turn = (2 * Math.PI) / DAY_HOURS;
	const swung = (IMPORT_SWING_W / turn) * (1 - Math.cos(turn * hours));
	return {
		importWh: Math.floor(IMPORT_WH + IMPORT_W * hours + swung),
		exportWh: Math.floor(EXPORT_WH + EXPORT_W * hours - (EXPORT_W / turn) * Math.sin(turn * hours)),
	};
}

export interface StoredRows {
	/** Number of rows. The last row is at the end of the last complete period. */
	rows: number;
	/** Period in seconds. Default: 900. */
	periodS?: number;
	isLastFirst?: boolean;
	/** Returns the counters at a time, or undefined if the meter has no row of that time. Default: `countersAt`. */
	counters?: (utcMs: number) => Counters | undefined;
}

export interface StoredRow extends Counters {
	timeMs: number;
}

export function rowsBetween(stored: StoredRows, nowMs: number, fromMs: number, toMs: number): StoredRow[] {
	const { rows, periodS = 900, counters = countersAt } = stored;
	const periodMs = periodS * 1000;
	const last = Math.floor(nowMs / periodMs);
	const first = Math.max(last - rows + 1, Math.ceil(fromMs / periodMs));
	const found: StoredRow[] = [];
	for (let n = first; n <= Math.min(last, Math.floor(toMs / periodMs)); n++) {
		const values = counters(n * periodMs);
		if (values !== undefined) found.push({ timeMs: n * periodMs, ...values });
	}
	return found;
}

export const steadyReading = (utcMs: number): HouseholdReading => readingWith(utcMs, countersAt(utcMs));

export function readingWith(utcMs: number, counters: Counters): HouseholdReading {
	return {
		utcMs,
		dayImport: counters.importWh / 1000,
		nightImport: 0,
		export: counters.exportWh / 1000,
		reactive: 0,
		maximum: 0,
		maximumMs: utcMs,
		power: IMPORT_W,
		frequency: 50,
		phases: [0, 1, 2].map(() => ({ volts: 230, amperes: 1, watts: IMPORT_W / 3 })),
	};
}
