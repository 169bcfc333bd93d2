/**
 * Messages of Home Assistant's WebSocket API for statistics (developers.home-assistant.io, "WebSocket API";
 * homeassistant/components/recorder/websocket_api.py).
 *
 * Statistics have the external ids smart_meter_gateway:<host>_<key>. The sum is the meter's counter, so the first row
 * would appear as the consumption of an hour. Therefore a row at START_S, which no diagram shows, has the sum before
 * it, unless the hub already has rows of earlier hours.
 */
import { EXPORT, GAS, HEAT, IMPORT, TARIFF_2, WATER } from "../history/entry.js";
import type { TextCodec } from "../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_TRUE,
} from "../json/reader.js";
import type { JSONWriter } from "../json/writer.js";
import { utcText } from "../time/iso.js";
import { type StatisticRows, TARIFF_1 } from "./statistic-rows.js";

/** Domain of the statistics in Home Assistant. */
const SOURCE = "smart_meter_gateway";
/** Hour of the row with the sum before the history: the beginning of 2000. */
const START_S = 946_684_800;
const DAY_S = 86_400;
/** Wh in kWh, and litres in m³. */
const UNITS = 1000;

interface Series {
	readonly key: string;
	/** Names in the order of LANGUAGE_… of obis/names.ts. */
	readonly names: readonly string[];
}

function series(key: string, ...names: string[]): Series {
	return Object.freeze({ key, names: Object.freeze(names) });
}

const SERIES: readonly Series[] = Object.freeze(seriesInOrder());

function seriesInOrder(): Series[] {
	const all: Series[] = [];
	all[IMPORT] = series("import", "Import", "Bezug", "Pobór");
	all[EXPORT] = series("export", "Export", "Einspeisung", "Oddawanie");
	all[GAS] = series("gas", "Gas", "Gas", "Gaz");
	all[WATER] = series("water", "Water", "Wasser", "Woda");
	all[HEAT] = series("heat", "Heat", "Wärme", "Ciepło");
	all[TARIFF_2] = series("import_t2", "Import, tariff 2", "Bezug, Tarif 2", "Pobór, taryfa 2");
	all[TARIFF_1] = series("import_t1", "Import, tariff 1", "Bezug, Tarif 1", "Pobór, taryfa 1");
	return all;
}

export interface MessageOptions {
	readonly text: TextCodec;
	readonly writer: JSONWriter;
	readonly hostname: string;
	/** Host name as in entity ids. */
	readonly slug: string;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
	/** Buffer for the messages, and their start in it. */
	readonly into: Uint8Array;
	readonly start: number;
}

/** Writes messages; each returns its end. */
export class StatisticMessages {
	readonly #options: MessageOptions;

	constructor(options: MessageOptions) {
		this.#options = options;
	}

	auth(token: string): number {
		const writer = this.begin("auth");
		writer.key("access_token");
		writer.string(token);
		return this.end();
	}

	/** Asks for the change of a sum before `endS`; the reply has none if the hub has no rows there. */
	earlier(id: number, index: number, endS: number): number {
		const writer = this.begin("recorder/statistic_during_period", id);
		writer.key("statistic_id");
		writer.string(this.idOf(index));
		writer.key("types");
		writer.beginArray();
		writer.string("change");
		writer.endArray();
		writer.key("fixed_period");
		writer.beginObject();
		writer.key("start_time");
		writer.string(this.timeText(START_S + DAY_S));
		writer.key("end_time");
		writer.string(this.timeText(endS));
		writer.endObject();
		return this.end();
	}

