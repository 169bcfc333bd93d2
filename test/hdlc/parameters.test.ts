import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeParameters, PARAMETERS_LENGTH, parameterOf } from "../../modules/hdlc/parameters.js";
import { hex, unhex } from "./frames.js";

/** Returns parameters 5 to 8 of a UA's information. */
function parameters(text: string): number[] {
	const information = unhex(text);
	const bytes = new Uint8Array([0x81, ...information, 0x05, 0x01, 0x44]);
	const message = { bytes, infoStart: 1, infoEnd: 1 + information.length };
	return [5, 6, 7, 8].map((number) => parameterOf(message, number));
}

describe("the parameters of a connection", () => {
	it("are proposed in the standard's encoding", () => {
		const into = new Uint8Array(PARAMETERS_LENGTH + 2).fill(0xee);
		assert.equal(encodeParameters(into, 1, { info: 128, window: 1 }), 1 + PARAMETERS_LENGTH);
		assert.equal(hex(into), "ee8180140502008006020080070400000001080400000001ee");
		encodeParameters(into, 1, { info: 2030, window: 7 });
		assert.equal(hex(into), "ee818014050207ee060207ee070400000001080400000007ee");
	});
	it("are read from values of up to four bytes", () => {
		assert.deepEqual(parameters("8180140502008006020080070400000001080400000001"), [128, 128, 1, 1]);
		assert.deepEqual(parameters("81801205019a06019a070400000001080400000001"), [154, 154, 1, 1]);
		assert.deepEqual(parameters("81800c050180060180070107080107"), [128, 128, 7, 7]);
		assert.deepEqual(parameters("81800a0504ffffffff0602ffff"), [0xffffffff, 0xffff, 0, 0]);
	});
	it("are read in any order, with unknown parameters between them", () => {
		assert.deepEqual(parameters("81800b0902abcd0801030502040a"), [1034, 0, 0, 3]);
		assert.deepEqual(parameters("818004ff000501 20".replace(" ", "")), [0, 0, 0, 0]);
		assert.deepEqual(parameters("818005ff00050120"), [32, 0, 0, 0]);
	});
	it("are unknown if the list is missing, of another format, or malformed", () => {
		for (const text of ["", "81", "8180", "818000", "828014050180", "818114050180", "8180030502ff", "818002050180"])
			assert.deepEqual(parameters(text), [0, 0, 0, 0], text);
		assert.deepEqual(parameters("818007050500000000ff"), [0, 0, 0, 0]);
		assert.deepEqual(parameters("8180ff05018006"), [128, 0, 0, 0]);
	});
	it("are read from arbitrary bytes without an error", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => {
				for (const value of parameters(`8180${hex(tail)}`)) assert.ok(value >= 0 && value <= 0xffffffff);
			}),
		);
	});
});
