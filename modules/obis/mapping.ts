/**
 * Mapping of OBIS codes to Zigbee attributes. A pair consists of a cluster and an attribute. Clusters are 0702 Metering
 * and 0B04 Electrical Measurement (ZCL revision 8, D.3 and 4.9).
 *
 * The table in flash:
 *
 *     offset  bytes  contents
 *     0       1      number of entries, at most MAP_LIMIT
 *     1       6 each bits 0-2 index in PAIRS, 3 compare the short code only, 4 A is given, 5 B is given, 6 E is given
 *                    (1), A B C D E (1 each, 0 when not given)
 *
 * If the stored table is empty, the default table is used. The last entry that matches a code determines its pair,
 * unless a later entry assigns the same pair to another code.
 */
import { asciiBytes, upperCase } from "../bytes/ascii.js";
import { OBIS_TEXT_LIMIT, OBISCode } from "./code.js";

export const MAP_LIMIT = 16;
export const MAP_ENTRY_SIZE = 6;
export const MAP_SIZE_LIMIT = 1 + MAP_LIMIT * MAP_ENTRY_SIZE;

/** Pair in an entry that excludes its code from the mapping. */
export const UNMAPPED = "00000000";
export const PAIRS = Object.freeze([UNMAPPED, "07020000", "07020001", "07020400", "0B040505", "0B040508"]);

const PAIR_MASK = 7;
const FLAG_SHORT = 8;
const FLAG_A = 16;
const FLAG_B = 32;
const FLAG_E = 64;

/** Values of A and B in comparisons of full codes, if the meter or the entry leaves them out. */
const DEFAULT_A = 1;
const DEFAULT_B = 0;

const DEFAULT_CODES = Object.freeze(["1.8.0", "2.8.0", "16.7.0", "32.7.0", "31.7.0"]);

/** Groups A to E are compared. */
export const MODE_FULL = 0;
/** Groups C to E are compared. */
export const MODE_SHORT = 1;

export function mapOf(stored: Uint8Array): Uint8Array {
	if (stored.length > 0) return stored;
	const map = new Uint8Array(1 + DEFAULT_CODES.length * MAP_ENTRY_SIZE);
	for (let i = 0; i < DEFAULT_CODES.length; i++)
		packMapping(DEFAULT_CODES[i], undefined, i + 1, map, 1 + i * MAP_ENTRY_SIZE);
	map[0] = DEFAULT_CODES.length;
	return map;
}

/** Returns true if the table is valid. The stored bytes may be arbitrary. */
export function isMapping(stored: Uint8Array): boolean {
	if (stored.length === 0) return true;
	if (stored[0] > MAP_LIMIT || stored.length !== 1 + stored[0] * MAP_ENTRY_SIZE) return false;
	for (let at = 1; at < stored.length; at += MAP_ENTRY_SIZE) if ((stored[at] & PAIR_MASK) >= PAIRS.length) return false;
	return true;
}

/** Returns the index of a pair. `text`: 8 hex digits in upper or lower case. Returns -1 for other texts. */
export function findPair(text: string): number {
	return PAIRS.indexOf(upperCase(text));
}

/**
 * Packs an entry. `obis`: OBIS code in ASCII. If `mode` is undefined, a code with `:` is compared in full. Returns
 * false for a code with a billing period, letters or a fourth group.
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
 * Unpacks an entry into `code`. In MODE_SHORT, the code has neither A nor B; in MODE_FULL, it has at least one of them.
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

export function pairAt(map: Uint8Array, at: number): string {
	return PAIRS[map[at] & PAIR_MASK];
}

export function isMapped(map: Uint8Array, pair: number): boolean {
	for (let at = 1; at < map.length; at += MAP_ENTRY_SIZE) if ((map[at] & PAIR_MASK) === pair) return true;
	return false;
}

export function mappingOf(code: OBISCode, map: Uint8Array): string {
	return pairText(pairOf(code, map));
}

export function pairText(pair: number): string {
	return PAIRS[pair];
}

/**
 * Returns the index of the pair for a code; 0 if there is none. Values of past billing periods are not mapped. A
 * missing E counts as 0 (`32.7`).
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

function matches(map: Uint8Array, at: number, code: OBISCode): boolean {
	if (map[at + 5] !== Math.max(code.e, 0)) return false;
	const flags = map[at];
	if ((flags & FLAG_SHORT) !== 0) return true;
	const a = (flags & FLAG_A) === 0 ? DEFAULT_A : map[at + 1];
	const b = (flags & FLAG_B) === 0 ? DEFAULT_B : map[at + 2];
	return a === (code.a < 0 ? DEFAULT_A : code.a) && b === (code.b < 0 ? DEFAULT_B : code.b);
}

function isOverridden(map: Uint8Array, index: number): boolean {
	const pair = map[1 + index * MAP_ENTRY_SIZE] & PAIR_MASK;
	if (pair === 0) return false;
	for (let i = index + 1; i < map[0]; i++) if ((map[1 + i * MAP_ENTRY_SIZE] & PAIR_MASK) === pair) return true;
	return false;
}
