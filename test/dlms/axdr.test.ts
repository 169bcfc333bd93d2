import assert from "node:assert/strict";
import fc from "fast-check";
import { DataWalker, DEPTH_LIMIT, STACK_SIZE } from "../../modules/dlms/axdr.js";
import { Element } from "../../modules/dlms/ber.js";
import { Cursor, putLength } from "../../modules/dlms/cursor.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { hex } from "./crypto.js";
import { join, withLength, word } from "./server.js";
import { valuesAt, valuesOf } from "./vectors.js";

const SEED = seedOfRun();
const seeded = { seed: SEED, numRuns: 500 };

/** A value as bytes, and the texts of its simple elements. */
interface Value {
	bytes: Uint8Array;
	texts: (string | null)[];
}

function simple(tag: number, contents: Uint8Array, text: string | null): Value {
	return { bytes: join(Uint8Array.of(tag), contents), texts: [text] };
}

function whole(tag: number, bytes: number, signed: boolean): fc.Arbitrary<Value> {
	const bits = BigInt(bytes * 8);
	const min = signed ? -(1n << (bits - 1n)) : 0n;
	const max = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n;
	return fc.bigInt({ min, max }).map((value) => {
		const digits = BigInt.asUintN(bytes * 8, value)
			.toString(16)
			.padStart(bytes * 2, "0");
		return simple(tag, hex(digits), String(value));
	});
}

const text = fc.string({ unit: fc.constantFrom(..."AZaz09 -./"), maxLength: 128 });
const octets = fc.uint8Array({ maxLength: 100 }).filter((bytes) => bytes.some((byte) => byte >= 0x7f));

const LEAVES: fc.Arbitrary<Value>[] = [
	fc.constantFrom(simple(0x00, hex(""), null), simple(0xff, hex(""), null)),
	fc.boolean().map((on) => simple(0x03, Uint8Array.of(on ? 1 : 0), on ? "1" : "0")),
	...([0x0f, 0x1c] as const).map((tag) => whole(tag, 1, true)),
	...([0x10, 0x1d] as const).map((tag) => whole(tag, 2, true)),
	...([0x05, 0x1e] as const).map((tag) => whole(tag, 4, true)),
	...([0x11, 0x1f, 0x16] as const).map((tag) => whole(tag, 1, false)),
	...([0x12, 0x20] as const).map((tag) => whole(tag, 2, false)),
	...([0x06, 0x21] as const).map((tag) => whole(tag, 4, false)),
	whole(0x14, 8, true),
	whole(0x15, 8, false),
	fc.nat({ max: 99 }).map((value) => simple(0x0d, hex(String(value).padStart(2, "0")), String(value).padStart(2, "0"))),
	fc
		.constantFrom(0x09, 0x0a, 0x0c)
		.chain((tag) => text.map((shown) => (shown.trim() === "" ? "A" : shown)).map((shown) => stringOf(tag, shown))),
	octets.map((bytes) => simple(0x09, withLength(bytes), Buffer.from(bytes).toString("hex").toUpperCase())),
	fc.uint8Array({ maxLength: 30 }).chain((bytes) =>
		fc.integer({ min: 0, max: 7 }).map((unused) => {
			const count = Math.max(0, bytes.length * 8 - unused);
			const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
			return simple(0x04, join(length(count), bytes), count === 0 ? "" : `0b${bits.slice(0, count)}`);
		}),
	),
];

function stringOf(tag: number, shown: string): Value {
	return simple(tag, withLength(new Uint8Array(Buffer.from(shown))), shown.replace(/[ ]+$/, ""));
}

function length(count: number): Uint8Array {
	const into = new Uint8Array(5);
	return into.slice(0, putLength(into, 0, count));
}

/** Containers nested at most `depth` deep. */
function nested(depth: number): fc.Arbitrary<Value> {
	const leaf = fc.oneof(...LEAVES);
	if (depth === 0) return leaf;
	const inner = fc.array(nested(depth - 1), { maxLength: 5 }).chain((values) =>
		fc.constantFrom(0x01, 0x02).map((tag) => ({
			bytes: join(Uint8Array.of(tag, values.length), ...values.map((value) => value.bytes)),
			texts: values.flatMap((value) => value.texts),
		})),
	);
	return fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: inner });
}

