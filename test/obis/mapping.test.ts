import assert from "node:assert/strict";
import { OBIS_TEXT_LIMIT, OBISCode } from "../../modules/obis/code.js";
import {
	findPair,
	MAP_ENTRY_SIZE,
	MAP_LIMIT,
	MAP_SIZE_LIMIT,
	mapOf,
	mappingOf,
	packMapping,
	pairAt,
	UNMAPPED,
	unpackMapping,
} from "../../modules/obis/mapping.js";
import { MAPPING } from "../../modules/parts/meter/mapping-fields.js";

type Entry = readonly [obis: string, pair: string, mode?: number];

const [A, B, C] = ["07020000", "07020001", "0B040508"];
const DEFAULT = mapOf(new Uint8Array(0));

function codeOf(text: string): OBISCode {
	const code = new OBISCode();
	code.parse(Buffer.from(text), 0, text.length);
	return code;
}

function pack(entries: readonly Entry[]): Uint8Array {
	const map = new Uint8Array(1 + entries.length * MAP_ENTRY_SIZE);
	map[0] = entries.length;
	for (const [i, [obis, pair, mode]] of entries.entries())
		assert.ok(packMapping(obis, mode, findPair(pair), map, 1 + i * MAP_ENTRY_SIZE), obis);
	return map;
}

function check(entries: readonly Entry[], expected: Readonly<Record<string, string>>): void {
	const map = pack(entries);
	for (const [text, pair] of Object.entries(expected)) assert.equal(mappingOf(codeOf(text), map), pair, text);
}

describe("obis/mapping", () => {
	it("has the maximum size of its setting", () => {
		assert.equal(MAP_SIZE_LIMIT, 1 + MAP_LIMIT * MAP_ENTRY_SIZE);
		assert.equal(MAPPING.maximum, MAP_SIZE_LIMIT);
	});
	it("has a default table of short codes", () => {
		for (const [text, pair] of [
			["1.8.0", A],
			["2-1:1.8.0", A],
			["1-0:2.8.0*255", B],
			["16.7.0", "07020400"],
			["32.7", "0B040505"],
			["1-0:31.7.0", C],
			["1.8.1", UNMAPPED],
			["1.8.0*01", UNMAPPED],
			["1-0:1.8.0&12", UNMAPPED],
			["C.1.0", UNMAPPED],
			["nonsense", UNMAPPED],
		])
			assert.equal(mappingOf(codeOf(text), DEFAULT), pair, text);
	});
	it("compares short codes without A and B", () => {
		check([["1.8.0", A]], {
			"1.8.0": A,
			"1-0:1.8.0": A,
			"7-3:1.8.0": A,
			"1.8": A,
			"1.8.1": UNMAPPED,
			"2.8.0": UNMAPPED,
		});
		check([["7-3:1.8.0", A, 1]], { "1.8.0": A, "1-0:1.8.0": A, "7-3:1.8.0": A });
	});
	it("compares full codes from A to E, and takes missing A and B as 1-0", () => {
		check([["1-0:1.8.0", A]], { "1.8.0": A, "0:1.8.0": A, "1-0:1.8.0": A, "1:1.8.0": UNMAPPED, "0-0:1.8.0": UNMAPPED });
		check([["1.8.0", A, 0]], { "1.8.0": A, "1-0:1.8.0": A, "1-1:1.8.0": UNMAPPED, "7-0:1.8.0": UNMAPPED });
		check([["7-1:1.8.0", A]], { "7-1:1.8.0": A, "1.8.0": UNMAPPED });
		check([["1:1.8.0", A]], { "1-1:1.8.0": A, "1:1.8.0": A, "1.8.0": UNMAPPED });
	});
	it("assigns a pair only to its last entry", () => {
		check(
			[
				["1.8.0", A],
				["2.8.0", A],
			],
			{ "1.8.0": UNMAPPED, "2.8.0": A },
		);
		check(
			[
				["1.8.0", A],
				["1.8.0", A],
			],
			{ "1.8.0": A },
		);
		check(
			[
				["1.8.0", B],
				["1.8.0", A],
				["2.8.0", A],
			],
			{ "1.8.0": B, "2.8.0": A },
		);
	});
	it("uses the last entry of a code, and takes 00000000 to mean that a code has no attribute", () => {
		check(
			[
				["1.8.0", A],
				["1.8.0", B],
			],
			{ "1.8.0": B },
		);
		check(
			[
				["1.8.0", A],
				["1.8.0", UNMAPPED],
			],
			{ "1.8.0": UNMAPPED },
		);
		check(
			[
				["1.8.0", UNMAPPED],
				["1.8.0", A],
			],
			{ "1.8.0": A },
		);
		check(
			[
				["1.8.0", A],
				["7-0:1.8.0", UNMAPPED],
			],
			{ "1.8.0": A, "7-0:1.8.0": UNMAPPED },
		);
		check(
			[
				["1.8.0", A],
				["2.8.0", UNMAPPED],
				["3.8.0", UNMAPPED],
			],
			{ "1.8.0": A, "2.8.0": UNMAPPED },
		);
		check([], { "1.8.0": UNMAPPED });
	});
	it("accepts five pairs and UNMAPPED, in upper and lower case", () => {
		for (const pair of [UNMAPPED, A, B, "07020400", "0B040505", C]) {
			assert.equal(pairAt(pack([["1.8.0", pair.toLowerCase()]]), 1), pair);
		}
		for (const pair of ["", "0", "07020002", "FFFFFFFF", "0B0405080"]) assert.equal(findPair(pair), -1);
	});
	it("returns codes as they were stored", () => {
		const into = new Uint8Array(OBIS_TEXT_LIMIT);
		const code = codeOf("C.1.0*03");
		for (const text of ["1.8.0", "32.7", "0:1.8.0", "1-0:1.8.0", "255-255:255.255.255", "0-0:0.0.0", "1-0:32.7"]) {
			unpackMapping(pack([[text, A]]), 1, code);
			assert.equal(Buffer.from(into.subarray(0, code.encode(into, 0))).toString(), text);
		}
	});
	it("rejects a code that no attribute can have", () => {
		const into = new Uint8Array(MAP_ENTRY_SIZE);
		for (const text of [
			"",
			"x",
			"C.1.0",
			"F.F",
			"1.8.0*01",
			"1.8.0&12",
			"1.8.0&255",
			"0.5.1.2",
			"1.8.256",
			"1".repeat(99),
		]) {
			assert.equal(packMapping(text, undefined, 1, into, 0), false, text);
		}
		assert.deepEqual(into, new Uint8Array(MAP_ENTRY_SIZE));
	});
});
