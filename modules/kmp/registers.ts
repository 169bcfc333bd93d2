/**
 * Registers of Kamstrup meters.
 *
 * In an answer, a register consists of its ID (2 bytes, high byte first), its unit, the length n of the value, a byte
 * with signs and exponent, and the value (n bytes, high byte first). The byte with signs and exponent:
 *
 *     bit 7: the value is negative    bit 6: the exponent is negative    bits 0 to 5: exponent of ten
 *
 * A meter leaves out registers that it does not have. One without energy is a water meter; its volume and flow have the
 * codes of water. Registers without an OBIS code keep Kamstrup's names.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { DECIMAL_LIMIT, putInteger } from "../bytes/decimal.js";
import { uint16BE } from "../bytes/integers.js";
import { PART_ADDRESS, PART_UNIT, PART_VALUE, type RecordWriter } from "../readout/record-writer.js";

export const REGISTERS_LIMIT = 8;

/** Units whose value consists of six digits: hhmmss and yymmdd. */
const UNIT_CLOCK = 0x2f;
const UNIT_DATE = 0x30;
const CLOCK_DIGITS = 6;
/** Units of ten m3, ten t and ten GJ. */
const UNIT_TENS = 0x37;
const UNIT_TENS_END = 0x3a;

/** Length of the fields before a register's value, and maximum length of the value. */
const HEAD = 5;
const NUMBER_LIMIT = 8;
const NEGATIVE = 0x80;
const NEGATIVE_EXPONENT = 0x40;
const EXPONENT = 0x3f;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;

/** IDs of the registers, in the order in which they are requested. */
export const REGISTERS = Object.freeze([
	...[60, 63, 68, 74, 80, 86, 87, 89],
	...[1004, 1003, 1002, 99, 113, 266, 97, 110],
]);
const ADDRESSES =
	"6-0:1.0.0 5-0:1.0.0 6-0:2.0.0 6-0:9.0.0 6-0:8.0.0 6-0:10.0.0 6-0:11.0.0 6-0:12.0.0 0-0:96.8.0 0-0:0.9.2 0-0:0.9.1 0-0:97.97.0 INFOEVENT E1HIGHRES E8 E9";
/** Registers of the energy of heating and cooling, and codes of volume and flow of a water meter. */
const ENERGY = 60;
const ENERGY_COOLING = 63;
const WATER_ADDRESSES = Object.freeze({ 68: "8-0:1.0.0", 74: "8-0:2.0.0" } as Record<number, string>);
/**
 * Names of the units, by Kamstrup's code. "-" is a value without a unit. "?" is an unknown unit; registers with it are
 * left out.
 */
const UNITS =
	"- Wh kWh MWh GWh J kJ MJ GJ cal kcal Mcal Gcal varh kvarh Mvarh Gvarh VAh kVAh MVAh GVAh W kW MW GW var kvar Mvar Gvar VA kVA MVA GVA V A kV kA \u00b0C K l m3 l/h m3/h m3*\u00b0C t t/h h - - ? ? - bar ? ? m3 t GJ min - s ms d";

/**
 * Writes the registers of an answer to a request for REGISTERS_LIMIT registers from index `first` on. If a register is
 * incomplete, was not requested, or is out of order, returns false and writes none.
 */
export function writeRegisters(bytes: Uint8Array, first: number, records: RecordWriter): boolean {
	let next = first;
	let isWater = first === 0;
	records.beginPart(false);
	for (let at = 0; at < bytes.length; next++) {
		const length = bytes[at + 3];
		const end = at + HEAD + length;
		next = REGISTERS.indexOf(uint16BE(bytes, at), next);
		const isRequested = next >= first && next < first + REGISTERS_LIMIT;
		if (!isRequested || !(length > 0 && length <= NUMBER_LIMIT && end <= bytes.length)) {
			records.beginPart(true);
			return false;
		}
		const id = REGISTERS[next];
		if (id === ENERGY || id === ENERGY_COOLING) isWater = false;
		const address = (isWater && WATER_ADDRESSES[id]) || ADDRESSES.split(" ")[next];
		writeRegister(bytes, at, end, asciiBytes(address), records);
		at = end;
	}
	return true;
}

function writeRegister(bytes: Uint8Array, at: number, end: number, address: Uint8Array, records: RecordWriter): void {
	const unit = bytes[at + 2];
	const spelling = UNITS.split(" ")[unit] ?? "?";
	if (spelling === "?") return;
	const signs = bytes[at + 4];
	const exponent = (signs & EXPONENT) * (signs & NEGATIVE_EXPONENT ? -1 : 1);
	const tens = unit >= UNIT_TENS && unit < UNIT_TENS_END ? 1 : 0;
	const text = new Uint8Array(CLOCK_DIGITS + DECIMAL_LIMIT);
	text.fill(DIGIT_0, 0, CLOCK_DIGITS);
	const length = putInteger({ bytes, start: at + HEAD, end }, false, exponent + tens, text.subarray(CLOCK_DIGITS));
	let from = CLOCK_DIGITS;
	if ((unit === UNIT_CLOCK || unit === UNIT_DATE) && length < CLOCK_DIGITS) from = length;
	else if ((signs & NEGATIVE) !== 0) text[--from] = MINUS;
	records.beginLine();
	records.beginSet();
	records.text(PART_ADDRESS, address, 0, address.length);
	records.beginValue();
	records.text(PART_VALUE, text, from, CLOCK_DIGITS + length);
	if (spelling !== "-") records.text(PART_UNIT, asciiBytes(spelling), 0, spelling.length);
	records.endValue();
}
