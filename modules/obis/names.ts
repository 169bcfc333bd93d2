/**
 * Names of OBIS codes in English, German and Polish.
 *
 * The table is a resource to save flash (obis-names.bin, made by tools/obis-table.ts from names.tsv). Numbers are
 * big-endian:
 *
 *     0            4  "OBN2"
 *     4            2  R, number of rows
 *     6            2  P, number of phrases
 *     8            2  F, number of fragments, at most 128
 *     10       8 x R  rows, ascending: C, D, E (255 any), medium << 4 | channel, then the numbers of three phrases (2, 1
 *                     and 1 byte) that make the name; number 0 is the empty phrase
 *     then     2 x P  offsets of the phrases; at each, the lengths of the English, German and Polish text (1 each), then
 *                     the three texts
 *     then 2 x (F+1)  offsets of the fragments, which are pieces of UTF-8, and the end of the last one
 *
 * A byte of a text is ASCII, or a MARK_… that stands for a number from the code, or (from 0x80 on) a fragment. medium
 * is group A, MEDIUM_HEAT_LIST or MEDIUM_SHORT_LIST; channel is group B, CHANNEL_DEVICE or CHANNEL_ANY. In a row with
 * MEDIUM_ATTRIBUTE, C and D are class and attribute of a COSEM object, channel and E are 0, and the text is appended to
 * the object's name. Limits: a table has 64 KB, and a name NAME_LIMIT bytes.
 */
import { BILLING_PERIOD_CURRENT, GROUP_PROFILE, type OBISCode, putDecimal } from "./code.js";

/** Maximum length of a name, bytes of UTF-8. */
export const NAME_LIMIT = 128;

export const LANGUAGE_EN = 0;
export const LANGUAGE_DE = 1;
export const LANGUAGE_PL = 2;
export const LANGUAGE_COUNT = 3;

/** The characters "OBN2". */
export const TABLE_MAGIC = 0x4f424e32;
const TABLE_ROWS = 10;
const ROW_SIZE = 8;

/** Stands for each E up to TARIFF_LIMIT that has no row of its own. */
export const E_ANY = 255;
/** Highest tariff (IEC 62056-6-1). Higher numbers are manufacturer-specific. */
export const TARIFF_LIMIT = 63;

const MEDIUM_ABSTRACT = 0;
const MEDIUM_ELECTRICITY = 1;
/** Medium in rows for codes of heat meters that omit A and B. Codes with A and B have medium 6. */
export const MEDIUM_HEAT_LIST = 12;
/** Medium in rows for codes 96.x that are written in digits and omit A and B (meters for the Turkish market). */
export const MEDIUM_SHORT_LIST = 13;
/** Medium in rows for attributes other than an object's value (IEC 62056-6-2). */
export const MEDIUM_ATTRIBUTE = 14;
/** Channel in rows for all channels from 1 on, which are devices connected to the meter. */
export const CHANNEL_DEVICE = 14;
export const CHANNEL_ANY = 15;

export const MARK_TARIFF = 1;
export const MARK_NEXT = 2;
/** Stands for the number of the phase to which C belongs. */
export const MARK_PHASE = 3;
export const MARK_CHANNEL = 4;
export const MARK_LIMIT = 5;
/** Lowest byte that stands for a fragment. The fragment's number is the byte minus this one. */
export const FRAGMENT = 0x80;

const COMMA = 0x2c;
const BLANK = 0x20;

const GROUP_SERVICE = 96;
const D_DEMAND_LIMIT = 5;
/** Lowest group D of service codes that is manufacturer-specific. */
const SERVICE_MAKER = 50;
const D_INSTANTANEOUS = 7;
/** Group D of EMH's service values. These are averages of instantaneous values and have the names of those. */
const D_SERVICE = 25;
/**
 * First group C of phase L1 in each of the two families of codes per phase. For the next phase, C is PHASE_STEP higher.
 */
const PHASES = 21;
const PHASES_NET_REACTIVE = 141;
const PHASE_STEP = 20;
const PHASE_CODES = 60;

/** Returns the language of a code such as "de"; English for others. */
export function languageOf(text: string): number {
	if (text === "de") return LANGUAGE_DE;
	return text === "pl" ? LANGUAGE_PL : LANGUAGE_EN;
}

