/**
 * List of the prices of electricity in its stored form: number of periods (1 byte), then these fields for each period.
 * Numbers are big-endian.
 *
 *   offset  bytes  content
 *   0       2      first day: days since 1970-01-01
 *   2       1      bits: FLAG_TARIFF_2, FLAG_YEAR
 *   3       4      price of a kWh of import, only in tariff 1 if FLAG_TARIFF_2 is set
 *   7       4      price of a kWh of import in tariff 2; 0 without FLAG_TARIFF_2
 *   11      4      price of a kWh of export
 *   15      8      base charge of a month or, with FLAG_YEAR, of a year, IEEE 754 binary64
 *
 * Prices are in millionths of the currency, and an amount is not rounded before it is added to a sum. If a price of
 * import is negative, the owner is paid for import; if a price of export is negative, the owner pays for export.
 * Periods may be in any order; each lasts until another one begins. Limit: PRICE_LIMIT periods.
 */
import { hasOnly } from "../../bytes/ascii.js";
import { findRepeated } from "../../bytes/rows.js";
import { daysOf, digitsOf } from "../../time/date.js";

export const PRICE_LIMIT = 8;
export const PRICE_SIZE = 23;
const DAY_SIZE = 2;
export const PRICE_FLAGS = 2;
export const PRICE_IMPORT = 3;
export const PRICE_TARIFF_2 = 7;
export const PRICE_EXPORT = 11;
export const PRICE_BASE = 15;

export const FLAG_TARIFF_2 = 1;
export const FLAG_YEAR = 2;

/** Largest price of a kWh, positive or negative: 2000 currency units. */
export const KWH_LIMIT = 2_000_000_000;
/** Largest base charge: 100 000 currency units. */
export const BASE_LIMIT = 100_000_000_000;

/** Length of `2026-11-26`. */
export const DAY_LENGTH = 10;
const FIRST_YEAR = 2000;
const LAST_YEAR = 2099;

/** Returns the days since 1970-01-01; -1 if the text is not a date in the years 2000 to 2099. */
export function dayOf(text: string): number {
	const year = text.slice(0, 4);
	const month = text.slice(5, 7);
	const day = text.slice(8);
	if (text[4] !== "-" || text[7] !== "-" || !hasOnly(year + month + day, "09")) return -1;
	if (Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR || Number(month) < 1 || Number(month) > 12) return -1;
	const days = daysOf(Number(year) * 12 + Number(month) - 1, Number(day));
	return digitsOf(days) === Number(year + month + day) ? days : -1;
}

export function dayText(days: number): string {
	const digits = String(digitsOf(days));
	return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}

export function findSameDay(list: Uint8Array): number {
	return findRepeated(list, PRICE_SIZE, DAY_SIZE);
}

/** Returns the list unchanged, or an empty list if the API would not accept it. */
export function validPrices(list: Uint8Array): Uint8Array {
	const view = new DataView(list.buffer, list.byteOffset, list.length);
	let isValid = list.length === 0 || list.length % PRICE_SIZE === 1;
	for (let at = 1; isValid && at < list.length; at += PRICE_SIZE) {
		const base = view.getFloat64(at + PRICE_BASE);
		isValid = dayOf(dayText(view.getUint16(at))) >= 0 && base >= 0 && base <= BASE_LIMIT && base % 1 === 0;
		for (let price = PRICE_IMPORT; price < PRICE_BASE; price += 4) {
			if (Math.abs(view.getInt32(at + price)) > KWH_LIMIT) isValid = false;
		}
	}
	return isValid ? list : new Uint8Array(0);
}
