/** Price of electricity at the present time. */
import { uint16BE } from "../../bytes/integers.js";
import type { Core } from "../../core/core.js";
import { DAY_S, QUARTER_S } from "../../time/calendar.js";
import { dynamicPriceAt } from "./dynamic-prices.js";
import { PRICES_CURRENCY, PRICES_PERIODS } from "./fields.js";
import { PRICES } from "./part.js";
import {
	FLAG_DYNAMIC,
	FLAG_TARIFF_2,
	FLAG_WINDOW,
	findPeriod,
	PRICE_END,
	PRICE_EXPORT,
	PRICE_FLAGS,
	PRICE_IMPORT,
	PRICE_SIZE,
	PRICE_START,
	PRICE_WEEKDAYS,
	validPrices,
} from "./price-list.js";

/** 1970-01-01 was a Thursday, the fourth day of the week. */
const FIRST_WEEKDAY = 3;

export function currencyOf({ config }: Core): string {
	return config.get(PRICES_CURRENCY);
}

/**
 * Returns the cost of an hour with this power in W, in millionths of the currency; negative: earned. Returns NaN if the
 * power, the time or the price is unknown. The price of import is unknown if it depends on the meter's tariff.
 */
export function costPerHour(core: Core, powerW: number): number {
	const { clock, config, zone } = core;
	const utcMs = clock.utcMs();
	if (utcMs === undefined) return Number.NaN;
	const list = validPrices(config.get(PRICES_PERIODS));
	const view = new DataView(list.buffer, list.byteOffset, list.length);
	const wallS = Math.floor(utcMs / 1000) + zone.offsetMinutes(utcMs) * 60;
	const at = findPeriod(list, 0, Math.floor(wallS / DAY_S));
	if (at < 0) return Number.NaN;
	const flags = list[at + PRICE_FLAGS];
	let price = view.getInt32(at + PRICE_EXPORT);
	if (powerW > 0) {
		const window = findWindow(list, view.getUint16(at), wallS);
		if (window < 0 && flags & FLAG_TARIFF_2) return Number.NaN;
		price = view.getInt32((window < 0 ? at : window) + PRICE_IMPORT);
		if (flags & FLAG_DYNAMIC) price += dynamicPriceAt(core.find(PRICES).prices, utcMs / 1000);
	}
	return Math.round((powerW * price) / 1000);
}

/** Returns the offset of the last window of the period from `day` on that includes the time; -1 if there is none. */
function findWindow(list: Uint8Array, day: number, wallS: number): number {
	const weekday = 1 << ((Math.floor(wallS / DAY_S) + FIRST_WEEKDAY) % 7);
	const quarter = Math.floor((wallS % DAY_S) / QUARTER_S);
	let found = -1;
	for (let at = 1; at < list.length; at += PRICE_SIZE) {
		const start = list[at + PRICE_START];
		const end = list[at + PRICE_END];
		const isIn = start < end ? quarter >= start && quarter < end : quarter >= start || quarter < end;
		const isOfPeriod = list[at + PRICE_FLAGS] & FLAG_WINDOW && uint16BE(list, at) === day;
		if (isOfPeriod && isIn && list[at + PRICE_WEEKDAYS] & weekday) found = at;
	}
	return found;
}
