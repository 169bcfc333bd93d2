/**
 * Values of a readout in Home Assistant's terms (developers.home-assistant.io, "Sensor entity"). Each has a permanent
 * key, which is derived from the OBIS code, a name, a fixed unit, and a state class for statistics.
 *
 *     1-0:1.8.0*255  ->  key 1_0_1_8_0     1.8.0  ->  key 1_8_0
 *
 * The state class of a counter is `total_increasing`, so that Home Assistant recognises a new meter, whose counters
 * start from zero. A counter that can run backwards (import minus export, C 16) has `total`. Momentary and average
 * values have `measurement`. Minima and maxima have no state class.
 */
import type { TextCodec } from "../io/host.js";
import { isMomentary } from "../obis/code.js";
import { NAME_LIMIT, OBISNames } from "../obis/names.js";
import { MEDIUM_GAS, MEDIUM_WATER, mediumOf, stateOf } from "../readout/channels.js";
import { isNet, POWER, Quantities, VOLUME } from "../readout/quantities.js";
import type { Readout } from "../readout/readout.js";

interface Kind {
	readonly unit: string;
	readonly deviceClass: string;
	readonly isCounter: boolean;
	/** Power of ten by which a value in the unit of readout/quantities.ts is converted to `unit`. */
	readonly places: number;
}

function kind(unit: string, deviceClass: string, isCounter = false, places = 0): Kind {
	return Object.freeze({ unit, deviceClass, isCounter, places });
}

/**
 * Kinds of values, in the order of the constants in readout/quantities.ts. Home Assistant rejects a device class that
 * does not allow the unit.
 */
const KINDS: readonly Kind[] = Object.freeze([
	kind("kWh", "energy", true),
	kind("kvarh", "reactive_energy", true),
	kind("kVAh", "", true),
	kind("GJ", "energy", true, -9),
	kind("W", "power"),
	kind("var", "reactive_power"),
	kind("VA", "apparent_power"),
	kind("V", "voltage"),
	kind("A", "current"),
	kind("Hz", "frequency"),
	kind("m³", "volume", true),
]);

/** Value of group A for warm water (IEC 62056-6-1). */
const MEDIUM_WARM_WATER = 9;
/**
 * Values of group C for import, export, and import minus export of all phases together.
 */
const IMPORT = 1;
const EXPORT = 2;
const NET = 16;
const MOMENTARY_VALUE = 7;
const POWER_UNITS = 1000;

export interface PublishedOptions {
	/** OBIS names (obis/names.ts). If they are missing, values are named by their codes. */
	readonly names: Uint8Array | undefined;
	readonly language: number;
	readonly text: TextCodec;
}

export class PublishedValues {
	readonly #quantities: Quantities;
	readonly #names: OBISNames | undefined;
	readonly #language: number;
	readonly #text: TextCodec;
	#kind = KINDS[0];
	#index = 0;

	constructor(readout: Pick<Readout, "records" | "unconfirmed">, { names, language, text }: PublishedOptions) {
		this.#quantities = new Quantities(readout);
		if (names !== undefined) this.#names = new OBISNames(names);
		this.#names?.beginReadout();
		this.#language = language;
		this.#text = text;
	}

	/** Number of values, at most QUANTITY_LIMIT. */
	get count(): number {
		return this.#quantities.count;
	}

	/** Selects a value; the members below describe it. `index`: 0 to count - 1. Ascending order is fastest. */
	seek(index: number): void {
		this.#index = index;
		this.#quantities.seek(index);
		this.#kind = KINDS[this.#quantities.kindOf(index)];
	}

	/** Net power (import minus export), W, if the meter sends both but not their difference; otherwise "". */
	get netPower(): string {
		let taken = Number.NaN;
		let given = Number.NaN;
		for (let i = 0; i < this.count; i++) {
			if (this.#quantities.kindOf(i) !== POWER) continue;
			this.seek(i);
			const { b, c, d, e } = this.#quantities.code;
			if (d !== MOMENTARY_VALUE || e > 0 || b > 1) continue;
			if (c === NET) return "";
			if (c === IMPORT) taken = Number(this.value);
			if (c === EXPORT) given = Number(this.value);
		}
		// Rounded, because a floating-point difference may have many more digits than both numbers.
		const net = Math.round((taken - given) * POWER_UNITS) / POWER_UNITS;
		return Number.isNaN(net) ? "" : String(net);
	}

	/** Permanent key of the value: digits, single underscores, and "c" for a code with a letter. */
	get key(): string {
		const { a, b, c, d, e, letters } = this.#quantities.code;
		let key = a < 0 ? "" : `${a}_`;
		if (b >= 0) key += `${b}_`;
		// The letter distinguishes C.1.0 from 96.1.0.
		key += `${letters ? "c" : ""}${c}_${d}`;
		return e < 0 ? key : `${key}_${e}`;
	}

	get obis(): string {
		return this.#quantities.longCode(this.#text);
	}

	/** Name of the value in the selected language; its code if it has no name. */
	get name(): string {
		const names = this.#names;
		if (names === undefined || !names.find(this.#quantities.code, this.#language, this.medium)) return this.obis;
		const bytes = new Uint8Array(NAME_LIMIT);
		return this.#text.decode(bytes, 0, names.write(bytes, 0));
	}

	/** Value as text; "" for a counter that is unconfirmed. */
	get value(): string {
		return this.#quantities.isUnconfirmed(this.#index) ? "" : this.#quantities.value(this.#text, this.#kind.places);
	}

	get unit(): string {
		return this.#kind.unit;
	}

	/** Device class; "" if there is none. */
	get deviceClass(): string {
		return (this.#kind === KINDS[VOLUME] && fluidOf(this.medium)) || this.#kind.deviceClass;
	}

	private get medium(): number {
		const { channels, code } = this.#quantities;
		return mediumOf(stateOf(channels, code), code);
	}

	/** State class; "" if there is none. */
	get stateClass(): string {
		const { c, d } = this.#quantities.code;
		if (this.#kind.isCounter) return isNet(c) ? "total" : "total_increasing";
		return isMomentary(d) ? "measurement" : "";
	}
}

/** Returns "gas", "water", or "" for other volumes, such as heating water. */
function fluidOf(medium: number): string {
	if (medium === MEDIUM_GAS) return "gas";
	return medium === MEDIUM_WATER || medium === MEDIUM_WARM_WATER ? "water" : "";
}
