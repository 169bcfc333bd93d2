/**
 * `metrics`: the last good readout of a meter and the state of the gateway, as text for Prometheus: its exposition
 * format 0.0.4 (prometheus.io, "Exposition formats"). docs/metrics.md tells what of a readout is in it.
 *
 * The lines of a metric have to stand together, and a meter sends its quantities in any order: so the records are gone
 * through once to see which metric each belongs to, and once more for each metric that there is.
 */
import { METRICS_REPLY_COST } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { MQTT_UP } from "../mqtt/publisher.js";
import { Quantities } from "../readout/quantities.js";
import type { Readout } from "../readout/readout.js";
import type { Exchange, Services } from "./exchange.js";

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

export function getMetrics(exchange: Exchange): void {
	const { services, response } = exchange;
	const { ledger, reader, writer } = services;
	if (!ledger.claim(METRICS_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const body = new Exposition(services, reader.outcomes.measured);
	const stream = new JSONStream(writer, (into, unit) => body.produce(into, unit), SPARE);
	response.lines("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	response.send(200, {
		read: (into, start, end) => stream.read(into, start, end),
		close: () => ledger.release(METRICS_REPLY_COST),
	});
}

/** The text, a unit at a time: first the readings, a line each, then all else, the stacks last. */
export class Exposition {
	readonly #services: Services;
	readonly #readout: Readout | undefined;
	readonly #quantities: Quantities;
	/** Which metric the lines are of, and which quantity is looked at next. */
	#metric = NO_METRIC;
	#quantity = Number.POSITIVE_INFINITY;
	/** The unit that was made last, and its bytes: the values of the next moment may be others. */
	#unit = -1;
	#bytes: Uint8Array = new Uint8Array(0);
	#hasMore = true;

	/** `readout` undefined: there is none. */
	constructor(services: Services, readout: Readout | undefined) {
		this.#services = services;
		this.#readout = readout;
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
		if (this.#metric++ === METRICS.length) return stateMetrics(this.#services, this.#readout?.utcMs ?? 0);
		this.#hasMore = false;
		return stackMetrics(this.#services.memory?.stacks?.() ?? "");
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
		const { text } = this.#services;
		quantities.seek(quantity);
		const labels = label("obis", quantities.longCode(text));
		return `smartmeter_${METRICS[this.#metric]}{${labels}} ${quantities.value(text)}\n`;
	}
}

/** What is no reading: the state of the gateway. `readoutUtcMs` is the time of the last good readout; 0: there is none. */
export function stateMetrics(services: Services, readoutUtcMs: number): string {
	const {
		clock,
		ending,
		events,
		hub,
		info,
		memory,
		mqtt,
		network,
		power,
		reader,
		schedule,
		startedMs,
		storage,
		zigbee,
	} = services;
	const { measurements, failures } = reader.outcomes;
	const { cable } = network ?? {};
	const { firmwareVersion: version, model, serial } = info;
	const free = memory?.free?.();
	const timeS = Math.floor(readoutUtcMs / 1000);
	let text = sample("smartmeter_readout_timestamp_seconds", "Of the last good readout.", timeS || undefined);
	text += sample("smartmeter_readouts_total", "Good readouts since the start.", measurements);
	text += head("smartmeter_readout_failures_total", "Failed attempts since the start.");
	for (const [code, count] of failures) {
		text += `smartmeter_readout_failures_total{${label("code", code)}} ${count}\n`;
	}
	text += sample("smartmeter_scheduled_readouts_missed_total", "Times without a readout.", schedule.missed);
	const labels = `{${label("version", version)},${label("model", model)},${label("serial", serial)}}`;
	text += sample("gateway_info", "What it is.", 1, labels);
	const uptimeS = Math.floor((clock.monotonicMs() - startedMs) / 1000);
	text += sample("gateway_uptime_seconds", "Since the start.", uptimeS);
	text += sample("gateway_start_info", "Why it has started.", ending && 1, `{${label("cause", ending?.cause ?? "")}}`);
	text += head(
		"gateway_restarts_total",
		"Starts, this one included, by what ended the run before; from 1 again when the event log in flash has forgotten the cause.",
	);
	for (const [cause, count] of events.starts) {
		text += `gateway_restarts_total{${label("cause", cause || "unknown")}} ${count}\n`;
	}
	text += sample("gateway_flash_refusing", "1 since flash has refused a write.", storage.isRefusing ? 1 : 0);
	text += sample("gateway_clock_valid", "1 when it is set.", clock.utcMs() === undefined ? 0 : 1);
	text += sample("gateway_free_slots", "Of the script, before a collection.", free?.slots);
	text += sample("gateway_free_chunk_bytes", "Of the script, before a collection.", free?.chunkBytes);
	text += sample("gateway_free_heap_bytes", "Of all the rest.", free?.heapBytes);
	text += sample("gateway_least_free_heap_bytes", "Since the start.", free?.leastHeapBytes);
	const { connections, published, failures: broken, state } = mqtt?.publisher ?? {};
	text += sample("gateway_mqtt_connected", "1 when the broker is.", state && Number(state === MQTT_UP));
	text += sample("gateway_mqtt_connections_total", "Sessions with the broker.", connections);
	text += sample("gateway_mqtt_messages_total", "Messages that the broker has taken.", published);
	text += sample("gateway_mqtt_failures_total", "Sessions and connections that have failed.", broken);
	text += sample("gateway_hub_states_total", "States that the hub has taken.", hub?.taken);
	text += sample("gateway_hub_failures_total", "Failed attempts to send to the hub.", hub?.failures);
	text += sample("gateway_zigbee_joined", "1 when it is in a network.", zigbee && Number(zigbee.isJoined));
	const zigbeeS = Math.floor((zigbee?.sentUtcMs ?? 0) / 1000);
	text += sample("gateway_zigbee_report_timestamp_seconds", "Of the last one that was taken.", zigbeeS || undefined);
	text += sample("gateway_wifi_rssi_dbm", "Of the joined network.", network?.station?.rssi);
	text += sample("gateway_ethernet_link", "1 when the cable has one.", cable && Number(cable.isLinked));
	text += sample("gateway_temperature_celsius", "Inside the device.", power?.temperatureC());
	text += sample("gateway_battery_volts", "All cells together.", power?.batteryVoltage());
	return text + sample("gateway_usb_volts", "At the USB socket.", power?.usbVoltage());
}

/** `stacks` as Memory.stacks has it. */
function stackMetrics(stacks: string): string {
	if (stacks === "") return "";
	let text = head("gateway_least_free_stack_bytes", "Of each task, since the start.");
	for (const line of stacks.trim().split("\n")) {
		const words = line.split(" ");
		const bytes = words.pop();
		text += `gateway_least_free_stack_bytes{${label("task", words.join(" "))}} ${bytes}\n`;
	}
	return text;
}

/** What stands before the lines of a metric. */
function head(name: string, help: string): string {
	return `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
}

/** A metric of one line; none where there is no value. */
function sample(name: string, help: string, value: number | undefined, labels = ""): string {
	return value === undefined ? "" : `${head(name, help)}${name}${labels} ${value}\n`;
}

/** A label; backslash, quote and the end of a line are escaped in it. */
function label(name: string, value: string): string {
	const escaped = value.split("\\").join("\\\\").split('"').join('\\"').split("\n").join("\\n");
	return `${name}="${escaped}"`;
}
