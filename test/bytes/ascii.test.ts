import assert from "node:assert/strict";
import { lowerCase, upperCase } from "../../modules/bytes/ascii.js";

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
