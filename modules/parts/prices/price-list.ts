/**
 * List of the prices in its stored form: number of periods (1 byte), then these fields for each period. Numbers are
 * big-endian.
 *
 *   offset  bytes  content
 *   0       2      first day: days since 1970-01-01
 *   2       1      bits: FLAG_TARIFF_2, FLAG_YEAR, FLAG_WINDOW, FLAG_DYNAMIC; the medium times MEDIUM_UNIT
 *   3       4      price of a kWh of import, only in tariff 1 if FLAG_TARIFF_2 is set; of a m³ of gas or water
 *   7       4      price of a kWh of import in tariff 2; 0 without FLAG_TARIFF_2. With FLAG_WINDOW: 0, weekdays (bit 0 is
 *                  Monday), start and end in quarter hours
 *   11      4      price of a kWh of export
 *   15      8      base charge of a month or, with FLAG_YEAR, of a year, IEEE 754 binary64
 *
 * A window (FLAG_WINDOW) is a time of the day with its own price of import, in the period of electricity that begins on
 * the same day; without such a period it has no effect. If its start is not before its end, it includes midnight. In
 * windows that overlap, the last one in the list counts. In a period with FLAG_DYNAMIC, the dynamic price of the time
 * (dynamic-prices.ts) is added to the price of import.
 *
 * Prices are in millionths of the currency, and an amount is not rounded before it is added to a sum. If a price of
 * import is negative, the owner is paid for import; if a price of export is negative, the owner pays for export.
 * Periods may be in any order; each lasts until another one of its medium begins. Limit: PRICE_LIMIT periods.
 */
import { hasOnly } from "../../bytes/ascii.js";
import { uint16BE } from "../../bytes/integers.js";
import { daysOf, digitsOf } from "../../time/date.js";

export const PRICE_LIMIT = 16;
export const PRICE_SIZE = 23;
export const PRICE_FLAGS = 2;
export const PRICE_IMPORT = 3;
export const PRICE_TARIFF_2 = 7;
export const PRICE_WEEKDAYS = 8;
export const PRICE_START = 9;
export const PRICE_END = 10;
export const PRICE_EXPORT = 11;
export const PRICE_BASE = 15;

export const FLAG_TARIFF_2 = 1;
export const FLAG_YEAR = 2;
export const FLAG_WINDOW = 4;
export const FLAG_DYNAMIC = 32;
/** The medium, an index of MEDIA, takes two bits of the flags. */
export const MEDIUM_UNIT = 8;
export const MEDIA = Object.freeze(["electricity", "gas", "water", "heat"]);

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

/** Returns what distinguishes a period from others of the same day: its medium, and whether it is a window. */
function typeOf(flags: number): number {
	return flags & (FLAG_WINDOW + (MEDIA.length - 1) * MEDIUM_UNIT);
}

/** Returns the offset of the last period with this medium that begins on the day or before; -1 if there is none. */
export function findPeriod(list: Uint8Array, medium: number, day: number): number {
	let found = -1;
	for (let at = 1; at < list.length; at += PRICE_SIZE) {
		if (typeOf(list[at + PRICE_FLAGS]) !== medium * MEDIUM_UNIT || uint16BE(list, at) > day) continue;
		if (found < 0 || uint16BE(list, at) > uint16BE(list, found)) found = at;
	}
	return found;
}

/** Returns the index of the first period that begins on the same day as an earlier one of its medium; -1 if there is none. */
export function findSameDay(list: Uint8Array): number {
	for (let at = 1; at < list.length; at += PRICE_SIZE) {
		const day = uint16BE(list, at);
		const type = typeOf(list[at + PRICE_FLAGS]);
		const before = findPeriod(list.subarray(0, at), type / MEDIUM_UNIT, day);
		if (type % MEDIUM_UNIT === 0 && before >= 0 && uint16BE(list, before) === day) return (at - 1) / PRICE_SIZE;
	}
	return -1;
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
