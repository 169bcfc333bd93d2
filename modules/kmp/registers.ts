/**
 * Registers of Kamstrup meters that are read, and their values.
 *
 * A register in an answer is its number (2 bytes, high byte first), its unit, the length n of the number, a byte of
 * signs and exponent, and n bytes of the number, high byte first:
 *
 *     bit 7: the value is negative    bit 6: the exponent is negative    bits 0 to 5: exponent of ten
 *
 * A meter leaves out registers that it does not have. Registers without a code keep Kamstrup's names.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { DECIMAL_LIMIT, putInteger } from "../bytes/decimal.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { PART_ADDRESS, PART_UNIT, PART_VALUE } from "../readout/sink.js";

/** Maximum number of registers in one request. */
export const REGISTERS_LIMIT = 8;

/** Units with a number of digits: hh:mm:ss and yy:mm:dd, without the colons. */
const UNIT_CLOCK = 0x2f;
const UNIT_DATE = 0x30;
const CLOCK_DIGITS = 6;
/** Units that count in tens: m3, t and GJ. */
const UNIT_TENS = 0x37;
const UNIT_TENS_END = 0x3a;

/** Length of a register before its number, and maximum length of the number. */
const HEAD = 5;
const NUMBER_LIMIT = 8;
const NEGATIVE = 0x80;
const NEGATIVE_EXPONENT = 0x40;
const EXPONENT = 0x3f;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;

/** Numbers of the registers, in the order in which they are requested. */
export const REGISTERS = Object.freeze([
	...[60, 63, 68, 74, 80, 86, 87, 89],
	...[1004, 1003, 1002, 99, 113, 266, 97, 110],
]);
/** Groups A, C, D and E of their codes, or 0. */
const CODES = Object.freeze([
	...[code(6, 1, 0, 0), code(5, 1, 0, 0), code(6, 2, 0, 0), code(6, 9, 0, 0)],
	...[code(6, 8, 0, 0), code(6, 10, 0, 0), code(6, 11, 0, 0), code(6, 12, 0, 0)],
	...[code(0, 96, 8, 0), code(0, 0, 9, 2), code(0, 0, 9, 1), code(0, 97, 97, 0)],
	...[0, 0, 0, 0],
]);
/** Names of the registers without a code, which are last. */
const NAMES = Object.freeze(["INFOEVENT", "E1HIGHRES", "E8", "E9"]);
/** Units by number; an empty one is a plain number, and "?" one that is not known, so that its register is left out. */
const UNITS = Object.freeze([
	...["", "Wh", "kWh", "MWh", "GWh", "J", "kJ", "MJ", "GJ", "cal", "kcal", "Mcal", "Gcal"],
	...["varh", "kvarh", "Mvarh", "Gvarh", "VAh", "kVAh", "MVAh", "GVAh", "W", "kW", "MW", "GW"],
	...["var", "kvar", "Mvar", "Gvar", "VA", "kVA", "MVA", "GVA", "V", "A", "kV", "kA"],
	...["\u00b0C", "K", "l", "m3", "l/h", "m3/h", "m3*\u00b0C", "t", "t/h", "h", "", "", "?", "?", "", "bar", "?", "?"],
	...["m3", "t", "GJ", "min", "", "s", "ms", "d"],
]);

function code(a: number, c: number, d: number, e: number): number {
	return ((a * 256 + c) * 256 + d) * 256 + e;
}

/**
 * Checks the registers of an answer, `bytes[start..end)`. Returns their number, or -1 if they are not some of those
 * from `first` on that one request asks for, in this order.
 */
export function countRegisters(bytes: Uint8Array, start: number, end: number, first: number): number {
	let count = 0;
	let next = first;
	for (let at = start; at < end; count++) {
		const id = bytes[at] * 256 + bytes[at + 1];
		while (next < first + REGISTERS_LIMIT && REGISTERS[next] !== id) next++;
		const length = bytes[at + 3];
		if (next++ >= first + REGISTERS_LIMIT || at + HEAD > end || length === 0 || length > NUMBER_LIMIT) return -1;
		at += HEAD + length;
		if (at > end) return -1;
	}
	return count;
}

/** Writes the registers of an answer that `countRegisters` has found right. */
export function writeRegisters(bytes: Uint8Array, start: number, end: number, records: RecordWriter): void {
	for (let at = start; at < end; at += HEAD + bytes[at + 3]) writeRegister(bytes, at, records);
}

function writeRegister(bytes: Uint8Array, at: number, records: RecordWriter): void {
	const index = REGISTERS.indexOf(bytes[at] * 256 + bytes[at + 1]);
	const unit = bytes[at + 2];
	const spelling = UNITS[unit] ?? "?";
	if (spelling === "?") return;
	beginRegister(index, records);
	const signs = bytes[at + 4];
	const start = at + HEAD;
	const end = start + bytes[at + 3];
	const exponent = (signs & EXPONENT) * (signs & NEGATIVE_EXPONENT ? -1 : 1);
	const tens = unit >= UNIT_TENS && unit < UNIT_TENS_END ? 1 : 0;
	const text = new Uint8Array(CLOCK_DIGITS + DECIMAL_LIMIT);
	text.fill(DIGIT_0, 0, CLOCK_DIGITS);
	const length = putInteger({ bytes, start, end }, false, exponent + tens, text.subarray(CLOCK_DIGITS));
	let from = CLOCK_DIGITS;
	if ((unit === UNIT_CLOCK || unit === UNIT_DATE) && length < CLOCK_DIGITS) from = length;
	else if ((signs & NEGATIVE) !== 0) text[--from] = MINUS;
	records.beginValue();
	records.text(PART_VALUE, text, from, CLOCK_DIGITS + length);
	if (spelling.length > 0) records.text(PART_UNIT, asciiBytes(spelling), 0, spelling.length);
	records.endValue();
}

function beginRegister(index: number, records: RecordWriter): void {
	const packed = CODES[index];
	if (packed > 0) {
		const groups = Uint8Array.of(packed >> 24, 0, packed >> 16, packed >> 8, packed, BILLING_PERIOD_CURRENT);
		records.beginCode(groups, 0);
		return;
	}
	const name = asciiBytes(NAMES[index - (REGISTERS.length - NAMES.length)]);
	records.beginLine();
	records.beginSet();
	records.text(PART_ADDRESS, name, 0, name.length);
}
