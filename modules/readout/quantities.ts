/**
 * Current measurements of a readout in fixed units, for metrics and all outputs. Values are left out if they belong to
 * past billing periods, lists or profiles, if they are texts or attributes that describe a value, if their unit is
 * unknown, if their quantity is repeated, if they are limits or nominal values, if they are from a meter on M-Bus that
 * does not count (channels.ts), or if there are more than QUANTITY_LIMIT.
 *
 * Numbers are scaled as text, so they are never rounded.
 */
import { lowerCase } from "../bytes/ascii.js";
import type { TextCodec } from "../io/host.js";
import { GROUP_LIST, GROUP_PROFILE, type OBISCode } from "../obis/code.js";
import { channelsOf, OUT, stateOf } from "./channels.js";
import { amountFrom, putNumber } from "./number.js";
import type { Readout } from "./readout.js";
import { RecordCursor } from "./record-cursor.js";
import { VALUE_LIMIT } from "./record-writer.js";

export const QUANTITY_LIMIT = 64;

/** Kinds of quantities. The units of their values are, in this order: kWh, kvarh, kVAh, J, W, var, VA, V, A, Hz, m³. */
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

/**
 * Unit of each kind, in lower case and without prefix. The last one, the litre, is a second unit of volume. `kVAhr` is
 * missing because it is ambiguous.
 */
const UNITS = Object.freeze(["wh", "varh", "vah", "j", "w", "var", "va", "v", "a", "hz", "m3", "l"]);
const LITRE = 11;
export const NO_UNIT = -1;

/** Prefixes of units, in the order of POWERS. */
const PREFIXES = "kKMGm";
const POWERS = Object.freeze([3, 3, 6, 9, -3]);
const MILLI = -3;

const NO_RECORD = 0x10000;
const NO_RECORDS: readonly number[] = Object.freeze([]);

/** Value of group C for import minus export of all phases. For L1, L2 and L3, it is 20, 40 and 60 higher. */
const NET = 16;
const PHASE_STEP = 20;

/**
 * Groups C and D of limits (IEC 62056-6-1; DSMR P1 5.0.2, 6.12; e-MUCS P1 1.7): 0-b:17.0.0 is the limit of the power,
 * and 31.4.0 that of the current. C is 0 for nominal values.
 */
const GROUP_GENERAL = 0;
const GROUP_LIMITER = 17;
const MEDIUM_ABSTRACT = 0;
const CURRENT_L1 = 31;
const D_FUSE = 4;
const D_THRESHOLD_LOW = 31;
const D_THRESHOLD_HIGH = 35;

export class Quantities {
	readonly #cursor: RecordCursor;
	/** Meters on M-Bus (channels.ts). */
	readonly channels: Uint8Array;
	/** Index of the record of each quantity, counted from 1. */
	readonly records = new Uint16Array(QUANTITY_LIMIT);
	readonly #kinds = new Uint8Array(QUANTITY_LIMIT);
	/** Power of ten from the unit of each quantity to the unit of its kind. */
	readonly #powers = new Int8Array(QUANTITY_LIMIT);
	readonly #digits = new Uint8Array(VALUE_LIMIT + 1);
	readonly #unconfirmed: readonly number[];
	#record = 0;
	#current = 0;
	count = 0;

	/** The bytes in `records` must not change. */
	constructor({ records, unconfirmed = NO_RECORDS }: Pick<Readout, "records" | "unconfirmed">) {
		this.#unconfirmed = unconfirmed;
		this.#cursor = new RecordCursor(records);
		this.channels = channelsOf(records);
		this.findQuantities();
	}

	kindOf(index: number): number {
		return this.#kinds[index];
	}

