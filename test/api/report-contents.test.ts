/** The lists of a report's sections, in its document and in the API description, are complete. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPORT_SECTIONS } from "../../modules/parts/system/report-lines.js";
import { DOCUMENT } from "../../tools/api/document.js";
import { ROOT } from "../hosts/native/compile.js";

describe("The contents of a diagnostic report", () => {
	it("are those that docs/diagnostic-report.md lists, in that order", () => {
		const text = readFileSync(join(ROOT, "docs/diagnostic-report.md"), "utf8");
		const table = text.slice(text.indexOf("## What is in it"), text.indexOf("What is **not** in it"));
		assert.deepEqual(
			[...table.matchAll(/^\| `(\w+)` +\| (\S.*\S) +\|$/gm)].map(([, name]) => name),
			REPORT_SECTIONS,
		);
	});

	it("are named in the description of the API", () => {
		const { description } = DOCUMENT.paths["/api/v1/system/diagnostic"].get;
		const named = /contents: (.*?);/.exec(description)![1];
		assert.deepEqual(
			[...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => name !== "log_en"),
			[...REPORT_SECTIONS],
		);
	});
});
