/** The layout of values in commands and replies between Node and the XS worker. */
import assert from "node:assert/strict";
import {
	BYTES,
	decodeValues,
	encodeValues,
	F64,
	LAST_BYTES,
	LAST_JSON,
	LAST_TEXT,
	TEXT,
	U8,
	U16,
	U32,
} from "../../../hosts/node/worker/layout.js";
import { COMMANDS } from "../../../hosts/node/worker/protocol.js";
import { pattern } from "../portable/check.js";

/** Values after a round trip through a message in the middle of a larger array. */
function roundTrip(layout: readonly number[], ...values: unknown[]): unknown[] {
	const encoded = encodeValues(layout, values, 5);
	const around = new Uint8Array(encoded.length + 20).fill(0xee);
	around.set(encoded, 7);
	return decodeValues(layout, around.subarray(7, 7 + encoded.length), 5);
}

describe("Layouts of messages to the XS worker", () => {
	it("carry each kind of value alone", () => {
		assert.deepEqual(roundTrip([]), []);
		assert.deepEqual(roundTrip([U8], 255), [255]);
		assert.deepEqual(roundTrip([U16], 65_535), [65_535]);
		assert.deepEqual(roundTrip([U32], 0xffff_fffe), [0xffff_fffe]);
		assert.deepEqual(roundTrip([F64], Number.NaN), [Number.NaN]);
		assert.deepEqual(roundTrip([F64], -0.1), [-0.1]);
		for (const kind of [TEXT, LAST_TEXT])
			for (const text of ["", "Zähler 🌍", "\ufeffx"]) {
				assert.deepEqual(roundTrip([kind], text), [text]);
			}
		for (const kind of [BYTES, LAST_BYTES])
			for (const length of [0, 1, 70_000]) {
				assert.deepEqual(roundTrip([kind], pattern(length)), [pattern(length)]);
			}
		for (const value of [null, 0, "x", { a: [1, { b: false }] }])
			assert.deepEqual(roundTrip([LAST_JSON], value), [value]);
		assert.deepEqual(roundTrip([LAST_JSON], undefined), [null]);
	});

	it("carry values of all kinds one after another", () => {
		const values = ["ä", pattern(300), 7, 513, 70_000, 1.5, "", new Uint8Array(0)];
		const layout = [TEXT, BYTES, U8, U16, U32, F64, TEXT, BYTES];
		assert.deepEqual(roundTrip(layout, ...values), values);
		assert.deepEqual(roundTrip([...layout, LAST_BYTES], ...values, pattern(9)), [...values, pattern(9)]);
		assert.deepEqual(roundTrip([...layout, LAST_TEXT], ...values, "end"), [...values, "end"]);
		assert.deepEqual(roundTrip([...layout, LAST_JSON], ...values, { end: 1 }), [...values, { end: 1 }]);
		assert.deepEqual(encodeValues([U16, TEXT], [0x0102, "ab"], 1), Uint8Array.of(0, 2, 1, 2, 0, 0x61, 0x62));
	});

	it("reject a text that is too long, and truncated messages", () => {
		assert.throws(() => roundTrip([TEXT, U8], "x".repeat(65_536), 1), RangeError);
		assert.deepEqual(roundTrip([TEXT, U8], "x".repeat(65_535), 1), ["x".repeat(65_535), 1]);
		for (const layout of [[U32], [U8, U32], [F64], [BYTES, BYTES]]) {
			assert.throws(() => decodeValues(layout, Uint8Array.of(0, 0, 0), 0), RangeError);
		}
		assert.throws(() => decodeValues([TEXT, U8], Uint8Array.of(9, 0, 0x61, 0x62), 0), RangeError);
		assert.throws(() => decodeValues([BYTES], Uint8Array.of(2, 0, 0, 0, 1), 0), RangeError);
	});

	it("give each command its own code", () => {
		const codes = Object.values(COMMANDS).map(({ code }) => code);
		assert.equal(new Set(codes).size, codes.length);
		assert.ok(codes.every((code) => code > 0 && code < 256));
	});
});
