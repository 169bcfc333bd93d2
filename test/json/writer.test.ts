/** JSONWriter and JSONStream: every window size gives the text of JSON.stringify. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { JSONStream } from "../../modules/json/stream.js";
import { JSONWriter, WRITER_DEPTH_LIMIT } from "../../modules/json/writer.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const codec = {
	encode: (text: string) => encoder.encode(text),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => decoder.decode(bytes.subarray(start, end)),
};

type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

function write(writer: JSONWriter, value: Value): void {
	if (value === null) writer.null();
	else if (typeof value === "boolean") writer.boolean(value);
	else if (typeof value === "number") writer.number(value);
	else if (typeof value === "string") writer.string(value);
	else if (Array.isArray(value)) {
		writer.beginArray();
		for (const item of value) write(writer, item);
		writer.endArray();
	} else {
		writer.beginObject();
		for (const name of Object.keys(value)) {
			writer.key(name);
			write(writer, value[name]);
		}
		writer.endObject();
	}
}

const names = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((name) => name !== "__proto__");
const values = fc.letrec<{ value: Value }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5, withCrossShrink: true },
		fc.constant(null),
		fc.boolean(),
		fc.double().map((number) => (Number.isNaN(number) ? 0 : number)),
		fc.string({ unit: "grapheme" }),
		fc.string({ unit: "binary-ascii" }),
		fc.array(tie("value"), { maxLength: 5 }),
		fc.dictionary(names, tie("value"), { maxKeys: 5, noNullPrototype: true }),
	),
})).value;

/** All output, in windows of these sizes, each with guard bytes around it. */
function drain(source: JSONStream, sizes: number[]): string {
	const parts: Uint8Array[] = [];
	for (let i = 0; ; i++) {
		const size = sizes[i % sizes.length];
		const buffer = new Uint8Array(size + 6).fill(0xee);
		const count = source.read(buffer, 3, 3 + size);
		assert.ok(buffer.subarray(0, 3).every((byte) => byte === 0xee));
		assert.ok(buffer.subarray(3 + size).every((byte) => byte === 0xee));
		if (count < size) assert.equal(source.read(buffer, 3, 3 + size), 0);
		if (count === 0) break;
		parts.push(buffer.subarray(3, 3 + count));
	}
	return decoder.decode(Buffer.concat(parts));
}

