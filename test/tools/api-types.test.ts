/** The page's types are those of the API's description. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pageFiles } from "../../tools/api/page-files.js";

describe("The page's types of the API", () => {
	it("are made anew by each npm command", () => {
		for (const { path, text } of pageFiles()) assert.equal(readFileSync(path, "utf8"), text);
	});
});
