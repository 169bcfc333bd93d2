/** Bodies of known length and in chunks, for any split and at every limit. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	BODY_CHUNKED,
	BODY_DATA,
	BODY_END,
	BODY_ERROR,
	BODY_MORE,
	BodyDecoder,
	CHUNK_LINE_LIMIT,
	TRAILER_LIMIT,
} from "../../modules/http/body.js";
import { text } from "./fake.js";

/** Data and last result of `wire`, decoded in pieces of `step` bytes; `rest`: the unused bytes. */
function decode(length: number, wire: string, step = 1 << 20): { data: string; result: number; rest: string } {
	const bytes = text.encode(wire);
	const decoder = new BodyDecoder();
	decoder.begin(length);
	let data = "";
	let result = decoder.next(bytes, 0, 0);
	for (let at = 0; at < bytes.length && (result === BODY_MORE || result === BODY_DATA); ) {
		const end = Math.min(at + step, bytes.length);
		result = decoder.next(bytes, at, end);
		if (result === BODY_DATA) data += text.decode(bytes, decoder.dataStart, decoder.dataEnd);
		assert.ok(decoder.position <= end && decoder.position >= at);
		at = decoder.position;
		if (decoder.isDone) return { data, result: BODY_END, rest: text.decode(bytes, at) };
	}
	return { data, result, rest: "" };
}

describe("HTTP body", () => {
	it("decodes a body of known length and leaves the bytes after it", () => {
		for (const step of [100, 3, 1]) {
			assert.deepEqual(decode(5, "hellonext", step), { data: "hello", result: BODY_END, rest: "next" });
		}
		assert.deepEqual(decode(5, "hell"), { data: "hell", result: BODY_DATA, rest: "" });
		const decoder = new BodyDecoder();
		decoder.begin(0);
		assert.ok(decoder.isDone);
		assert.equal(decoder.next(new Uint8Array(1), 0, 1), BODY_END);
		assert.equal(decoder.position, 0);
	});

	it("decodes chunks in any split, and skips extensions and trailers", () => {
		const wire = '5;a="b"\r\nhello\r\n00A\r\n 123456789\r\n0;x\r\nTrailer: y\r\nOther: z\r\n\r\nnext';
		for (let step = 1; step < wire.length; step++) {
			assert.deepEqual(decode(BODY_CHUNKED, wire, step), { data: "hello 123456789", result: BODY_END, rest: "next" });
		}
		assert.deepEqual(decode(BODY_CHUNKED, "0\r\n\r\n"), { data: "", result: BODY_END, rest: "" });
	});

	it("decodes any data in any chunks", () => {
		const parts = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" }), { maxLength: 8 });
		fc.assert(
			fc.property(parts, fc.integer({ min: 1, max: 50 }), (list, step) => {
				const wire = `${list.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\nrest`;
				assert.deepEqual(decode(BODY_CHUNKED, wire, step), { data: list.join(""), result: BODY_END, rest: "rest" });
			}),
		);
	});

	for (const wire of [
		"\r\n",
		";x\r\n",
		"g\r\n",
		"-1\r\n",
		" 1\r\n",
		"1 \r\n",
		"0x1\r\n",
		"1\n",
		"1\r\r\n",
		"1;\0\r\n",
		"1;a\n",
		"1\r\nab\r\n",
		"1\r\na\n",
		"1\r\na\rx",
		"0\r\n\n",
		"0\r\n\rx",
		"0\r\nA: b\n",
		"0\r\n\0",
	]) {
		it(`rejects the chunk ${JSON.stringify(wire)}`, () => {
			for (const step of [100, 1]) assert.equal(decode(BODY_CHUNKED, wire, step).result, BODY_ERROR);
		});
	}

	it("accepts a chunk size up to 2^31 - 1", () => {
		assert.equal(decode(BODY_CHUNKED, "7fffffff\r\nx").data, "x");
		assert.equal(decode(BODY_CHUNKED, "80000000\r\nx").result, BODY_ERROR);
		assert.equal(decode(BODY_CHUNKED, `${"f".repeat(60)}\r\n`).result, BODY_ERROR);
	});

	it("limits size lines and trailers", () => {
		const extension = (length: number) => `1;${"x".repeat(length - 2)}\r\na\r\n0\r\n\r\n`;
		const size = (length: number) => `${"0".repeat(length - 1)}1\r\na\r\n0\r\n\r\n`;
		// A trailer's length includes its CRLF.
		const trailer = (length: number) => `0\r\n${"a".repeat(length - 2)}\r\n\r\n`;
		for (const [make, limit] of [
			[extension, CHUNK_LINE_LIMIT],
			[size, CHUNK_LINE_LIMIT],
			[trailer, TRAILER_LIMIT],
		] as const) {
			for (const length of [limit - 1, limit]) assert.equal(decode(BODY_CHUNKED, make(length)).result, BODY_END);
			assert.equal(decode(BODY_CHUNKED, make(limit + 1)).result, BODY_ERROR);
		}
		assert.equal(decode(BODY_CHUNKED, `0\r\n${"a:b\r\n".repeat(TRAILER_LIMIT)}`).result, BODY_ERROR);
	});
});
