/**
 * What the history takes of a readout: which meter it is of, and its registers of energy and volume in all tariffs.
 *
 *   import, export  1-b:1.8.0, 1-b:2.8.0; of a meter without them (DSMR) the sum of 1.8.1 to 1.8.9, of whole readouts only
 *   gas, water      7-b:3.0.0, 8-b:1.0.0; meters on M-Bus that an electricity meter tells of, as below
 *   heat            6-b:1.0.0; 6.8 of a heat meter that leaves out the medium (IEC 62056-21)
 *
 * of Blue Book edition 14, 6. On M-Bus (DSMR P1 companion standard 5.0.2, 6.12): 0-n:24.1.0 the kind of meter (EN 13757-3,
 * table 3: 3 gas, 4 and 12 heat, 6 and 7 water), 0-n:24.2.1, 24.2.3 or 24.3.0 its reading, the last of the values. The first
 * of each counts. Values of past billing periods don't, nor those that are no decimal numbers of a unit of that quantity.
 */
import { lowerCase } from "../bytes/ascii.js";
import { crc16 } from "../bytes/crc16.js";
import type { OBISCode } from "../obis/code.js";
import { putNumber } from "../readout/number.js";
import { type Readout, STATUS_OK } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { EXPORT, GAS, HEAT, IMPORT, RISE_END, WATER } from "./entry.js";
import type { MeterState } from "./meter-state.js";

const MEDIUM_NONE = 0;
const MEDIUM_ELECTRICITY = 1;
const MEDIUM_HEAT = 6;
const MEDIUM_GAS = 7;
const MEDIUM_WATER = 8;
/** C of what an electricity meter tells of meters on M-Bus; their channels are 1 to this. */
const GROUP_MBUS = 24;
const MBUS_CHANNELS = 4;
const GROUP_SERVICE = 96;

/** The record is no register. */
const NOTHING = -1;

const JOULES_OF_WH = 3600;
/** No register has more characters. */
const NUMBER_LIMIT = 32;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;

/** Fills `state` with what the readout tells. */
export function takeReadout(readout: Readout, state: MeterState): void {
	state.clear();
	new Taking(readout, state).run();
}

class Taking {
	readonly #readout: Readout;
	readonly #state: MeterState;
	readonly #cursor: RecordCursor;
	/** Kinds of the meters on M-Bus, by channel. */
	readonly #kinds = new Uint8Array(MBUS_CHANNELS + 1);
	/** Bits of the registers that there are in total; others are summed up. */
	#totals = 0;

	constructor(readout: Readout, state: MeterState) {
		this.#readout = readout;
		this.#state = state;
		this.#cursor = new RecordCursor(readout.records);
	}

	run(): void {
		const { meterId } = this.#readout;
		const state = this.#state;
		const cursor = this.#cursor;
		if (meterId.length > 0) state.ident = checkOf(meterId, meterId.length);
		while (cursor.nextRecord()) {
			const { code } = cursor;
			if (code.c < 0 || code.sub >= 0 || code.billingPeriod !== null) continue;
			if (isSerial(code)) {
				if (state.serial === 0 && cursor.nextValue() && cursor.length > 0)
					state.serial = checkOf(cursor.text, cursor.length);
			} else if (code.c === GROUP_MBUS && code.d === 1 && isChannel(code)) {
				if (cursor.nextValue()) this.#kinds[code.b] = numberOf(cursor, 0);
			} else this.takeRegister(code);
		}
	}

