import assert from "node:assert/strict";
import { lowerCase, upperCase, wholeNumber } from "../../modules/bytes/ascii.js";

describe("the case of ASCII letters", () => {
	it("is changed in both directions, including the ends of the alphabet", () => {
		assert.equal(lowerCase("AZaz-Gateway.LOCAL"), "azaz-gateway.local");
		assert.equal(upperCase("AZaz-Gateway.local"), "AZAZ-GATEWAY.LOCAL");
	});

	it("is changed only in letters, not in their neighbours in ASCII, digits, umlauts or surrogate pairs", () => {
		for (const text of ["", "@[`{", "0123456789", "ÄÖÜ äöü ß \u0130 \u212a", "😀"]) {
			assert.equal(lowerCase(text), text);
			assert.equal(upperCase(text), text);
		}
	});
});

describe("wholeNumber", () => {
	it("reads a number from 0 to its limit, with at most as many digits as the limit", () => {
		for (const [text, number] of [
			["0", 0],
			["007", 7],
			["443", 443],
		] as const)
			assert.equal(wholeNumber(text, 443), number, text);
	});

	it("returns NaN for every other text", () => {
		for (const text of ["", "444", "0443", "-1", "+1", " 1", "1.0", "1e2", "0x1", "٣"])
			assert.ok(Number.isNaN(wholeNumber(text, 443)), JSON.stringify(text));
	});
});
