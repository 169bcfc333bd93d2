/** JSONReader.streamTo: texts longer than the buffer. */
import assert from "node:assert/strict";
import { JSONReader, TOKEN_END, TOKEN_ERROR, TOKEN_MORE, TOKEN_NAME, TOKEN_STRING } from "../../modules/json/reader.js";

/** Reads `json` in pieces of `step` bytes; returns the pieces of member "long", and the other strings. */
function read(json: string | Buffer, step: number): { pieces: Buffer; others: string[]; end: number; longest: number } {
	const bytes = Buffer.from(json);
	const reader = new JSONReader({ scratch: 32 });
	const parts: Buffer[] = [];
	const others: string[] = [];
	const pieces = {
		write: (from: Uint8Array, start: number, end: number) => parts.push(Buffer.from(from.slice(start, end))),
	};
	let end = TOKEN_MORE;
	reader.begin();
	for (let at = 0; ; at += step) {
		if (at < bytes.length) reader.push(bytes, at, Math.min(at + step, bytes.length));
		else reader.finish();
		for (end = reader.next(); end > TOKEN_ERROR; end = reader.next()) {
			if (end === TOKEN_NAME && reader.textEquals("long")) reader.streamTo(pieces);
			if (end === TOKEN_STRING) others.push(Buffer.from(reader.text.subarray(0, reader.length)).toString());
		}
		if (end !== TOKEN_MORE) break;
	}
	return { pieces: Buffer.concat(parts), others, end, longest: Math.max(0, ...parts.map((part) => part.length)) };
}

describe("JSON reader: long texts", () => {
	it("are streamed in pieces, unescaped and complete, and do not affect the next strings", () => {
		const text = `-----\n\u00fc\u4e2d\ud83d\ude00\\"${"x".repeat(300)}\t`;
		for (const long of [
			"",
			"y",
			"y".repeat(31),
			"y".repeat(32),
			"y".repeat(33),
			"y".repeat(64),
			text,
			text.repeat(9),
		]) {
			for (const json of [JSON.stringify({ long, a: "other" }), JSON.stringify({ long, a: "other" }, undefined, " ")]) {
				for (const step of [1, 2, 7, 31, 1 << 20]) {
					const { pieces, others, end, longest } = read(json, step);
					assert.equal(pieces.toString(), long);
					assert.deepEqual(others, ["", "other"]);
					assert.equal(end, TOKEN_END);
					assert.ok(longest <= 32);
				}
			}
		}
	});
	it("are streamed only if the value directly after the name is a string", () => {
		for (const value of ['["x"]', '{"y":"x"}', "12345678901234567890", "true", "null"]) {
			const { pieces, others, end } = read(`{"long":${value},"a":"${"b".repeat(40)}"}`, 5);
			assert.equal(pieces.length, 0, value);
			assert.ok(others.at(-1)!.startsWith("bbbb"));
			assert.equal(end, TOKEN_END);
		}
	});
	it("must be valid JSON up to their end", () => {
		for (const json of ['{"long":"a', '{"long":"a\n"}', '{"long":"\\x"}', '{"long":"\\ud800"}'])
			assert.equal(read(json, 3).end, TOKEN_ERROR);
		const latin = Buffer.from(`{"long":"${"a".repeat(50)}\xe4"}`, "latin1");
		assert.equal(read(latin, 9).end, TOKEN_ERROR);
	});
});