	private takeRegister(code: OBISCode): void {
		const register = this.registerOf(code);
		if (register === NOTHING) return;
		const isTotal = code.e <= 0 || code.c === GROUP_MBUS;
		const bit = 1 << register;
		if (this.#totals & bit || (!isTotal && this.#readout.status !== STATUS_OK)) return;
		const cursor = this.#cursor;
		const hasValue = cursor.nextValue();
		// Of a meter on M-Bus the time of its reading comes first.
		if (code.c === GROUP_MBUS) while (cursor.nextValue());
		const value = hasValue ? amountOf(cursor, register) : NOTHING;
		if (value < 0 || value >= RISE_END) return;
		const state = this.#state;
		if (isTotal) {
			this.#totals |= bit;
			state.readings[register] = value;
		} else state.readings[register] += value;
		state.known |= bit;
	}

	/** The register that a code stands for, or a part of it; NOTHING. */
	private registerOf({ a, b, c, d, e }: OBISCode): number {
		const isTotal = e <= 0;
		if (a === MEDIUM_NONE && c === GROUP_MBUS && b > 0 && b <= MBUS_CHANNELS) {
			if ((d === 2 && (e === 1 || e === 3)) || (d === 3 && isTotal)) return registerOfKind(this.#kinds[b]);
			return NOTHING;
		}
		if ((a < 0 || a === MEDIUM_ELECTRICITY) && d === 8 && (c === 1 || c === 2)) {
			if (e > 9) return NOTHING;
			return c === 1 ? IMPORT : EXPORT;
		}
		if (!isTotal) return NOTHING;
		if (a < 0 || a === MEDIUM_HEAT) {
			if (c === 6 && d === 8) return HEAT;
			if (a === MEDIUM_HEAT && c === 1 && d === 0) return HEAT;
		}
		if (a === MEDIUM_GAS && c === 3 && d === 0) return GAS;
		if (a === MEDIUM_WATER && c === 1 && d === 0) return WATER;
		return NOTHING;
	}
}

/** The meter's own number: `0.0.0`, `C.1.0`, `0-0:96.1.0`; not those of meters on M-Bus. */
function isSerial({ b, c, d, e }: OBISCode): boolean {
	if (b > 0) return false;
	return c === 0 ? d === 0 && e <= 0 : c === GROUP_SERVICE && d === 1;
}

function isChannel({ b }: OBISCode): boolean {
	return b > 0 && b <= MBUS_CHANNELS;
}

function registerOfKind(kind: number): number {
	if (kind === 3) return GAS;
	if (kind === 6 || kind === 7) return WATER;
	return kind === 4 || kind === 12 ? HEAT : NOTHING;
}

/** Never 0, which is none. */
function checkOf(bytes: Uint8Array, length: number): number {
	return crc16(bytes, 0, length) || 1;
}

/** The cursor's value in the register's unit, cut to a whole number; NOTHING. Without a unit it is that of most meters. */
function amountOf(cursor: RecordCursor, register: number): number {
	const unit = lowerCase(cursor.unit);
	if (register === GAS || register === WATER) {
		if (unit === "" || unit === "m3") return numberOf(cursor, 3);
		return unit === "l" ? numberOf(cursor, 0) : NOTHING;
	}
	if (unit === "") return numberOf(cursor, 3);
	const isJoule = unit.endsWith("j");
	if (!isJoule && !unit.endsWith("wh")) return NOTHING;
	const exponent = ["", "k", "m", "g"].indexOf(unit.slice(0, isJoule ? -1 : -2)) * 3;
	if (exponent < 0) return NOTHING;
	const value = numberOf(cursor, exponent);
	return isJoule ? Math.floor(value / JOULES_OF_WH) : value;
}

/** The cursor's value times ten to the power of `exponent`, cut to a whole number; NOTHING when it is no number above 0. */
function numberOf({ text, length }: RecordCursor, exponent: number): number {
	const digits = new Uint8Array(NUMBER_LIMIT + 1);
	const end = length > NUMBER_LIMIT ? 0 : putNumber(text, length, digits);
	if (end === 0 || digits[0] === MINUS) return NOTHING;
	let value = 0;
	let isWhole = true;
	/** Digits that still count behind the point. */
	let places = exponent;
	for (let i = 0; i < end && places >= 0; i++) {
		if (digits[i] === DOT) isWhole = false;
		else if (isWhole || places-- > 0) value = value * 10 + digits[i] - DIGIT_0;
	}
	return value * 10 ** Math.max(0, places);
}
