/**
 * Which OBIS code feeds which Zigbee attribute, for the API's table and readings, and for the bridge (API decisions 41
 * and 47). A pair is cluster and attribute: 0702 Metering, 0B04 Electrical Measurement (ZCL revision 8, D.3 and 4.9).
 *
 * The table as it lies in flash:
 *
 *   offset  bytes  what
 *   0       1      number of entries, at most MAP_LIMIT
 *   1       6 each bits 0-2 position in PAIRS, 3 compare the short code only, 4 A is given, 5 B is given, 6 E is given
 *                  (1), A B C D E (1 each, 0 when not given)
 *
 * No bytes at all stand for the default table. Entries count from the last to the first: of those that match a code the
 * last decides, unless a later entry gives its pair to another code. So each pair has one source.
 */
import { asciiBytes, upperCase } from "../bytes/ascii.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "./code.js";

export const MAP_LIMIT = 16;
/** Bytes of one entry. */
export const MAP_ENTRY_SIZE = 6;
export const MAP_SIZE_LIMIT = 1 + MAP_LIMIT * MAP_ENTRY_SIZE;

/** What an unmapped code shows, and what an entry that takes a code out of the table names. */
export const UNMAPPED = "00000000";
/** What an entry may name. */
export const PAIRS = Object.freeze([UNMAPPED, "07020000", "07020001", "07020400", "0B040505", "0B040508"]);

const PAIR_MASK = 7;
const FLAG_SHORT = 8;
const FLAG_A = 16;
const FLAG_B = 32;
const FLAG_E = 64;

/** A group that the meter or the entry leaves out counts as this where the full code is compared. */
const DEFAULT_A = 1;
const DEFAULT_B = 0;

/** The default table, a code for each pair in the order of PAIRS. */
const DEFAULT_CODES = Object.freeze(["1.8.0", "2.8.0", "16.7.0", "32.7.0", "31.7.0"]);

/** Compare A to E. */
export const MODE_FULL = 0;
/** Compare C to E. */
export const MODE_SHORT = 1;

/** The table that the bytes in flash stand for; stays the owner's of the bytes. */
export function mapOf(stored: Uint8Array): Uint8Array {
	if (stored.length > 0) return stored;
	const map = new Uint8Array(1 + DEFAULT_CODES.length * MAP_ENTRY_SIZE);
	for (let i = 0; i < DEFAULT_CODES.length; i++)
		packMapping(DEFAULT_CODES[i], undefined, i + 1, map, 1 + i * MAP_ENTRY_SIZE);
	map[0] = DEFAULT_CODES.length;
	return map;
}

/** Whether the bytes are packed as this file says: flash may hold anything. */
export function isMapping(stored: Uint8Array): boolean {
	if (stored.length === 0) return true;
	if (stored[0] > MAP_LIMIT || stored.length !== 1 + stored[0] * MAP_ENTRY_SIZE) return false;
	for (let at = 1; at < stored.length; at += MAP_ENTRY_SIZE) if ((stored[at] & PAIR_MASK) >= PAIRS.length) return false;
	return true;
}

/** Position of a pair of 8 hex digits, in either case, among those that may be mapped; -1 for any other. */
export function findPair(text: string): number {
	return PAIRS.indexOf(upperCase(text));
}

/**
 * Writes an entry into `into[at..at+MAP_ENTRY_SIZE)`. `obis` is ASCII; without `mode` the full code is compared if it
 * has a `:`. False if it is no code that can feed an attribute: a billing period, letters or a fourth group are none.
 */
export function packMapping(
	obis: string,
	mode: number | undefined,
	pair: number,
	into: Uint8Array,
	at: number,
): boolean {
	const code = new OBISCode();
	if (obis.length > OBIS_TEXT_LIMIT || !code.parse(asciiBytes(obis), 0, obis.length)) return false;
	if (!canFeed(code) || code.manual) return false;
	const isShort = mode === undefined ? code.b < 0 : mode === MODE_SHORT;
	into[at] = pair | (isShort ? FLAG_SHORT : 0) | (code.a < 0 ? 0 : FLAG_A) | (code.b < 0 ? 0 : FLAG_B);
	if (code.e >= 0) into[at] |= FLAG_E;
	into[at + 1] = Math.max(code.a, 0);
	into[at + 2] = Math.max(code.b, 0);
	into[at + 3] = code.c;
	into[at + 4] = code.d;
	into[at + 5] = Math.max(code.e, 0);
	return true;
}

