/** The page's types of the API agree with the API's description. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pageFiles } from "../../tools/page-api.js";

describe("what the page knows of the API", () => {
	it("is made from the description: npm run api -- --make", () => {
		for (const { path, text } of pageFiles()) assert.equal(readFileSync(path, "utf8"), text);
	});
});
