/** The electricity prices that the gateway stores. */
import { get, post } from "./device.js";
import { readout } from "./live.js";
import { type Pricing, tariff2Share } from "./money.js";
import type { Prices } from "./replies.js";
import { hasSession } from "./session.js";
import { Store, useStore } from "./store.js";

const PATH = "prices";
/** Key in `localStorage` under which earlier versions of the page stored the prices. */
const OLD = "prices";
/** First day of a price that has no beginning. */
export const ALWAYS = "2000-01-01";

/** Undefined until the prices have arrived. */
export const prices = new Store<Prices | undefined>(undefined);

/** Loads the prices. Throws a DeviceError. */
export async function loadPrices(): Promise<void> {
	prices.set(await get<Prices>(PATH));
	await moveOld();
}

/** Moves prices from this browser to the gateway if it has none. This needs a session. */
async function moveOld(): Promise<void> {
	const kept = localStorage.getItem(OLD);
	if (kept === null) return;
	const old = oldPrices(kept);
	if (old !== undefined && prices.value?.periods.length === 0) {
		if (!hasSession()) return;
		prices.set(await post<Prices>(PATH, old));
	}
	localStorage.removeItem(OLD);
}

function oldPrices(kept: string): Prices | undefined {
	try {
		const old = JSON.parse(kept);
		const microOf = (typed: string) =>
			/\d/.test(typed) ? Math.round(Number(typed.replace(",", ".")) * 1e6) : Number.NaN;
		const import_micro = microOf(old.import);
		if (!Number.isFinite(import_micro)) return undefined;
		const export_micro = microOf(old.export) || 0;
		return { periods: [{ from: ALWAYS, import_micro, export_micro }], currency: String(old.currency) };
	} catch {
		return undefined;
	}
}

/** Returns undefined until the prices have arrived, or if the gateway has none. */
export function usePricing(): (Pricing & { readonly currency: string }) | undefined {
	const now = useStore(prices);
	const last = useStore(readout);
	if (now === undefined || now.periods.length === 0) return undefined;
	return { ...now, tariff2: tariff2Share(last?.readings ?? []) };
}
