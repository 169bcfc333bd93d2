/** The prices that the gateway stores. */
import { get } from "./device.js";
import { readout } from "./live.js";
import { isWindow, type Pricing, tariffsOf } from "./money.js";
import type { Piece } from "./periods.js";
import type { DynamicPrices, Prices } from "./replies.js";
import { Store, useStore } from "./store.js";

const PATH = "prices";
/** First day of a price that has no beginning. */
export const ALWAYS = "2000-01-01";

/** Undefined until the prices have arrived. */
export const prices = new Store<Prices | undefined>(undefined);

/** Undefined if no price is dynamic. */
export const dynamicPrices = new Store<DynamicPrices | undefined>(undefined);
/** Hours and quarter hours of the history that were loaded last. */
export const fine = new Store<readonly Piece[]>([]);

/** True if a price depends on the time of day. */
export function isByClock({ periods }: Prices): boolean {
	return periods.some((one) => isWindow(one) || one.dynamic);
}

/** Loads the prices. Throws a DeviceError. */
export async function loadPrices(): Promise<Prices> {
	const now = await get<Prices>(PATH);
	dynamicPrices.set(now.periods.some((one) => one.dynamic) ? await get<DynamicPrices>(`${PATH}/dynamic`) : undefined);
	prices.set(now);
	return now;
}

/** Returns undefined until the prices have arrived, or if the gateway has none. */
export function usePricing(): (Pricing & { readonly currency: string }) | undefined {
	const now = useStore(prices);
	const last = useStore(readout);
	const dynamic = useStore(dynamicPrices);
	const pieces = useStore(fine);
	if (now === undefined || now.periods.length === 0) return undefined;
	return { ...now, dynamic, fine: pieces, ...tariffsOf(last?.readings ?? []) };
}