/**
 * Fills `code` with the one of the entry at `map[at]`, in the form that stands for its mode where none is said: without
 * the groups A and B where the short code is compared, with at least one of them where the full one is.
 */
export function unpackMapping(map: Uint8Array, at: number, code: OBISCode): void {
	const flags = map[at];
	const isShort = (flags & FLAG_SHORT) !== 0;
	const hasNone = (flags & (FLAG_A | FLAG_B)) === 0;
	code.a = isShort ? -1 : hasNone ? DEFAULT_A : (flags & FLAG_A) === 0 ? -1 : map[at + 1];
	code.b = isShort ? -1 : hasNone ? DEFAULT_B : (flags & FLAG_B) === 0 ? -1 : map[at + 2];
	code.c = map[at + 3];
	code.d = map[at + 4];
	code.e = (flags & FLAG_E) === 0 ? -1 : map[at + 5];
	code.f = code.sub = -1;
	code.letters = code.manual = code.paddedF = false;
}

/** The pair of the entry at `map[at]`, 8 upper-case hex digits. */
export function pairAt(map: Uint8Array, at: number): string {
	return PAIRS[map[at] & PAIR_MASK];
}

/** Whether any code feeds the pair with this number. */
export function isFed(map: Uint8Array, pair: number): boolean {
	for (let at = 1; at < map.length; at += MAP_ENTRY_SIZE) if ((map[at] & PAIR_MASK) === pair) return true;
	return false;
}

/** The pair that `code` feeds, 8 upper-case hex digits. */
export function mappingOf(code: OBISCode, map: Uint8Array): string {
	return pairText(pairOf(code, map));
}

/** The pair with this number, 8 upper-case hex digits. */
export function pairText(pair: number): string {
	return PAIRS[pair];
}

/**
 * The number of the pair that `code` feeds; 0 for none. A value of a past billing period feeds none. E that is left out
 * is 0 (`32.7`).
 */
export function pairOf(code: OBISCode, map: Uint8Array): number {
	if (!canFeed(code)) return 0;
	const { c, d } = code;
	for (let at = 1 + (map[0] - 1) * MAP_ENTRY_SIZE; at > 0; at -= MAP_ENTRY_SIZE) {
		if (map[at + 3] !== c || map[at + 4] !== d) continue;
		if (matches(map, at, code) && !isOverridden(map, (at - 1) / MAP_ENTRY_SIZE)) return map[at] & PAIR_MASK;
	}
	return 0;
}

function canFeed(code: OBISCode): boolean {
	return code.c >= 0 && code.billingPeriod === null && !code.letters && code.sub < 0;
}

/** Whether an entry with the code's C and D has its other groups as well. */
function matches(map: Uint8Array, at: number, code: OBISCode): boolean {
	if (map[at + 5] !== Math.max(code.e, 0)) return false;
	const flags = map[at];
	if ((flags & FLAG_SHORT) !== 0) return true;
	const a = (flags & FLAG_A) === 0 ? DEFAULT_A : map[at + 1];
	const b = (flags & FLAG_B) === 0 ? DEFAULT_B : map[at + 2];
	return a === (code.a < 0 ? DEFAULT_A : code.a) && b === (code.b < 0 ? DEFAULT_B : code.b);
}

/** Whether an entry further down has the pair of entry `index`. */
function isOverridden(map: Uint8Array, index: number): boolean {
	const pair = map[1 + index * MAP_ENTRY_SIZE] & PAIR_MASK;
	if (pair === 0) return false;
	for (let i = index + 1; i < map[0]; i++) if ((map[1 + i * MAP_ENTRY_SIZE] & PAIR_MASK) === pair) return true;
	return false;
}