describe(`A-XDR (SEED=${SEED})`, () => {
	it("reads simple values and containers nested up to four deep, and leaves the cursor after them", () => {
		fc.assert(
			fc.property(nested(4), fc.uint8Array({ maxLength: 5 }), ({ bytes, texts }, after) => {
				const all = join(bytes, after);
				const cursor = new Cursor(all).set(all, 0, all.length);
				assert.deepEqual(valuesAt(cursor), texts);
				assert.equal(cursor.at, bytes.length);
			}),
			seeded,
		);
	});

	it("detects every truncated value", () => {
		fc.assert(
			fc.property(nested(3), ({ bytes }) => {
				for (let end = 0; end < bytes.length; end++) assert.equal(valuesOf(bytes, 0, end), undefined);
			}),
			seeded,
		);
	});

	it("ends whatever the bytes, and never reads past their end", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 300 }), (bytes, cut) => {
				const end = Math.min(cut, bytes.length);
				const cursor = new Cursor(bytes).set(bytes, 0, end);
				const walker = new DataWalker(cursor, new Uint8Array(STACK_SIZE + 3), 3);
				walker.begin();
				for (let steps = 0; walker.next(); steps++) {
					assert.ok(steps <= end && walker.start <= walker.end && walker.end <= end);
				}
				assert.ok(cursor.at <= end);
			}),
			{ ...seeded, numRuns: 3000 },
		);
	});

	it("refuses containers deeper than its limit, and counts higher than the number of bytes that follow", () => {
		assert.deepEqual(valuesOf(hex(`${"0201".repeat(DEPTH_LIMIT)}1105`)), ["5"]);
		assert.equal(valuesOf(hex(`${"0201".repeat(DEPTH_LIMIT + 1)}1105`)), undefined);
		assert.equal(valuesOf(hex(`${"01".repeat(100_000)}`)), undefined);
		assert.deepEqual(valuesOf(hex("0103000000")), [null, null, null]);
		assert.equal(valuesOf(hex("01040000 00")), undefined);
		assert.equal(valuesOf(hex("0184FFFFFFFF00")), undefined);
		assert.equal(valuesOf(hex("0985000000000141")), undefined);
		assert.equal(valuesOf(hex("0980")), undefined);
		assert.deepEqual(valuesOf(hex("098400000001 41")), ["A"]);
		const many = join(hex("0182FFFF"), new Uint8Array(0xffff));
		assert.equal(valuesOf(many)?.length, 0xffff);
		assert.equal(valuesOf(join(hex("0184 00010000"), new Uint8Array(0x10000))), undefined);
	});

	it("skips the contents of compact arrays", () => {
		assert.deepEqual(valuesOf(hex("13 12 04 00010002")), ["00010002"]);
		assert.deepEqual(valuesOf(hex("13 02 02 12 11 03 000105")), ["000105"]);
		assert.deepEqual(valuesOf(hex("13 01 0004 12 01 07")), ["07"]);
		assert.deepEqual(valuesOf(hex("0202 13 01 0002 02 02 11 11 02 0102 1107")), ["0102", "7"]);
		for (const bad of ["13", "1308", "13 02 FF 12", "13 01 00", "13 12 04 0001", `13${"010001".repeat(50)}`])
			assert.equal(valuesOf(hex(bad)), undefined, bad);
	});

	it("rejects every tag that is not in its table", () => {
		for (let tag = 0; tag < 256; tag++) {
			const known = [0, 1, 2, 3, 4, 5, 6, 9, 10, 12, 13, 255].includes(tag) || (tag >= 15 && tag <= 33);
			const value = join(Uint8Array.of(tag), new Uint8Array(20));
			assert.equal(valuesOf(value) !== undefined, known, `tag ${tag}`);
		}
	});
});

