import assert from "node:assert/strict";
import { lowerCase, upperCase } from "../../modules/bytes/ascii.js";

describe("the case of ASCII's letters", () => {
	it("changes in both directions, at the ends of the alphabet too", () => {
		assert.equal(lowerCase("AZaz-Gateway.LOCAL"), "azaz-gateway.local");
		assert.equal(upperCase("AZaz-Gateway.local"), "AZAZ-GATEWAY.LOCAL");
	});

	it("leaves all else as it is: the characters beside the letters, digits, umlauts, pairs of surrogates", () => {
		for (const text of ["", "@[`{", "0123456789", "ÄÖÜ äöü ß \u0130 \u212a", "😀"]) {
			assert.equal(lowerCase(text), text);
			assert.equal(upperCase(text), text);
		}
	});
});
