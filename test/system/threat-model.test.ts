/** docs/threat-model.md and SECURITY.md are true: what they name is there, and each requirement has a test or a reason. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
const model = read("docs/threat-model.md");

/** Rows of the table below the heading, without its head. */
function rowsOf(heading: string): string[][] {
	const [, section] = model.split(`\n## ${heading}\n`);
	assert.ok(section, `there is no section ${heading}`);
	const lines = section
		.split("\n## ")[0]
		.split("\n")
		.filter((line) => line.startsWith("|"));
	return lines.slice(2).map((line) =>
		line
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

describe("The threat model", () => {
	it("names tests that are there", () => {
		const named = [...model.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path);
		assert.ok(named.length > 50, `${named.length} tests`);
		assert.deepEqual(
			named.filter((path) => !existsSync(new URL(path, ROOT))),
			[],
		);
	});

	it("has a test for each attacker, or says that there is none yet", () => {
		for (const [who, tries, holds, tests] of rowsOf("Who, from where, and what holds them")) {
			assert.ok(tries !== "" && holds !== "", who);
			assert.ok(/^`test\//.test(tests) || holds.startsWith("not yet"), `${who} has no test`);
		}
	});

	it("has a test, a document or a reason for each requirement, in their order", () => {
		const rows = rowsOf("The checklist");
		assert.deepEqual(
			rows.map(([number]) => Number(number)),
			Array.from({ length: 38 }, (_, index) => index + 1),
		);
		for (const [number, requirement, shown] of rows) {
			assert.ok(requirement !== "", number);
			assert.match(shown, /`test\/|not yet|\]\(/, `${number} ${requirement}`);
		}
	});

	it("is found from the README, and says where to report a weakness", () => {
		assert.match(read("README.md"), /docs\/threat-model\.md/);
		assert.match(read("SECURITY.md"), /docs\/threat-model\.md/);
		assert.match(model, /\.\.\/SECURITY\.md/);
	});
});
