/**
 * What is published at one moment, in the words of Home Assistant: the gateway's own entities, then the values of a readout
 * (values.ts). Every output has the same ones; it only gives them its format.
 *
 *     last_readout   when the meter was read
 *     meter          whether the last attempt to read it went well
 *     battery        on boards with cells
 *     rssi           strength of the Wi-Fi signal, on boards with a radio
 */
import type { Power, TextCodec } from "../io/host.js";
import { batteryPercent } from "../power/battery.js";
import type { Readout } from "../readout/readout.js";
import { utcText } from "../time/iso.js";
import { PublishedValues } from "./values.js";

/** State class of what is true at this moment only. */
export const MEASUREMENT = "measurement";

interface OwnEntity {
	readonly key: string;
	/** By LANGUAGE_… of obis/names.ts. */
	readonly names: readonly string[];
	readonly component: "sensor" | "binary_sensor";
	readonly deviceClass: string;
	readonly unit: string;
	readonly stateClass: string;
}

function own(
	key: string,
	names: readonly string[],
	deviceClass: string,
	unit = "",
	component: OwnEntity["component"] = "sensor",
): OwnEntity {
	const stateClass = unit === "" ? "" : MEASUREMENT;
	return Object.freeze({ key, names: Object.freeze(names), component, deviceClass, unit, stateClass });
}

export const LAST_READOUT = own("last_readout", ["Last readout", "Letzte Ablesung", "Ostatni odczyt"], "timestamp");
const METER = own("meter", ["Meter", "Zähler", "Licznik"], "connectivity", "", "binary_sensor");
const BATTERY = own("battery", ["Battery", "Batterie", "Bateria"], "battery", "%");
const RSSI = own("rssi", ["Wi-Fi signal", "WLAN-Signal", "Sygnał Wi-Fi"], "signal_strength", "dBm");

/** Where the states of the gateway's own entities come from. */
export interface EntitySources {
	readonly power: Power | undefined;
	/** Undefined: the board has no radio. `station`: undefined while it is in no network by radio; `rssi` in dBm. */
	readonly radio: { readonly station: { readonly rssi: number } | undefined } | undefined;
	/** Table of OBIS names (obis/names.ts); without one, the codes are the names. */
	readonly names: Uint8Array | undefined;
	readonly text: TextCodec;
}

export interface EntityOptions {
	/** The last good readout of a meter. */
	readonly readout: Readout | undefined;
	/** False: the gateway's own entities only. */
	readonly hasValues: boolean;
	/** The last attempt to read the meter has failed. */
	readonly hasFailed: boolean;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
}

/** Goes over the entities of one moment. Their states hold still, whatever happens meanwhile. */
export class Entities {
	/** The gateway's own entities that this board has, and their states. */
	readonly #own: OwnEntity[] = [];
	readonly #states: string[] = [];
	readonly #values: PublishedValues | undefined;
	readonly #language: number;
	/** Number of the entity gone to; beyond the end of `#own`: a value. */
	#index = 0;

	constructor({ power, radio, names, text }: EntitySources, options: EntityOptions) {
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
	}

	get count(): number {
		return this.#own.length + (this.#values?.count ?? 0);
	}

	/** Goes to number `index`, 0 to count - 1, whose members the others are. Best in rising order. */
	seek(index: number): void {
		this.#index = index;
		const place = index - this.#own.length;
		if (place >= 0) this.#values?.seek(place);
	}

	/** It is one of the gateway's own; undefined for a value. */
	get own(): OwnEntity | undefined {
		return this.#own[this.#index];
	}

	/** Lasts as long as the meter does; digits, small letters and single underscores. */
	get key(): string {
		return this.own?.key ?? this.#values?.key ?? "";
	}

	/** In the language. */
	get name(): string {
		return this.own?.names[this.#language] ?? this.#values?.name ?? "";
	}

	/** A decimal number in `unit`; a time (ISO 8601, UTC) or `on`, `off` where there is no unit. "": unknown. */
	get value(): string {
		return this.#states[this.#index] ?? this.#values?.value ?? "";
	}

	/** "" for none, as the next two. */
	get unit(): string {
		return this.own?.unit ?? this.#values?.unit ?? "";
	}

	get deviceClass(): string {
		return this.own?.deviceClass ?? this.#values?.deviceClass ?? "";
	}

	get stateClass(): string {
		return this.own?.stateClass ?? this.#values?.stateClass ?? "";
	}

	/** `1-0:1.8.0`; "" for one of the gateway's own. */
	get obis(): string {
		return this.own === undefined ? (this.#values?.obis ?? "") : "";
	}

	private put(entity: OwnEntity, state: string): void {
		this.#own.push(entity);
		this.#states.push(state);
	}
}
