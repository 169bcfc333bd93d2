/**
 * Cost of amounts of the history, at the gateway's prices. Money is counted in whole millionths of the currency. Plus
 * means earned, minus means paid.
 *
 * If the price changes within a period, its amount is divided in proportion to time, except by the clock: then the cost
 * of a day is the sum of its quarter hours or hours, and unknown without them. If the history lacks the import of
 * tariff 2, the import is divided in the ratio of the meter's two tariff counters. The results are estimates in both
 * cases. The base charge is divided among the days. A day that has begun counts in full.
 */
import type { Amount, Piece } from "./periods.js";
import { quantityOf, recordOf, TARIFFS } from "./power.js";
import type { DynamicPrices, PricePeriod, Reading } from "./replies.js";

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
	/** True if the meter counts in further tariffs, whose prices are unknown. */
	readonly hasMore?: boolean;
	readonly dynamic?: DynamicPrices | undefined;
	/** Hours and quarter hours, for prices that depend on the time of day. */
	readonly fine?: readonly Piece[];
}

/** Electricity, gas, water, heat: what the prices are for, and the member of the history that has its amount. */
export const MEDIA: Readonly<Record<NonNullable<PricePeriod["medium"]>, Amount>> = {
	electricity: "import_wh",
	gas: "gas_l",
	water: "water_l",
	heat: "heat_wh",
};
export type Medium = keyof typeof MEDIA;

/** Returns what the amount is of; undefined for exported energy. */
export function mediumOf(amount: Amount): Medium | undefined {
	return (Object.keys(MEDIA) as Medium[]).find((medium) => MEDIA[medium] === amount);
}

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
/** Tolerance at the ends of a piece, because a readout takes this long. */
const NEAR_MS = 60_000;

/** Returns true for a time of the day with its own price, in the period of the same first day. */
export function isWindow({ weekdays }: PricePeriod): boolean {
	return weekdays !== undefined;
}

function startOf({ from }: PricePeriod): number {
	return Date.parse(from);
}

/** Returns the windows of the period, beginning with the one that counts first. */
export function windowsOf(periods: readonly PricePeriod[], { from }: PricePeriod): readonly PricePeriod[] {
	return periods.filter((one) => isWindow(one) && one.from === from).reverse();
}

function priceAt(periods: readonly PricePeriod[], wallMs: number, medium: Medium): PricePeriod | undefined {
	let found: PricePeriod | undefined;
	for (const one of periods) {
		if (isWindow(one) || (one.medium ?? "electricity") !== medium || startOf(one) > wallMs) continue;
		if (found === undefined || startOf(one) > startOf(found)) found = one;
	}
	return found;
}

/** Returns the dynamic price at a Unix time in seconds, or undefined if it is unknown. */
export function dynamicPriceAt(dynamic: DynamicPrices | undefined, atS: number): number | undefined {
	return dynamic?.prices[Math.floor(((atS - dynamic.start) * 1000) / QUARTER_MS)]?.import_micro ?? undefined;
}