describe(`BER (SEED=${SEED})`, () => {
	it("reads elements one after another, whatever they contain", () => {
		const one = fc.tuple(
			fc.integer({ min: 0, max: 255 }).filter((tag) => (tag & 0x1f) !== 0x1f),
			fc.uint8Array({ maxLength: 300 }),
		);
		fc.assert(
			fc.property(fc.array(one, { maxLength: 6 }), (elements) => {
				const bytes = join(...elements.map(([tag, contents]) => join(Uint8Array.of(tag), withLength(contents))));
				const cursor = new Cursor(bytes).set(bytes, 0, bytes.length);
				const element = new Element();
				for (const [tag, contents] of elements) {
					assert.ok(element.read(cursor));
					assert.deepEqual([element.tag, bytes.slice(element.start, element.end)], [tag, contents]);
					assert.ok(bytes[element.start] !== 0x77 || !element.inside(bytes, 0x78));
				}
				assert.ok(!element.read(cursor) && !cursor.failed);
				for (let end = 0; end < bytes.length; end++) {
					cursor.set(bytes, 0, end);
					let count = 0;
					while (element.read(cursor)) count++;
					assert.ok(count < elements.length);
				}
			}),
			{ ...seeded, numRuns: 100 },
		);
	});

	it("enters an element that contains exactly one other, and reads integers", () => {
		const inside = (text: string, tag: number): string => {
			const bytes = hex(text);
			const element = new Element();
			assert.ok(element.read(new Cursor(bytes).set(bytes, 0, bytes.length)));
			return element.inside(bytes, tag) ? Buffer.from(bytes.subarray(element.start, element.end)).toString("hex") : "-";
		};
		assert.equal(inside("A4 03 04 01 05", 4), "05");
		assert.equal(inside("A4 03 05 01 05", 4), "-");
		assert.equal(inside("A4 04 04 01 05 06", 4), "-");
		assert.equal(inside("A4 02 04 01", 4), "-");
		assert.equal(inside("A4 01 04", 4), "-");
		assert.equal(inside("A4 02 04 00", 4), "");
		assert.equal(inside("A4 04 04 81 01 07", 4), "07");
		assert.equal(inside("A4 05 04 82 00 01 07", 4), "07");
		assert.equal(inside("A4 06 04 83 00 00 01 07", 4), "-");
		assert.equal(inside("A4 02 04 81", 4), "-");
		assert.equal(inside("A4 03 04 80 07", 4), "-");
		const integer = (text: string): number => {
			const bytes = hex(text);
			const element = new Element();
			element.read(new Cursor(bytes).set(bytes, 0, bytes.length));
			return element.integer(bytes);
		};
		assert.deepEqual(
			["A2 03 020100", "A2 03 02010E", "A2 04 02020100", "A2 03 0201FF", "A2 02 0200", "A2 07 02050000000001"].map(
				integer,
			),
			[0, 14, 256, -1, -1, -1],
		);
	});

	it("ends whatever the bytes", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
				const cursor = new Cursor(bytes).set(bytes, 0, bytes.length);
				const element = new Element();
				for (let count = 0; element.read(cursor); count++) {
					assert.ok(count <= bytes.length && element.end <= bytes.length && element.start <= element.end);
					element.integer(bytes);
					assert.ok(element.end <= bytes.length && element.start <= element.end);
				}
			}),
			{ ...seeded, numRuns: 3000 },
		);
	});
});

describe("a cursor", () => {
	it("returns 0 for missing bytes, and stays failed", () => {
		const bytes = hex("0102");
		const cursor = new Cursor(bytes).set(bytes, 0, 2);
		assert.equal(cursor.u32(), 0x01020000);
		assert.ok(cursor.failed && cursor.left === 0);
		assert.deepEqual([cursor.u8(), cursor.u16(), cursor.length(), cursor.failed], [0, 0, 0, true]);
		assert.equal(cursor.set(bytes, 0, 2).u16(), 0x0102);
		assert.equal(cursor.failed, false);
		cursor.expect(1);
		assert.equal(cursor.failed, true);
	});

	it("reads lengths as putLength writes them", () => {
		for (const count of [0, 1, 127, 128, 255, 256, 65535]) {
			const into = new Uint8Array(4);
			const end = putLength(into, 0, count);
			assert.equal(new Cursor(into).set(into, 0, end).length(), count);
			assert.equal(end, count < 128 ? 1 : count < 256 ? 2 : 3);
		}
		assert.deepEqual(word(258, 2), hex("0102"));
	});
});
