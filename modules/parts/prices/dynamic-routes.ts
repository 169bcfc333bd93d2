/** Route `prices/dynamic`: prices by the hour or quarter hour, which a program of the owner puts there. */
import { type BodyTable, type BodyValues, LONG_BODY_LIMIT, needed } from "../../api/body.js";
import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { numberMember } from "../../api/members.js";
import { uint32BE } from "../../bytes/integers.js";
import { BYTES, bodyField, CHOICE, INTEGER } from "../../config/schema.js";
import { NO_BYTES } from "../../io/machine.js";
import { QUARTER_S } from "../../time/calendar.js";
import { type DynamicPrices, dynamicPriceAt, QUARTER_SIZE, withPrices } from "./dynamic-prices.js";
import { KWH_LIMIT } from "./price-list.js";

/** Largest number of prices in a request: the quarter hours of two days. */
const LIST_LIMIT = 192;
const QUARTER_MINUTES = 15;
const STEPS = Object.freeze([QUARTER_MINUTES, 60]);
/** The year 2000 to the end of 2099, Unix seconds. */
const FIRST_S = 946_684_800;
const LAST_S = 4_102_444_799;

const PRICES = bodyField<Uint8Array>({ name: "prices", kind: BYTES, maximum: 1 + LIST_LIMIT * QUARTER_SIZE });
const START = bodyField<number>({ name: "start", kind: INTEGER, minimum: FIRST_S, maximum: LAST_S });
const STEP = bodyField<number>({ name: "step_minutes", kind: CHOICE, choices: STEPS });
const IMPORT = bodyField<number>({ name: "import_micro", kind: INTEGER, minimum: -KWH_LIMIT, maximum: KWH_LIMIT });

export const DYNAMIC_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([PRICES, START, STEP]),
	required: Object.freeze([PRICES.name, START.name, STEP.name]),
	limit: LONG_BODY_LIMIT,
	list: Object.freeze({
		fields: Object.freeze([IMPORT]),
		required: Object.freeze([IMPORT.name]),
		maximum: LIST_LIMIT,
		size: QUARTER_SIZE,
		pack: packPrice,
	}),
});

function packPrice(values: BodyValues, into: Uint8Array, at: number): undefined {
	new DataView(into.buffer, at).setInt32(0, needed(values, IMPORT));
}

/** Replies with the stored prices by the quarter hour. Each unit of the JSON stream is one of them. */
export function getDynamic(exchange: Exchange<DynamicPrices>): void {
	const { prices } = exchange.part;
	const startS = prices.length === 0 ? 0 : uint32BE(prices, 0);
	const count = Math.max(0, prices.length / QUARTER_SIZE - 1);
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			numberMember(writer, START.name, startS);
			numberMember(writer, STEP.name, QUARTER_MINUTES);
			writer.key(PRICES.name);
			writer.beginArray();
		} else if (unit <= count) {
			writer.beginObject();
			numberMember(writer, IMPORT.name, dynamicPriceAt(prices, startS + (unit - 1) * QUARTER_S));
			writer.endObject();
		} else {
			writer.endArray();
			writer.endObject();
		}
		return unit <= count;
	});
}

/** Adds the prices to the stored ones. An empty list removes all of them. */
export function postDynamic(exchange: Exchange<DynamicPrices>, values: BodyValues): void {
	const { clock } = exchange.core;
	const list = needed(values, PRICES);
	const startS = needed(values, START);
	const minutes = needed(values, STEP);
	const utcMs = clock.utcMs();
	const nowS = utcMs === undefined ? undefined : Math.floor(utcMs / 1000);
	if (startS % QUARTER_S > 0) {
		exchange.fail(400, INVALID_FIELD, `${START.name} must be the beginning of a quarter hour.`, START.name);
		return;
	}
	const { part } = exchange;
	const prices = list[0] === 0 ? NO_BYTES : withPrices(part.prices, list, startS, minutes / QUARTER_MINUTES, nowS);
	if (prices === undefined) {
		const rule = "is too late: prices are kept for four days at most, from two days ago on.";
		exchange.fail(400, INVALID_FIELD, `${START.name} ${rule}`, START.name);
		return;
	}
	part.prices = prices;
	getDynamic(exchange);
}
