/**
 * What of a readout is sent out, in the words of Home Assistant (developers.home-assistant.io, "Sensor entity"): the same
 * for all outputs. Each value has a key that lasts (made of the OBIS code), a name in the owner's language, a
 * unit that never changes, and what Home Assistant makes statistics by.
 *
 *     1-0:1.8.0*255  ->  key 1_0_1_8_0     1.8.0  ->  key 1_8_0
 *
 * A counter is `total_increasing`: Home Assistant then takes an exchanged meter, which begins anew, for what it is; one that
 * may run back (import less export, C 16) is `total`. Of other quantities those that are momentary or an average of these
 * minutes are a `measurement`; highest and lowest values have no class, since no statistics can be made of them.
 */
import type { TextCodec } from "../io/host.js";
import type { OBISCode } from "../obis/code.js";
import { NAME_LIMIT, OBISNames } from "../obis/names.js";
import { Quantities, VOLUME } from "../readout/quantities.js";
import type { Readout } from "../readout/readout.js";

interface Kind {
	readonly unit: string;
	readonly deviceClass: string;
	readonly isCounter: boolean;
	/** Power of ten from the kind's unit to this one. */
	readonly places: number;
}

function kind(unit: string, deviceClass: string, isCounter = false, places = 0): Kind {
	return Object.freeze({ unit, deviceClass, isCounter, places });
}

/** By the kind of a quantity. A class that has no such unit would make Home Assistant refuse the entity. */
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

/** Groups A of gas and of water (IEC 62056-6-1), and C of a meter behind the meter, whose cubic metres are mostly gas (DSMR P1). */
const MEDIUM_GAS = 7;
const MEDIUM_COLD_WATER = 8;
const MEDIUM_WARM_WATER = 9;
const MEDIUM_ABSTRACT = 0;
const SUBMETER = 24;
/** Group C of import less export, all phases and L1; L2 and L3 are 20 apart. */
const NET = 16;
const PHASE_STEP = 20;
/** Groups D of momentary values and of averages (IEC 62056-6-1, table of group D): 4, 5, 7, 14, 15, 24, 25, 27, 28. */
const MOMENTARY = 0x1b00c0b0;

export interface PublishedOptions {
	/** Table of OBIS names (obis/names.ts); without one, the codes are the names. */
	readonly names: Uint8Array | undefined;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
	readonly text: TextCodec;
}

export class PublishedValues {
	readonly #quantities: Quantities;
	readonly #names: OBISNames | undefined;
	readonly #language: number;
	readonly #text: TextCodec;
	#kind = KINDS[0];

	constructor({ records }: Pick<Readout, "records">, { names, language, text }: PublishedOptions) {
		this.#quantities = new Quantities(records);
		if (names !== undefined) this.#names = new OBISNames(names);
		this.#names?.beginReadout();
		this.#language = language;
		this.#text = text;
	}

	/** How many there are, at most QUANTITY_LIMIT. */
	get count(): number {
		return this.#quantities.count;
	}

	/** Goes to number `index`, 0 to count - 1, whose members the others are. Best in rising order. */
	seek(index: number): void {
		this.#quantities.seek(index);
		this.#kind = KINDS[this.#quantities.kindOf(index)];
	}

	/** Digits and single underscores; the same for this quantity of this meter for ever. */
	get key(): string {
		const { a, b, c, d, e, letters } = this.#quantities.code;
		let key = a < 0 ? "" : `${a}_`;
		if (b >= 0) key += `${b}_`;
		// C.1.0 is not 96.1.0.
		key += `${letters ? "c" : ""}${c}_${d}`;
		return e < 0 ? key : `${key}_${e}`;
	}

	/** `1-0:1.8.0` */
	get obis(): string {
		return this.#quantities.longCode(this.#text);
	}

	/** In the language; the code where it has no name. */
	get name(): string {
		const names = this.#names;
		if (names === undefined || !names.find(this.#quantities.code, this.#language)) return this.obis;
		const bytes = new Uint8Array(NAME_LIMIT);
		return this.#text.decode(bytes, 0, names.write(bytes, 0));
	}

	/** A decimal number in `unit`, as the meter has sent it but for the place of its point. */
	get value(): string {
		return this.#quantities.value(this.#text, this.#kind.places);
	}

	get unit(): string {
		return this.#kind.unit;
	}

	/** "" for none. */
	get deviceClass(): string {
		return (this.#kind === KINDS[VOLUME] && fluidOf(this.#quantities.code)) || this.#kind.deviceClass;
	}

	/** "" for none. */
	get stateClass(): string {
		const { c, d } = this.#quantities.code;
		if (this.#kind.isCounter) return isNet(c) ? "total" : "total_increasing";
		return d < 32 && (MOMENTARY >>> d) & 1 ? "measurement" : "";
	}
}

/** "" for what is neither: the water of a heating, say. */
function fluidOf({ a, c }: OBISCode): string {
	if (a === MEDIUM_GAS || (a === MEDIUM_ABSTRACT && c === SUBMETER)) return "gas";
	return a === MEDIUM_COLD_WATER || a === MEDIUM_WARM_WATER ? "water" : "";
}

function isNet(c: number): boolean {
	return c >= NET && c <= NET + 3 * PHASE_STEP && (c - NET) % PHASE_STEP === 0;
}
