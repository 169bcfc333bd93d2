/**
 * Serial number of the meter: `0.0.0`, `C.1.0`, `0-0:96.1.0`, or `0-0:96.1.1` (DSMR P1 5.0.2, 6.12; e-MUCS P1 1.7, where
 * 96.1.4 is the version of the port). Another 96.1.e is used only if the meter sends none of these.
 */
import { decodeHex } from "../bytes/hex.js";
import type { OBISCode } from "../obis/code.js";
import { RecordCursor } from "./record-cursor.js";

export const GROUP_SERVICE = 96;
/** Group E of the metering point ID, 0-0:96.1.10. It does not change with the meter, and neither do the later ones. */
const METERING_POINT = 10;
/** Values of `numberRank`: no number, a number of unknown meaning, the meter's number. */
const RANK_NONE = 0;
const RANK_OTHER = 1;
const RANK_OWN = 2;

/** P1 has the number in hexadecimal digits of its characters. A plain number is never this long. */
const HEX_MINIMUM = 20;
const BLANK = 0x20;
const LETTER_Z = 0x5a;

/**
 * Returns the serial number; undefined if the readout has none. Numbers of other meters, which are connected over
 * M-Bus, are ignored.
 */
export function meterNumberOf(records: Uint8Array): Uint8Array | undefined {
	const cursor = new RecordCursor(records);
	let rank = RANK_NONE;
	let number: Uint8Array | undefined;
	while (cursor.nextRecord()) {
		const found = numberRank(cursor.code);
		if (found <= rank || cursor.attribute !== 0 || !cursor.nextValue() || cursor.length === 0) continue;
		rank = found;
		number = cursor.text.slice(0, cursor.length);
	}
	return number && plain(number);
}

/** Returns how surely the code has the number of the meter. Of several numbers, the first of the highest rank counts. */
export function numberRank({ b, c, d, e, billingPeriod }: OBISCode): number {
	if (b > 0 || billingPeriod !== null) return RANK_NONE;
	if (c === 0) return d === 0 && e <= 0 ? RANK_OWN : RANK_NONE;
	if (c !== GROUP_SERVICE || d !== 1 || e >= METERING_POINT) return RANK_NONE;
	return e <= 1 ? RANK_OWN : RANK_OTHER;
}

/** Returns the characters of a number in hexadecimal digits, and any other number unchanged. */
function plain(number: Uint8Array): Uint8Array {
	const characters = number.length < HEX_MINIMUM ? undefined : decodeHex(number, 0, number.length);
	return characters?.every((character) => character >= BLANK && character <= LETTER_Z) ? characters : number;
}