	/** `isFirst`: with the row at START_S. */
	rows(id: number, index: number, rows: StatisticRows, isFirst: boolean): number {
		const { hostname, language } = this.#options;
		const isVolume = index === GAS || index === WATER;
		const writer = this.begin("recorder/import_statistics", id);
		writer.key("metadata");
		writer.beginObject();
		writer.key("statistic_id");
		writer.string(this.idOf(index));
		writer.key("source");
		writer.string(SOURCE);
		writer.key("name");
		writer.string(`${hostname} ${SERIES[index].names[language]}`);
		writer.key("has_sum");
		writer.boolean(true);
		writer.key("mean_type");
		writer.number(0);
		writer.key("unit_class");
		writer.string(isVolume ? "volume" : "energy");
		writer.key("unit_of_measurement");
		writer.string(isVolume ? "m³" : "kWh");
		writer.endObject();
		writer.key("stats");
		writer.beginArray();
		if (isFirst) this.row(START_S, Number.NaN, rows.sumAt(-1, index));
		for (let row = 0; row < rows.count; row++)
			if (rows.isKnown(row, index)) this.row(rows.startsS[row], rows.counterAt(row, index), rows.sumAt(row, index));
		writer.endArray();
		return this.end();
	}

	private row(startS: number, counter: number, sum: number): void {
		const { writer } = this.#options;
		writer.beginObject();
		writer.key("start");
		writer.string(this.timeText(startS));
		if (!Number.isNaN(counter)) {
			writer.key("state");
			writer.number(counter / UNITS);
		}
		writer.key("sum");
		writer.number(sum / UNITS);
		writer.endObject();
	}

	private begin(type: string, id = 0): JSONWriter {
		const { into, start, writer } = this.#options;
		writer.begin(into, start, into.length);
		writer.beginObject();
		writer.key("type");
		writer.string(type);
		if (id > 0) {
			writer.key("id");
			writer.number(id);
		}
		return writer;
	}

	private end(): number {
		const { writer } = this.#options;
		writer.endObject();
		return writer.position;
	}

	private idOf(index: number): string {
		return `${SOURCE}:${this.#options.slug}_${SERIES[index].key}`;
	}

	private timeText(timeS: number): string {
		return utcText(timeS * 1000, this.#options.text);
	}
}

/** Members of a message that matter, by the depth at which they are. */
const MEMBERS = Object.freeze(["", "type", "id", "success", "code", "change"]);
const TYPE = 1;
const ID = 2;
const SUCCESS = 3;
const CODE = 4;
const CHANGE = 5;
const DEPTHS = Object.freeze([0, 1, 1, 1, 2, 2]);
const DEPTH_LIMIT = 8;

/** Reads a message of the hub; other members than these are ignored. */
export class HubMessage {
	type = "";
	id = 0;
	isSuccess = false;
	/** Code of an error. */
	code = "";
	/** True if the result has a change. */
	hasChange = false;
	readonly #text: TextCodec;
	readonly #reader = new JSONReader({ maxDepth: DEPTH_LIMIT, scratch: 64 });

	constructor(text: TextCodec) {
		this.#text = text;
	}

	/** Returns false if the bytes are not JSON. */
	read(bytes: Uint8Array, length: number): boolean {
		const reader = this.#reader;
		this.type = this.code = "";
		this.id = 0;
		this.isSuccess = this.hasChange = false;
		reader.begin();
		reader.push(bytes, 0, length);
		reader.finish();
		let member = 0;
		for (;;) {
			const token = reader.next();
			if (token <= TOKEN_ERROR) return token === TOKEN_END;
			if (token === TOKEN_NAME) {
				member = MEMBERS.findIndex((name, i) => DEPTHS[i] === reader.depth && reader.textEquals(name));
				continue;
			}
			if (member === TYPE && token === TOKEN_STRING) this.type = this.textOf(reader);
			else if (member === ID && token === TOKEN_NUMBER) this.id = reader.number;
			else if (member === SUCCESS) this.isSuccess = token === TOKEN_TRUE;
			else if (member === CODE && token === TOKEN_STRING) this.code = this.textOf(reader);
			else if (member === CHANGE) this.hasChange = token === TOKEN_NUMBER;
			member = 0;
		}
	}

	private textOf({ text, length }: JSONReader): string {
		return this.#text.decode(text, 0, length);
	}
}
