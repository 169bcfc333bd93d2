/**
 * A household with registers that are functions of time, so that rows of a load profile are made on demand: a year of
 * quarter hours takes no memory, and equals what the meter shows.
 */
import type { HouseholdReading } from "./household.js";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Registers at the start of 2020, Wh; mean powers and their swing over the day, W. */
const BEGIN_MS = Date.UTC(2020, 0, 1);
const IMPORT_WH = 1_000_000;
const EXPORT_WH = 500_000;
const IMPORT_W = 420;
const IMPORT_SWING_W = 260;
const EXPORT_W = 180;

export interface Counters {
	/** Wh, whole. */
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
	/** The last row is at the end of the last period. */
	rows: number;
	/** Seconds; default 900. */
	periodS?: number;
	isLastFirst?: boolean;
	/** Undefined if the meter has no row of that time. Default: `countersAt`. */
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
