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
const ENERGY = '"has_sum":true,"mean_type":0,"unit_class":"energy","unit_of_measurement":"kWh"';
const VOLUME = '"has_sum":true,"mean_type":0,"unit_class":"volume","unit_of_measurement":"m³"';

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
}

/** Writes messages; each returns its end. */
export class StatisticMessages {
	readonly #options: MessageOptions;
	readonly #into: Uint8Array;
	readonly #start: number;

	/** Messages begin at `into[start]`. */
	constructor(options: MessageOptions, into: Uint8Array, start: number) {
		this.#options = options;
		this.#into = into;
		this.#start = start;
	}

	auth(token: string): number {
		const { writer } = this.#options;
		this.begin('{"type":"auth","access_token":');
		writer.rawString(token);
		return this.end("}");
	}

	/** Asks for the change of a sum before `endS`; the reply has none if the hub has no rows there. */
	earlier(id: number, index: number, endS: number): number {
		this.begin(`{"id":${id},"type":"recorder/statistic_during_period","statistic_id":"${this.idOf(index)}"`);
		return this.end(
			`,"types":["change"],"fixed_period":{"start_time":"${this.timeText(START_S + DAY_S)}","end_time":"${this.timeText(endS)}"}}`,
		);
	}

	/** `isFirst`: with the row at START_S. */
	rows(id: number, index: number, rows: StatisticRows, isFirst: boolean): number {
		const { hostname, language } = this.#options;
		const unit = index === GAS || index === WATER ? VOLUME : ENERGY;
		this.begin(`{"id":${id},"type":"recorder/import_statistics","metadata":{"statistic_id":"${this.idOf(index)}"`);
		this.add(`,"source":"${SOURCE}","name":"${hostname} ${SERIES[index].names[language]}",${unit}},"stats":[`);
		let comma = "";
		if (isFirst) {
			this.add(`{"start":"${this.timeText(START_S)}","sum":${rows.sumAt(-1, index) / UNITS}}`);
			comma = ",";
		}
		for (let row = 0; row < rows.count; row++) {
			if (!rows.isKnown(row, index)) continue;
			const counter = rows.counterAt(row, index);
			const state = Number.isNaN(counter) ? "" : `,"state":${counter / UNITS}`;
			const sum = rows.sumAt(row, index) / UNITS;
			this.add(`${comma}{"start":"${this.timeText(rows.startsS[row])}"${state},"sum":${sum}}`);
			comma = ",";
		}
		return this.end("]}");
	}

	private begin(json: string): void {
		this.#options.writer.begin(this.#into, this.#start, this.#into.length);
		this.add(json);
	}

	private add(json: string): void {
		const { writer } = this.#options;
		writer.raw(writer.prepare(json));
	}

	private end(json: string): number {
		this.add(json);
		return this.#options.writer.position;
	}

	private idOf(index: number): string {
		return `${SOURCE}:${this.#options.slug}_${SERIES[index].key}`;
	}

	private timeText(timeS: number): string {
		return utcText(timeS * 1000, this.#options.text);
	}
}

/**
 * True if the message has this member, written without blanks as Home Assistant does. A quotation mark inside of a string
 * is escaped, so that no string looks like a member.
 */
export function hasMember({ message, length }: { message: Uint8Array; length: number }, json: string): boolean {
	for (let at = 0; at + json.length <= length; at++) {
		let i = 0;
		while (i < json.length && message[at + i] === json.charCodeAt(i)) i++;
		if (i === json.length) return true;
	}
	return false;
}
