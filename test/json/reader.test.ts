/** JSONReader compared with JSON.parse; documents written by hand; oversized ones. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	JSONReader,
	NUMBER_LIMIT,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
} from "../../modules/json/reader.js";
import { decoder, documents, encoder, plainOf, read, sizes, splits, textOf, tokens, wide } from "./reading.js";

describe("JSON reader: tokens", () => {
	it("reads any document as JSON.parse does, in pieces of any size", () => {
		const reader = wide();
		fc.assert(
			fc.property(documents, splits, (json, list) => {
				const bytes = encoder.encode(json);
				assert.deepEqual(read(reader, bytes, sizes(...list)), plainOf(json));
				assert.equal(reader.offset, bytes.length);
			}),
			{ numRuns: 400 },
		);
	});

	it("gives the same offset of an error however the bytes are split", () => {
		const whole = wide();
		const split = wide();
		fc.assert(
			fc.property(documents, fc.nat(), fc.nat(255), splits, (json, at, byte, pieces) => {
				const bytes = encoder.encode(json);
				bytes[at % bytes.length] = byte;
				if (read(whole, bytes, sizes(1 << 20)) !== undefined) return;
				read(split, bytes, sizes(...pieces));
				assert.equal(split.offset, whole.offset);
			}),
			{ numRuns: 500 },
		);
	});

	const good = [
		["0", 0],
		["-0", -0],
		[" \t\r\n1 \t\r\n", 1],
		["-12.5e-3", -0.0125],
		["1E+2", 100],
		['""', ""],
		['"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"', '\0"\\/\b\f\n\r\t'],
		['"\\ud83d\\ude00\\uD834\\uDD1E"', "😀𝄞"],
		['"ÿ€😀\u007f"', "ÿ€😀\u007f"],
		["[]", []],
		["{}", {}],
		['[null,true,false,[],{"a":[{}]}]', [null, true, false, [], { a: [{}] }]],
		['{"":1,"a":2,"a":3}', { "": 1, a: 3 }],
	] as const;
	for (const [json, value] of good) {
		it(`accepts ${json}`, () => {
			assert.deepEqual(read(wide(), encoder.encode(json)), value);
			assert.deepEqual(read(wide(), encoder.encode(json), sizes(1)), value);
		});
	}

	const bad = [
		"",
		" ",
		"\ufeff1",
		"01",
		"-",
		"-a",
		"+1",
		".5",
		"1.",
		"1.e1",
		"1e",
		"1e+",
		"0x1",
		"1 2",
		"NaN",
		"Infinity",
		"tru",
		"truee",
		"nul",
		"True",
		'"',
		'"a',
		'"\\',
		'"\\x"',
		'"\\u12"',
		'"\\u12g4"',
		'"\\ud800"',
		'"\\ud800x"',
		'"\\ud800\\n"',
		'"\\ud800\\ud800"',
		'"\\udc00"',
		'"\t"',
		'"\n"',
		'"\0"',
		"'a'",
		"[",
		"]",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1}",
		"{",
		"}",
		"{]",
		'{"a"',
		'{"a":',
		'{"a":}',
		'{"a":1,}',
		'{"a" 1}',
		'{"a"::1}',
		"{a:1}",
		"{1:1}",
		'{"a":1 "b":2}',
		"[1]]",
		"{}{}",
		"[]x",
		"1,",
		"[1:2]",
		"/**/1",
	];
	for (const json of bad) {
		it(`rejects ${JSON.stringify(json)}`, () => {
			assert.equal(read(wide(), encoder.encode(json)), undefined);
			assert.equal(read(wide(), encoder.encode(json), sizes(1)), undefined);
		});
	}

	it("rejects invalid UTF-8: overlong forms, surrogates, codes beyond the last character, cut sequences", () => {
		const inString = (...bytes: number[]) => read(wide(), Uint8Array.of(0x22, ...bytes, 0x22), sizes(1));
		const limits: [number[], number[]][] = [
			[
				[0xc2, 0x80],
				[0xc1, 0xbf],
			],
			[
				[0xe0, 0xa0, 0x80],
				[0xe0, 0x9f, 0xbf],
			],
			[
				[0xed, 0x9f, 0xbf],
				[0xed, 0xa0, 0x80],
			],
			[
				[0xee, 0x80, 0x80],
				[0xed, 0xbf, 0xbf],
			],
			[
				[0xf0, 0x90, 0x80, 0x80],
				[0xf0, 0x8f, 0xbf, 0xbf],
			],
			[
				[0xf4, 0x8f, 0xbf, 0xbf],
				[0xf4, 0x90, 0x80, 0x80],
			],
		];
		for (const [good, bad] of limits) {
			assert.equal(inString(...good), decoder.decode(Uint8Array.from(good)));
			assert.equal(inString(...bad), undefined);
			assert.equal(inString(...good.slice(0, -1)), undefined);
			assert.equal(inString(...good, 0x80), undefined);
		}
		for (const lead of [0x80, 0xbf, 0xc0, 0xf5, 0xff]) assert.equal(inString(lead, 0x80, 0x80, 0x80), undefined);
	});

	it("forgets a broken UTF-8 sequence when it begins another document", () => {
		const reader = wide();
		assert.equal(read(reader, Uint8Array.of(0x22, 0xe0, 0x22)), undefined);
		assert.equal(read(reader, encoder.encode('"é"')), "é");
	});

	it("reports the offset of an error", () => {
		const reader = wide();
		for (const [json, offset] of [
			["[1,,2]", 3],
			['{"a" 1}', 5],
			["[1", 2],
			['"a\nb"', 2],
			["[01]", 2],
		] as const) {
			read(reader, encoder.encode(json), sizes(1));
			assert.equal(reader.offset, offset, json);
		}
	});
});

