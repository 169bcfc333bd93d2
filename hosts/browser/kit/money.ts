/**
 * Cost of amounts of the history, at the gateway's prices. Money is counted in whole millionths of the currency. Plus
 * means earned, minus means paid.
 *
 * If the price changes within a period, its amount is divided in proportion to time. If the history lacks the import of
 * tariff 2, the import is divided in the ratio of the meter's two tariff counters. The results are estimates in both
 * cases. The base charge is divided among the days. A day that has begun counts in full.
 */
import type { Piece } from "./periods.js";
import { quantityOf } from "./power.js";
import type { PricePeriod, Reading } from "./replies.js";

const DAY_MS = 86_400_000;

export interface Money {
	readonly imported: number;
	readonly exported: number;
	readonly base: number;
	/** True if an amount was divided in proportion to time or between the tariffs. */
	readonly isEstimated: boolean;
	/** Wall-clock time from which prices exist, if that is after the beginning of the first piece. */
	readonly sinceMs: number | undefined;
}

export interface Pricing {
	/** Periods with their prices, in any order. */
	readonly periods: readonly PricePeriod[];
	/** Share of tariff 2 in the import, 0 to 1; undefined if unknown. */
	readonly tariff2: number | undefined;
}

function startOf({ from }: PricePeriod): number {
	return Date.parse(from);
}

function priceAt(periods: readonly PricePeriod[], wallMs: number): PricePeriod | undefined {
	let found: PricePeriod | undefined;
	for (const one of periods)
		if (startOf(one) <= wallMs && (found === undefined || startOf(one) > startOf(found))) found = one;
	return found;
}

function baseOf({ base_micro = 0, base_per }: PricePeriod, dayMs: number): number {
	const year = new Date(dayMs).getUTCFullYear();
	const month = new Date(dayMs).getUTCMonth();
	const [fromMs, toMs] =
		base_per === "year"
			? [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
			: [Date.UTC(year, month), Date.UTC(year, month + 1)];
	return (base_micro * DAY_MS) / (toMs - fromMs);
}

/** Splits a piece where the price changes. The parts are in chronological order. */
function partsOf({ fromMs, toMs }: Piece, periods: readonly PricePeriod[]) {
	const cuts = periods.map(startOf).filter((atMs) => atMs > fromMs && atMs < toMs);
	const ends = [...cuts.sort((one, other) => one - other), toMs];
	return ends.map((endMs, index) => ({
		price: priceAt(periods, ends[index - 1] ?? fromMs),
		/** Fraction of the piece until the end of this part. */
		upTo: index === ends.length - 1 ? 1 : (endMs - fromMs) / (toMs - fromMs),
	}));
}

/** Returns undefined if no piece has a price. `withBase` adds the base charge for all days that the pieces touch. */
export function moneyOf(pieces: readonly Piece[], { periods, tariff2 }: Pricing, withBase: boolean): Money | undefined {
	let imported = 0;
	let exported = 0;
	let isEstimated = false;
	let sinceMs: number | undefined;
	let isPriced = false;
	for (const piece of pieces) {
		const { import_wh = 0, export_wh = 0, import_t2_wh } = piece.period;
		const share = import_t2_wh === undefined ? (tariff2 ?? 0) : import_wh === 0 ? 0 : import_t2_wh / import_wh;
		const parts = partsOf(piece, periods);
		let given = { in: 0, out: 0 };
		for (const { price, upTo } of parts) {
			const until = { in: Math.round(import_wh * upTo), out: Math.round(export_wh * upTo) };
			const importWh = until.in - given.in;
			const exportWh = until.out - given.out;
			given = until;
			if (price === undefined) {
				// Only the time before the first price has none.
				sinceMs = piece.fromMs + upTo * (piece.toMs - piece.fromMs);
				continue;
			}
			const { import_micro, import_t2_micro, export_micro = 0 } = price;
			isPriced = true;
			const isSplitByCounters = import_t2_micro !== undefined && import_t2_wh === undefined;
			isEstimated ||= (parts.length > 1 || isSplitByCounters) && import_wh + export_wh > 0;
			const second = import_t2_micro === undefined ? 0 : Math.round(importWh * share);
			imported -= Math.round(((importWh - second) * import_micro + second * (import_t2_micro ?? 0)) / 1000);
			exported += Math.round((exportWh * export_micro) / 1000);
		}
	}
	if (!isPriced) return undefined;
	const days = new Set<number>();
	for (const { fromMs, toMs } of withBase ? pieces : [])
		for (let dayMs = fromMs - (fromMs % DAY_MS); dayMs < toMs; dayMs += DAY_MS) days.add(dayMs);
	let base = 0;
	for (const dayMs of days) {
		const price = priceAt(periods, dayMs);
		if (price !== undefined) base -= baseOf(price, dayMs);
	}
	return { imported, exported, base: Math.round(base), isEstimated, sinceMs };
}

export function totalOf({ imported, exported, base }: Money): number {
	// The sum could be a negative zero, which would be shown with a sign. Adding 0 prevents this.
	return imported + exported + base + 0;
}

/**
 * Returns the share of tariff 2 in the import of tariffs 1 and 2. Returns undefined if the meter does not send counters
 * for both.
 */
export function tariff2Share(readings: readonly Reading[]): number | undefined {
	const first = quantityOf(readings, "1.8.1");
	const second = quantityOf(readings, "1.8.2");
	if (first === undefined || second === undefined || first + second === 0) return undefined;
	return second / (first + second);
}
