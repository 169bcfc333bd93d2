/**
 * Route `metrics`: the last good readout of the meter and the state of the gateway, in the Prometheus exposition format
 * 0.0.4 (prometheus.io, "Exposition formats"). docs/metrics.md lists the values of a readout that are included.
 *
 * The lines of a metric must be adjacent, but a meter sends quantities in any order. The records are therefore scanned
 * once to assign quantities to metrics, and then once for each metric that occurs.
 */
import type { Exchange } from "../../api/exchange.js";
import type { Core } from "../../core/core.js";
import { head, label } from "../../core/metrics-text.js";
import type { Cost } from "../../io/memory.js";
import { JSONStream, SPARE } from "../../json/stream.js";
import type { JSONWriter } from "../../json/writer.js";
import type { ReadOutcomes } from "../../meter/outcomes.js";
import { isMomentary } from "../../obis/code.js";
import type { Part } from "../../part/part.js";
import { FREQUENCY, POWER, Quantities } from "../../readout/quantities.js";
import { METER } from "../meter/part.js";
import type { System } from "./status.js";

export const METRICS_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 7168 });

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
const NO_METRIC = -1;

export function getMetrics(exchange: Exchange<System>): void {
	const { core, part, response } = exchange;
	const { ledger, writer } = core;
	if (!ledger.claim(METRICS_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const body = new Exposition(core, part.parts, core.find(METER).reader.outcomes);
	const stream = new JSONStream(writer, (into, unit) => body.produce(into, unit), SPARE);
	response.lines("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	response.send(200, {
		read: (into, start, end) => stream.read(into, start, end),
		close: () => ledger.release(METRICS_REPLY_COST),
	});
}

/** Metrics in units of the reply: one for each line of a reading, then one for each part. */
export class Exposition {
	readonly #core: Core;
	readonly #parts: readonly Part[];
	readonly #quantities: Quantities;
	readonly #isOld: boolean;
	#metric = NO_METRIC;
	#quantity = Number.POSITIVE_INFINITY;
	/** Unit that was written last. It is kept because values may change before the unit is written again. */
	#unit = -1;
	#bytes: Uint8Array = new Uint8Array(0);
	#hasMore = true;

	constructor(core: Core, parts: readonly Part[], { isOld, measured }: Pick<ReadOutcomes, "isOld" | "measured">) {
		this.#core = core;
		this.#parts = parts;
		this.#isOld = isOld;
		this.#quantities = new Quantities(measured ?? { records: new Uint8Array(0) });
	}

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
				const isShown = this.metricOf(quantity) === this.#metric && !quantities.isUnconfirmed(quantity);
				if (isShown) return this.line(quantity);
			}
			this.#metric++;
			this.#quantity = this.indexOf(this.#metric);
			if (this.#quantity < quantities.count)
				return head(`smartmeter_${METRICS[this.#metric]}`, "From the last good readout.");
		}
		const index = this.#metric++ - METRICS.length;
		this.#hasMore = index < this.#parts.length - 1;
		return metricsOf(this.#parts[index], this.#core);
	}

	private indexOf(metric: number): number {
		const quantities = this.#quantities;
		let index = 0;
		while (index < quantities.count && this.metricOf(index) !== metric) index++;
		return index;
	}

	/** Returns the metric of a quantity, or NO_METRIC for a momentary value that is too old. */
	private metricOf(index: number): number {
		const quantities = this.#quantities;
		const kind = quantities.kindOf(index);
		if (!this.#isOld || kind < POWER || kind > FREQUENCY) return kind;
		quantities.seek(index);
		return isMomentary(quantities.code.d) ? NO_METRIC : kind;
	}

	private line(quantity: number): string {
		const quantities = this.#quantities;
		const { text } = this.#core;
		quantities.seek(quantity);
		const labels = label("obis", quantities.longCode(text));
		return `smartmeter_${METRICS[this.#metric]}{${labels}} ${quantities.value(text)}\n`;
	}
}

export function metricsOf(part: Part, core: Core): string {
	return part.metrics(core.find(part), core);
}
