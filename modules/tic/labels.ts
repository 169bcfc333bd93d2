/**
 * OBIS codes for the labels of TIC (Enedis-NOI-CPT_54E for Linky, CPT_02E for older meters). Unknown labels are shown
 * unchanged. A number at the end of a label is the number of a phase, tariff or quadrant:
 *
 *     EASF05 1.8.5    ERQ2 6.8.0    IRMS1 31.7.0    SINSTS 9.7.0    SINSTS2 49.7.0
 *
 * EASF01 to EASF10 are the supplier's tariffs. Tariffs of the older form get the numbers that a Linky uses for them.
 * Power in TIC is apparent power in VA. Only PMAX and the half-hourly means (CCASN, CCAIN) are in W. The labels of a
 * PME-PMI meter have no codes, because its values have units; ADS is its number.
 */
import { isDigit } from "../bytes/ascii.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";

/** Units, as DLMS numbers (obis/units.ts). UNIT_NONE stands for text. */
export const UNIT_NONE = 0;
export const UNIT_WH = 30;
const W = 27;
const VA = 28;
const VARH = 32;
const A = 33;
const V = 35;

/**
 * Meanings of the number at the end of a label: none; the phase, where group C is 20 higher than for the previous
 * phase; the quadrant, which is added to C; the tariff, which is added to E.
 */
const FIXED = 0;
const PHASE = 1;
const QUADRANT = 2;
const TARIFF = 3;
/** Largest number at the end of a label, for each of these meanings. */
const NUMBER_LIMITS = Object.freeze([0, 3, 4, 10]);

const LABELS = Object.freeze([
	...["ADS", "ADSC", "ADCO", "PRM", "DATE", "NTARF", "PTEC"],
	...["EAST", "EASF", "EAIT", "ERQ", "IRMS", "URMS", "SINSTS", "SINSTI"],
	...["SMAXSN", "SMAXIN", "CCASN", "CCAIN", "UMOY"],
	...["BASE", "HCHC", "HCHP", "EJPHN", "EJPHPM"],
	...["BBRHCJB", "BBRHPJB", "BBRHCJW", "BBRHPJW", "BBRHCJR", "BBRHPJR"],
	...["IINST", "IMAX", "PAPP", "PMAX"],
]);
const ROWS = Object.freeze([
	row(UNIT_NONE, FIXED, 96, 1, 0),
	row(UNIT_NONE, FIXED, 96, 1, 0),
	row(UNIT_NONE, FIXED, 96, 1, 0),
	row(UNIT_NONE, FIXED, 96, 1, 10),
	row(UNIT_NONE, FIXED, 1, 0, 0),
	row(UNIT_NONE, FIXED, 96, 14, 0),
	row(UNIT_NONE, FIXED, 96, 14, 0),

	row(UNIT_WH, FIXED, 1, 8, 0),
	row(UNIT_WH, TARIFF, 1, 8, 0),
	row(UNIT_WH, FIXED, 2, 8, 0),
	row(VARH, QUADRANT, 4, 8, 0),
	row(A, PHASE, 11, 7, 0),
	row(V, PHASE, 12, 7, 0),
	row(VA, PHASE, 9, 7, 0),
	row(VA, FIXED, 10, 7, 0),

	row(VA, PHASE, 9, 6, 0),
	row(VA, FIXED, 10, 6, 0),
	row(W, FIXED, 1, 5, 0),
	row(W, FIXED, 2, 5, 0),
	row(V, PHASE, 12, 5, 0),

	row(UNIT_WH, FIXED, 1, 8, 0),
	row(UNIT_WH, FIXED, 1, 8, 1),
	row(UNIT_WH, FIXED, 1, 8, 2),
	row(UNIT_WH, FIXED, 1, 8, 1),
	row(UNIT_WH, FIXED, 1, 8, 2),

	row(UNIT_WH, FIXED, 1, 8, 1),
	row(UNIT_WH, FIXED, 1, 8, 2),
	row(UNIT_WH, FIXED, 1, 8, 3),
	row(UNIT_WH, FIXED, 1, 8, 4),
	row(UNIT_WH, FIXED, 1, 8, 5),
	row(UNIT_WH, FIXED, 1, 8, 6),

	row(A, PHASE, 11, 7, 0),
	row(A, PHASE, 11, 6, 0),
	row(VA, FIXED, 9, 7, 0),
	row(W, FIXED, 1, 6, 0),
]);
/** Number of labels with the meter's identification. They are the first ones in the table. */
const IDENTS = 3;
/** Length of the data for each label without a unit. These labels are the first ones in the table. */
const TEXT_LENGTHS = Object.freeze([12, 12, 12, 14, 0, 2, 4]);

const CURRENT = 11;
const PHASE_STEP = 20;
const DIGIT_0 = 0x30;

function row(unit: number, step: number, c: number, d: number, e: number): number {
	return (((unit * 4 + step) * 256 + c) * 256 + d) * 256 + e;
}

/** Finds code, unit and length of a label. The results are valid until the next call of `find`. */
export class LabelFinder {
	readonly groups = Uint8Array.of(0, 0, 0, 0, 0, BILLING_PERIOD_CURRENT);
	/** Unit as a DLMS number; UNIT_NONE for text. */
	unit = UNIT_NONE;
	isIdent = false;
	/** True for ADS, the first label of a PME-PMI meter. */
	isTrade = false;
	#index = -1;

	find(bytes: Uint8Array, start: number, end: number): boolean {
		this.unit = UNIT_NONE;
		this.isIdent = this.isTrade = false;
		let stem = end;
		while (stem > start && isDigit(bytes[stem - 1])) stem--;
		const index = indexOf(bytes, start, stem);
		if (index < 0) return false;
		let number = 0;
		for (let i = stem; i < end; i++) number = number * 10 + bytes[i] - DIGIT_0;
		const packed = ROWS[index];
		const step = (packed >> 24) & 3;
		if (number > NUMBER_LIMITS[step]) return false;
		const { groups } = this;
		let c = (packed >> 16) & 0xff;
		// A single-phase meter sends no phase number.
		if (c === CURRENT && number === 0) number = 1;
		let e = packed & 0xff;
		if (step === PHASE) c += PHASE_STEP * number;
		else if (step === QUADRANT) c += number;
		else e += number;
		this.unit = packed >>> 26;
		this.isIdent = index < IDENTS;
		this.isTrade = index === 0;
		this.#index = index;
		groups[0] = this.unit === UNIT_NONE ? 0 : 1;
		groups[2] = c;
		groups[3] = (packed >> 8) & 0xff;
		groups[4] = e;
		return true;
	}

	/** Length of the data in characters. If there is a unit, they are digits. */
	get length(): number {
		const { unit } = this;
		if (unit === UNIT_NONE) return TEXT_LENGTHS[this.#index];
		return unit === UNIT_WH || unit === VARH ? 9 : unit === A || unit === V ? 3 : 5;
	}
}

function indexOf(bytes: Uint8Array, start: number, end: number): number {
	const length = end - start;
	for (let index = 0; index < LABELS.length; index++) {
		const label = LABELS[index];
		if (label.length !== length) continue;
		let i = 0;
		while (i < length && label.charCodeAt(i) === bytes[start + i]) i++;
		if (i === length) return index;
	}
	return -1;
}
