/** Prices of electricity, stored in this browser. */
import { Store } from "./store.js";

export interface Prices {
	/** Text as typed, with a point or a comma; "": none. */
	readonly import: string;
	readonly export: string;
	/** ISO 4217. */
	readonly currency: string;
}

export const CURRENCIES = ["EUR", "PLN", "CHF", "CZK", "DKK", "GBP", "HUF", "NOK", "SEK", "USD"] as const;
/** Key in `localStorage`. */
const KEPT = "prices";

function read(): Prices {
	const none = { import: "", export: "", currency: document.documentElement.lang === "pl" ? "PLN" : "EUR" };
	try {
		return { ...none, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
	} catch {
		return none;
	}
}

export const prices = new Store(read());
prices.watch((value) => localStorage.setItem(KEPT, JSON.stringify(value)));

/** Undefined for a text that is not a price. */
export function priceOf(typed: string): number | undefined {
	return /^\s*\d+([.,]\d*)?\s*$/.test(typed) ? Number(typed.replace(",", ".")) : undefined;
}

/** Cost of the amounts; undefined without a price or without data. Negative: more was earned than spent. */
export function costOf(importWh: number | undefined, exportWh: number | undefined, now: Prices): number | undefined {
	const price = priceOf(now.import);
	if (price === undefined || importWh === undefined) return undefined;
	return (importWh * price - (exportWh ?? 0) * (priceOf(now.export) ?? 0)) / 1000;
}
