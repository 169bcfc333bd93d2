/**
 * `metrics`: the last good readout of a meter and the state of the gateway, as text for Prometheus: its exposition
 * format 0.0.4 (prometheus.io, "Exposition formats"). docs/metrics.md tells what of a readout is in it.
 *
 * The lines of a metric have to stand together, and a meter sends its quantities in any order: so the records are gone
 * through once to see which metric each belongs to, and once more for each metric that there is.
 */
import { lowerCase } from "../bytes/ascii.js";
import { METRICS_REPLY_COST } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { GROUP_LIST, GROUP_PROFILE } from "../obis/code.js";
import { putNumber } from "../readout/number.js";
import type { Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { VALUE_LIMIT } from "../readout/record-writer.js";
import type { Exchange, Services } from "./exchange.js";

/** At most so many readings are shown: the first that the meter has sent. */
const SERIES_LIMIT = 64;
/** No metric of a reading. */
const NOTHING = -1;

/** Units without their prefix, in lower case; the place of each is that of its metric. `kVAhr` is none: of two it may be either. */
const UNITS = Object.freeze(["wh", "varh", "vah", "j", "w", "var", "va", "v", "a", "hz", "m3", "l"]);
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
const VOLTAGE = 7;
const CURRENT = 8;
const VOLUME = 10;
const LITRE = 11;
/** Wh, varh and VAh are shown in thousands. */
const KILO_END = 3;

/** What units begin with, and the powers of ten of that. */
const PREFIXES = "kKMGm";
const POWERS = Object.freeze([3, 3, 6, 9, -3]);
const MILLI = -3;

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

/** The text, a unit at a time: first the readings, a line each, then all else. */
export class Exposition {
	readonly #services: Services;
	readonly #readout: Readout | undefined;
	readonly #cursor: RecordCursor;
	/** Of the readings that are shown: the number of the record, its metric, the power of ten that makes it the metric's. */
	readonly #records = new Uint16Array(SERIES_LIMIT);
	readonly #metrics = new Uint8Array(SERIES_LIMIT);
	readonly #powers = new Int8Array(SERIES_LIMIT);
	#count = 0;
	/** Which metric of readings the lines are of, which reading is next, and the record that the cursor stands at. */
	#metric = NOTHING;
	#reading = SERIES_LIMIT;
	#record = 0;
	/** The unit that was made last, and its bytes: the values of the next moment may be others. */
	#unit = -1;
	#bytes: Uint8Array = new Uint8Array(0);
	#hasMore = true;
	readonly #digits = new Uint8Array(VALUE_LIMIT + 1);

	/** `readout` undefined: there is none. */
	constructor(services: Services, readout: Readout | undefined) {
		this.#services = services;
		this.#readout = readout;
		this.#cursor = new RecordCursor(readout?.records ?? new Uint8Array(0));
		this.choose();
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

	/** Finds the readings that are shown, and their metrics. */
	private choose(): void {
		const cursor = this.#cursor;
		const { code } = cursor;
		const quantities = new Float64Array(SERIES_LIMIT);
		for (let record = 1; this.#count < SERIES_LIMIT && cursor.nextRecord(); record++) {
			const { quantity, c } = code;
			// Lists and profiles are of former times; an attribute tells of a value and is none.
			if (quantity < 0 || c === GROUP_LIST || c === GROUP_PROFILE || code.billingPeriod !== null) continue;
			if (cursor.attribute !== 0 || !cursor.nextValue()) continue;
			const unit = unitOf(cursor.unit);
			if (unit === NOTHING || putNumber(cursor.text, cursor.length, this.#digits) === 0) continue;
			const metric = Math.min(unit, VOLUME);
			let i = 0;
			while (i < this.#count && (quantities[i] !== quantity || this.#metrics[i] !== metric)) i++;
			if (i < this.#count) continue;
			quantities[i] = quantity;
			this.#records[i] = record;
			this.#metrics[i] = metric;
			this.#powers[i] = powerOf(cursor.unit, unit);
			this.#count++;
		}
	}

	private next(): string {
		while (this.#metric < METRICS.length) {
			while (this.#reading < this.#count) {
				const reading = this.#reading++;
				if (this.#metrics[reading] === this.#metric) return this.line(reading);
			}
			this.#metric++;
			this.#reading = this.#metrics.subarray(0, this.#count).indexOf(this.#metric);
			if (this.#reading < 0) this.#reading = SERIES_LIMIT;
			else {
				this.#cursor.toStart();
				this.#record = 0;
				return head(`smartmeter_${METRICS[this.#metric]}`, "Of the last good readout.");
			}
		}
		this.#hasMore = false;
		return this.rest();
	}

	/** Of a reading. The metric's head has put the cursor before the first of them. */
	private line(reading: number): string {
		const cursor = this.#cursor;
		const { text } = this.#services;
		while (this.#record < this.#records[reading]) {
			cursor.nextRecord();
			this.#record++;
		}
		cursor.nextValue();
		const end = putNumber(cursor.text, cursor.length, this.#digits);
		const value = shifted(text.decode(this.#digits, 0, end), this.#powers[reading]);
		const code = text.decode(cursor.address, 0, cursor.code.longEnd);
		return `smartmeter_${METRICS[this.#metric]}{obis="${code}"} ${value}\n`;
	}

	/** What is no reading. */
	private rest(): string {
		const { clock, info, memory, network, power, reader, schedule, ending, events, startedMs } = this.#services;
		const { measurements, failures } = reader.outcomes;
		const { firmwareVersion: version, model, serial } = info;
		const free = memory?.free?.();
		const timeS = Math.floor((this.#readout?.utcMs ?? 0) / 1000);
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
		text += sample(
			"gateway_start_info",
			"Why it has started.",
			ending && 1,
			`{${label("cause", ending?.cause ?? "")}}`,
		);
		text += head(
			"gateway_restarts_total",
			"Starts, this one included, by what ended the run before; from 1 again when the event log in flash has forgotten the cause.",
		);
		for (const [cause, count] of events.starts) {
			text += `gateway_restarts_total{${label("cause", cause || "unknown")}} ${count}\n`;
		}
		text += sample("gateway_clock_valid", "1 when it is set.", clock.utcMs() === undefined ? 0 : 1);
		text += sample("gateway_free_slots", "Of the script, before a collection.", free?.slots);
		text += sample("gateway_free_chunk_bytes", "Of the script, before a collection.", free?.chunkBytes);
		text += sample("gateway_free_heap_bytes", "Of all the rest.", free?.heapBytes);
		text += sample("gateway_wifi_rssi_dbm", "Of the joined network.", network?.station?.rssi);
		text += sample("gateway_temperature_celsius", "Inside the device.", power?.temperatureC());
		text += sample("gateway_battery_volts", "All cells together.", power?.batteryVoltage());
		return text + sample("gateway_usb_volts", "At the USB socket.", power?.usbVoltage());
	}
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
	const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
	return `${name}="${escaped}"`;
}

/** Which of UNITS a spelling is, with a prefix or without; NOTHING. */
function unitOf(spelling: string): number {
	const whole = UNITS.indexOf(lowerCase(spelling));
	if (whole >= 0) return whole;
	const prefix = PREFIXES.indexOf(spelling.charAt(0));
	if (spelling === "" || prefix < 0) return NOTHING;
	const unit = UNITS.indexOf(lowerCase(spelling.slice(1)));
	// Of power and energy a small m is no thousandth: nobody measures so little.
	if (POWERS[prefix] === MILLI && unit !== VOLTAGE && unit !== CURRENT) return NOTHING;
	return unit;
}

/** The power of ten from a spelling of this unit to the unit of its metric. */
function powerOf(spelling: string, unit: number): number {
	const prefix = spelling.length > UNITS[unit].length ? POWERS[PREFIXES.indexOf(spelling.charAt(0))] : 0;
	return unit < KILO_END || unit === LITRE ? prefix - 3 : prefix;
}

/** A decimal number (as putNumber writes it) times ten to the power of `places`: its point moves, nothing is rounded. */
function shifted(number: string, places: number): string {
	const sign = number.startsWith("-") ? "-" : "";
	const [whole, part = ""] = number.slice(sign.length).split(".");
	const point = whole.length + places;
	// At least one digit stands before the point.
	const digits = `${"0".repeat(Math.max(0, 1 - point))}${whole}${part}`.padEnd(point, "0");
	const end = Math.max(1, point);
	let from = 0;
	while (from < end - 1 && digits.charAt(from) === "0") from++;
	return `${sign}${digits.slice(from, end)}${digits.length > end ? "." : ""}${digits.slice(end)}`;
}
