/** Route `prices`. The gateway only stores prices; its clients calculate with them, and `meter/now`. */

import { type BodyTable, type BodyValues, LONG_BODY_LIMIT, needed, type Refusal } from "../../api/body.js";
import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { BOOLEAN, bodyField, CHOICE, INTEGER, type Put, put, TEXT } from "../../config/schema.js";
import type { JSONWriter } from "../../json/writer.js";
import { PRICES, PRICES_CURRENCY, PRICES_PERIODS } from "./fields.js";
import {
	BASE_LIMIT,
	DAY_LENGTH,
	dayOf,
	dayText,
	FLAG_DYNAMIC,
	FLAG_TARIFF_2,
	FLAG_WINDOW,
	FLAG_YEAR,
	findSameDay,
	KWH_LIMIT,
	MEDIA,
	MEDIUM_UNIT,
	PRICE_BASE,
	PRICE_END,
	PRICE_EXPORT,
	PRICE_FLAGS,
	PRICE_IMPORT,
	PRICE_LIMIT,
	PRICE_SIZE,
	PRICE_START,
	PRICE_TARIFF_2,
	PRICE_WEEKDAYS,
	validPrices,
} from "./price-list.js";

const FROM = bodyField<string>({
	name: "from",
	kind: TEXT,
	minimum: DAY_LENGTH,
	maximum: DAY_LENGTH,
	characters: "09--",
});
const IMPORT = bodyField<number>({ name: "import_micro", kind: INTEGER, minimum: -KWH_LIMIT, maximum: KWH_LIMIT });
const TARIFF_2 = bodyField<number>({
	name: "import_t2_micro",
	kind: INTEGER,
	minimum: -KWH_LIMIT,
	maximum: KWH_LIMIT,
});
const EXPORT = bodyField<number>({ name: "export_micro", kind: INTEGER, minimum: -KWH_LIMIT, maximum: KWH_LIMIT });
const BASE = bodyField<number>({ name: "base_micro", kind: INTEGER, maximum: BASE_LIMIT });
const MONTH = "month";
const YEAR = "year";
const BASE_PER = bodyField<string>({ name: "base_per", kind: CHOICE, choices: Object.freeze([MONTH, YEAR]) });
const MEDIUM = bodyField<string>({ name: "medium", kind: CHOICE, choices: MEDIA });
const DYNAMIC = bodyField<boolean>({ name: "dynamic", kind: BOOLEAN });
const EVERY_DAY = 127;
const WEEKDAYS = bodyField<number>({ name: "weekdays", kind: INTEGER, minimum: 1, maximum: EVERY_DAY });
/** Length of a quarter hour and of a day, minutes. */
const QUARTER = 15;
const DAY = 1440;
const START = bodyField<number>({ name: "start_minute", kind: INTEGER, maximum: DAY - QUARTER });
const END = bodyField<number>({ name: "end_minute", kind: INTEGER, minimum: QUARTER, maximum: DAY });

export const PRICES_BODY: BodyTable = Object.freeze({
	fields: PRICES.fields,
	required: Object.freeze([PRICES_PERIODS.name]),
	limit: LONG_BODY_LIMIT,
	list: Object.freeze({
		fields: Object.freeze([FROM, MEDIUM, IMPORT, TARIFF_2, EXPORT, BASE, BASE_PER, DYNAMIC, WEEKDAYS, START, END]),
		required: Object.freeze([FROM.name, IMPORT.name]),
		maximum: PRICE_LIMIT,
		size: PRICE_SIZE,
		pack: packPeriod,
	}),
});

const NO_DAY: Refusal = Object.freeze({
	field: FROM,
	rule: "must be a day such as 2026-01-01, of the years 2000 to 2099.",
});

const NO_WINDOW: Refusal = Object.freeze({ field: MEDIUM, rule: "must be electricity in a window of time." });
const NO_QUARTER = "must be a multiple of 15 minutes.";

