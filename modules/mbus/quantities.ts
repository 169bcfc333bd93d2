/**
 * Quantities of data records (EN 13757-3, tables 10 to 14), with power of ten, unit, and OBIS code.
 *
 * Units of energy and power get a prefix with which the value has at most two decimal places, as on a meter's display.
 */
import { TABLE_FB, TABLE_FD } from "./record-header.js";

/**
 * Group A of the OBIS codes, one digit for each medium of a slave (EN 13757-3, table 3). For example, medium 2 is
 * electricity.
 */
const MEDIA = "00176098405566000000098";
const A_ELECTRICITY = 1;
const A_HEAT_COST = 4;
const A_COOLING = 5;
const A_HEAT = 6;
const A_GAS = 7;
const A_WATER = 8;
const A_HOT_WATER = 9;

const DIGIT_0 = 0x30;

const U_WH = 0;
const U_J = 1;
const U_W = 2;
const U_POWER_J = 3;
const U_M3 = 4;
const U_KG = 5;
const U_M3_H = 6;
const U_M3_MIN = 7;
const U_M3_S = 8;
const U_KG_H = 9;
const U_CELSIUS = 10;
const U_KELVIN = 11;
const U_BAR = 12;
const U_SECONDS = 13;
const U_V = 17;
const U_A = 18;
const U_VARH = 19;
const U_VAR = 20;
const U_PERCENT = 21;
const U_NONE = 22;

/**
 * Numbers of the quantities. Up to C_DIFFERENCE, they equal group C of heat and cooling meters. Up to C_HEAT_COST,
 * quantities follow that these meters do not have, and then the quantities of all media.
 */
const C_NONE = 0;
const C_ENERGY = 1;
const C_VOLUME = 2;
const C_POWER = 8;
const C_FLOW = 9;
const C_FLOW_TEMPERATURE = 10;
const C_RETURN_TEMPERATURE = 11;
const C_DIFFERENCE = 12;
const C_REACTIVE_ENERGY = 18;
const C_REACTIVE_POWER = 19;
const C_HEAT_COST = 20;
const C_OPERATING_TIME = 21;
const C_DATE = 22;
const C_CLOCK = 23;
const C_ERRORS = 24;
const C_FIRMWARE = 25;

/**
 * Value in place of a number of bits. It means that the low two bits of the quantity select seconds, minutes, hours or
 * days.
 */
const TIME = 16;
const EXPONENT_OFFSET = 16;

/** Units in the order of U_…. Those up to U_POWER_J get the prefixes. */
const UNITS = "Wh J W J/h m3 kg m3/h m3/min m3/s kg/h \u00b0C K bar s min h d V A varh var %";
const PREFIXES = "kMG";
const ROWS = Object.freeze([
	row(0x00, 3, -3, U_WH, C_ENERGY),
	row(0x08, 3, 0, U_J, C_ENERGY),
	row(0x10, 3, -6, U_M3, C_VOLUME),
	row(0x18, 3, -3, U_KG, C_NONE),
	row(0x20, TIME, 0, U_SECONDS, C_NONE),
	row(0x24, TIME, 0, U_SECONDS, C_OPERATING_TIME),
	row(0x28, 3, -3, U_W, C_POWER),
	row(0x30, 3, 0, U_POWER_J, C_POWER),
	row(0x38, 3, -6, U_M3_H, C_FLOW),
	row(0x40, 3, -7, U_M3_MIN, C_FLOW),
	row(0x48, 3, -9, U_M3_S, C_FLOW),
	row(0x50, 3, -3, U_KG_H, C_NONE),
	row(0x58, 2, -3, U_CELSIUS, C_FLOW_TEMPERATURE),
	row(0x5c, 2, -3, U_CELSIUS, C_RETURN_TEMPERATURE),
	row(0x60, 2, -3, U_KELVIN, C_DIFFERENCE),
	row(0x64, 2, -3, U_CELSIUS, C_NONE),
	row(0x68, 2, -3, U_BAR, C_NONE),
	row(0x6c, 0, 0, U_NONE, C_DATE),
	row(0x6d, 0, 0, U_NONE, C_CLOCK),
	row(0x6e, 0, 0, U_NONE, C_HEAT_COST),
	row(0x70, TIME, 0, U_SECONDS, C_NONE),
	row(0x74, TIME, 0, U_SECONDS, C_NONE),
	row(TABLE_FB + 0x00, 1, 5, U_WH, C_ENERGY),
	row(TABLE_FB + 0x02, 1, 3, U_VARH, C_REACTIVE_ENERGY),
	row(TABLE_FB + 0x08, 1, 8, U_J, C_ENERGY),
	row(TABLE_FB + 0x10, 1, 2, U_M3, C_VOLUME),
	row(TABLE_FB + 0x14, 2, 0, U_VAR, C_REACTIVE_POWER),
	row(TABLE_FB + 0x18, 1, 5, U_KG, C_NONE),
	row(TABLE_FB + 0x1a, 1, -1, U_PERCENT, C_NONE),
	row(TABLE_FB + 0x28, 1, 5, U_W, C_POWER),
	row(TABLE_FB + 0x30, 1, 8, U_POWER_J, C_POWER),
	row(TABLE_FD + 0x0e, 0, 0, U_NONE, C_FIRMWARE),
	row(TABLE_FD + 0x17, 0, 0, U_NONE, C_ERRORS),
	row(TABLE_FD + 0x24, TIME, 0, U_SECONDS, C_NONE),
	row(TABLE_FD + 0x2c, TIME, 0, U_SECONDS, C_NONE),
	row(TABLE_FD + 0x40, 4, -9, U_V, C_NONE),
	row(TABLE_FD + 0x50, 4, -12, U_A, C_NONE),
]);

