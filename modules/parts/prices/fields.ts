/** Settings of the prices. */
import { ENTRY_PRICES } from "../../config/entries.js";
import { BYTES, entry, field, TEXT } from "../../config/schema.js";
import { PRICE_LIMIT, PRICE_SIZE } from "./price-list.js";

/** Prices, in the layout of price-list.ts. */
export const PRICES_PERIODS = field<Uint8Array>({
	entry: ENTRY_PRICES,
	id: 1,
	name: "periods",
	kind: BYTES,
	maximum: 1 + PRICE_LIMIT * PRICE_SIZE,
});
/** Currency of all prices, a code of ISO 4217. */
export const PRICES_CURRENCY = field<string>({
	entry: ENTRY_PRICES,
	id: 2,
	name: "currency",
	kind: TEXT,
	minimum: 3,
	maximum: 3,
	characters: "AZ",
	initial: "EUR",
	isPublic: true,
});
export const PRICES = entry("prices", 1, [PRICES_PERIODS, PRICES_CURRENCY]);
