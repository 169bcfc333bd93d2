/**
 * Entities that are published, in Home Assistant's terms: first the gateway's own, then the values of a readout
 * (values.ts). The own entities are:
 *
 *     last_readout   time of the last readout of the meter
 *     meter          result of the last attempt to read the meter
 *     problem        on if reading or updating has failed; problem_text is an attribute of this entity
 *     meter_number   serial number of the meter, or its identification
 *     power_net      import minus export, if the meter sends both but not their difference
 *     battery        charge, on boards with battery cells
 *     rssi           strength of the Wi-Fi signal, on boards with a radio
 *     peak           the month's peak; peak_mean and peak_forecast: mean power of the running interval, and forecast
 */
import type { Power, TextCodec } from "../io/host.js";
import { batteryPercent } from "../power/battery.js";
import { meterNumberOf } from "../readout/meter-number.js";
import type { Readout } from "../readout/readout.js";
import { utcText } from "../time/iso.js";
import { PublishedValues } from "./values.js";

export const MEASUREMENT = "measurement";

interface OwnEntity {
	readonly key: string;
	/** Names in the order of LANGUAGE_… of obis/names.ts. */
	readonly names: readonly string[];
	/** Component; "" for an attribute of the previous entity. */
	readonly component: "sensor" | "binary_sensor" | "";
	readonly deviceClass: string;
	readonly unit: string;
	readonly stateClass: string;
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

function power(key: string, names: readonly string[]): OwnEntity {
	return own(key, names, "power", "W", "sensor", false);
}

export const LAST_READOUT = own("last_readout", ["Last readout", "Letzte Ablesung", "Ostatni odczyt"], "timestamp");
const METER = own("meter", ["Meter", "Zähler", "Licznik"], "connectivity", "", "binary_sensor");
export const PROBLEM = own("problem", ["Problem", "Störung", "Problem"], "problem", "", "binary_sensor");
export const PROBLEM_TEXT = own("problem_text", [], "", "", "");
export const METER_NUMBER = own("meter_number", ["Meter number", "Zählernummer", "Numer licznika"], "");
/** The names are those of 1-0:16.7.0 (obis/names.tsv), because some meters send this value themselves. */
const POWER_NET = power("power_net", [
	"Active power net (import − export)",
	"Wirkleistung saldiert (Bezug − Lieferung)",
	"Moc czynna saldo (pobór − oddawanie)",
]);
const BATTERY = own("battery", ["Battery", "Batterie", "Bateria"], "battery", "%");
const RSSI = own("rssi", ["Wi-Fi signal", "WLAN-Signal", "Sygnał Wi-Fi"], "signal_strength", "dBm");
/** Entities for the values of the part `peaks`, in the order of these values. */
const PEAKS = Object.freeze([
	power("peak", ["Peak of the month", "Monatsspitze", "Szczyt miesiąca"]),
	power("peak_mean", ["Average of the interval", "Mittel im Messintervall", "Średnia w przedziale"]),
	power("peak_forecast", ["Forecast of the interval", "Prognose im Messintervall", "Prognoza przedziału"]),
]);

export interface EntitySources {
	readonly power: Power | undefined;
	/** Wi-Fi radio; undefined if the board has none. `station` is undefined without a network. `rssi` is in dBm. */
	readonly radio: { readonly station: { readonly rssi: number } | undefined } | undefined;
	/** OBIS names (obis/names.ts). If they are missing, values are named by their codes. */
	readonly names: Uint8Array | undefined;
	readonly text: TextCodec;
	/** Powers in W, NaN if unknown. Empty if no peaks are recorded. */
	readonly peaks?: { readonly values: readonly number[] };
	/** Failure and remedy if reading the meter or the last update has failed; otherwise "". */
	readonly problem: string;
}

const NUMBER_LIMIT = 32;

export interface EntityOptions {
	readonly readout: Readout | undefined;
	readonly hasValues: boolean;
	readonly hasFailed: boolean;
	readonly isOld?: boolean;
	readonly language: number;
}

export class Entities {
	readonly #own: OwnEntity[] = [];
	readonly #states: string[] = [];
	readonly #values: PublishedValues | undefined;
	readonly #language: number;
	readonly #isOld: boolean;
	#index = 0;

