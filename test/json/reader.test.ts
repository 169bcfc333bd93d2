/** JSONReader against JSON.parse, against documents written by hand, and against bombs. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	JSONReader,
	NUMBER_LIMIT,
	TOKEN_ARRAY_END,
	TOKEN_ARRAY_START,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_FALSE,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NULL,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
	TOKEN_TRUE,
} from "../../modules/json/reader.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The next token, with new pieces pushed as they are wanted. */
function tokens(reader: JSONReader, bytes: Uint8Array, pieces: Iterator<number>): () => number {
	let at = 0;
	reader.begin();
	return () => {
		for (;;) {
			const token = reader.next();
			if (token !== TOKEN_MORE) return token;
			if (at === bytes.length) {
				reader.finish();
				continue;
			}
			const size = pieces.next().value as number;
			// The piece stands in the middle of a buffer that is overwritten afterwards, as a socket's would be.
			const piece = new Uint8Array(size + 4).fill(0xff);
			const end = Math.min(bytes.length, at + size);
			piece.set(bytes.subarray(at, end), 2);
			reader.push(piece, 2, 2 + end - at);
			at = end;
		}
	};
}

function* sizes(...list: number[]): Generator<number> {
	for (;;) yield* list;
}

function textOf(reader: JSONReader): string {
	assert.equal(reader.truncated, false);
	return decoder.decode(reader.text.subarray(0, reader.length));
}

/** A number was longer than the reader converts. */
const TOO_LONG = Symbol("too long");

/** Builds the value as JSON.parse would; undefined when the reader refuses it. */
function read(reader: JSONReader, bytes: Uint8Array, pieces: Iterator<number> = sizes(1 << 20)): unknown {
	const next = tokens(reader, bytes, pieces);
	const open: (unknown[] | Map<string, unknown>)[] = [];
	const names: string[] = [];
	let top: unknown;
	const place = (value: unknown) => {
		const parent = open.at(-1);
		if (parent === undefined) top = value;
		else if (Array.isArray(parent)) parent.push(value);
		else parent.set(names.pop()!, value);
	};
	for (;;) {
		switch (next()) {
			case TOKEN_END:
				return plain(top);
			case TOKEN_ERROR:
				assert.equal(reader.next(), TOKEN_ERROR);
				return undefined;
			case TOKEN_OBJECT_START: {
				const map = new Map<string, unknown>();
				place(map);
				open.push(map);
				break;
			}
			case TOKEN_ARRAY_START: {
				const list: unknown[] = [];
				place(list);
				open.push(list);
				break;
			}
			case TOKEN_OBJECT_END:
			case TOKEN_ARRAY_END:
				open.pop();
				break;
			case TOKEN_NAME:
				names.push(textOf(reader));
				break;
			case TOKEN_STRING:
				place(textOf(reader));
				break;
			case TOKEN_NUMBER:
				if (reader.truncated) return TOO_LONG;
				place(reader.number);
				break;
			case TOKEN_TRUE:
				place(true);
				break;
			case TOKEN_FALSE:
				place(false);
				break;
			case TOKEN_NULL:
				place(null);
				break;
			default:
				assert.fail("unknown token");
		}
	}
}

function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (!(value instanceof Map)) return value;
	// Object.fromEntries defines, so that "__proto__" is a name like any other, as in JSON.parse.
	return Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]));
}

/** What JSON.parse makes of the bytes, or undefined; with lone surrogates refused, as the reader does. */
function parsed(bytes: Uint8Array): unknown {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		const value = JSON.parse(text);
		return hasLoneSurrogate(text) ? undefined : value;
	} catch {
		return undefined;
	}
}

function hasLoneSurrogate(json: string): boolean {
	let lone = false;
	const check = (text: string) => {
		if (!(text as unknown as { isWellFormed(): boolean }).isWellFormed()) lone = true;
	};
	// Names given twice are lost in the value, so the tokens are looked at one by one.
	for (const match of json.matchAll(/"(?:[^"\\]|\\.)*"/g)) check(JSON.parse(match[0]) as string);
	return lone;
}

const wide = () => new JSONReader({ maxDepth: 31, scratch: 4096 });
const documents = fc.json({ maxDepth: 6, stringUnit: "grapheme" });
const splits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

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

	it("takes and refuses the same as JSON.parse when bytes were changed", () => {
		const reader = wide();
		const edits = fc.array(
			fc.record({ at: fc.nat(), byte: fc.oneof(fc.nat(255), fc.constantFrom(...encoder.encode('{}[]",:\\u0d8e-.'))) }),
			{ minLength: 1, maxLength: 4 },
		);
		fc.assert(
			fc.property(documents, edits, splits, (json, list, pieces) => {
				const bytes = encoder.encode(json);
				for (const edit of list) bytes[edit.at % bytes.length] = edit.byte;
				const expected = parsed(bytes);
				const actual = read(reader, bytes, sizes(...pieces));
				if (actual !== TOO_LONG) assert.deepEqual(actual, expected);
			}),
			{ numRuns: 3000 },
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
		it(`takes ${json}`, () => {
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
		it(`refuses ${JSON.stringify(json)}`, () => {
			assert.equal(read(wide(), encoder.encode(json)), undefined);
			assert.equal(read(wide(), encoder.encode(json), sizes(1)), undefined);
		});
	}

	it("checks UTF-8 strictly: overlong forms, surrogates, beyond the last character, cut sequences", () => {
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

	it("forgets a broken sequence when it begins anew", () => {
		const reader = wide();
		assert.equal(read(reader, Uint8Array.of(0x22, 0xe0, 0x22)), undefined);
		assert.equal(read(reader, encoder.encode('"é"')), "é");
	});

	it("tells where the error is", () => {
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

function plainOf(json: string): unknown {
	const value: unknown = JSON.parse(json);
	return hasLoneSurrogate(json) ? undefined : value;
}

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

	it("keeps a string up to the scratch and marks a longer one, but checks it whole", () => {
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

	it("reads numbers exactly, and tells whole ones", () => {
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

	it("takes 16 KB of nested brackets token by token", () => {
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

	it("finds a name in a table", () => {
		const reader = new JSONReader();
		const names = ["enabled", "enable", "", "period_unit"];
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
			assert.equal(reader.indexIn(names), index);
		}
		const next = tokens(reader, encoder.encode('{"\\u0065nable":1}'), sizes(1));
		next();
		next();
		assert.equal(reader.indexIn(names), 1);
	});

	it("refuses a piece before the last was read", () => {
		const reader = new JSONReader();
		reader.push(encoder.encode("[1]"), 0, 3);
		reader.next();
		assert.throws(() => reader.push(encoder.encode("2"), 0, 1));
	});
});