describe("JSON writer", () => {
	it("writes the same as JSON.stringify, into windows of any size", () => {
		const writer = new JSONWriter(codec);
		fc.assert(
			fc.property(values, fc.integer({ min: 1, max: 40 }), (value, size) => {
				const expected = JSON.stringify(value);
				const bytes = encoder.encode(expected);
				const window = new Uint8Array(size + 2);
				const collected: number[] = [];
				do {
					writer.begin(window, 1, 1 + size, collected.length);
					write(writer, value);
					assert.equal(writer.produced, bytes.length);
					collected.push(...window.subarray(1, writer.position));
				} while (collected.length < bytes.length);
				assert.equal(decoder.decode(Uint8Array.from(collected)), expected);
			}),
			{ numRuns: 300 },
		);
	});

	it("writes only the part in the window, and counts the bytes before and after it", () => {
		const writer = new JSONWriter(codec);
		const into = new Uint8Array(8).fill(0x2e);
		writer.begin(into, 2, 6, 3);
		writer.string("abcdefgh");
		assert.equal(writer.produced, 10);
		assert.equal(writer.position, 6);
		assert.equal(decoder.decode(into), "..cdef..");
		writer.begin(into, 2, 6, 20);
		writer.string("abcdefgh");
		assert.equal(writer.position, 2);
	});

	it("writes numbers as JSON.stringify does, those that are not finite as null", () => {
		for (const number of [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 5e-324]) {
			assert.equal(
				whole((writer) => writer.number(number)),
				JSON.stringify(number),
			);
		}
	});

	it("writes bytes as text: UTF-8 as it is, single bytes above 0x7F escaped, raw numbers untouched", () => {
		const bytes = Uint8Array.of(0x78, 0x22, 0x5c, 0x00, 0x1f, 0x7f, 0xc3, 0xa9, 0x78);
		assert.equal(
			whole((writer) => writer.utf8(bytes, 1, 8)),
			JSON.stringify('"\\\0\x1f\x7fé'),
		);
		const single = whole((writer) => writer.ascii(bytes, 1, 8));
		assert.equal(single, '"\\"\\\\\\u0000\\u001f\x7f\\u00c3\\u00a9"');
		assert.equal(JSON.parse(single), '"\\\0\x1f\x7fÃ©');
		const number = encoder.encode("x00012.50y");
		assert.equal(
			whole((writer) => {
				writer.beginArray();
				writer.raw(encoder.encode("{}"));
				writer.raw(encoder.encode(","));
				writer.rawPart(number, 4, 9);
				writer.boolean(true);
				writer.endArray();
			}),
			"[{},12.50,true]",
		);
	});

	it("writes an object from prepared pieces, into windows of any size", () => {
		const writer = new JSONWriter(codec);
		const pieces = ['"a":"', '","b":', ',"c":', ',"d":'].map((piece) => writer.prepare(piece));
		const short = encoder.encode("text, and what stands behind it");
		const control = Uint8Array.of(0x22, 0x41, 0x07, 0xe9);
		const produce = () => {
			writer.beginArray();
			for (let i = 0; i < 2; i++) {
				writer.beginObject();
				writer.raw(pieces[0]);
				writer.rawPart(short, 0, 4);
				writer.rawASCII(control, 0, 4);
				writer.raw(pieces[1]);
				writer.rawWord("kWh");
				writer.raw(pieces[2]);
				writer.rawString('"');
				writer.raw(pieces[3]);
				writer.rawPart(short, 6, 9);
				writer.key("e");
				writer.word("behind pieces");
				writer.key("f");
				writer.number(9);
				writer.endObject();
			}
			writer.endArray();
		};
		const one = '{"a":"text\\"A\\u0007\\u00e9","b":"kWh","c":"\\"","d":and,"e":"behind pieces","f":9}';
		const expected = `[${one},${one}]`;
		for (let size = 1; size < 200; size++) {
			const window = new Uint8Array(size + 2).fill(0xee);
			let text = "";
			do {
				writer.begin(window, 1, 1 + size, text.length);
				produce();
				assert.equal(writer.produced, expected.length);
				text += decoder.decode(window.subarray(1, writer.position));
				assert.deepEqual([window[0], window[size + 1]], [0xee, 0xee], "beyond the window");
			} while (text.length < expected.length);
			assert.equal(text, expected);
		}
	});

	it("saves and restores its position in the nesting", () => {
		const writer = new JSONWriter(codec);
		const into = new Uint8Array(64);
		writer.begin(into, 0, 64);
		writer.beginObject();
		writer.key("a");
		writer.beginArray();
		writer.number(1);
		const state = writer.saveState();
		const at = writer.position;
		writer.begin(into, at, 64);
		writer.restoreState(state);
		writer.number(2);
		writer.endArray();
		writer.key("b");
		writer.null();
		writer.endObject();
		assert.equal(decoder.decode(into.subarray(0, writer.position)), '{"a":[1,2],"b":null}');
	});

	it("nests up to its limit and no deeper", () => {
		const writer = new JSONWriter(codec);
		const into = new Uint8Array(64);
		writer.begin(into, 0, 64);
		for (let depth = 0; depth < WRITER_DEPTH_LIMIT; depth++) writer.beginArray();
		assert.throws(() => writer.beginArray(), RangeError);
		const state = writer.saveState();
		writer.begin(into, 0, 64);
		writer.restoreState(state);
		for (let depth = 0; depth < WRITER_DEPTH_LIMIT; depth++) writer.endArray();
		assert.throws(() => writer.endArray(), RangeError);
	});
});

function whole(run: (writer: JSONWriter) => void): string {
	const writer = new JSONWriter(codec);
	const into = new Uint8Array(256);
	writer.begin(into, 0, 256);
	run(writer);
	return decoder.decode(into.subarray(0, writer.position));
}