	constructor({ power, problem, radio, names, text, peaks }: EntitySources, options: EntityOptions) {
		const { readout, hasValues, hasFailed, isOld = false, language } = options;
		this.#language = language;
		this.#isOld = isOld;
		if (hasValues && readout !== undefined) this.#values = new PublishedValues(readout, { names, text, language });
		const utcMs = readout?.liveUtcMs ?? readout?.utcMs ?? 0;
		this.put(LAST_READOUT, utcMs === 0 ? "" : utcText(utcMs, text));
		this.put(METER, hasFailed ? "off" : readout === undefined ? "" : "on");
		this.put(PROBLEM, problem === "" ? "off" : "on");
		this.put(PROBLEM_TEXT, problem);
		this.put(METER_NUMBER, readout === undefined ? "" : numberOf(readout));
		const net = this.#values?.netPower ?? "";
		if (net !== "") this.put(POWER_NET, net);
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

	/** Selects an entity; the members below describe it. `index`: 0 to count - 1. Ascending order is fastest. */
	seek(index: number): void {
		this.#index = index;
		const place = index - this.#own.length;
		if (place >= 0) this.#values?.seek(place);
	}

	/**
	 * The selected entity if it is one of the gateway's own, such as POWER_NET; undefined for a value of the readout.
	 */
	get own(): OwnEntity | undefined {
		return this.#own[this.#index];
	}

	get isDiagnostic(): boolean {
		return this.own?.isDiagnostic ?? false;
	}

	/** True if the value becomes invalid with age. Peaks remain valid. */
	get isMomentary(): boolean {
		return (this.own === undefined || this.own === POWER_NET) && this.stateClass === MEASUREMENT;
	}

	/** True if the state remains true after the gateway is gone: counters, times, the meter's number. */
	get isLasting(): boolean {
		const { own, stateClass } = this;
		return stateClass !== MEASUREMENT && own?.component !== "binary_sensor" && own !== PROBLEM_TEXT;
	}

	/**
	 * Key of the entity, which never changes during the life of the meter. It has digits, lower-case letters and single
	 * underscores.
	 */
	get key(): string {
		return this.own?.key ?? this.#values?.key ?? "";
	}

	get name(): string {
		return this.own?.names[this.#language] ?? this.#values?.name ?? "";
	}

	/**
	 * Value as text: a decimal number in `unit` or, without a unit, a time (ISO 8601, UTC), `on`, `off`, or another text;
	 * "" if unknown.
	 */
	get value(): string {
		if (this.#isOld && this.isMomentary) return "";
		return this.#states[this.#index] ?? this.#values?.value ?? "";
	}

	/** Unit; "" if the entity has none. Device class and state class are "" in the same way. */
	get unit(): string {
		return this.own?.unit ?? this.#values?.unit ?? "";
	}

	get deviceClass(): string {
		return this.own?.deviceClass ?? this.#values?.deviceClass ?? "";
	}

	get stateClass(): string {
		return this.own?.stateClass ?? this.#values?.stateClass ?? "";
	}

	/** OBIS code such as `1-0:1.8.0`; "" for the gateway's own entities. */
	get obis(): string {
		return this.own === undefined ? (this.#values?.obis ?? "") : "";
	}

	private put(entity: OwnEntity, state: string): void {
		this.#own.push(entity);
		this.#states.push(state);
	}
}

/** Returns the serial number or the identification. Characters other than printable ASCII become "?". */
function numberOf({ meterId, records }: Readout): string {
	const bytes = (meterNumberOf(records) ?? meterId).slice(0, NUMBER_LIMIT);
	return String.fromCharCode(...bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? byte : 0x3f)));
}
