/**
 * The values of a readout that measure something now, in units that never change: for metrics, and for all that is sent
 * out. Left out are values of past billing periods, lists and profiles, attributes that only tell of a value, texts, units
 * that are not listed, and a quantity that comes again; of more than QUANTITY_LIMIT the first ones are taken.
 *
 * Nothing is made per value but the text that is asked for; a number is moved by powers of ten as text, never rounded.
 */
import { lowerCase } from "../bytes/ascii.js";
import type { TextCodec } from "../io/host.js";
import { GROUP_LIST, GROUP_PROFILE, type OBISCode } from "../obis/code.js";
import { putNumber } from "./number.js";
import { RecordCursor } from "./record-cursor.js";
import { VALUE_LIMIT } from "./record-writer.js";

export const QUANTITY_LIMIT = 64;

/** Kinds of quantities, by the unit that `value` gives: kWh, kvarh, kVAh, J, W, var, VA, V, A, Hz, m³. */
export const ENERGY = 0;
export const REACTIVE_ENERGY = 1;
export const APPARENT_ENERGY = 2;
export const HEAT = 3;
export const POWER = 4;
export const REACTIVE_POWER = 5;
export const APPARENT_POWER = 6;
export const VOLTAGE = 7;
export const CURRENT = 8;
export const FREQUENCY = 9;
export const VOLUME = 10;
export const KIND_COUNT = 11;

/** Units without their prefix, in lower case, by their kind; litres are volume too. `kVAhr` is none: of two it may be either. */
const UNITS = Object.freeze(["wh", "varh", "vah", "j", "w", "var", "va", "v", "a", "hz", "m3", "l"]);
const LITRE = 11;
const NO_UNIT = -1;

/** What units begin with, and the powers of ten of that. */
const PREFIXES = "kKMGm";
const POWERS = Object.freeze([3, 3, 6, 9, -3]);
const MILLI = -3;

/** Above the number of every record. */
const NO_RECORD = 0x10000;

export class Quantities {
	readonly #cursor: RecordCursor;
	/** By the number of the quantity: that of its record (from 1 on), its kind, the power of ten that makes it the kind's. */
	readonly #records = new Uint16Array(QUANTITY_LIMIT);
	readonly #kinds = new Uint8Array(QUANTITY_LIMIT);
	readonly #powers = new Int8Array(QUANTITY_LIMIT);
	readonly #digits = new Uint8Array(VALUE_LIMIT + 1);
	/** The number of the record that the cursor stands at. */
	#record = 0;
	#current = 0;
	/** How many there are, at most QUANTITY_LIMIT. */
	count = 0;

	/** `records`: those of a readout; they must not change. */
	constructor(records: Uint8Array) {
		this.#cursor = new RecordCursor(records);
		this.choose();
	}

	/** The kind of number `index` (0 to count - 1). */
	kindOf(index: number): number {
		return this.#kinds[index];
	}

	/** Goes to number `index`. In rising order that is a single walk over the readout. */
	seek(index: number): void {
		const cursor = this.#cursor;
		const record = this.#records[index];
		this.#current = index;
		if (record <= this.#record) {
			cursor.toStart();
			this.#record = 0;
		}
		while (this.#record < record) {
			cursor.nextRecord();
			this.#record++;
		}
		cursor.nextValue();
	}

	/** Code of the quantity last gone to; the object is reused. */
	get code(): OBISCode {
		return this.#cursor.code;
	}

	/** Its code as the meter sends it, without a `*255` at the end: `1-0:1.8.0`. */
	longCode(text: TextCodec): string {
		return text.decode(this.#cursor.address, 0, this.#cursor.code.longEnd);
	}

	/** Its value in the unit of its kind times ten to the power of `places`: a decimal number without zeros in front. */
	value(text: TextCodec, places = 0): string {
		const end = putNumber(this.#cursor.text, this.#cursor.length, this.#digits);
		return shifted(text.decode(this.#digits, 0, end), this.#powers[this.#current] + places);
	}

	private choose(): void {
		const cursor = this.#cursor;
		const { code } = cursor;
		const quantities = new Float64Array(QUANTITY_LIMIT);
		while (this.count < QUANTITY_LIMIT && cursor.nextRecord()) {
			this.#record++;
			const { quantity, c } = code;
			// Lists and profiles are of former times; an attribute tells of a value and is none.
			if (quantity < 0 || c === GROUP_LIST || c === GROUP_PROFILE || code.billingPeriod !== null) continue;
			if (cursor.attribute !== 0 || !cursor.nextValue()) continue;
			const unit = unitOf(cursor.unit);
			if (unit === NO_UNIT || putNumber(cursor.text, cursor.length, this.#digits) === 0) continue;
			const kind = Math.min(unit, VOLUME);
			let i = 0;
			while (i < this.count && (quantities[i] !== quantity || this.#kinds[i] !== kind)) i++;
			if (i < this.count) continue;
			quantities[i] = quantity;
			this.#records[i] = this.#record;
			this.#kinds[i] = kind;
			this.#powers[i] = powerOf(cursor.unit, unit);
			this.count++;
		}
		// The next `seek` begins anew.
		this.#record = NO_RECORD;
	}
}

/** Which of UNITS a spelling is, with a prefix or without; NO_UNIT. */
function unitOf(spelling: string): number {
	const whole = UNITS.indexOf(lowerCase(spelling));
	if (whole >= 0) return whole;
	const prefix = PREFIXES.indexOf(spelling.charAt(0));
	if (spelling === "" || prefix < 0) return NO_UNIT;
	const unit = UNITS.indexOf(lowerCase(spelling.slice(1)));
	// A small m before a unit of power or energy is not milli: nobody measures so little.
	if (POWERS[prefix] === MILLI && unit !== VOLTAGE && unit !== CURRENT) return NO_UNIT;
	return unit;
}

/** The power of ten from a spelling of this unit to the unit of its kind. */
function powerOf(spelling: string, unit: number): number {
	const prefix = spelling.length > UNITS[unit].length ? POWERS[PREFIXES.indexOf(spelling.charAt(0))] : 0;
	return unit <= APPARENT_ENERGY || unit === LITRE ? prefix - 3 : prefix;
}

/** A decimal number (as putNumber writes it) times ten to the power of `places`: its point moves, nothing is rounded. */
function shifted(number: string, places: number): string {
	const sign = number.startsWith("-") ? "-" : "";
	const [whole, part = ""] = number.slice(sign.length).split(".");
	const point = whole.length + places;
	// At least one digit stands before the point.
	const missing = Math.max(0, point - whole.length - part.length);
	const digits = `${"0".repeat(Math.max(0, 1 - point))}${whole}${part}${"0".repeat(missing)}`;
	const end = Math.max(1, point);
	let from = 0;
	while (from < end - 1 && digits.charAt(from) === "0") from++;
	return `${sign}${digits.slice(from, end)}${digits.length > end ? "." : ""}${digits.slice(end)}`;
}
