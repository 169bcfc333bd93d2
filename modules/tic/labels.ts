/**
 * OBIS codes for the labels of TIC (Enedis-NOI-CPT_54E: Linky; CPT_02E: older meters). Unknown labels are shown
 * unchanged. A number at the end of a label is that of a phase, tariff or quadrant:
 *
 *     EASF05 1.8.5    ERQ2 6.8.0    IRMS1 31.7.0    SINSTS 9.7.0    SINSTS2 49.7.0
 *
 * EASF01 to EASF10 are the supplier's tariffs. Tariffs of the older form have the numbers that a Linky gives them.
 * Power in TIC is apparent power in VA; only the means of half an hour (CCASN, CCAIN) and PMAX are in W.
 */
import { isDigit } from "../bytes/ascii.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";

/** Units of DLMS (obis/units.ts); UNIT_NONE: text. */
export const UNIT_NONE = 0;
const W = 27;
const VA = 28;
const WH = 30;
const VARH = 32;
const A = 33;
const V = 35;

/**
 * Meanings of the number at the end of a label: none; the phase, each with a group C 20 higher than the phase before;
 * the quadrant, which is added to C; the tariff, which is added to E.
 */
const FIXED = 0;
const PHASE = 1;
const QUADRANT = 2;
const TARIFF = 3;
/** Greatest number at the end of a label, in the order of the constants above. */
const NUMBER_LIMITS = Object.freeze([0, 3, 4, 10]);

const LABELS = Object.freeze([
	...["ADSC", "ADCO", "PRM", "DATE", "NTARF", "PTEC"],
	...["EAST", "EASF", "EAIT", "ERQ", "IRMS", "URMS", "SINSTS", "SINSTI"],
	...["SMAXSN", "SMAXIN", "CCASN", "CCAIN", "UMOY"],
	...["BASE", "HCHC", "HCHP", "EJPHN", "EJPHPM"],
	...["BBRHCJB", "BBRHPJB", "BBRHCJW", "BBRHPJW", "BBRHCJR", "BBRHPJR"],
	...["IINST", "IMAX", "PAPP", "PMAX"],
]);
const ROWS = Object.freeze([
	row(UNIT_NONE, FIXED, 96, 1, 0),
	row(UNIT_NONE, FIXED, 96, 1, 0),
	row(UNIT_NONE, FIXED, 96, 1, 10),
	row(UNIT_NONE, FIXED, 1, 0, 0),
	row(UNIT_NONE, FIXED, 96, 14, 0),
	row(UNIT_NONE, FIXED, 96, 14, 0),

	row(WH, FIXED, 1, 8, 0),
	row(WH, TARIFF, 1, 8, 0),
	row(WH, FIXED, 2, 8, 0),
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

	row(WH, FIXED, 1, 8, 0),
	row(WH, FIXED, 1, 8, 1),
	row(WH, FIXED, 1, 8, 2),
	row(WH, FIXED, 1, 8, 1),
	row(WH, FIXED, 1, 8, 2),

	row(WH, FIXED, 1, 8, 1),
	row(WH, FIXED, 1, 8, 2),
	row(WH, FIXED, 1, 8, 3),
	row(WH, FIXED, 1, 8, 4),
	row(WH, FIXED, 1, 8, 5),
	row(WH, FIXED, 1, 8, 6),

	row(A, PHASE, 11, 7, 0),
	row(A, PHASE, 11, 6, 0),
	row(VA, FIXED, 9, 7, 0),
	row(W, FIXED, 1, 6, 0),
]);
/** Number of labels with the meter's identification, which are first in the table. */
const IDENTS = 2;
/** Number of characters in the labels without a unit, which are first in the table. */
const TEXT_LENGTHS = Object.freeze([12, 12, 14, 0, 2, 4]);

const CURRENT = 11;
const PHASE_STEP = 20;
const DIGIT_0 = 0x30;

function row(unit: number, step: number, c: number, d: number, e: number): number {
	return (((unit * 4 + step) * 256 + c) * 256 + d) * 256 + e;
}

/** The results of `find` are valid until the next call. */
export class LabelFinder {
	readonly groups = Uint8Array.of(0, 0, 0, 0, 0, BILLING_PERIOD_CURRENT);
	/** Unit of DLMS; UNIT_NONE for text. */
	unit = UNIT_NONE;
	isIdent = false;
	#index = -1;

	find(bytes: Uint8Array, start: number, end: number): boolean {
		this.unit = UNIT_NONE;
		this.isIdent = false;
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
		// A single-phase meter omits the number of the phase.
		if (c === CURRENT && number === 0) number = 1;
		let e = packed & 0xff;
		if (step === PHASE) c += PHASE_STEP * number;
		else if (step === QUADRANT) c += number;
		else e += number;
		this.unit = packed >>> 26;
		this.isIdent = index < IDENTS;
		this.#index = index;
		groups[0] = this.unit === UNIT_NONE ? 0 : 1;
		groups[2] = c;
		groups[3] = (packed >> 8) & 0xff;
		groups[4] = e;
		return true;
	}

	/** Number of characters, which are digits if there is a unit. */
	get length(): number {
		const { unit } = this;
		if (unit === UNIT_NONE) return TEXT_LENGTHS[this.#index];
		return unit === WH || unit === VARH ? 9 : unit === A || unit === V ? 3 : 5;
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
