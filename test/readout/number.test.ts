import assert from "node:assert/strict";
import fc from "fast-check";
import { putNumber } from "../../modules/readout/number.js";
import { bytesOf, textOf } from "../latin1.js";

/** The number as JSON, or null if the text is not a number. */
function numberOf(text: string): string | null {
	const into = new Uint8Array(text.length + 2).fill(0xee);
	// The digit after the text in the buffer does not belong to the number.
	const bytes = bytesOf(`${text}7`);
	const length = putNumber(bytes, text.length, into);
	assert.ok(length <= text.length + 1);
	assert.equal(into[text.length + 1], 0xee);
	return length === 0 ? null : textOf(into, 0, length);
}

describe("the number in a value", () => {
	for (const [text, json] of [
		["0", "0"],
		["000", "0"],
		["5", "5"],
		["000123.450", "123.450"],
		["0000.0", "0.0"],
		["-000128.41", "-128.41"],
		["+000128.41", "128.41"],
		["-0", "-0"],
		["02,468", "2.468"],
		[".5", "0.5"],
		["-.5", "-0.5"],
		["5.", "5"],
		["0.", "0"],
		[" 001.67", "1.67"],
		["001.67   ", "1.67"],
		["   120858", "120858"],
		["00014869.2594317", "14869.2594317"],
		["123456789012345", "123456789012345"],
		["000000123456789012345", "123456789012345"],
		["1234567890123456", null],
		["1234567890.1234567", "1234567890.1234567"],
		["1234567890.12345678", null],
		["0.00000000000000000001", "0.00000000000000000001"],
		["", null],
		["   ", null],
		["-", null],
		["+", null],
		[".", null],
		["-.", null],
		["-.--", null],
		["--.--", null],
		["- 5", null],
		["--5", null],
		["+-5", null],
		["1 2", null],
		["1.2.3", null],
		["1,2.3", null],
		["12:30", null],
		["02FAB8BF", null],
		["1e5", null],
		["0x10", null],
		["18-12-13,17:15", null],
		["1ESY1160437500", null],
		["\t5", null],
	] as const) {
		it(`is ${json} for ${JSON.stringify(text)}`, () => assert.equal(numberOf(text), json));
	}

	it("equals JavaScript's number if a double can represent it", () => {
		const digits = fc.array(fc.constantFrom(..."0123456789"), { maxLength: 8 }).map((list) => list.join(""));
		const sign = fc.constantFrom("", "-", "+");
		fc.assert(
			fc.property(sign, digits, fc.constantFrom("", ".", ","), digits, (minus, whole, point, fraction) => {
				const text = minus + whole + point + (point === "" ? "" : fraction);
				const json = numberOf(text);
				const hasDigits = whole !== "" || (point !== "" && fraction !== "");
				if (!hasDigits) assert.equal(json, null);
				else assert.equal(JSON.parse(json ?? "null"), Number(text.replace(",", ".")));
			}),
			{ numRuns: 2000 },
		);
	});
	it("is valid JSON or missing, whatever the text", () => {
		const text = fc.array(fc.constantFrom(..."0123456789.,+- eExA:"), { maxLength: 24 });
		fc.assert(
			fc.property(text, (characters) => {
				const json = numberOf(characters.join(""));
				if (json !== null) assert.equal(typeof JSON.parse(json), "number");
			}),
			{ numRuns: 5000 },
		);
	});
});