export class OBISNames {
	readonly #table: Uint8Array;
	readonly #rows: number;
	readonly #phrases: number;
	readonly #fragments: number;
	#row = -1;
	#language = LANGUAGE_EN;
	/** Numbers from the OBIS code that replace the marks; the index is MARK_…. */
	readonly #numbers = new Uint8Array(MARK_LIMIT + 1);
	/** True if a code of this readout has shown that the meter is a heat meter. */
	#isHeatMeter = false;

	/** Uses the table where it is, without a copy. Throws if the table is invalid. */
	constructor(table: Uint8Array) {
		this.#table = table;
		if (table.length < TABLE_ROWS || this.word(0) * 0x10000 + this.word(2) !== TABLE_MAGIC) {
			throw new Error("obis-names.bin is not this version's table of names");
		}
		this.#rows = this.word(4);
		this.#phrases = TABLE_ROWS + this.#rows * ROW_SIZE;
		this.#fragments = this.#phrases + this.word(6) * 2;
	}

	/** Call it at the start of a readout. The names of codes without A depend on earlier codes of the readout. */
	beginReadout(): void {
		this.#isHeatMeter = false;
	}

	/**
	 * Searches for the name of a code. Returns false for an unknown code. `medium`: what the value measures, if the code
	 * does not say it.
	 */
	find(code: OBISCode, language: number, medium = code.a): boolean {
		this.#language = language;
		this.#row = medium === code.a ? -1 : this.search(medium, code.b, code.c, code.d, code.e);
		if (this.#row < 0) this.#row = this.rowOf(code);
		return this.#row >= 0;
	}

	translate(language: number): void {
		this.#language = language;
	}

	/** Writes the name that was found last, as UTF-8 of at most NAME_LIMIT bytes; writes nothing if none was found. */
	write(into: Uint8Array, at: number): number {
		return this.writeRow(this.#row, into, at);
	}

	/**
	 * Writes `, ` and the attribute's name, so that the object's name and this text have at most NAME_LIMIT bytes
	 * together. Returns the end, which is `at` for an unknown attribute.
	 */
	writeAttribute(classId: number, attribute: number, into: Uint8Array, at: number): number {
		const row = this.searchExact(MEDIUM_ATTRIBUTE, 0, (classId * 256 + attribute) * 256);
		if (row < 0) return at;
		into[at] = COMMA;
		into[at + 1] = BLANK;
		return this.writeRow(row, into, at + 2);
	}

	private writeRow(row: number, into: Uint8Array, at: number): number {
		if (row < 0) return at;
		let to = this.writePhrase(this.word(row + 4), into, at);
		to = this.writePhrase(this.#table[row + 6], into, to);
		return this.writePhrase(this.#table[row + 7], into, to);
	}

	/**
	 * Writes a phrase. It uses only local variables, because a reply with 340 readings spends a third of its time here.
	 */
	private writePhrase(phrase: number, into: Uint8Array, at: number): number {
		const table = this.#table;
		const fragments = this.#fragments;
		const lengths = this.word(this.#phrases + phrase * 2);
		let from = lengths + LANGUAGE_COUNT;
		for (let i = 0; i < this.#language; i++) from += table[lengths + i];
		const end = from + table[lengths + this.#language];
		let to = at;
		for (let i = from; i < end; i++) {
			const byte = table[i];
			if (byte >= FRAGMENT) {
				const entry = fragments + (byte - FRAGMENT) * 2;
				const fragmentEnd = table[entry + 2] * 256 + table[entry + 3];
				for (let j = table[entry] * 256 + table[entry + 1]; j < fragmentEnd; j++) into[to++] = table[j];
			} else if (byte > MARK_LIMIT) into[to++] = byte;
			else to = putDecimal(into, to, this.#numbers[byte]);
		}
		return to;
	}

	private rowOf(code: OBISCode): number {
		if (!this.storeLimit(code)) return -1;
		const rowOfOwnMedium = this.rowOfMedium(code);
		if (rowOfOwnMedium >= 0 || code.a === MEDIUM_ABSTRACT) return rowOfOwnMedium;
		const service = code.c === GROUP_SERVICE && (code.letters || code.d < SERVICE_MAKER);
		if (!service && (code.c <= GROUP_SERVICE || code.c > GROUP_PROFILE)) return -1;
		return this.search(MEDIUM_ABSTRACT, 0, code.c, code.d, code.e);
	}

	private rowOfMedium(code: OBISCode): number {
		if (code.a < 0 && this.isHeat(code)) return this.search(MEDIUM_HEAT_LIST, 0, code.c, code.d, code.e);
		const electricity = code.a < 0 || code.a === MEDIUM_ELECTRICITY;
		// Codes with letters have the same meaning in all media.
		if (electricity && code.letters) return -1;
		const channel = Math.max(code.b, 0);
		if (code.a < 0 && code.c >= GROUP_SERVICE && code.c <= GROUP_PROFILE) {
			return this.search(MEDIUM_SHORT_LIST, channel, code.c, code.d, code.e);
		}
		if (electricity) {
			const d = code.d === D_SERVICE ? D_INSTANTANEOUS : code.d;
			return this.search(MEDIUM_ELECTRICITY, channel, this.storePhase(code.c), d, code.e);
		}
		return code.a < MEDIUM_HEAT_LIST ? this.search(code.a, channel, code.c, code.d, code.e) : -1;
	}

	/**
	 * True for a code of a heat meter. Heat meters send `6.8(…*MWh)` without A and E; electricity meters always send E
	 * with these codes.
	 */
	private isHeat(code: OBISCode): boolean {
		if (!this.#isHeatMeter && code.e < 0 && (code.c === 6 || code.c === 9)) {
			this.#isHeatMeter = this.search(MEDIUM_HEAT_LIST, 0, code.c, code.d, 0) >= 0;
		}
		return this.#isHeatMeter;
	}

	/**
	 * Stores the number of a demand limit, which is the fourth short group of its code (F in DLMS codes). Returns false
	 * for a demand limit without this group, and for any other code with it.
	 */
	private storeLimit(code: OBISCode): boolean {
		if (code.c !== 0 || code.d !== D_DEMAND_LIMIT) return code.sub < 0;
		const limit = code.sub < 0 ? code.f : code.sub;
		this.#numbers[MARK_LIMIT] = limit;
		return limit >= 0 && limit < BILLING_PERIOD_CURRENT;
	}

	/**
	 * Stores the number of the phase. Returns the C of phase L1 for the C of any phase; returns any other C unchanged.
	 */
	private storePhase(c: number): number {
		const family = c < PHASES_NET_REACTIVE ? PHASES : PHASES_NET_REACTIVE;
		const offset = c - family;
		if (offset < 0 || offset >= PHASE_CODES) return c;
		this.#numbers[MARK_PHASE] = Math.floor(offset / PHASE_STEP) + 1;
		return family + (offset % PHASE_STEP);
	}

	/** Returns the row of the code, otherwise the row for all its tariffs, otherwise -1. */
	private search(medium: number, channel: number, c: number, d: number, sentE: number): number {
		const e = sentE < 0 || sentE === 255 ? 0 : sentE;
		this.#numbers[MARK_TARIFF] = e;
		this.#numbers[MARK_NEXT] = e + 1;
		this.#numbers[MARK_CHANNEL] = channel;
		const row = this.searchExact(medium, channel, (c * 256 + d) * 256 + e);
		if (row >= 0 || e > TARIFF_LIMIT) return row;
		return this.searchExact(medium, channel, (c * 256 + d) * 256 + E_ANY);
	}

	private searchExact(medium: number, channel: number, cde: number): number {
		const table = this.#table;
		const sought = cde * 256 + medium * 16;
		const c = cde >> 16;
		const rest = sought - c * 0x1000000;
		let low = 0;
		let high = this.#rows;
		while (low < high) {
			const middle = (low + high) >> 1;
			const row = TABLE_ROWS + middle * ROW_SIZE;
			// C is compared first, because it usually decides. All groups as one number would exceed 31 bits.
			let above = table[row] - c;
			if (above === 0) above = (table[row + 1] * 256 + table[row + 2]) * 256 + table[row + 3] - rest;
			if (above < 0) low = middle + 1;
			else high = middle;
		}
		for (; low < this.#rows && this.key(low) - sought < 16; low++) {
			const row = TABLE_ROWS + low * ROW_SIZE;
			const channels = table[row + 3] & 15;
			if (channels === channel || channels === CHANNEL_ANY) return row;
			if (channels === CHANNEL_DEVICE && channel > 0) return row;
		}
		return -1;
	}

	private key(index: number): number {
		const row = TABLE_ROWS + index * ROW_SIZE;
		return this.word(row) * 0x10000 + this.word(row + 2);
	}

	private word(offset: number): number {
		return this.#table[offset] * 256 + this.#table[offset + 1];
	}
}
