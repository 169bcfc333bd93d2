/**
 * `metrics`: the last good readout of a meter and the state of the gateway, as text for Prometheus: its exposition
 * format 0.0.4 (prometheus.io, "Exposition formats"). docs/metrics.md tells what of a readout is in it.
 *
 * The lines of a metric have to stand together, and a meter sends its quantities in any order: so the records are gone
 * through once to see which metric each belongs to, and once more for each metric that there is.
 */
import type { Exchange } from "../api/exchange.js";
import type { Core } from "../core/core.js";
import { head, label } from "../core/metrics-text.js";
import type { Cost } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { METER } from "../meter/part.js";
import type { Part } from "../part.js";
import { Quantities } from "../readout/quantities.js";
import type { Readout } from "../readout/readout.js";
import type { System } from "./system.js";

/** The text of all metrics for a client. */
export const METRICS_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 7168 });

/** By the kind of a quantity. */
const METRICS = Object.freeze([
	"energy_kwh_total",
	"reactive_energy_kvarh_total",
	"apparent_energy_kvah_total",
	"energy_joules_total",
	"power_watts",
	"reactive_power_vars",
	"apparent_power_voltamperes",
	"voltage_volts",
	"current_amperes",
	"frequency_hertz",
	"volume_cubic_meters_total",
]);
/** Before the first of them. */
const NO_METRIC = -1;

export function getMetrics(exchange: Exchange<System>): void {
	const { core, part, response } = exchange;
	const { ledger, writer } = core;
	if (!ledger.claim(METRICS_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const body = new Exposition(core, part.parts, core.find(METER).reader.outcomes.measured);
	const stream = new JSONStream(writer, (into, unit) => body.produce(into, unit), SPARE);
	response.lines("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	response.send(200, {
		read: (into, start, end) => stream.read(into, start, end),
		close: () => ledger.release(METRICS_REPLY_COST),
	});
}

/** The text, a unit at a time: first the readings, a line each, then what each part has. */
export class Exposition {
	readonly #core: Core;
	readonly #parts: readonly Part[];
	readonly #quantities: Quantities;
	/** Which metric the lines are of, and which quantity is looked at next. */
	#metric = NO_METRIC;
	#quantity = Number.POSITIVE_INFINITY;
	/** The unit that was made last, and its bytes: the values of the next moment may be others. */
	#unit = -1;
	#bytes: Uint8Array = new Uint8Array(0);
	#hasMore = true;

	/** `readout` undefined: there is none. */
	constructor(core: Core, parts: readonly Part[], readout: Readout | undefined) {
		this.#core = core;
		this.#parts = parts;
		this.#quantities = new Quantities(readout?.records ?? new Uint8Array(0));
	}

	/** For JSONStream. */
	produce(writer: JSONWriter, unit: number): boolean {
		if (unit !== this.#unit) {
			this.#unit = unit;
			this.#bytes = writer.prepare(this.next());
		}
		writer.raw(this.#bytes);
		return this.#hasMore;
	}

	private next(): string {
		const quantities = this.#quantities;
		while (this.#metric < METRICS.length) {
			while (this.#quantity < quantities.count) {
				const quantity = this.#quantity++;
				if (quantities.kindOf(quantity) === this.#metric) return this.line(quantity);
			}
			this.#metric++;
			this.#quantity = this.indexOf(this.#metric);
			if (this.#quantity < quantities.count)
				return head(`smartmeter_${METRICS[this.#metric]}`, "Of the last good readout.");
		}
		const index = this.#metric++ - METRICS.length;
		this.#hasMore = index < this.#parts.length - 1;
		return metricsOf(this.#parts[index], this.#core);
	}

	/** The first quantity of this metric; `count` when there is none. */
	private indexOf(metric: number): number {
		const quantities = this.#quantities;
		let index = 0;
		while (index < quantities.count && quantities.kindOf(index) !== metric) index++;
		return index;
	}

	private line(quantity: number): string {
		const quantities = this.#quantities;
		const { text } = this.#core;
		quantities.seek(quantity);
		const labels = label("obis", quantities.longCode(text));
		return `smartmeter_${METRICS[this.#metric]}{${labels}} ${quantities.value(text)}\n`;
	}
}

/** What this part has, without the readings. */
export function metricsOf(part: Part, core: Core): string {
	return part.metrics(core.find(part), core);
}
