/**
 * Published entities in Home Assistant's terms, the same for all outputs: the gateway's own, then the values of a
 * readout (values.ts).
 *
 *     last_readout   time of the last readout of the meter
 *     meter          result of the last attempt to read the meter
 *     battery        charge, on boards with battery cells
 *     rssi           strength of the Wi-Fi signal, on boards with a radio
 *     peak           the month's peak; mean power of the running interval and its forecast: peak_mean, peak_forecast
 */
import type { Power, TextCodec } from "../io/host.js";
import { batteryPercent } from "../power/battery.js";
import type { Readout } from "../readout/readout.js";
import { utcText } from "../time/iso.js";
import { PublishedValues } from "./values.js";

/** State class of momentary values. */
export const MEASUREMENT = "measurement";

interface OwnEntity {
	readonly key: string;
	/** Names in the order of LANGUAGE_… of obis/names.ts. */
	readonly names: readonly string[];
	readonly component: "sensor" | "binary_sensor";
	readonly deviceClass: string;
	readonly unit: string;
	readonly stateClass: string;
	/** True if it is about the gateway, and therefore always there. */
	readonly isDiagnostic: boolean;
}

function own(
	key: string,
	names: readonly string[],
	deviceClass: string,
	unit = "",
	component: OwnEntity["component"] = "sensor",
	isDiagnostic = true,
): OwnEntity {
	const stateClass = unit === "" ? "" : MEASUREMENT;
	return Object.freeze({ key, names: Object.freeze(names), component, deviceClass, unit, stateClass, isDiagnostic });
}

function peak(key: string, names: readonly string[]): OwnEntity {
	return own(key, names, "power", "W", "sensor", false);
}

export const LAST_READOUT = own("last_readout", ["Last readout", "Letzte Ablesung", "Ostatni odczyt"], "timestamp");
const METER = own("meter", ["Meter", "Zähler", "Licznik"], "connectivity", "", "binary_sensor");
const BATTERY = own("battery", ["Battery", "Batterie", "Bateria"], "battery", "%");
const RSSI = own("rssi", ["Wi-Fi signal", "WLAN-Signal", "Sygnał Wi-Fi"], "signal_strength", "dBm");
/** Entities for the values of the part `peaks`, in order. */
const PEAKS = Object.freeze([
	peak("peak", ["Peak of the month", "Monatsspitze", "Szczyt miesiąca"]),
	peak("peak_mean", ["Average of the interval", "Mittel im Messintervall", "Średnia w przedziale"]),
	peak("peak_forecast", ["Forecast of the interval", "Prognose im Messintervall", "Prognoza przedziału"]),
]);

export interface EntitySources {
	readonly power: Power | undefined;
	/** Undefined without a radio. `station` is undefined without a network; `rssi` is in dBm. */
	readonly radio: { readonly station: { readonly rssi: number } | undefined } | undefined;
	/** OBIS names (obis/names.ts); without them values are named by their codes. */
	readonly names: Uint8Array | undefined;
	readonly text: TextCodec;
	/** Powers in W, NaN while unknown; empty while no peaks are kept. */
	readonly peaks?: { readonly values: readonly number[] };
}

export interface EntityOptions {
	/** Last good readout. */
	readonly readout: Readout | undefined;
	/** False to publish only the gateway's own entities. */
	readonly hasValues: boolean;
	/** True if the last attempt to read the meter failed. */
	readonly hasFailed: boolean;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
}

/** Entities of one moment, with fixed states. */
export class Entities {
	/** The gateway's own entities on this board, and their states. */
	readonly #own: OwnEntity[] = [];
	readonly #states: string[] = [];
	readonly #values: PublishedValues | undefined;
	readonly #language: number;
	/** Index of the selected entity; from `#own.length` on it is a value of the readout. */
	#index = 0;

	constructor({ power, radio, names, text, peaks }: EntitySources, options: EntityOptions) {
		const { readout, hasValues, hasFailed, language } = options;
		this.#language = language;
		if (hasValues && readout !== undefined) this.#values = new PublishedValues(readout, { names, text, language });
		const utcMs = readout?.utcMs ?? 0;
		this.put(LAST_READOUT, utcMs === 0 ? "" : utcText(utcMs, text));
		this.put(METER, hasFailed ? "off" : readout === undefined ? "" : "on");
		if (power !== undefined && power.cells > 0) {
			const volts = power.batteryVoltage();
			this.put(BATTERY, volts === undefined ? "" : String(batteryPercent(volts, power.cells)));
		}
		if (radio !== undefined) this.put(RSSI, String(radio.station?.rssi ?? ""));
		peaks?.values.forEach((watts, index) => {
			this.put(PEAKS[index], Number.isNaN(watts) ? "" : String(watts));
		});
	}

	get count(): number {
		return this.#own.length + (this.#values?.count ?? 0);
	}

	/** Selects entity `index`, 0 to count - 1, to which the other members then refer. Ascending order is fastest. */
	seek(index: number): void {
		this.#index = index;
		const place = index - this.#own.length;
		if (place >= 0) this.#values?.seek(place);
	}

	/** Undefined for a value of the readout. */
	get own(): OwnEntity | undefined {
		return this.#own[this.#index];
	}

	/** Key that never changes during the life of the meter: digits, lower-case letters and single underscores. */
	get key(): string {
		return this.own?.key ?? this.#values?.key ?? "";
	}

	get name(): string {
		return this.own?.names[this.#language] ?? this.#values?.name ?? "";
	}

	/** Decimal number in `unit`. Without a unit: a time (ISO 8601, UTC), `on` or `off`. "" if unknown. */
	get value(): string {
		return this.#states[this.#index] ?? this.#values?.value ?? "";
	}

	/** Unit; "" without one. The next two members are "" in the same way. */
	get unit(): string {
		return this.own?.unit ?? this.#values?.unit ?? "";
	}

	get deviceClass(): string {
		return this.own?.deviceClass ?? this.#values?.deviceClass ?? "";
	}

	get stateClass(): string {
		return this.own?.stateClass ?? this.#values?.stateClass ?? "";
	}

	/** OBIS code such as `1-0:1.8.0`; "" for own entities. */
	get obis(): string {
		return this.own === undefined ? (this.#values?.obis ?? "") : "";
	}

	private put(entity: OwnEntity, state: string): void {
		this.#own.push(entity);
		this.#states.push(state);
	}
}