function packPeriod(values: BodyValues, into: Uint8Array, at: number): Refusal | undefined {
	const day = dayOf(needed(values, FROM));
	if (day < 0) return NO_DAY;
	const tariff2 = values.get(TARIFF_2);
	const weekdays = values.get(WEEKDAYS);
	const start = values.get(START);
	const end = values.get(END);
	const isWindow = (weekdays ?? start ?? end) !== undefined;
	const medium = MEDIA.indexOf(values.get(MEDIUM) ?? MEDIA[0]);
	if (isWindow && medium > 0) return NO_WINDOW;
	if ((start ?? 0) % QUARTER > 0) return { field: START, rule: NO_QUARTER };
	if ((end ?? 0) % QUARTER > 0) return { field: END, rule: NO_QUARTER };
	const view = new DataView(into.buffer, at, PRICE_SIZE);
	view.setUint16(0, day);
	into[at + PRICE_FLAGS] =
		(tariff2 === undefined || isWindow ? 0 : FLAG_TARIFF_2) |
		(values.get(BASE_PER) === YEAR ? FLAG_YEAR : 0) |
		(isWindow ? FLAG_WINDOW : 0) |
		(values.get(DYNAMIC) ? FLAG_DYNAMIC : 0) |
		(medium * MEDIUM_UNIT);
	view.setInt32(PRICE_IMPORT, needed(values, IMPORT));
	if (isWindow) {
		into[at + PRICE_WEEKDAYS] = weekdays ?? EVERY_DAY;
		into[at + PRICE_START] = (start ?? 0) / QUARTER;
		into[at + PRICE_END] = (end ?? DAY) / QUARTER;
		return undefined;
	}
	view.setInt32(PRICE_TARIFF_2, tariff2 ?? 0);
	view.setInt32(PRICE_EXPORT, values.get(EXPORT) ?? 0);
	view.setFloat64(PRICE_BASE, values.get(BASE) ?? 0);
	return undefined;
}

/** Replies with the price list. Each unit of the JSON stream is one period. */
export function getPrices(exchange: Exchange): void {
	const { config } = exchange.core;
	const list = validPrices(config.get(PRICES_PERIODS));
	const currency = config.get(PRICES_CURRENCY);
	exchange.stream((writer, unit) => {
		const at = 1 + (unit - 1) * PRICE_SIZE;
		if (unit === 0) {
			writer.beginObject();
			writer.key(PRICES_PERIODS.name);
			writer.beginArray();
		} else if (at < list.length) writePeriod(writer, list, at);
		else {
			writer.endArray();
			textMember(writer, PRICES_CURRENCY.name, currency);
			writer.endObject();
			return false;
		}
		return true;
	});
}

export function postPrices(exchange: Exchange, values: BodyValues): void {
	const puts = acceptPrices(exchange, values);
	if (puts === undefined) return;
	exchange.core.config.change(puts);
	getPrices(exchange);
}

/** Returns the settings to store. If a price is invalid, replies with an error and returns undefined. */
export function acceptPrices(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const list = needed(values, PRICES_PERIODS);
	const same = findSameDay(list);
	if (same < 0) return [put(PRICES_PERIODS, list), put(PRICES_CURRENCY, values.get(PRICES_CURRENCY))];
	const path = `${PRICES_PERIODS.name}[${same}].${FROM.name}`;
	exchange.fail(400, INVALID_FIELD, `${path} is the first day of another period already.`, path);
	return undefined;
}

export function writePrices(writer: JSONWriter, list: Uint8Array): void {
	writer.beginArray();
	const valid = validPrices(list);
	for (let at = 1; at < valid.length; at += PRICE_SIZE) writePeriod(writer, valid, at);
	writer.endArray();
}

function writePeriod(writer: JSONWriter, list: Uint8Array, at: number): void {
	const view = new DataView(list.buffer, list.byteOffset + at, PRICE_SIZE);
	const flags = list[at + PRICE_FLAGS];
	writer.beginObject();
	const medium = Math.floor(flags / MEDIUM_UNIT) % MEDIA.length;
	textMember(writer, FROM.name, dayText(view.getUint16(0)));
	if (medium > 0) textMember(writer, MEDIUM.name, MEDIA[medium]);
	numberMember(writer, IMPORT.name, view.getInt32(PRICE_IMPORT));
	if (flags & FLAG_WINDOW) {
		numberMember(writer, WEEKDAYS.name, view.getUint8(PRICE_WEEKDAYS));
		numberMember(writer, START.name, view.getUint8(PRICE_START) * QUARTER);
		numberMember(writer, END.name, view.getUint8(PRICE_END) * QUARTER);
		writer.endObject();
		return;
	}
	if (flags & FLAG_DYNAMIC) booleanMember(writer, DYNAMIC.name, true);
	if (flags & FLAG_TARIFF_2) numberMember(writer, TARIFF_2.name, view.getInt32(PRICE_TARIFF_2));
	numberMember(writer, EXPORT.name, view.getInt32(PRICE_EXPORT));
	numberMember(writer, BASE.name, view.getFloat64(PRICE_BASE));
	textMember(writer, BASE_PER.name, flags & FLAG_YEAR ? YEAR : MONTH);
	writer.endObject();
}
