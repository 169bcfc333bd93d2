/** Route `meter/history`, as JSON or CSV (RFC 4180). */

import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { wholeNumber } from "../../bytes/ascii.js";
import type { Core } from "../../core/core.js";
import { FLAG_CHANGED, FLAG_METER, FLAG_PARTIAL, FLAG_WRAPPED } from "../../history/entry.js";
import type { History } from "../../history/history.js";
import { FLAG_GAP, FLAG_INTERPOLATED, type PeriodCursor } from "../../history/periods.js";
import type { Cost } from "../../io/memory.js";
import { JSONStream, type ProduceUnit, SPARE } from "../../json/stream.js";
import type { JSONWriter } from "../../json/writer.js";
import { localText } from "../../time/iso.js";

export const HISTORY_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/** Names of the levels in the API, in the order of the levels (time/calendar.ts). */
const LEVELS = Object.freeze(["quarters", "hours", "days", "months"]);
/** Names of the amounts in the API, in the order of the registers (history/entry.ts). */
const AMOUNTS = Object.freeze(["import_wh", "export_wh", "gas_l", "water_l", "heat_wh", "import_t2_wh"]);
/**
 * Number of amounts before the columns of the flags in CSV. Amounts that were added later follow these columns, so that
 * the columns of older firmware stay where they were.
 */
const BEFORE_MARKS = 5;
const COLUMNS = "start,end,local_start,import_wh,export_wh,gas_l,water_l,heat_wh,marks,import_t2_wh\r\n";
const MARKS = Object.freeze(["partial", "interpolated", "gap", "meter_changed", "wrapped", "from_meter"]);
const FLAGS = Object.freeze([FLAG_PARTIAL, FLAG_INTERPOLATED, FLAG_GAP, FLAG_CHANGED, FLAG_WRAPPED, FLAG_METER]);

/** Latest time in a request, Unix seconds: the end of 2099. */
const TIME_LIMIT_S = 4_102_444_799;

export function getHistory(exchange: Exchange<History | undefined>): void {
	const { core, request, response } = exchange;
	const { ledger, writer } = core;
	const level = LEVELS.indexOf(request.query("period") ?? "days");
	const fromS = wholeNumber(request.query("from") ?? "0", TIME_LIMIT_S);
	const toS = wholeNumber(request.query("to") ?? String(TIME_LIMIT_S), TIME_LIMIT_S);
	if (level < 0) {
		exchange.fail(400, INVALID_FIELD, "period must be quarters, hours, days or months.", "period");
	} else if (Number.isNaN(fromS + toS)) {
		const field = Number.isNaN(fromS) ? "from" : "to";
		exchange.fail(400, INVALID_FIELD, "from and to must be Unix times in whole seconds, 0 to 4102444799.", field);
	} else if (!ledger.claim(HISTORY_REPLY_COST)) exchange.busy();
	else {
		const isCSV = request.header("accept")?.includes("text/csv") ?? false;
		let body: Listing;
		try {
			body = new Listing(core, LEVELS[level], exchange.part?.periods(level, fromS, toS));
		} catch (error) {
			ledger.release(HISTORY_REPLY_COST);
			throw error;
		}
		const produce: ProduceUnit = (writer, unit) => (isCSV ? body.row(writer, unit) : body.member(writer, unit));
		response.lines(isCSV ? "Content-Type: text/csv\r\n" : "Content-Type: application/json\r\n");
		response.lines("Vary: Accept\r\n");
		const stream = new JSONStream(writer, produce, SPARE);
		response.send(200, {
			read: (into, start, end) => stream.read(into, start, end),
			close: () => ledger.release(HISTORY_REPLY_COST),
		});
	}
}

/** Writes the reply in units (json/stream.ts). Unit 0 is the part of the reply before the periods. */
class Listing {
	readonly #core: Core;
	readonly #period: string;
	readonly #cursor: PeriodCursor | undefined;
	#unit = 0;
	#hasPeriod = false;

	constructor(core: Core, period: string, cursor: PeriodCursor | undefined) {
		this.#core = core;
		this.#period = period;
		this.#cursor = cursor;
	}

	member(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) {
			writer.beginObject();
			writer.key("period");
			writer.string(this.#period);
			writer.key("periods");
			writer.beginArray();
			return true;
		}
		if (this.goTo(unit)) this.object(writer);
		else {
			writer.endArray();
			writer.endObject();
		}
		return this.#hasPeriod;
	}

	row(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) writer.raw(writer.prepare(COLUMNS));
		else if (this.goTo(unit)) writer.raw(writer.prepare(this.line()));
		return unit === 0 || this.#hasPeriod;
	}

	private goTo(unit: number): boolean {
		if (unit !== this.#unit) {
			this.#unit = unit;
			this.#hasPeriod = this.#cursor?.next() ?? false;
		}
		return this.#hasPeriod;
	}

	private object(writer: JSONWriter): void {
		const { startS, amounts } = this.#cursor!;
		writer.beginObject();
		writer.key("start");
		writer.number(startS);
		writer.key("end");
		writer.number(amounts.timeS);
		writer.key("localtime");
		writer.string(this.localStart());
		for (let i = 0; i < AMOUNTS.length; i++) {
			if ((amounts.known & (1 << i)) === 0) continue;
			writer.key(AMOUNTS[i]);
			writer.number(amounts.rises[i]);
		}
		for (let i = 0; i < MARKS.length; i++) {
			if ((amounts.flags & FLAGS[i]) === 0) continue;
			writer.key(MARKS[i]);
			writer.boolean(true);
		}
		writer.endObject();
	}

	private line(): string {
		const { startS, amounts } = this.#cursor!;
		let line = `${startS},${amounts.timeS},${this.localStart()},`;
		const amountAt = (i: number) => (amounts.known & (1 << i) ? amounts.rises[i] : "");
		for (let i = 0; i < BEFORE_MARKS; i++) line += `${amountAt(i)},`;
		line += MARKS.filter((_, i) => amounts.flags & FLAGS[i]).join(" ");
		for (let i = BEFORE_MARKS; i < AMOUNTS.length; i++) line += `,${amountAt(i)}`;
		return `${line}\r\n`;
	}

	private localStart(): string {
		const { zone, text } = this.#core;
		const utcMs = this.#cursor!.startS * 1000;
		return localText(utcMs, zone.offsetMinutes(utcMs), text);
	}
}
