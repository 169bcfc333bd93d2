/**
 * Serial number of the meter: `0.0.0`, `C.1.0`, `0-0:96.1.0`, or `0-0:96.1.1` (DSMR P1 5.0.2, 6.12; e-MUCS P1 1.7, where
 * 96.1.4 is the version of the port). Another 96.1.e is used only if the meter sends none of these.
 */
import type { OBISCode } from "../obis/code.js";
import { nibbleOf, PACKING_HEX } from "./packed-value.js";
import { RecordCursor } from "./record-cursor.js";

const GROUP_SERVICE = 96;
/** Group E of the metering point ID, 0-0:96.1.10. It does not change with the meter, and neither do the later ones. */
const METERING_POINT = 10;
/** Values of `numberRank`: no number, a number of unknown meaning, the meter's number. */
const RANK_NONE = 0;
const RANK_OTHER = 1;
const RANK_OWN = 2;

/** P1 has the number in hexadecimal digits of its characters. A plain number is never this long. */
const HEX_MINIMUM = 20;

/**
 * Returns the serial number; undefined if the readout has none. Numbers of other meters, which are connected over
 * M-Bus, are ignored.
 */
export function meterNumberOf(records: Uint8Array): Uint8Array | undefined {
	const cursor = new RecordCursor(records);
	let rank = RANK_NONE;
	let number: Uint8Array | undefined;
	while (cursor.nextRecord()) {
		if (cursor.attribute !== 0 || numberRank(cursor.code) <= rank || !cursor.nextValue() || cursor.length === 0)
			continue;
		rank = numberRank(cursor.code);
		number = decoded(cursor.text, cursor.length);
	}
	return number;
}

/** Returns how surely the code has the number of the meter. Of several numbers, the first of the highest rank counts. */
export function numberRank({ b, c, d, e, billingPeriod }: OBISCode): number {
	if (b > 0 || billingPeriod !== null) return RANK_NONE;
	if (c === 0) return d === 0 && e <= 0 ? RANK_OWN : RANK_NONE;
	if (c !== GROUP_SERVICE || d !== 1 || e >= METERING_POINT) return RANK_NONE;
	return e <= 1 ? RANK_OWN : RANK_OTHER;
}

function decoded(text: Uint8Array, length: number): Uint8Array {
	const number = text.slice(0, length);
	if (length < HEX_MINIMUM || length % 2 !== 0) return number;
	const characters = new Uint8Array(length / 2);
	for (let i = 0; i < characters.length; i++) {
		const high = nibbleOf(number[2 * i], PACKING_HEX);
		const low = nibbleOf(number[2 * i + 1], PACKING_HEX);
		characters[i] = high < 0 || low < 0 ? 0 : high * 16 + low;
		if (!isInNumber(characters[i])) return number;
	}
	return characters;
}

/** True for digits, capital letters and the blank. */
function isInNumber(character: number): boolean {
	return (character >= 0x30 && character <= 0x39) || (character >= 0x41 && character <= 0x5a) || character === 0x20;
}