/** Returns the period with the price that it has at this time, or undefined if that is unknown. */
function ratedAt(price: PricePeriod, { periods, dynamic }: Pricing, wallMs: number, atS: number) {
	const minute = (wallMs % DAY_MS) / 60_000;
	const weekday = 1 << ((Math.floor(wallMs / DAY_MS) + 3) % 7);
	const window = windowsOf(periods, price).find(({ weekdays = 0, start_minute = 0, end_minute = 0 }) => {
		const isAfter = minute >= start_minute;
		const isBefore = minute < end_minute;
		return weekdays & weekday && (start_minute < end_minute ? isAfter && isBefore : isAfter || isBefore);
	});
	const added = price.dynamic ? dynamicPriceAt(dynamic, atS) : 0;
	if (added === undefined) return undefined;
	const { import_t2_micro, ...others } = price;
	if (window) return { ...others, import_micro: window.import_micro + added };
	const second = import_t2_micro === undefined ? {} : { import_t2_micro: import_t2_micro + added };
	return { ...others, ...second, import_micro: price.import_micro + added };
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

/** Returns the price of a kWh of import, in millionths of the currency, or undefined if it is unknown. */
export function importPriceAt(pricing: Pricing, wallMs: number, atS: number): number | undefined {
	const price = priceAt(pricing.periods, wallMs, "electricity");
	return price && ratedAt(price, pricing, wallMs, atS)?.import_micro;
}

/**
 * Splits a piece where the price changes. The parts are in chronological order. If the price depends on the time of day,
 * only a piece of up to an hour has one.
 */
function partsOf({ fromMs, toMs, period }: Piece, pricing: Pricing, medium: Medium) {
	const { periods } = pricing;
	const byClock = (price: PricePeriod | undefined) =>
		price !== undefined && (price.dynamic || windowsOf(periods, price).length > 0);
	const cuts = periods.map(startOf);
	const isShort = toMs - fromMs <= HOUR_MS;
	if (isShort && byClock(priceAt(periods, toMs - 1, medium)))
		for (let at = fromMs - (fromMs % QUARTER_MS); at < toMs; at += QUARTER_MS) cuts.push(at);
	const inside = [...new Set(cuts)].filter((atMs) => atMs > fromMs && atMs < toMs);
	const ends = [...inside.sort((one, other) => one - other), toMs];
	return ends.map((endMs, index) => {
		const startMs = ends[index - 1] ?? fromMs;
		const price = priceAt(periods, startMs, medium);
		const atS = period.start + (startMs - fromMs) / 1000;
		return {
			price: !byClock(price) ? price : isShort && price ? ratedAt(price, pricing, startMs, atS) : undefined,
			/** Fraction of the piece until the end of this part. */
			upTo: index === ends.length - 1 ? 1 : (endMs - fromMs) / (toMs - fromMs),
		};
	});
}

/** Replaces a piece by the shorter ones that are known, if they cover it. */
function finest(piece: Piece, { fine = [] }: Pricing): readonly Piece[] {
	const { fromMs, toMs } = piece;
	const inside =
		toMs - fromMs <= HOUR_MS ? [] : fine.filter((one) => one.fromMs >= fromMs && one.toMs <= toMs + NEAR_MS);
	const isWhole =
		inside.length > 0 && inside[0].fromMs <= fromMs + NEAR_MS && inside[inside.length - 1].toMs >= toMs - NEAR_MS;
	return isWhole ? inside : [piece];
}

/**
 * Returns undefined if no piece has a price. A sum begins after the last piece without one. `withBase` adds the base
 * charge for all days that the pieces touch.
 */
export function moneyOf(
	pieces: readonly Piece[],
	pricing: Pricing,
	withBase: boolean,
	medium: Medium = "electricity",
): Money | undefined {
	const { periods, tariff2, hasMore } = pricing;
	let imported = 0;
	let exported = 0;
	let isEstimated = false;
	let sinceMs: number | undefined;
	let isPriced = false;
	const isByClock = periods.some((one) => isWindow(one) || one.dynamic);
	for (const piece of isByClock ? pieces.flatMap((one) => finest(one, pricing)) : pieces) {
		const { export_wh = 0, import_t2_wh } = piece.period;
		const amount = piece.period[MEDIA[medium]] ?? 0;
		const share = import_t2_wh === undefined ? (tariff2 ?? 0) : amount === 0 ? 0 : import_t2_wh / amount;
		const parts = partsOf(piece, pricing, medium);
		const isOne = parts.every(
			({ price }) => price?.import_micro === parts[0].price?.import_micro && price?.from === parts[0].price?.from,
		);
		let given = { in: 0, out: 0 };
		for (const { price, upTo } of parts) {
			const until = { in: Math.round(amount * upTo), out: Math.round(export_wh * upTo) };
			const importWh = until.in - given.in;
			const exportWh = medium === "electricity" ? until.out - given.out : 0;
			given = until;
			if (price === undefined || (hasMore && price.import_t2_micro !== undefined)) {
				sinceMs = piece.fromMs + upTo * (piece.toMs - piece.fromMs);
				imported = exported = 0;
				isPriced = isEstimated = false;
				continue;
			}
			const { import_micro, import_t2_micro, export_micro = 0 } = price;
			isPriced = true;
			const isSplitByCounters = import_t2_micro !== undefined && import_t2_wh === undefined;
			isEstimated ||= (!isOne || isSplitByCounters) && amount + export_wh > 0;
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
		const price = dayMs + DAY_MS > (sinceMs ?? 0) ? priceAt(periods, dayMs, medium) : undefined;
		if (price !== undefined) base -= baseOf(price, dayMs);
	}
	return { imported, exported, base: Math.round(base), isEstimated, sinceMs };
}

export function totalOf({ imported, exported, base }: Money): number {
	// The sum could be a negative zero, which would be shown with a sign. Adding 0 prevents this.
	return imported + exported + base + 0;
}

/**
 * Returns what the counters say of the tariffs. The share is undefined if the meter does not send counters for both. The
 * test of a meter in the factory can leave a little in further counters.
 */
export function tariffsOf(readings: readonly Reading[]): Pick<Pricing, "tariff2" | "hasMore"> {
	const [first, second, ...others] = TARIFFS.map((e) => quantityOf(readings, `1.8.${e}`));
	const both = (first ?? 0) + (second ?? 0);
	const more = others.reduce<number>((sum, wh = 0) => sum + wh, 0);
	const isKnown = first !== undefined && second !== undefined && both > 0;
	return { tariff2: isKnown ? second / both : undefined, hasMore: more > both / 100 };
}

/** Returns 1 or 2 if the meter says that it counts in this tariff now (0-0:96.14.0), otherwise undefined. */
export function activeTariff(readings: readonly Reading[]): number | undefined {
	const text = recordOf(readings, "96.14.0")?.value1 ?? "";
	return /^0*[12]$/.test(text) ? Number(text) : undefined;
}