describe("JSON stream", () => {
	/** `{"readings":[...]}`: a head, one unit for each record, and a tail. */
	function listStream(writer: JSONWriter, records: readonly Value[]): JSONStream {
		return new JSONStream(writer, (writer, unit) => {
			if (unit === 0) {
				writer.beginObject();
				writer.key("count");
				writer.number(records.length);
				writer.key("readings");
				writer.beginArray();
				return true;
			}
			if (unit <= records.length) {
				write(writer, records[unit - 1]);
				return true;
			}
			writer.endArray();
			writer.endObject();
			return false;
		});
	}

	it("gives the same text through windows of any sizes", () => {
		fc.assert(
			fc.property(
				fc.array(values, { maxLength: 6 }),
				fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
				(records, sizes) => {
					const expected = JSON.stringify({ count: records.length, readings: records });
					assert.equal(drain(listStream(new JSONWriter(codec), records), sizes), expected);
				},
			),
			{ numRuns: 300 },
		);
	});

	it("shares its writer with another stream that is read at the same time", () => {
		const writer = new JSONWriter(codec);
		const first = listStream(writer, [{ a: [1, 2, 3] }, "text"]);
		const second = listStream(writer, [[[["deep"]]]]);
		let texts = ["", ""];
		const window = new Uint8Array(5);
		for (let moved = true; moved; ) {
			moved = false;
			texts = texts.map((text, i) => {
				const count = (i === 0 ? first : second).read(window, 0, 5);
				moved ||= count > 0;
				return text + decoder.decode(window.subarray(0, count));
			});
		}
		assert.equal(texts[0], JSON.stringify({ count: 2, readings: [{ a: [1, 2, 3] }, "text"] }));
		assert.equal(texts[1], JSON.stringify({ count: 1, readings: [[[["deep"]]]] }));
	});

	it("skips units that write nothing, even the last one", () => {
		const writer = new JSONWriter(codec);
		const stream = new JSONStream(writer, (writer, unit) => {
			if (unit === 3) writer.string("only");
			return unit < 9;
		});
		assert.equal(drain(stream, [4]), '"only"');
		assert.equal(drain(new JSONStream(writer, () => false), [4]), "");
	});

	it("streams 340 records in windows of 1 KB, and writes at most one record per window twice", () => {
		const records = Array.from({ length: 340 }, (_, i) => ({ obis: `1.8.${i}`, value1: "0".repeat(30), unit: "kWh" }));
		let calls = 0;
		const writer = new JSONWriter(codec);
		const stream = new JSONStream(writer, (writer, unit) => {
			calls++;
			write(writer, records[unit]);
			return unit + 1 < records.length;
		});
		const text = drain(stream, [1010]);
		assert.equal(text, records.map((record) => JSON.stringify(record)).join(","));
		assert.ok(calls <= records.length + Math.ceil(text.length / 1010));
	});

	it("leaves a window partly empty rather than split a unit, if it is allowed to", () => {
		const records = Array.from({ length: 340 }, (_, i) => ({ obis: `1.8.${i}`, value1: "0".repeat(30), unit: "kWh" }));
		const expected = records.map((record) => JSON.stringify(record)).join(",");
		for (const size of [40, 200, 1010]) {
			let calls = 0;
			const produce = (writer: JSONWriter, unit: number) => {
				calls++;
				write(writer, records[unit]);
				return unit + 1 < records.length;
			};
			const stream = new JSONStream(new JSONWriter(codec), produce, 100);
			const window = new Uint8Array(size);
			let text = "";
			for (let count = stream.read(window, 0, size); count > 0; count = stream.read(window, 0, size)) {
				if (size === 1010 && text.length + count < expected.length) assert.ok(count > size - 100);
				text += decoder.decode(window.subarray(0, count));
			}
			assert.equal(text, expected);
			// Only records longer than the one before are split: 1.8.10 and 1.8.100.
			if (size === 1010) assert.ok(calls <= records.length + 2, `${calls} calls`);
		}
	});
});