	/** Selects a quantity. In ascending order, a single pass over the readout is sufficient. */
	seek(index: number): void {
		const cursor = this.#cursor;
		const record = this.records[index];
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

	/** Selected quantity in thousandths of the unit of its kind, rounded down; -1 if it is negative or too long. */
	get thousandths(): number {
		const { text, length } = this.#cursor;
		return amountFrom(text, length, this.#powers[this.#current] + 3);
	}

	/** True for a counter that can't be right, as far as is known now. */
	isUnconfirmed(index: number): boolean {
		return this.#unconfirmed.includes(this.records[index]);
	}

	/** Code of the selected quantity. The object is reused for the next one. */
	get code(): OBISCode {
		return this.#cursor.code;
	}

	/** Returns the code as the meter sent it, without a trailing `*255`: `1-0:1.8.0`. */
	longCode(text: TextCodec): string {
		return text.decode(this.#cursor.address, 0, this.#cursor.code.longEnd);
	}

	/** Returns the value without leading zeros, in the unit of its kind, multiplied by 10^`places`. */
	value(text: TextCodec, places = 0): string {
		const end = putNumber(this.#cursor.text, this.#cursor.length, this.#digits);
		return shifted(text.decode(this.#digits, 0, end), this.#powers[this.#current] + places);
	}

	private findQuantities(): void {
		const cursor = this.#cursor;
		const { code } = cursor;
		const quantities = new Float64Array(QUANTITY_LIMIT);
		while (this.count < QUANTITY_LIMIT && cursor.nextRecord()) {
			this.#record++;
			const { quantity, c } = code;
			// Lists and profiles contain past values.
			if (quantity < 0 || c === GROUP_LIST || c === GROUP_PROFILE || code.billingPeriod !== null) continue;
			if (isLimit(code) || stateOf(this.channels, code) & OUT) continue;
			if (cursor.attribute !== 0 || !cursor.nextValue()) continue;
			const unit = unitOf(cursor.unit);
			if (unit === NO_UNIT || putNumber(cursor.text, cursor.length, this.#digits) === 0) continue;
			const kind = Math.min(unit, VOLUME);
			let i = 0;
			while (i < this.count && (quantities[i] !== quantity || this.#kinds[i] !== kind)) i++;
			if (i < this.count) continue;
			quantities[i] = quantity;
			this.records[i] = this.#record;
			this.#kinds[i] = kind;
			this.#powers[i] = powerOf(cursor.unit, unit);
			this.count++;
		}
		this.#record = NO_RECORD;
	}
}

/** True for a quantity that may fall, although it is a counter. */
export function isNet(c: number): boolean {
	return c >= NET && c <= NET + 3 * PHASE_STEP && (c - NET) % PHASE_STEP === 0;
}

function isLimit({ a, c, d }: OBISCode): boolean {
	if (c === GROUP_GENERAL || (c === GROUP_LIMITER && a === MEDIUM_ABSTRACT)) return true;
	return d === D_THRESHOLD_LOW || d === D_THRESHOLD_HIGH || (c === CURRENT_L1 && d === D_FUSE);
}

/** Returns the index in UNITS of a unit with or without a prefix; NO_UNIT if it is unknown. */
export function unitOf(spelling: string): number {
	const unprefixed = UNITS.indexOf(lowerCase(spelling));
	if (unprefixed >= 0) return unprefixed;
	const prefix = PREFIXES.indexOf(spelling.charAt(0));
	if (spelling === "" || prefix < 0) return NO_UNIT;
	const unit = UNITS.indexOf(lowerCase(spelling.slice(1)));
	// "m" means milli only before V and A. Meters never use that prefix for power or energy.
	if (POWERS[prefix] === MILLI && unit !== VOLTAGE && unit !== CURRENT) return NO_UNIT;
	return unit;
}

export function powerOf(spelling: string, unit: number): number {
	const prefix = spelling.length > UNITS[unit].length ? POWERS[PREFIXES.indexOf(spelling.charAt(0))] : 0;
	return unit <= APPARENT_ENERGY || unit === LITRE ? prefix - 3 : prefix;
}

/** Moves the decimal point of a number in the form that putNumber writes. */
function shifted(number: string, places: number): string {
	const sign = number.startsWith("-") ? "-" : "";
	const [whole, part = ""] = number.slice(sign.length).split(".");
	const point = whole.length + places;
	const missing = Math.max(0, point - whole.length - part.length);
	const digits = `${"0".repeat(Math.max(0, 1 - point))}${whole}${part}${"0".repeat(missing)}`;
	const end = Math.max(1, point);
	let from = 0;
	while (from < end - 1 && digits.charAt(from) === "0") from++;
	return `${sign}${digits.slice(from, end)}${digits.length > end ? "." : ""}${digits.slice(end)}`;
}