describe("JSON reader: limits", () => {
	it("nests up to maxDepth and no deeper", () => {
		const nested = (depth: number) => encoder.encode("[".repeat(depth) + "]".repeat(depth));
		const objects = (depth: number) => encoder.encode(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
		for (const limit of [1, 4, 31]) {
			const reader = new JSONReader({ maxDepth: limit });
			for (const depth of [limit - 1, limit]) {
				if (depth > 0) assert.notEqual(read(reader, nested(depth)), undefined);
				assert.notEqual(read(reader, objects(depth)), undefined);
			}
			assert.equal(read(reader, nested(limit + 1)), undefined);
			assert.equal(reader.offset, limit);
			assert.equal(read(reader, objects(limit + 1)), undefined);
		}
		assert.notEqual(read(new JSONReader(), nested(4)), undefined);
		assert.equal(read(new JSONReader(), nested(5)), undefined);
	});

	it("keeps a string up to the size of the scratch buffer, and marks a longer one but checks all of it", () => {
		const reader = new JSONReader({ scratch: 40 });
		const first = (json: string, pieces = sizes(7)) => tokens(reader, encoder.encode(json), pieces)();
		for (const length of [39, 40]) {
			assert.equal(first(`"${"x".repeat(length)}"`), TOKEN_STRING);
			assert.equal(reader.truncated, false);
			assert.equal(reader.length, length);
		}
		assert.equal(first(`"${"x".repeat(41)}"`), TOKEN_STRING);
		assert.equal(reader.truncated, true);
		assert.equal(reader.length, 40);
		assert.equal(reader.textEquals("x".repeat(40)), false);
		assert.equal(first(`"${"é".repeat(5000)}"`), TOKEN_STRING);
		assert.equal(reader.truncated, true);
		assert.equal(first(`"${"x".repeat(5000)}\n"`), TOKEN_ERROR);
		assert.equal(first('"short"'), TOKEN_STRING);
		assert.equal(textOf(reader), "short");
	});

	it("reads numbers exactly, and recognises whole ones up to 2^53 - 1", () => {
		const reader = new JSONReader();
		const number = (json: string) => {
			assert.equal(tokens(reader, encoder.encode(json), sizes(3))(), TOKEN_NUMBER);
			return reader.number;
		};
		const wholes = [
			"0",
			"-7",
			"999999999999999",
			"1000000000000000",
			"9007199254740991",
			"-9007199254740991",
			"1.0",
			"1e2",
		];
		for (const json of wholes) {
			assert.equal(number(json), Number(json));
			assert.equal(reader.isInteger, true, json);
		}
		for (const json of ["0.5", "9007199254740992", "1e16", "1e-1", "1e999", "-1e999", "123456789.123456789"]) {
			assert.equal(number(json), Number(json));
			assert.equal(reader.isInteger, false, json);
		}
	});

	it("converts a number of up to 32 characters and marks a longer one", () => {
		const reader = new JSONReader();
		for (const length of [NUMBER_LIMIT - 1, NUMBER_LIMIT, NUMBER_LIMIT + 1, 5000]) {
			const json = `0.${"1".repeat(length - 2)}`;
			assert.equal(tokens(reader, encoder.encode(json), sizes(11))(), TOKEN_NUMBER);
			assert.equal(reader.truncated, length > NUMBER_LIMIT);
			if (length > NUMBER_LIMIT) assert.ok(Number.isNaN(reader.number) && !reader.isInteger);
			else assert.equal(reader.number, Number(json));
		}
		const next = tokens(reader, encoder.encode(`{"a":${"1".repeat(5000)}.}`), sizes(11));
		next();
		next();
		assert.equal(next(), TOKEN_ERROR);
	});

	it("reads 16 KB of brackets, token by token", () => {
		const reader = new JSONReader();
		const bytes = encoder.encode(`[${"[],".repeat(5461)}[]]`);
		reader.begin();
		let count = 0;
		for (let at = 0; at < bytes.length; at += 512) {
			reader.push(bytes, at, Math.min(at + 512, bytes.length));
			while (reader.next() !== TOKEN_MORE) count++;
		}
		reader.finish();
		assert.equal(reader.next(), TOKEN_END);
		assert.equal(count, 2 + 2 * 5462);
	});
});

describe("JSON reader: use", () => {
	it("skips a value of any shape after its name", () => {
		const reader = new JSONReader({ maxDepth: 8 });
		for (const value of ["1", '"x"', "null", "[]", "{}", '[1,{"wanted":2},[[]]]', '{"wanted":{"wanted":[1]},"b":2}']) {
			const next = tokens(reader, encoder.encode(`{"unknown":${value},"wanted":3}`), sizes(2));
			assert.equal(next(), TOKEN_OBJECT_START);
			assert.equal(next(), TOKEN_NAME);
			reader.skip();
			assert.equal(next(), TOKEN_NAME, value);
			assert.ok(reader.textEquals("wanted"));
			assert.equal(next(), TOKEN_NUMBER);
			assert.equal(reader.number, 3);
			assert.equal(next(), TOKEN_OBJECT_END);
			assert.equal(next(), TOKEN_END);
		}
	});

	it("finds errors inside a skipped value", () => {
		const reader = new JSONReader();
		const next = tokens(reader, encoder.encode('{"unknown":[1,}'), sizes(2));
		next();
		next();
		reader.skip();
		assert.equal(next(), TOKEN_ERROR);
	});

	it("distinguishes names, even if they begin alike or are escaped", () => {
		const reader = new JSONReader();
		const names = ["enabled", "enable", "", "period_unit"];
		const indexOfName = () => names.findIndex((name) => reader.textEquals(name));
		for (const [json, index] of [
			["enable", 1],
			["", 2],
			["period_unit", 3],
			["Enabled", -1],
			["enabledx", -1],
		] as const) {
			const next = tokens(reader, encoder.encode(`{"${json}":1}`), sizes(1));
			next();
			assert.equal(next(), TOKEN_NAME);
			assert.equal(indexOfName(), index);
		}
		const next = tokens(reader, encoder.encode('{"\\u0065nable":1}'), sizes(1));
		next();
		next();
		assert.equal(indexOfName(), 1);
	});

	it("rejects a piece before the previous one was read", () => {
		const reader = new JSONReader();
		reader.push(encoder.encode("[1]"), 0, 3);
		reader.next();
		assert.throws(() => reader.push(encoder.encode("2"), 0, 1));
	});
});
