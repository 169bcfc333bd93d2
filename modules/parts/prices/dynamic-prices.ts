/**
 * Dynamic prices, which are in RAM until the next restart: the partition for settings of boards with 4 MB has no room
 * for them, and a program sends them each day anyway. Their form: Unix time of the first quarter hour (4 bytes), then
 * the price of a kWh in each quarter hour (4 bytes, signed), in millionths of the currency. Numbers are big-endian.
 * NO_PRICE marks a quarter hour without a price. An empty array has no prices.
 *
 * New prices replace the stored ones of the same quarter hours. Prices of more than two days ago are dropped, since the
 * history has no quarter hours of them (history/compaction.ts). Limit: QUARTER_LIMIT quarter hours.
 */
import { putUint32BE, uint32BE } from "../../bytes/integers.js";
import type { Running } from "../../core/core.js";
import { NO_BYTES } from "../../io/machine.js";
import { DAY_S, QUARTER_S } from "../../time/calendar.js";

/** Four days, for example the day before yesterday to tomorrow. */
export const QUARTER_LIMIT = 384;
export const QUARTER_SIZE = 4;
const NO_PRICE = -(2 ** 31);
/** Age from which prices are dropped. */
const KEEP_S = 2 * DAY_S;

export interface DynamicPrices extends Running {
	prices: Uint8Array;
}

/** Returns the price of the quarter hour; NaN if it is unknown. */
export function dynamicPriceAt(prices: Uint8Array, utcS: number): number {
	if (prices.length === 0) return Number.NaN;
	const at = QUARTER_SIZE * (1 + Math.floor((utcS - uint32BE(prices, 0)) / QUARTER_S));
	if (at < QUARTER_SIZE || at >= prices.length) return Number.NaN;
	const price = uint32BE(prices, at) | 0;
	return price === NO_PRICE ? Number.NaN : price;
}

/**
 * Returns the stored prices with new ones; undefined if they are more than QUARTER_LIMIT. `list`: new prices, packed as in
 * list-reader.ts. `quarters`: number of quarter hours of each of them. `nowS`: Unix time; undefined if unknown.
 */
export function withPrices(
	old: Uint8Array,
	list: Uint8Array,
	startS: number,
	quarters: number,
	nowS = startS,
): Uint8Array | undefined {
	const endS = startS + list[0] * quarters * QUARTER_S;
	const oldS = old.length === 0 ? startS : uint32BE(old, 0);
	const oldEndS = oldS + (old.length / QUARTER_SIZE - 1) * QUARTER_S;
	const keepS = nowS - (nowS % QUARTER_S) - KEEP_S;
	const none = Number.POSITIVE_INFINITY;
	const firstS = Math.max(keepS, Math.min(oldEndS > keepS ? oldS : none, endS > keepS ? startS : none));
	const count = (Math.max(oldEndS, endS) - firstS) / QUARTER_S;
	if (count <= 0) return NO_BYTES;
	if (count > QUARTER_LIMIT) return undefined;
	const into = new Uint8Array(QUARTER_SIZE * (1 + count));
	const view = new DataView(into.buffer);
	putUint32BE(into, 0, firstS);
	for (let i = 0; i < count; i++) {
		const timeS = firstS + i * QUARTER_S;
		const isNew = timeS >= startS && timeS < endS;
		const price = isNew
			? uint32BE(list, 1 + QUARTER_SIZE * Math.floor((timeS - startS) / (quarters * QUARTER_S))) | 0
			: dynamicPriceAt(old, timeS);
		view.setInt32(QUARTER_SIZE * (1 + i), Number.isNaN(price) ? NO_PRICE : price);
	}
	return into;
}
