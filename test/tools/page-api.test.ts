/** The page's types agree with the API's description. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pageFiles } from "../../tools/page-api.js";

describe("The page's types of the API", () => {
	it("are up to date: npm run api -- --make", () => {
		for (const { path, text } of pageFiles()) assert.equal(readFileSync(path, "utf8"), text);
	});
});