/** OBIS codes for media other than heat and cooling, and for quantities that all media have. */
const CODES = Object.freeze([
	code(A_ELECTRICITY, C_ENERGY, 1, 8, 0),
	code(A_ELECTRICITY, C_POWER, 1, 7, 0),
	code(A_ELECTRICITY, C_REACTIVE_ENERGY, 3, 8, 0),
	code(A_ELECTRICITY, C_REACTIVE_POWER, 3, 7, 0),
	code(A_HEAT_COST, C_HEAT_COST, 1, 0, 0),
	code(A_GAS, C_VOLUME, 3, 0, 0),
	code(A_WATER, C_VOLUME, 1, 0, 0),
	code(A_WATER, C_FLOW, 2, 0, 0),
	code(A_HOT_WATER, C_VOLUME, 1, 0, 0),
	code(A_HOT_WATER, C_FLOW, 2, 0, 0),
	code(0, C_OPERATING_TIME, 96, 8, 0),
	code(0, C_DATE, 0, 9, 2),
	code(0, C_CLOCK, 1, 0, 0),
	code(0, C_ERRORS, 97, 97, 0),
	code(0, C_FIRMWARE, 0, 2, 0),
]);

/** Packs group A, a quantity C_…, and groups C, D and E into a number. */
function code(a: number, quantity: number, c: number, d: number, e: number): number {
	return (((a * 32 + quantity) * 256 + c) * 256 + d) * 16 + e;
}

/**
 * Packs into a number: the first quantity; a number of bits or TIME; the power of ten for the first quantity; the unit;
 * the code.
 */
function row(first: number, bits: number, exponent: number, unit: number, c: number): number {
	return (((first * 32 + bits) * 32 + exponent + EXPONENT_OFFSET) * 32 + unit) * 32 + c;
}

/** Finds unit, power of ten and code of a quantity. The results are valid until the next call. */
export class QuantityFinder {
	exponent = 0;
	unit = "";
	#c = C_NONE;

	/** `scaling`: number to add to the power of ten. */
	find(quantity: number, scaling: number): void {
		this.exponent = scaling;
		this.unit = "";
		this.#c = C_NONE;
		for (let i = 0; i < ROWS.length; i++) {
			const packed = ROWS[i];
			const bits = (packed >> 15) & 31;
			const width = bits === TIME ? 2 : bits;
			const first = packed >> 20;
			if (quantity >> width !== first >> width) continue;
			const low = quantity - first;
			let unit = (packed >> 5) & 31;
			this.#c = packed & 31;
			if (bits === TIME) unit += low;
			else this.exponent += ((packed >> 10) & 31) - EXPONENT_OFFSET + low;
			this.unit = UNITS.split(" ")[unit] ?? "";
			if (unit > U_POWER_J || this.exponent <= 0) return;
			const prefix = Math.min(PREFIXES.length, Math.ceil(this.exponent / 3));
			this.exponent -= prefix * 3;
			this.unit = PREFIXES.charAt(prefix - 1) + this.unit;
			return;
		}
	}

	/**
	 * Writes the groups of the OBIS code, and returns false if there is none. Exported electricity has the next group C.
	 */
	code(medium: number, isBackward: boolean, groups: Uint8Array): boolean {
		const c = this.#c;
		const a = c < C_OPERATING_TIME ? MEDIA.charCodeAt(medium) - DIGIT_0 : 0;
		if (isBackward && a !== A_ELECTRICITY) return false;
		groups[0] = a;
		groups[2] = c;
		groups[3] = groups[4] = 0;
		if ((a === A_HEAT || a === A_COOLING) && c < C_REACTIVE_ENERGY) return c !== C_NONE;
		for (let i = 0; i < CODES.length; i++) {
			const packed = CODES[i];
			if (packed >> 20 !== a * 32 + c) continue;
			groups[2] = ((packed >> 12) & 0xff) + (isBackward ? 1 : 0);
			groups[3] = (packed >> 4) & 0xff;
			groups[4] = packed & 0xf;
			return true;
		}
		return false;
	}
}
